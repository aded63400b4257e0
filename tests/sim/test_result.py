"""Metrics on results made by hand, whose answers are known."""

import json

import numpy as np
import pytest
from hypothesis import given, settings

from sim.result import EVENT_FIELDS, EVENT_KINDS, REQUEST_FIELDS, Result, ceil_div, step_units
from sim.scenario import STATES, Scenario
from tests.cases import scenarios
from tests.reference import reference

BASE = {
    "agent": 0,
    "turn": 0,
    "worker": 0,
    "created": 0,
    "started": 0,
    "prefilled": 0,
    "finished": 0,
    "prompt": 100,
    "cached": 0,
    "loaded": 0,
    "recomputed": 0,
    "recomputed_evicted": 0,
    "output": 10,
    "wait": 0,
}


def make(requests=(), events=(), *, ticks=100, states=None, first_ready=(0,), tokens=0, **fields):
    """Make a result of requests that differ from `BASE` and of event rows.

    States are for each worker a list of (name, ticks); without them one worker is idle.
    """
    rows = [{**BASE, "decode_worker": r.get("worker", 0), **r} for r in requests]
    names = (*REQUEST_FIELDS, "wait")
    events = [(tick, EVENT_KINDS.index(kind), *rest) for tick, kind, *rest in events]
    return Result(
        scenario=Scenario(workers=len(states or [0]), **fields),
        ticks=ticks,
        states=[runs(lane) for lane in states or [[("idle", ticks)]]],
        requests={name: np.array([row[name] for row in rows], np.int64) for name in names},
        events={
            name: np.array([row[i] for row in events], np.int64)
            for i, name in enumerate(EVENT_FIELDS)
        },
        first_ready=np.array(first_ready, np.int64),
        kv_token_ticks=tokens,
    )


def runs(lane):
    """Turn (name, ticks) pairs into first ticks and codes."""
    lengths = np.array([ticks for _, ticks in lane], np.int64)
    return np.cumsum(lengths) - lengths, np.array([STATES.index(n) for n, _ in lane], np.uint8)


# States


def test_state_ticks_and_shares():
    result = make(
        ticks=10,
        states=[
            [("prefill", 2), ("decode", 3), ("idle", 5)],
            [("dragged", 4), ("mixed", 1), ("waiting_phase", 2), ("waiting_kv", 3)],
        ],
    )
    assert result.state_ticks.tolist() == [5, 2, 3, 2, 3, 0, 1, 4]
    summary = result.summary()
    assert summary["utilization"] == 6 / 20  # dragged is not counted
    assert summary["share_dragged"] == 4 / 20
    assert sum(summary[f"share_{name}"] for name in STATES) == pytest.approx(1)
    assert summary["makespan_s"] == 2.5
    assert result.workers == 2


def test_a_state_that_comes_back_counts_twice():
    result = make(ticks=6, states=[[("decode", 1), ("idle", 2), ("decode", 3)]])
    assert result.state_ticks[STATES.index("decode")] == 4
    assert result.to_dict()["states"] == [[4, 1, 0, 2, 4, 3]]


# Times


def test_times_of_a_request():
    result = make(
        [{"created": 4, "started": 6, "prefilled": 9, "finished": 19, "output": 5}], tick_ms=500
    )
    summary = result.summary()
    assert summary["mean_queue_s"] == 1.0
    assert summary["mean_ttft_s"] == 3.0  # ends with tick 9
    assert summary["mean_e2e_s"] == 8.0
    assert summary["mean_tpot_s"] == 1.0
    assert summary["mean_session_s"] == 8.0


def test_means_are_over_requests():
    result = make(
        [{"turn": k, "finished": 9 + 10 * k, "output": 1 + k} for k in range(2)], tick_ms=1000
    )
    assert result.summary()["mean_tpot_s"] == (9 / 1 + 19 / 2) / 2


def test_percentiles():
    result = make(
        [{"agent": a, "started": a} for a in range(101)], first_ready=[0] * 101, tick_ms=1000
    )
    summary = result.summary()
    assert [summary[f"p{p}_queue_s"] for p in (50, 90, 99)] == [50, 90, 99]
    assert summary["p50_ttft_s"] == summary["p99_e2e_s"] == 1


def test_a_percentile_between_two_requests_is_interpolated():
    result = make([{"started": 0}, {"turn": 1, "started": 10}], tick_ms=1000)
    assert result.summary()["p90_queue_s"] == pytest.approx(9)


