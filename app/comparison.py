"""DPA, PD and TP of the same GPUs under the same workload, over several seeds."""

import dataclasses
import json

import numpy as np

from app.deployments import changed, explained_with_alternatives, worked_out
from app.derive import Recording
from app.format import count, duration, percent, tokens
from app.limits import Demand
from app.runs import key_of, seeds_of
from sim import Scenario, simulate_many

KINDS = ("dpa", "pd", "tp")
SEEDS = 5
BAND = (10, 50, 90)
"""Percentiles over the seeds: low, median, high."""

METRICS = {
    "makespan": ("makespan_s", duration, min),
    "utilization": ("utilization", percent, None),
    "waiting": ("waiting", percent, min),
    "hit_rate": ("prefix_cache_hit_rate", percent, max),
    "recomputed": ("recomputed_share", percent, min),
    "evictions": ("evictions", lambda value, _: count(round(value)), min),
    "ttft": ("p50_ttft_s", duration, min),
    "e2e": ("p50_e2e_s", duration, min),
    "capacity": ("capacity", lambda value, _: tokens(round(value)), max),
}
"""Rows of the table: the key of its value, how it is written, and which value is best.
None for utilization, which work done again raises too."""

NOTEWORTHY = 0.25
"""Share from which waiting, or work done again, is worth a sentence."""


@dataclasses.dataclass(frozen=True)
class Question:
    """What is compared.

    Attributes
    ----------
    request : dict
        Model, GPUs and the rest, as in `app.deployments`; its deployment does not count.
    scenario : Scenario
        The workload; its cluster's fields do not count.
    """

    request: dict
    scenario: Scenario

    @property
    def key(self):
        """A string that two questions share only if they are equal."""
        return json.dumps(self.request, sort_keys=True) + key_of(self.scenario)

    @property
    def seeds(self):
        """The seeds of the runs, the scenario's first; one if the sessions are given."""
        return seeds_of(self.scenario, SEEDS)

    @property
    def demand(self):
        """How much is asked for, a `Demand`."""
        return Demand.of(self.scenario, len(KINDS) * len(self.seeds))

    def of_kind(self, kind):
        """Return the request for one of `KINDS`; numbers given for another kind do not hold."""
        if kind == self.request["deployment"]:
            return self.request
        return changed({**self.request, "overrides": None}, "deployment", kind)


@dataclasses.dataclass(frozen=True)
class Contender:
    """One deployment and how it did.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    request : dict
    plan : sim.hardware.Plan or None
    error : ValueError or None
        Why it cannot be.
    recording : Recording or None
        Of the run with the first seed.
    bands : dict
        For each of `METRICS` its 10th percentile, median and 90th, None where there is none.
    """

    kind: str
    request: dict
    plan: object = None
    error: ValueError | None = None
    recording: Recording | None = None
    bands: dict = dataclasses.field(default_factory=dict)

    def median(self, metric):
        """Return the median of a metric, or None."""
        return self.bands[metric] and self.bands[metric][1]


def compare(question, cancelled):
    """Run each deployment that can be with each seed.

    Parameters
    ----------
    question : Question
    cancelled : callable
        Asked now and then; the runs end when it returns true.

    Returns
    -------
    list of Contender
        One for each of `KINDS`.
    """
    entered = [_entered(question, kind) for kind in KINDS]
    scenarios = [scenario for _, runs in entered for scenario in runs]
    results = iter(simulate_many(scenarios, cancel=cancelled))
    found = []
    for contender, runs in entered:
        mine = [next(results) for _ in runs]
        if mine:
            contender = dataclasses.replace(
                contender, recording=Recording(mine[0]), bands=_bands(mine)
            )
        found.append(contender)
    return found


def _entered(question, kind):
    """Return the contender without results, and its scenarios: none if it cannot be."""
    request = question.of_kind(kind)
    try:
        plan = worked_out(request)
        runs = [question.scenario.replace(**plan.cluster, seed=seed) for seed in question.seeds]
    except ValueError as error:
        # results are remembered, and a traceback would keep the page alive that asked for them
        return Contender(kind, request, error=error.with_traceback(None)), []
    return Contender(kind, request, plan), runs


