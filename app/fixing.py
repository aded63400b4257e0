"""What would fix it: each change tried out over several seeds, ranked and said."""

import dataclasses
import json
import math

import numpy as np

from app.axes import written
from app.deployments import explained_with_alternatives, normal, worked_out
from app.format import count, duration, percent, tokens
from app.limits import Demand
from app.runs import Cancelled, key_of, seeds_of
from sim import Scenario
from sim.fixes import FIXES, NOW, Trials, fixes
from sim.hardware import DeploymentError
from sim.sweep import Sweep, Table

SEEDS = 3

METRICS = {
    "utilization": ("utilization", percent),
    "hit_rate": ("prefix_cache_hit_rate", percent),
    "evictions": ("evictions", lambda value, _: count(round(value))),
    "ttft": ("p50_ttft_s", duration),
    "turns": ("requests_finished", lambda value, _: count(round(value))),
    "killed": ("kills", lambda value, _: count(round(value))),
}
"""Columns beside the makespan: the metric, and how it is written."""

LESS_WORK = 0.99
"""Share of the turns of now below which a change does less work."""

TIMES = 1.5
"""Ratio of makespans from which on it is written as such, and not as a percentage."""

ALIKE = 0.005
"""Share by which makespans differ that counts as no change."""


@dataclasses.dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes
    ----------
    scenario : Scenario
    request : dict
        Model and GPUs, as in `app.deployments`.
    """

    scenario: Scenario
    request: dict

    @property
    def key(self):
        """A string that two questions share only if they are equal."""
        return json.dumps(self.request, sort_keys=True) + key_of(self.scenario)

    @property
    def demand(self):
        """How much is asked for, a `Demand`."""
        return Demand.of(self.scenario, (len(FIXES) + 1) * len(seeds_of(self.scenario, SEEDS)))


@dataclasses.dataclass(frozen=True)
class Tried:
    """What came of it, so far.

    Attributes
    ----------
    scenario : Scenario
    changes : list of sim.fixes.Fix
    table : sim.sweep.Table
        Of `sim.fixes.Trials`.
    seeds, of : int
        With how many seeds all changes have been run, and with how many they are to be.
    """

    scenario: Scenario
    changes: list
    table: Table
    seeds: int
    of: int

    @property
    def tried(self):
        """Names of what runs: the scenario as it is, then the changes that can be made."""
        return [NOW, *(fix.name for fix in self.changes if not fix.obstacle)]

    def fix(self, name):
        """Return a change by its name."""
        return next(fix for fix in self.changes if fix.name == name)

    def ratios(self):
        """Return the makespans against that of now, seed by seed.

        Returns
        -------
        ndarray of float, shape (seeds, tried)
            NaN where one of the two runs has not ended.
        """
        spent = self.table.columns()["makespan_s"].reshape(-1, len(self.tried))
        return spent / spent[:, :1]


def try_out(question, cancelled, report):
    """Run all changes that can be made, one seed after another.

    Parameters
    ----------
    question : Question
    cancelled : callable
        Asked now and then; the runs end when it returns true.
    report : callable
        Called with what came of it, a `Tried`, after each seed.

    Returns
    -------
    Tried
    """
    changes = fixes(question.scenario, question.request)
    seeds = seeds_of(question.scenario, SEEDS)
    points = Trials(question.scenario, changes, seeds)
    each = points.shape[0]
    table, found = Table(points), None
    for rows in Sweep(points, batch=(each, each)).stream(cancel=cancelled):
        if len(rows) < each:
            break
        table.add(rows)
        found = Tried(question.scenario, changes, table, len(table) // each, len(seeds))
        report(found)
    if cancelled() or found is None:
        raise Cancelled
    return found


def loaded(fix, scenario):
    """Return what a change makes of the state: values of parameters of `AppState`."""
    values = {"scenario": fix.scenario(scenario)}
    if fix.request is not None:
        values["gpus_per_worker"] = worked_out(normal(fix.request)).gpus_per_worker
    return values


def rows(found, texts, gpus_per_worker=1):
    """Return the ranking.

    Parameters
    ----------
    found : Tried
    texts : Texts
    gpus_per_worker : int
        To count GPUs by.

    Returns
    -------
    list of dict
        The shortest median makespan first, those without one last. `name`, `title`, `change`
        and `cost` as texts, `now`, whether it is the scenario as it is, `less`, a text if it
        does less work; `makespan` and `band` (empty if all seeds agree) as texts, `low`,
        `middle` and `high` as shares of the longest; `against` with its `trend` ("better",
        "worse" or ""), `failed`, a text if runs did not end; and each of `METRICS`.
    """
    spent = found.table.bands("makespan_s")
    metrics = {name: found.table.bands(key)[1] for name, (key, _) in METRICS.items()}
    longest = float(np.nanmax(spent, initial=0)) or 1
    ratios, failed = found.ratios(), _failed(found)
    made = []
    for place, name in enumerate(found.tried):
        low, middle, high = (None if math.isnan(s) else float(s) for s in spent[:, place])
        against, trend = ("", "") if name == NOW else compared(ratios[:, place], texts)
        row = {
            "name": name,
            **_described(name, found, texts, gpus_per_worker),
            "now": name == NOW,
            "less": _less(metrics["turns"], place, texts),
            "makespan": duration(middle, texts),
            "band": _band(low, high, texts),
            "low": (low or 0) / longest,
            "middle": (middle or 0) / longest,
            "high": (high or 0) / longest,
            "against": against,
            "trend": trend,
            "failed": _said_failed(failed[place], found, texts),
        }
        row |= {key: _value(key, metrics[key][place], texts) for key in METRICS}
        made.append((math.inf if middle is None else middle, row))
    return [row for _, row in sorted(made, key=lambda pair: pair[0])]


def _value(name, value, texts):
    return texts("numbers.none") if math.isnan(value) else METRICS[name][1](value, texts)


def _described(name, found, texts, gpus_per_worker):
    if name == NOW:
        return {"title": texts("fixes.now"), "change": "", "details": "", "cost": ""}
    fix = found.fix(name)
    details = ", ".join(_changes(fix, found.scenario, texts))
    change = details
    if fix.request is not None:
        change = texts("fixes.deployed", name=fix.values["name"], gpus=fix.values["gpus"])
    return {
        "title": texts(f"fixes.names.{name}"),
        "change": change,
        "details": details,
        "cost": _cost(fix, found.scenario, texts, gpus_per_worker),
    }


def _changes(fix, scenario, texts):
    for name, value in fix.fields.items():
        before, after = (written(name, v, texts) for v in (getattr(scenario, name), value))
        label = texts(f"fields.{name}.label")
        yield texts("fixes.changed", label=label, before=before, after=after)


def _cost(fix, scenario, texts, gpus_per_worker):
    values = {"gpus": scenario.workers * gpus_per_worker * 2, **_numbers(fix.values)}
    cost = texts(f"fixes.costs.{fix.cost or 'setting'}", **values)
    return texts("fixes.cost", cost=cost)


def _numbers(values):
    return {
        name: tokens(value) if name == "tokens" else count(value)
        for name, value in values.items()
        if name != "name"
    }


def _band(low, high, texts):
    low, high = duration(low, texts), duration(high, texts)
    return "" if low == high else f"{low} – {high}"


def _less(turns, place, texts):
    """Return a text if a change finishes fewer turns than now."""
    if not turns[place] < LESS_WORK * turns[0]:
        return ""
    return texts("fixes.fewer_turns", now=count(round(turns[0])))


def _failed(found):
    """Return for each that is tried how many of its runs did not end."""
    errors = np.zeros(len(found.tried), int)
    np.add.at(errors, [found.table.points.cells[run] for run in found.table.errors], 1)
    return errors


def _said_failed(failed, found, texts):
    if not failed:
        return ""
    return texts("fixes.not_ended", failed=failed, seeds=found.seeds)


def compared(ratios, texts):
    """Say how makespans are to those of now.

    Parameters
    ----------
    ratios : sequence of float
        One for each seed; NaN where there is none.
    texts : Texts

    Returns
    -------
    text, trend : str
        "better" or "worse" if all seeds agree, else "".
    """
    ratios = np.asarray(ratios)
    ratios = ratios[~np.isnan(ratios)]
    if not ratios.size:
        return "", ""
    middle = float(np.median(ratios))
    if np.abs(ratios - 1).max() <= ALIKE:
        return texts("fixes.same"), ""
    if ratios.min() < 1 < ratios.max():
        return texts("fixes.unclear"), ""
    trend = "better" if middle < 1 else "worse"
    times = max(middle, 1 / middle)
    if times >= TIMES:
        key = "faster" if trend == "better" else "slower"
        return texts(f"fixes.{key}", ratio=f"{times:.1f}"), trend
    key = "less" if trend == "better" else "more"
    return texts(f"fixes.{key}", share=f"{100 * abs(middle - 1):.0f} %"), trend


def said(ranked, texts):
    """Return in sentences what the ranking shows.

    Parameters
    ----------
    ranked : list of dict
        As `rows` returns them.
    texts : Texts
    """
    now = next(row for row in ranked if row["now"])
    better = [row for row in ranked if row["trend"] == "better"]
    full = [row for row in better if not row["less"]]
    parts = [_best(full, now, texts)]
    above = better[: better.index(full[0])] if full else better
    for row in above:
        values = {"turns": row["turns"], "now": now["turns"]}
        parts.append(
            texts("fixes.said.less", title=row["title"], makespan=row["makespan"], **values)
        )
    return (" " if texts.language == "en" else "").join(parts)


def _best(full, now, texts):
    if not full:
        return texts("fixes.said.none")
    first, *others = full
    values = {"title": first["title"], "makespan": first["makespan"], "now": now["makespan"]}
    if others and others[0]["low"] <= first["high"]:
        second = {"second": others[0]["title"], "other": others[0]["makespan"]}
        return texts("fixes.said.close", **values, **second)
    return texts("fixes.said.best", **values)


def obstacles(found, texts):
    """Return for each change that cannot be made a dict of `title` and `why`."""
    return [
        {"title": texts(f"fixes.names.{fix.name}"), "why": _why(fix, texts)}
        for fix in found.changes
        if fix.obstacle
    ]


def _why(fix, texts):
    if isinstance(fix.obstacle, DeploymentError):
        return explained_with_alternatives(fix.obstacle, normal(fix.request), texts)
    if isinstance(fix.obstacle, ValueError):
        return str(fix.obstacle)
    return texts(f"fixes.obstacles.{fix.obstacle}", **_numbers(fix.values))