def test_sessions_end_with_the_last_turn_or_the_kill():
    result = make(
        [
            {"agent": 0, "created": 5, "finished": 14},
            {"agent": 0, "turn": 1, "created": 20, "finished": 24},
            {"agent": 2, "created": 10, "finished": 19},
        ],
        [(30, "kill", -1, 2, 1, 9999, -1), (3, "kill", -1, 3, 0, 9999, -1)],
        first_ready=[5, -1, 10, 3],
        tick_ms=1000,
    )
    # agent 1 has no turns; agent 3 was killed with its first and has no finished request
    assert result.times()["session"].tolist() == [20, 20]
    assert result.summary()["mean_session_s"] == 20


# Caches


def test_hit_rate_counts_the_shared_prefix():
    requests = [{"prompt": 100, "cached": 60}, {"turn": 1, "prompt": 300, "cached": 200}]
    assert make(requests).summary()["prefix_cache_hit_rate"] == 260 / 400
    assert make(requests, shared_prefix=50).summary()["prefix_cache_hit_rate"] == 360 / 500


def test_recomputed_shares_are_of_what_was_prefilled():
    summary = make(
        [
            {"prompt": 100, "cached": 60},
            {"turn": 1, "prompt": 300, "cached": 200, "recomputed": 70, "recomputed_evicted": 35},
        ]
    ).summary()
    assert summary["recomputed_share"] == 70 / 140
    assert summary["recomputed_evicted_share"] == 35 / 140


# Avalanche


def avalanche(evicted, first_ready=(0, 0), **changes):
    """Return the onset for requests of 100 tokens, one after another, 10 ticks apart."""
    requests = [
        {"turn": k, "started": 10 * k, "recomputed_evicted": n, **changes}
        for k, n in enumerate(evicted)
    ]
    return make(requests, first_ready=first_ready).avalanche_onset_tick()


def test_onset_is_the_first_evicted_request_of_the_first_bad_window():
    assert avalanche([0, 0, 30, 80, 90, 90]) == 20
    assert avalanche([0, 30, 0, 99, 99]) == 30  # [0, 99] has 99 of 200: not more than half
    assert avalanche([0, 0, 0, 101, 0]) == 30


def test_half_is_not_enough():
    assert avalanche([50, 50, 50]) is None
    assert avalanche([50, 51, 0]) == 0


def test_the_window_is_as_long_as_there_are_agents():
    assert avalanche([0, 0, 90, 90], [0] * 4) is None
    assert avalanche([0, 0, 90, 90], [0] * 3) == 20
    assert avalanche([0, 0, 90, 90], [0, -1, -1]) == 20  # agents without turns count
    assert avalanche([99, 99], [0] * 3) is None  # fewer requests than agents
    assert avalanche([0, 99], [0]) == 10


def test_requests_are_ordered_by_admission_worker_agent():
    def onset(*order):
        rows = [
            {"started": s, "worker": w, "agent": a, "recomputed_evicted": n} for s, w, a, n in order
        ]
        return make(rows, first_ready=[0] * 3, states=[[("idle", 100)]] * 9).avalanche_onset_tick()

    # a window of three of six: bad only if the three bad ones stand together
    good = [(8, 0, 0, 0), (8, 0, 2, 0), (8, 8, 0, 0)]
    bad = [(8, 1, 0, 60), (8, 1, 1, 60), (8, 1, 2, 60)]
    assert onset(*good, *bad) == 8
    assert onset(*bad[::-1], *good[::-1]) == 8
    scattered = [(7, 5, 0, 60), (8, 1, 1, 60), (9, 1, 2, 60)]
    assert onset((7, 6, 1, 0), (8, 0, 0, 0), (8, 2, 2, 0), *scattered) is None


# Lower bound


def test_lower_bound_of_the_slowest_agent():
    # 100 new tokens at 30 tokens a tick take 4 ticks, 10 at 5 a tick take 2
    rates = {"tick_ms": 1000, "prefill_rate": 30, "decode_rate": 5}
    one = {"prompt": 100, "output": 10}
    assert make([one], first_ready=[7], **rates).lower_bound_ticks() == 7 + 4 + 2
    more = {"turn": 1, "prompt": 1000, "cached": 850, "recomputed": 60, "output": 11, "wait": 9}
    # 90 new tokens take exactly 3 ticks, 11 at 5 a tick take 3
    assert make([one, more], first_ready=[7], **rates).lower_bound_ticks() == 13 + 9 + 3 + 3
    other = make([one, {**one, "agent": 1}], first_ready=[7, 40], **rates)
    assert other.lower_bound_ticks() == 46
    assert other.summary()["lower_bound_s"] == 46.0


def test_lower_bound_of_agents_without_finished_requests():
    assert make(first_ready=[3, -1, 8]).lower_bound_ticks() == 8
    assert make(first_ready=[-1, 0]).lower_bound_ticks() == 0