def _bands(results):
    summaries = [extended(result.summary(), result.scenario) for result in results]
    return {
        name: band([summary[key] for summary in summaries]) for name, (key, _, _) in METRICS.items()
    }


def extended(summary, scenario):
    """Return the summary of a run with what `METRICS` shows besides."""
    caching = scenario.prefill_workers or scenario.workers
    return {
        **summary,
        "waiting": summary["share_waiting_phase"] + summary["share_waiting_kv"],
        "capacity": scenario.kv_capacity * caching,
    }


def band(values):
    """Return the percentiles of `BAND` over values of which some may be None; None if all are."""
    values = [value for value in values if value is not None]
    return tuple(np.percentile(values, BAND).tolist()) if values else None


def table(contenders, texts):
    """Return the table of metrics.

    Returns
    -------
    list of dict
        For each of `METRICS` its `name` and `label`, and `cells`, one for each contender:
        `value`, `band` (empty if all seeds agree) and `best`.
    """
    rows = []
    for name, (_, form, best) in METRICS.items():
        medians = [c.median(name) for c in contenders if c.plan and c.median(name) is not None]
        wins = best(medians) if best and len(set(medians)) > 1 else None
        label = texts("compare.capacity" if name == "capacity" else f"numbers.{name}.label")
        cells = [_cell(c.bands.get(name), form, wins, texts) for c in contenders]
        rows.append({"name": name, "label": label, "cells": cells})
    return rows


def _cell(band, form, wins, texts):
    if band is None:
        return {"value": texts("numbers.none"), "band": "", "best": False}
    low, value, high = (form(number, texts) for number in band)
    spread = "" if low == high else f"{low} – {high}"
    return {"value": value, "band": spread, "best": band[1] == wins}


def said(contenders, texts):
    """Return in sentences what the reader sees, from the numbers."""
    able = sorted((c for c in contenders if c.plan), key=lambda c: c.median("makespan"))
    parts = [*_ranking(able, texts), *_reasons(able, texts)]
    unable = [texts(f"compare.kinds.{c.kind}") for c in contenders if not c.plan]
    if able and unable:
        names = texts("compare.said.and").join(unable)
        parts.append(texts("compare.said.impossible", names=names))
    return (" " if texts.language == "en" else "").join(parts)


def _ranking(able, texts):
    if not able:
        yield texts("compare.said.none")
        return
    first, *others = able
    times = [duration(c.median("makespan"), texts) for c in able]
    if not others:
        yield texts("compare.said.only", best=first.plan.name, makespan=times[0])
        return
    second = others[0]
    names = {"best": first.plan.name, "second": second.plan.name, "makespan": times[0]}
    apart = first.bands["makespan"][2] < second.bands["makespan"][0]
    if apart:
        yield texts("compare.said.first", **names, ratio=_ratio(second, first))
    else:
        yield texts("compare.said.close", **names, other=times[1])
    for third in others[1:]:
        yield texts("compare.said.third", third=third.plan.name, ratio=_ratio(third, first))


def _ratio(slow, fast):
    return f"{slow.median('makespan') / fast.median('makespan'):.1f}"


def _reasons(able, texts):
    if len(able) > 1:
        soon = min(able, key=lambda c: c.median("ttft"))
        ttft = duration(soon.median("ttft"), texts)
        yield texts("compare.said.ttft", name=soon.plan.name, ttft=ttft)
    for contender in able:
        for metric in ("waiting", "recomputed"):
            share = contender.median(metric)
            if share is not None and share >= NOTEWORTHY:
                name, share = contender.plan.name, percent(share, texts)
                yield texts(f"compare.said.{metric}", name=name, share=share)


def reason(contender, texts):
    """Return why a contender cannot be, or an empty text."""
    if contender.error is None:
        return ""
    return explained_with_alternatives(contender.error, contender.request, texts)
