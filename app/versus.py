"""The run held against the baseline in its metrics, over several seeds.

A is the baseline, B the run that is shown.
"""

import dataclasses

import numpy as np

from app.baseline import Baseline
from app.changes import METRICS, amount, appeared, difference, is_ratio, trend
from app.comparison import BAND, SEEDS, band, extended
from app.limits import Demand
from app.runs import Run, key_of, seeds_of
from sim import Scenario, simulate_many

ROWS = (
    "makespan",
    "utilization",
    "waiting",
    "hit_rate",
    "recomputed",
    "evictions",
    "onset",
    "ttft",
    "e2e",
    "turns",
    "killed",
    "capacity",
)
"""Rows of the table, of `app.changes.METRICS`."""

_PAIRED = {"release_finished": False}
EXAMPLES = {
    "policy": (_PAIRED, {**_PAIRED, "phase_policy": "majority"}),
    "routing": ({}, {"routing": "round_robin"}),
    "limit": ({}, {"max_concurrent_agents": 16}),
}
"""Ready comparisons: the fields of the baseline, and those of the run."""


def example(name):
    """Return what a ready comparison makes of the state: values of parameters of `AppState`."""
    a, b = (Scenario(**fields) for fields in EXAMPLES[name])
    return {
        "baseline": Baseline(a),
        "scenario": b,
        "gpus_per_worker": 1,
        "deployment": None,
        "story": None,
    }


@dataclasses.dataclass(frozen=True)
class Question:
    """What is held against each other.

    Attributes
    ----------
    a, b : app.runs.Run
        Of the first seed.
    """

    a: Run
    b: Run

    @property
    def key(self):
        """A string that two questions share only if they are equal."""
        return key_of(self.a.result.scenario) + key_of(self.b.result.scenario)

    @property
    def scenarios(self):
        """The scenarios of A and of B."""
        return self.a.result.scenario, self.b.result.scenario

    @property
    def seeds(self):
        """The seeds of A's runs and of B's; one if the sessions are given."""
        return [seeds_of(scenario, SEEDS) for scenario in self.scenarios]

    @property
    def runs(self):
        """How many runs there are to make, besides those that are shown."""
        return sum(len(seeds) - 1 for seeds in self.seeds)

    @property
    def demand(self):
        """How much is asked for, a `Demand`: as if all runs were those of the heavier side."""
        return max((Demand.of(s, self.runs) for s in self.scenarios), key=lambda d: d.total)


@dataclasses.dataclass(frozen=True)
class Sides:
    """What is known of A and of B.

    Attributes
    ----------
    a, b : list of dict
        Summaries, one for each seed, as `app.comparison.extended` returns them.
    """

    a: list
    b: list

    @property
    def seeds(self):
        """With how many seeds the side with more of them ran."""
        return max(len(self.a), len(self.b))


def first(question):
    """Return the `Sides` of the runs that are there already."""
    return Sides(*([_summary(run)] for run in (question.a, question.b)))


def over_seeds(question, cancelled):
    """Run the other seeds of both sides.

    Parameters
    ----------
    question : Question
    cancelled : callable
        Asked now and then; the runs end when it returns true.

    Returns
    -------
    Sides
    """
    sides = zip(question.scenarios, question.seeds, strict=True)
    others = [[scenario.replace(seed=seed) for seed in seeds[1:]] for scenario, seeds in sides]
    results = iter(simulate_many([s for side in others for s in side], cancel=cancelled))
    begun = first(question)
    return Sides(
        *(
            [*known, *(extended(next(results).summary(), scenario) for scenario in side)]
            for known, side in zip((begun.a, begun.b), others, strict=True)
        )
    )


def _summary(run):
    return extended(run.summary, run.result.scenario)


# --- the metrics ---


def differences(name, sides):
    """Return by how much B differs from A in a metric, seed by seed.

    A side that has only one run is held against all of the other's.

    Returns
    -------
    ndarray of float
        As `app.changes.difference`, of the seeds for which there is one.
    """
    key = METRICS[name][0]
    a, b = ([summary[key] for summary in side] for side in (sides.a, sides.b))
    longest = max(len(a), len(b))
    a, b = (values * longest if len(values) == 1 else values for values in (a, b))
    found = [
        difference(name, x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None
    ]
    return np.array([by for by in found if by is not None])


def winner(name, sides):
    """Return how B's metric is to A's.

    Returns
    -------
    str
        "better" or "worse"; "unclear" if over several seeds the band of the differences holds
        zero; "same" if no seed differs; "" if more is neither good nor bad, or it is not known.
    """
    found = differences(name, sides)
    if not found.size:
        key = METRICS[name][0]
        known = (next(filter(_known, (s[key] for s in side)), None) for side in (sides.a, sides.b))
        return appeared(name, *known)
    low, middle, high = np.percentile(found, BAND)
    if not found.any():
        return "same"
    if METRICS[name][2] is None:
        return ""
    if low <= 0 <= high:
        return "unclear"
    return trend(name, int(np.sign(middle)))


def _known(value):
    return value is not None


def table(sides, texts):
    """Return the table of metrics.

    Returns
    -------
    list of dict
        For each of `ROWS` its `name` and `label`, `a` and `b`, each with `value` and `band`
        (empty if all seeds agree), and `change` with `sign`, `value`, `band` and `winner`.
    """
    return [
        {
            "name": name,
            "label": _label(name, texts),
            "a": _cell(name, sides.a, texts),
            "b": _cell(name, sides.b, texts),
            "change": _changed(name, sides, texts),
        }
        for name in ROWS
    ]


def _label(name, texts):
    if name == "capacity":
        return texts("compare.capacity")
    return texts("versus.turns") if name == "turns" else texts(f"numbers.{name}.label")


def _cell(name, side, texts):
    key, form, _ = METRICS[name]
    found = band([summary[key] for summary in side])
    if found is None:
        never = name == "onset"
        return {"value": texts("numbers.never" if never else "numbers.none"), "band": ""}
    low, value, high = (form(number, texts) for number in found)
    return {"value": value, "band": "" if low == high else f"{low} – {high}"}


def middle(name, side):
    """Return the median of a metric over the seeds of a side; None if there is none."""
    found = band([summary[METRICS[name][0]] for summary in side])
    return found and found[1]


def _changed(name, sides, texts):
    found = differences(name, sides)
    wins = winner(name, sides)
    if wins == "same" or not found.size:
        value = texts("versus.same" if wins == "same" else "numbers.none")
        return {"sign": 0, "value": value, "band": "", "winner": wins}
    low, by, high = np.percentile(found, BAND).tolist()
    spread = texts("baseline.range", low=_signed(name, low, texts), high=_signed(name, high, texts))
    return {
        "sign": int(np.sign(by)),
        "value": amount(name, by, texts),
        "band": "" if low == high else spread,
        "winner": wins,
    }


def _signed(name, by, texts):
    written = amount(name, by, texts)
    if by == 0 or is_ratio(name, by):
        return written
    return ("−" if by < 0 else "+") + written
