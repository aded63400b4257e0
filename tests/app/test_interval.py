"""The figures of an interval: against a plain loop, against the run, and as parts of it."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from app.derive import SHADES, Recording
from app.derive.interval import PREFILLED, TIMES, interval
from app.derive.progress import DECODE, PREFILL
from sim import Scenario, simulate, simulate_many
from sim.result import EVENT_KINDS, UNITS_PER_TOKEN
from sim.scenario import STATES
from tests.cases import golden, scenarios


def state_at(recording, worker, tick):
    starts, codes = recording.result.states[worker]
    return STATES[codes[np.searchsorted(starts, tick, "right") - 1]]


def worked(recording, stage, homes, totals, first, stop):
    """Whole tokens of each request done before `first` and before `stop`, by a plain loop."""
    stages = recording.stages
    done = np.zeros((2, len(stages)), np.int64)
    for row, worker in enumerate(homes.tolist()):
        here = np.flatnonzero(homes == worker)
        units = 0
        for tick in range(stages[row, stage], min(stop, stages[row, stage + 1])):
            if tick == first:
                done[0, row] = units
            there = sum(stages[o, stage] <= tick < stages[o, stage + 1] for o in here)
            state = state_at(recording, worker, tick)
            units += recording.rates.step(stage, state, int(there))
        done[1, row] = units
        if stages[row, stage] >= first:
            done[0, row] = 0
        elif min(stop, stages[row, stage + 1]) <= first:
            done[0, row] = done[1, row]
    return np.minimum(done, totals * UNITS_PER_TOKEN) // UNITS_PER_TOKEN


def prefilled(recording, first, stop):
    """Tokens prefilled by part, a token at a time in the prompt's order."""
    r = recording.result.requests
    cold = np.where(recording.cold_start, recording.shared, 0)
    sizes = (
        cold,
        r["recomputed_evicted"],
        r["recomputed"] - r["recomputed_evicted"],
        r["prompt"] - r["cached"] - r["recomputed"],
    )
    before, after = worked(recording, PREFILL, r["worker"], sum(sizes), first, stop)
    found = dict.fromkeys(PREFILLED, 0)
    for row in range(len(before)):
        at = 0
        for name, size in zip(PREFILLED, (int(s[row]) for s in sizes), strict=True):
            found[name] += max(0, min(after[row], at + size) - max(before[row], at))
            at += size
    return found


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(scenarios(), st.data())
def test_an_interval_is_what_a_plain_loop_finds(scenario, data):
    recording = Recording(simulate(scenario))
    assume(recording.ticks * recording.workers < 3000)
    first, stop = sorted(data.draw(st.integers(0, recording.ticks), label="end") for _ in range(2))
    found, r = interval(recording, first, stop), recording.result.requests
    spent = dict.fromkeys(STATES, 0)
    for worker in range(recording.workers):
        for tick in range(first, stop):
            spent[state_at(recording, worker, tick)] += 1
    shades = dict(zip(SHADES, found.state_ticks.tolist(), strict=True))
    shades["prefill"] += shades.pop("prefill_again")
    assert shades == spent
    assert found.prefilled == prefilled(recording, first, stop)
    before, after = worked(recording, DECODE, r["decode_worker"], r["output"], first, stop)
    assert found.decoded == (after - before).sum()
    inside = range(first, stop)
    for name, column in (("created", "created"), ("admitted", "started"), ("finished",) * 2):
        assert found.requests[name] == sum(tick in inside for tick in r[column].tolist())
    events = recording.result.events
    for code, kind in enumerate(EVENT_KINDS):
        rows = [
            row
            for row, tick in enumerate(events["tick"].tolist())
            if tick in inside and events["kind"][row] == code
        ]
        assert found.events[kind] == (len(rows), events["tokens"][rows].sum())
    done = [row for row, tick in enumerate(r["finished"].tolist()) if tick in inside]
    ttft = [(r["prefilled"][i] + 1 - r["created"][i]) * recording.tick_s for i in done]
    assert found.times["ttft"].tolist() == ttft


@settings(max_examples=40, deadline=None)
@given(scenarios(), st.lists(st.floats(0, 1), max_size=4))
def test_the_intervals_of_a_partition_add_up_to_the_run(scenario, shares):
    recording = Recording(simulate(scenario))
    ends = [0, *sorted(round(share * recording.ticks) for share in shares), recording.ticks]
    parts = [interval(recording, *pair) for pair in itertools.pairwise(ends)]
    whole = interval(recording, 0, recording.ticks)
    assert (sum(p.state_ticks for p in parts) == whole.state_ticks).all()
    for name in ("decoded", "cached", "loaded", "prompt"):
        assert sum(getattr(p, name) for p in parts) == getattr(whole, name)
    for name in PREFILLED:
        assert sum(p.prefilled[name] for p in parts) == whole.prefilled[name]
    for kind in EVENT_KINDS:
        sums = tuple(np.sum([p.events[kind] for p in parts], axis=0).tolist())
        assert sums == whole.events[kind]
    for name in whole.requests:
        assert sum(p.requests[name] for p in parts) == whole.requests[name]
    for name in TIMES:
        joined = np.concatenate([p.times[name] for p in parts])
        assert np.sort(joined).tolist() == np.sort(whole.times[name]).tolist()


@pytest.fixture(scope="module")
def recordings():
    fields = [fields for fields, _ in golden().values()]
    return [Recording(r) for r in simulate_many(Scenario.from_dict(f) for f in fields)]


def test_the_interval_of_the_whole_run_has_its_summary(recordings):
    for recording in recordings:
        summary, r = recording.result.summary(), recording.result.requests
        whole = interval(recording, -5, recording.ticks + 5)
        spent = whole.state_ticks[: len(STATES)].copy()
        spent[STATES.index("prefill")] += whole.state_ticks[len(STATES)]
        assert spent.tolist() == summary["state_ticks"]
        assert whole.utilization == pytest.approx(summary["utilization"])
        assert whole.hit_rate == summary["prefix_cache_hit_rate"]
        assert whole.events["evict"][0] == summary["evictions"]
        assert whole.events["reclaim"][0] == summary["reclaimed"]
        assert whole.events["evict"][1] + whole.events["reclaim"][1] == summary["evicted_tokens"]
        for kind, key in (("miss", "misses"), ("kill", "kills"), ("compact", "compactions")):
            assert whole.events[kind][0] == summary[key]
        assert whole.requests["finished"] == summary["requests_finished"]
        assert whole.decoded == r["output"].sum()
        assert whole.prefilled["evicted"] == r["recomputed_evicted"].sum()
        assert whole.recomputed == r["recomputed"].sum()
        new = r["prompt"] - r["cached"] - r["recomputed"]
        assert whole.prefilled["new"] == new.sum()
        for name in TIMES:
            wanted = [summary[f"p{p}_{name}_s"] for p in (50, 90, 99)]
            assert whole.percentiles(name) == wanted


def test_an_empty_interval_has_no_rates(recordings):
    empty = interval(recordings[0], 7, 7)
    assert not empty.state_ticks.any()
    assert empty.decoded == 0
    assert (empty.utilization, empty.hit_rate) == (None, None)
    assert empty.percentiles("e2e") == [None, None, None]