def test_lower_bound_leaves_the_result_alone():
    result = make([{}], first_ready=[5])
    assert result.lower_bound_ticks() == result.lower_bound_ticks()
    assert result.first_ready.tolist() == [5]


@settings(max_examples=50)
@given(scenarios())
def test_no_run_beats_the_lower_bound(scenario):
    """But for a tick a turn: a wait begins in the tick in which the turn before it ends."""
    result = reference(scenario)
    turns = np.bincount(result.requests["agent"], minlength=1).max()
    assert result.lower_bound_ticks() <= result.ticks + turns


# Totals and plain data

EVENTS = [
    (9, "reclaim", 0, 1, 2, 40, 0),
    (5, "evict", 1, 0, 1, 30, 2),
    (5, "evict", 0, 0, 1, 20, 2),
    (5, "compact", -1, 3, 1, 7, -1),
    (5, "miss", 0, 2, 0, 100, -1),
    (6, "kill", -1, 2, 1, 999, -1),
]


def test_totals():
    assert make(events=EVENTS, tokens=12, ticks=10).totals() == {
        "ticks": 10,
        "state_ticks": [10, 0, 0, 0, 0, 0, 0, 0],
        "kv_token_ticks": 12,
        "evictions": 2,
        "reclaimed": 1,
        "evicted_tokens": 90,
        "misses": 1,
        "kills": 1,
        "compactions": 1,
    }


def test_events_are_sorted_and_of_a_kind():
    result = make(events=EVENTS, first_ready=[0] * 4)
    assert result.to_dict()["events"] == sorted(map(list, EVENTS))
    evicted = result.of_kind("evict")
    assert evicted["tokens"].tolist() == [20, 30]
    assert set(evicted) == set(EVENT_FIELDS)
    assert result.of_kind("miss")["agent"].tolist() == [2]


def test_kinds_sort_as_their_names():
    assert sorted(EVENT_KINDS) == list(EVENT_KINDS)


def test_requests_are_sorted_by_agent_and_turn():
    rows = [{"agent": 1}, {"agent": 0, "turn": 1}, {"agent": 0, "turn": 0, "output": 3}]
    found = make(rows, first_ready=[0, 0]).to_dict()["requests"]
    assert [row[:2] for row in found] == [[0, 0], [0, 1], [1, 0]]
    assert found[0][-1] == 3


def test_a_run_in_which_nothing_finished():
    result = make(events=[(0, "kill", -1, 0, 0, 999, -1)], ticks=1)
    summary = result.summary()
    without = [name for name, value in summary.items() if value is None]
    rates = ["prefix_cache_hit_rate", "recomputed_share", "recomputed_evicted_share"]
    times = [name for name in summary if name.startswith(("mean_", "p50_", "p90_", "p99_"))]
    assert without == ["avalanche_onset_s", *rates, *times]
    assert summary["requests_finished"] == 0
    assert summary["utilization"] == 0
    assert result.to_dict()["requests"] == []


def test_a_run_without_events():
    assert make().to_dict()["events"] == []


def of_plain_types(data):
    """Return whether data is of Python's own types all through."""
    if type(data) is dict:
        return all(type(k) is str and of_plain_types(v) for k, v in data.items())
    if type(data) is list:
        return all(map(of_plain_types, data))
    return data is None or type(data) in (int, float, str, bool)


@settings(max_examples=25)
@given(scenarios())
def test_plain_data_and_summary_are_json(scenario):
    result = reference(scenario)
    for data in (result.to_dict(), result.summary()):
        assert of_plain_types(data)
        assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_summary_names():
    times = ("ttft", "e2e", "tpot", "queue", "session")
    assert set(make().summary()) == {
        "makespan_s",
        "utilization",
        "lower_bound_s",
        "avalanche_onset_s",
        "prefix_cache_hit_rate",
        "recomputed_share",
        "recomputed_evicted_share",
        *(f"{kind}_{name}_s" for kind in ("mean", "p50", "p90", "p99") for name in times),
        *(f"share_{name}" for name in STATES),
        *make().totals(),
        "requests_finished",
    }


# Steps


@pytest.mark.parametrize(
    ("rate", "tick_ms", "units"),
    [
        (3000, 250, 750 * 2**20),
        (50, 250, 13_107_200),
        (1e-9, 1, 1),
        (0.001, 1, 1),  # 1.048576 units
        (0.0015, 1, 2),  # 1.57 units
        (1e8, 60_000, 6 * 10**9 * 2**20),
    ],
)
def test_step_units(rate, tick_ms, units):
    assert step_units(rate, tick_ms) == units


def test_ceil_div():
    assert [ceil_div(n, 4) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert ceil_div(np.array([0, 1, 4, 5]), 4).tolist() == [0, 1, 1, 2]
