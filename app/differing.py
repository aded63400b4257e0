"""What differs in the settings of two sides, in words."""

from app.fields import DRAWN, hidden
from app.format import count
from sim.presets import PRESETS
from sim.scenario import DISTRIBUTIONS, UNITS, field_names

WORK = (*DRAWN, "draws", "seed", "table", "shared_prefix")
"""Fields that say what the agents ask for."""

ZERO = {"max_concurrent_agents": "no_limit", "group_size": "all", "host_kv_capacity": "none"}
"""Fields in which 0 has a meaning of its own, and the key of its text."""

NAMED = 2
"""Settings by which a baseline is named at most."""


def settings(a, b, texts):
    """Return what differs in the settings.

    Parameters
    ----------
    a, b : Baseline
    texts : Texts

    Returns
    -------
    list of dict
        `name`, `label`, `a` and `b` as texts, with units.
    """
    return [
        {
            "name": name,
            "label": _label(name, texts),
            "a": said_setting(name, _value(a, name), texts),
            "b": said_setting(name, _value(b, name), texts),
        }
        for name in differing(a, b)
    ]


def _label(name, texts):
    return texts("options.draws.table.label" if name == "table" else f"fields.{name}.label")


def differing(a, b):
    """Return the names of the settings that differ and act in one of two baselines."""
    without = hidden(a.scenario) & hidden(b.scenario)
    names = [name for name in (*field_names(), "gpus_per_worker") if name not in without]
    return [name for name in names if _value(a, name) != _value(b, name)]


def _value(side, name):
    return side.gpus_per_worker if name == "gpus_per_worker" else getattr(side.scenario, name)


def said_setting(name, value, texts):
    """Return the value of a setting with its unit."""
    if name == "table":
        return texts("baseline.none" if value is None else "baseline.sessions", count=_size(value))
    if isinstance(value, bool):
        return texts("controls.on" if value else "controls.off")
    if isinstance(value, str):
        return texts(f"options.{name}.{value}.label")
    if value == 0 and name in ZERO:
        return texts(f"baseline.{ZERO[name]}")
    if name in DISTRIBUTIONS:
        key = "baseline.range" if len(value) == 2 else "baseline.quantiles"
        text = texts(key, count=len(value), low=count(value[0]), high=count(value[-1]))
    else:
        text = str(value) if name == "seed" else f"{value:,}"
    unit = "gpus" if name == "gpus_per_worker" else UNITS.get(name)
    if not unit or texts(f"units.{unit}").lower() == _label(name, texts).lower():
        return text
    return texts("baseline.with_unit", value=text, unit=texts(f"units.{unit}"))


def _size(table):
    return 0 if table is None else len(table)


def named(a, b, texts):
    """Return a short name of baseline `a`, seen from `b`: its preset, or how it differs."""
    changed = a.scenario.changed()
    preset = next((name for name, fields in PRESETS.items() if fields == changed), None)
    names = differing(a, b)
    if not names:
        return texts("baseline.same_settings")
    if preset is not None and len(names) > NAMED:
        return texts(f"presets.{preset}.title")
    shown = texts("baseline.and").join(
        texts("baseline.value", label=setting["label"], value=setting["a"])
        for setting in settings(a, b, texts)[:NAMED]
    )
    more = len(names) - NAMED
    return texts("baseline.more", names=shown, count=more) if more > 0 else shown
