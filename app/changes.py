"""A metric held against that of the baseline: by how much, which way, and whether that is good."""

import dataclasses

from app.comparison import METRICS as COMPARED
from app.comparison import extended
from app.format import count, duration, percent

METRICS = {
    **COMPARED,
    "onset": ("avalanche_onset_s", duration, max),
    "killed": ("kills", lambda value, _: count(round(value)), min),
    "turns": ("requests_finished", lambda value, _: count(round(value)), None),
}
"""As those of `app.comparison`: the key of the value, how it is written, and which is best."""

TIMES = 3
"""Ratio from which on a change is written as such, and not as a percentage."""

LEAST = 0.0005
"""Share or point by which values differ that counts as no change."""


@dataclasses.dataclass(frozen=True)
class Change:
    """What became of a metric.

    Attributes
    ----------
    sign : int
        1 if it rose, -1 if it fell, 0 if it is the same.
    amount : str
        By how much, without a sign; empty if that cannot be said.
    was : str
        The baseline's value.
    trend : str
        "better", "worse", "same", or "" if more is neither good nor bad.
    """

    sign: int
    amount: str
    was: str
    trend: str


def card_changes(run, before, texts):
    """Return for each metric that both runs have its `Change`.

    Parameters
    ----------
    run, before : app.runs.Run
        The run that is shown, and the baseline's.
    texts : Texts
    """
    now, then = (extended(r.summary, r.result.scenario) for r in (run, before))
    return {name: change(name, then[key], now[key], texts) for name, (key, _, _) in METRICS.items()}


def change(name, before, after, texts):
    """Return the `Change` of one of `METRICS`; a value may be None."""
    form = METRICS[name][1]
    was = form(before, texts)
    if name == "onset" and before is None:
        was = texts("numbers.never")
    if before is None or after is None:
        return Change(0, "", was, appeared(name, before, after))
    by = difference(name, before, after)
    if by is None:  # there was none of it
        return Change(1, "", was, trend(name, 1))
    sign = _sign(by)
    return Change(sign, amount(name, by, texts), was, trend(name, sign))


def appeared(name, before, after):
    """Return what it means that a value is there now, or no longer; an avalanche is bad."""
    if before is None and after is None:
        return "same"
    if name != "onset":
        return ""
    return "worse" if before is None else "better"


def difference(name, before, after):
    """Return by how much a metric differs: a share by points, else relative to `before`.

    None if it has none to be relative to.
    """
    if METRICS[name][1] is percent:
        return after - before
    if before:
        return after / before - 1
    return None if after else 0.0


def amount(name, by, texts):
    """Return a difference without its sign."""
    if METRICS[name][1] is percent:
        return texts("baseline.change.points", points=f"{100 * abs(by):.1f}")
    if is_ratio(name, by):
        return texts("baseline.change.times", ratio=f"{by + 1:,.{1 if by < 20 else 0}f}")
    return f"{100 * abs(by):.{1 if abs(by) < 0.1 else 0}f} %"


def is_ratio(name, by):
    """Return whether a difference is written as a ratio."""
    return METRICS[name][1] is not percent and by + 1 >= TIMES


def trend(name, sign):
    """Return what it means that a metric rose or fell."""
    best = METRICS[name][2]
    if sign == 0:
        return "same"
    if best is None:
        return ""
    return "better" if (sign > 0) == (best is max) else "worse"


def _sign(by):
    return 0 if abs(by) < LEAST else 1 if by > 0 else -1
