"""Where the time of a run's GPUs went, as people read it, for the page and for the terminal."""

import dataclasses

from app.derive.tax import PARTS, USEFUL, efficiency
from app.format import duration, percent


@dataclasses.dataclass(frozen=True)
class Part:
    """One of `app.derive.tax.PARTS`.

    Attributes
    ----------
    name : str
    share : float
        Of all time.
    percent, time : str
        That share, and the time; a dash for none.
    """

    name: str
    share: float
    percent: str
    time: str


@dataclasses.dataclass(frozen=True)
class Spending:
    """Where the time went.

    Attributes
    ----------
    parts : tuple of Part
        All of them; they add up to all time.
    said : str
        How much it is, what of it was needed, and what the run took against its lower bound.
    """

    parts: tuple
    said: str


def spending(recording, gpus_per_worker, texts):
    """Return the `Spending` of a run.

    Parameters
    ----------
    recording : app.derive.Recording
    gpus_per_worker : int or None
        A second of a worker is so many seconds of GPUs; None: count the workers' own time.
    texts : Texts
    """
    spent = recording.spent
    whole = sum(spent.values())
    second = recording.tick_s * (gpus_per_worker or 1)
    parts = tuple(
        Part(
            name,
            spent[name] / whole,
            percent(spent[name] / whole, texts),
            duration(spent[name] * second or None, texts),
        )
        for name in PARTS
    )
    said = texts(
        "tax.said",
        total=duration(whole * second, texts),
        unit=texts("tax.gpu" if gpus_per_worker else "tax.worker"),
        useful=percent(sum(spent[name] for name in USEFUL) / whole, texts),
        efficiency=percent(min(1.0, efficiency(recording)), texts),
        bound=duration(recording.result.lower_bound_ticks() * recording.tick_s, texts),
        makespan=duration(recording.ticks * recording.tick_s, texts),
    )
    return Spending(parts, said)
