"""The controls: one for each field of a scenario, made from its parameters."""

import param

from app.deployments import by_hand, said_value
from app.state import MAX_GPUS_PER_WORKER
from sim.scenario import (
    DISTRIBUTIONS,
    GROUPS,
    UNITS,
    Scenario,
    check_field,
)

MAIN = ("gpus", "kv_capacity", "agents", "routing", "phase_policy", "lock")
"""Controls that stand above the groups."""

LAYOUT = {
    "main": MAIN,
    **{
        group: tuple(
            "gpus_per_worker" if name == "workers" else name for name in names if name not in MAIN
        )
        for group, names in GROUPS.items()
    },
}
"""Controls by group, in the order in which they stand. GPUs take the place of workers."""

CHOSEN_WITH = {
    "group_size": ("lock", ("phase", "step")),
    "chunk_tokens": ("lock", ("step",)),
    "quantum": ("phase_policy", ("time_slice",)),
    "decode_interval": ("phase_policy", ("decode_interval",)),
    "max_delay": ("phase_policy", ("prefill_delayer",)),
    "mixed_share": ("phase_policy", ("mixed",)),
    "cache_threshold": ("routing", ("cache_aware",)),
    "balance_abs": ("routing", ("cache_aware",)),
    "balance_rel": ("routing", ("cache_aware",)),
    "compact_to": ("overflow", ("compact",)),
}
"""Fields that act only with certain choices of another field; they are hidden otherwise."""

DRAWN = ("agents", "stagger_ms", "turns", "input_tokens", "output_tokens", "think_ms")


def hidden(scenario):
    """Return the names of the fields that belong to choices not taken."""
    names = {
        name
        for name, (other, values) in CHOSEN_WITH.items()
        if getattr(scenario, other) not in values
    }
    if not scenario.host_kv_capacity:
        names.add("host_load_rate")
    if not scenario.prefill_workers:
        names.add("transfer_rate")
    return names


def idle(scenario):
    """Return the fields that cannot act in this scenario, each with the key of the reason."""
    reasons = {}
    if scenario.prefill_workers:
        coupled = ("lock", "group_size", "phase_policy", "chunk_tokens", "quantum")
        coupled += ("decode_interval", "max_delay", "mixed_share")
        reasons.update(dict.fromkeys(coupled, "pd"))
    elif scenario.workers == 1:
        reasons.update(dict.fromkeys(("routing", "lock", "group_size"), "one_worker"))
    if scenario.draws == "table":
        reasons.update(dict.fromkeys(DRAWN, "table"))
    return reasons


def marks(state, texts):
    """Return the controls whose fields are not as the deployment behind them has them, each with
    a sentence that says so."""
    if state.deployment is None:
        return {}
    try:
        worked_out = by_hand(state.deployment, state.scenario, state.gpus_per_worker)
    except ValueError:  # it cannot be, and has no fields
        return {}
    said = {}
    for field, value in worked_out.items():
        name = "gpus" if field == "workers" else field
        if name == "gpus":
            value *= state.gpus_per_worker
        said[name] = texts("deployment.mark", worked=said_value(field, value, texts))
    return said


def controls(state, texts):
    """Return what the form shows: groups of controls with their values.

    Parameters
    ----------
    state : AppState
    texts : Texts

    Returns
    -------
    list of dict
        For each group its `name`, `title` and `controls`; see `control`.
    """
    gone = hidden(state.scenario)
    reasons = idle(state.scenario)
    marked = marks(state, texts)
    return [
        {
            "name": group,
            "title": texts(f"controls.groups.{group}"),
            "controls": [
                {
                    **control(name, state, texts),
                    "hidden": name in gone,
                    "reason": texts(f"reasons.{reasons[name]}") if name in reasons else "",
                    "mark": marked.get(name, ""),
                }
                for name in names
            ],
        }
        for group, names in LAYOUT.items()
    ]


def control(name, state, texts):
    """Return one control.

    Returns
    -------
    dict
        `name`, `kind` ("slider", "number", "choice", "switch" or "distribution"), `label`,
        `help`, `unit` (may be empty) and `value`; a slider's `low`, `high` (of the slider, not
        of what may be typed) and `step`; a choice's `options`, each `value`, `label`, `help`.
    """
    unit = {"gpus": "gpus", "gpus_per_worker": "gpus"}.get(name) or UNITS.get(name)
    return {
        "name": name,
        "label": texts(f"fields.{name}.label"),
        "help": texts(f"fields.{name}.help"),
        "unit": texts(f"units.{unit}") if unit else "",
        **_kind(name, state, texts),
    }


def _kind(name, state, texts):
    if name == "gpus":
        each = state.gpus_per_worker
        low, high = Scenario.param.workers.softbounds
        return _slider(state.gpus, low * each, high * each, each)
    if name == "gpus_per_worker":
        return _slider(state.gpus_per_worker, 1, 16, 1)
    value, kind = getattr(state.scenario, name), Scenario.param[name]
    if name in DISTRIBUTIONS:
        return {"kind": "distribution", "value": list(value)}
    if isinstance(kind, param.Boolean):
        return {"kind": "switch", "value": value}
    if isinstance(kind, param.Selector):
        known = [v for v in kind.objects if name != "draws" or v != "table" or value == "table"]
        return {"kind": "choice", "value": value, "options": _options(name, known, texts)}
    if kind.softbounds is None and kind.bounds[1] > 1:
        return {"kind": "number", "value": value}
    low, high = kind.softbounds or kind.bounds
    return _slider(value, low, high, kind.step)


def _slider(value, low, high, step):
    return {"kind": "slider", "value": value, "low": low, "high": high, "step": step}


def _options(name, values, texts):
    return [{"value": v, **texts.section(f"options.{name}.{v}")} for v in values]


def change(state, name, value):
    """Return what a change of one control makes of the state.

    Parameters
    ----------
    state : AppState
    name : str
        A control's name.
    value
        As it came from the page, still to be checked.

    Returns
    -------
    dict
        Values of parameters of `AppState`.

    Raises
    ------
    ValueError
        If the value is not allowed, by itself or with the other fields.
    """
    if name == "gpus_per_worker":
        return {"gpus_per_worker": _whole(value, MAX_GPUS_PER_WORKER)}
    if name == "gpus":
        each = state.gpus_per_worker
        gpus = _whole(value, Scenario.param.workers.bounds[1] * each)
        if gpus % each:
            raise ValueError(f"must be a multiple of {each}")
        name, value = "workers", gpus // each
    changes = {name: check_field(name, value)}
    if name == "draws" and value != "table":
        changes["table"] = None
    return {"scenario": state.scenario.replace(**changes)}


def _whole(value, high):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        raise ValueError(f"must be a whole number from 1 to {high:,}")
    if not 1 <= value <= high:
        raise ValueError(f"must be a whole number from 1 to {high:,}")
    return int(value)
