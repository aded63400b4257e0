"""The cliff: the measure is right, and it stands where the report has it."""

import types

import numpy as np
import pytest

from sim import simulate_many
from sim.validation import cliff


def run_of(created, turn, started, cached, shared=0):
    """Return what `steady_hit_rate` reads of a result; each prompt is 100 tokens."""
    columns = {"created": created, "turn": turn, "started": started, "cached": cached}
    requests = {name: np.array(column) for name, column in columns.items()}
    requests["prompt"] = np.full(len(created), 100)
    scenario = types.SimpleNamespace(shared_prefix=shared)
    return types.SimpleNamespace(requests=requests, scenario=scenario)


def test_only_requests_of_the_steady_part_count():
    # two in flight, four sessions: steady from the first successor's start to the last one's
    created = [0, 0, 10, 20, 5, 12, 25]
    turn = [0, 0, 0, 0, 1, 1, 1]
    cached = [0, 0, 30, 0, 90, 50, 99]
    result = run_of(created, turn, created, cached)
    # of 10 <= started < 20: the requests at 10 and 12; with a quarter of two rounded down
    assert cliff.steady_hit_rate(result, 2) == pytest.approx((30 + 50) / 200)


def test_the_shared_prefix_counts_as_cached():
    result = run_of([0, 0, 10, 20, 12], [0, 0, 0, 0, 1], [0, 0, 10, 20, 12], [0, 0, 0, 0, 0], 50)
    assert cliff.steady_hit_rate(result, 2) == pytest.approx(50 / 150)


def test_errors_stand_beside_the_reported_points_only():
    reported = cliff.REPORTED["dpa"]
    rates = np.array([0.5, *reported.values()])
    assert cliff.errors("dpa", rates) == pytest.approx(np.zeros(len(reported)))
    assert cliff.root_mean_square([3, 4, 0, 0]) == 2.5


def test_tp_has_the_capacity_that_its_plan_has_more():
    dpa, tp = (cliff.scenario(name, 8, cliff.FITTED_KV, 0) for name in ("dpa", "tp"))
    assert dpa.kv_capacity == cliff.FITTED_KV
    assert (dpa.workers, tp.workers) == (8, 1)
    assert 1 < tp.kv_capacity / dpa.kv_capacity < 1.3


def test_the_cliff_lies_between_48_and_128_sessions():
    scenarios = [cliff.scenario("dpa", n, cliff.FITTED_KV, 0) for n in (48, 128)]
    results = simulate_many(scenarios)
    before, after = (cliff.steady_hit_rate(r, n) for r, n in zip(results, (48, 128), strict=True))
    assert before > 0.8
    assert after < 0.4


def test_tp_falls_off_the_cliff_between_8_and_16_sessions():
    results = simulate_many([cliff.scenario("tp", n, cliff.FITTED_KV, 0) for n in (8, 16)])
    before, after = (cliff.steady_hit_rate(r, n) for r, n in zip(results, (8, 16), strict=True))
    assert before > 0.9
    assert after < 0.45
