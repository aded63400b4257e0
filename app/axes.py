"""The parameters that can be swept, and the values that each takes."""

import itertools
import math

import param

from app.format import tokens
from sim.scenario import DISTRIBUTIONS, GROUPS, UNITS, Scenario

AXES = tuple(
    name
    for names in GROUPS.values()
    for name in names
    if name not in (*DISTRIBUTIONS, "seed", "draws")
)
"""Names of the fields, in the order in which a menu shows them."""

VALUES = {
    "agents": (4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64),
    "kv_capacity": tuple(range(100_000, 1_000_001, 100_000)),
}
"""Values of the fields whose range is not spread evenly."""

STEPS = (10, 9, 8, 6, 5)
"""Into how many steps a range is divided, the first by which they come out round."""

WIDE = 20
"""Ratio of the ends of a range from which on each value is a multiple of the one before."""


def values(name, scenario):
    """Return the values of a field that are swept, the scenario's own among them.

    Parameters
    ----------
    name : str
        One of `AXES`.
    scenario : Scenario

    Returns
    -------
    list
        Rising if they are numbers.
    """
    kind, own = Scenario.param[name], getattr(scenario, name)
    if isinstance(kind, param.Boolean):
        return [False, True]
    if isinstance(kind, param.Selector):
        return list(kind.objects)
    found = VALUES.get(name) or _spread(*(kind.softbounds or kind.bounds), kind.step or 1)
    return sorted({*found, own})


def _spread(low, high, step):
    """Return round numbers from `low` to `high`."""
    if low > 0 and high / low >= WIDE:
        doubling = low == int(low) and math.log2(low).is_integer() and math.log2(high).is_integer()
        return [n for n in (_doubled(low) if doubling else _decades(low)) if n <= high]
    steps = next((n for n in STEPS if _whole((high - low) / n / step)), STEPS[0])
    return [_tidy(low + (high - low) * i / steps) for i in range(steps + 1)]


def _doubled(low):
    return [low * 2**power for power in range(32)]


def _decades(low):
    """Return 1, 2, 5, 10, ... from `low` on."""
    first = math.floor(math.log10(low))
    rounds = (_tidy(m * 10.0**e) for e, m in itertools.product(range(first, first + 9), (1, 2, 5)))
    return [n for n in rounds if n >= low]


def _whole(number):
    return abs(number - round(number)) < 1e-9


def _tidy(number):
    return round(number) if _whole(number) else round(number, 6)


def title(name, texts):
    """Return what stands at an axis: the field's name and unit."""
    label = texts(f"fields.{name}.label")
    unit = UNITS.get(name)
    if unit is None or texts(f"units.{unit}").lower() == label.lower():
        return label
    return texts("explore.axis", label=label, unit=texts(f"units.{unit}"))


def written(name, value, texts):
    """Return a value as it stands at an axis."""
    if isinstance(value, bool):
        return texts("controls.on" if value else "controls.off")
    if isinstance(value, str):
        return texts(f"options.{name}.{value}.label")
    return tokens(value) if UNITS.get(name) == "tokens" else f"{value:,}"
