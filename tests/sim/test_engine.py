"""The engine equals the reference and the known right answers, alone and in batches."""

import itertools
import random

import pytest
from hypothesis import given, settings, strategies

import sim
from sim import Scenario, simulate, simulate_many
from sim.runs import run_all
from sim.scenario import MAX_RATE, MAX_TOKENS, PHASE_POLICIES, ROUTINGS
from tests.cases import check, golden, random_scenario, scenarios
from tests.reference import reference

RANDOM = 300
ALONE = 60
"""How many random scenarios run in one call, and how many of them alone too."""


def assert_same(found, expected):
    """Assert that two results are equal in all that they hold."""
    assert found.to_dict() == expected.to_dict()
    assert found.summary() == expected.summary()
    assert found.requests["wait"].tolist() == expected.requests["wait"].tolist()
    assert found.first_ready.tolist() == expected.first_ready.tolist()
    assert found.scenario.to_dict() == expected.scenario.to_dict()


def assert_as_reference(scenario):
    right = reference(scenario)
    assert_same(simulate(scenario), right)
    assert_same(run_all([scenario], together=1)[0], right)


# Known right answers


@pytest.mark.parametrize("name", golden())
def test_golden_alone(name):
    fields, expect = golden()[name]
    check(simulate(Scenario.from_dict(fields)), expect)


def test_golden_in_one_call():
    cases = golden().values()
    results = simulate_many([Scenario.from_dict(fields) for fields, _ in cases])
    for result, (_, expect) in zip(results, cases, strict=True):
        check(result, expect)


# The reference


@given(scenarios())
def test_equals_reference(scenario):
    assert_as_reference(scenario)


@pytest.fixture(scope="module")
def random_runs():
    """Return random scenarios and what the reference makes of them."""
    chosen = [Scenario.from_dict(random_scenario(random.Random(i))) for i in range(RANDOM)]
    return chosen, [reference(s) for s in chosen]


def test_random_scenarios_in_one_call(random_runs):
    chosen, expected = random_runs
    for found, right in zip(simulate_many(chosen), expected, strict=True):
        assert_same(found, right)


def test_random_scenarios_as_batches(random_runs):
    chosen, expected = random_runs
    for found, right in zip(run_all(chosen, together=1), expected, strict=True):
        assert_same(found, right)


def test_random_scenarios_alone(random_runs):
    for scenario, right in itertools.islice(zip(*random_runs, strict=True), ALONE):
        assert_same(simulate(scenario), right)


@settings(max_examples=20)
@given(strategies.lists(scenarios(), max_size=6), strategies.randoms(use_true_random=False))
def test_a_batch_equals_its_runs_alone(batch, rng):
    batch = batch + batch[:2]
    rng.shuffle(batch)
    results = simulate_many(batch)
    assert len(results) == len(batch)
    for scenario, result in zip(batch, results, strict=True):
        assert_same(result, simulate(scenario))


@pytest.mark.parametrize("lock", ["phase", "step"])
@pytest.mark.parametrize(
    ("routing", "policy"), list(itertools.zip_longest(ROUTINGS, PHASE_POLICIES, fillvalue="mixed"))
)
def test_a_crowded_cluster(lock, routing, policy):
    assert_as_reference(
        Scenario(
            workers=5,
            group_size=2,
            agents=20,
            turns=[3, 6],
            kv_capacity=45_000,
            routing=routing,
            phase_policy=policy,
            lock=lock,
            quantum=5,
            balance_abs=1,
            eviction="tail",
            host_kv_capacity=60_000,
            shared_prefix=1_234,
            decode_slowdown=0.03,
            prefill_sharing=True,
            release_finished=False,
            overflow="compact",
            compact_to=3_000,
        )
    )


EXTREMES = {
    "largest tokens": {
        "kv_capacity": MAX_TOKENS,
        "context_limit": MAX_TOKENS,
        "draws": "table",
        "table": [[[0, MAX_TOKENS - 3, 1], [0, 1, 1]], [[0, 1, MAX_TOKENS - 1]]] * 2,
        "workers": 1,
        "prefill_rate": MAX_RATE,
        "decode_rate": MAX_RATE,
    },
    "longest tick, highest rates": {
        "tick_ms": 60_000,
        "prefill_rate": MAX_RATE,
        "decode_rate": MAX_RATE,
        "decode_slowdown": 1000,
        "agents": 9,
        "turns": [2, 4],
        "workers": 2,
    },
    "shortest tick": {"tick_ms": 1, "agents": 2, "workers": 1, "turns": [1, 1]},
    "slow host": {
        "agents": 6,
        "turns": [3, 4],
        "kv_capacity": 30_000,
        "host_kv_capacity": 2**40,
        "host_load_rate": 40.5,
        "workers": 2,
    },
    "one token a turn": {
        "workers": 2,
        "agents": 3,
        "turns": [4, 4],
        "input_tokens": [1, 1],
        "output_tokens": [1, 1],
        "think_ms": [0, 0],
        "kv_capacity": 9,
        "context_limit": 9,
    },
    "a prefix that leaves room for one turn": {
        "workers": 3,
        "prefill_workers": 1,
        "agents": 4,
        "turns": [2, 2],
        "shared_prefix": 90_000,
        "kv_capacity": 102_000,
    },
    "everybody is killed at once": {"kv_capacity": 100, "context_limit": 100},
    "more workers than agents": {"workers": 40, "agents": 2, "turns": [2, 2], "lock": "none"},
    "one agent at a time": {
        "max_concurrent_agents": 1,
        "agents": 5,
        "turns": [1, 3],
        "workers": 2,
        "routing": "round_robin",
        "stagger_ms": 700,
    },
    "an agent behind the last point of the hash ring": {  # agent 21
        "routing": "consistent_hash",
        "seed": 60,
        "workers": 3,
        "agents": 22,
        "turns": [1, 2],
    },
    "waits of days": {
        "draws": "table",
        "workers": 2,
        "tick_ms": 60_000,
        "table": [[[2**31 - 1, 10, 10], [2**31 - 1, 10, 10]], [], [[5, 1, 1]]],
    },
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes(name):
    assert_as_reference(Scenario(**EXTREMES[name]))


SLOW = {"workers": 2, "lock": "none", "tick_ms": 1000, "prefill_rate": 1000, "decode_rate": 10}

TIES = {
    "as many tokens: the fewer requests": (
        (3, 0, 1),
        {
            "routing": "total_tokens",
            "table": [[[0, 300, 50]], [[0, 600, 50]], [[0, 300, 50]], [[0, 100, 50]]],
        },
    ),
    "cached just up to the threshold: the least load": (
        (1, 1, 0),
        {
            "routing": "cache_aware",
            "cache_threshold": 0.5,
            "table": [[[0, 1, 1]], [[0, 100, 100], [9000, 200, 1]]],
        },
    ),
    "loads just as uneven as allowed: the cached": (
        (0, 1, 0),
        {
            "routing": "cache_aware",
            "balance_abs": 0,
            "balance_rel": 2,
            "table": [
                [[0, 100, 10], [9000, 10, 10]],
                [[0, 100, 900]],
                [[5000, 100, 900]],
                [[5000, 100, 900]],
            ],
        },
    ),
    # Agent 0 has 200 tokens on worker 0 and, since agent 3 evicted the rest, on worker 1.
    "as much cached: the least load": (
        (0, 2, 1),
        {
            "routing": "cache_aware",
            "cache_threshold": 0,
            "balance_abs": 1,
            "balance_rel": 0,
            "eviction": "tail",
            "kv_capacity": 2000,
            "table": [
                [[0, 190, 10], [30_000, 790, 10], [9000, 100, 10]],
                [[10_000, 10, 10], [19_000, 10, 150]],
                [[20_000, 10, 10], [9000, 10, 80]],
                [[35_000, 1790, 10]],
            ],
        },
    ),
}


@pytest.mark.parametrize("name", TIES)
def test_ties_of_routing(name):
    (agent, turn, worker), fields = TIES[name]
    scenario = Scenario(draws="table", **SLOW, **fields)
    assert_as_reference(scenario)
    requests = simulate(scenario).requests
    chosen = (requests["agent"] == agent) & (requests["turn"] == turn)
    assert requests["worker"][chosen].tolist() == [worker]


# The public interface


def test_no_scenarios():
    assert simulate_many([]) == []


def test_any_iterable_in_the_order_given():
    sizes = [3, 1, 2]
    results = simulate_many(Scenario(agents=n, turns=[1, 1]) for n in sizes)
    assert [r.first_ready.size for r in results] == sizes


def test_runs_are_deterministic():
    scenario = Scenario(agents=8, turns=[2, 3], kv_capacity=40_000, workers=2, routing="random")
    assert_same(simulate(scenario), simulate(scenario))


def test_the_scenario_is_left_alone():
    scenario = Scenario(agents=3, turns=[1, 2])
    before = scenario.to_dict()
    simulate(scenario)
    assert scenario.to_dict() == before


def test_a_result_keeps_its_scenario():
    scenario = Scenario(agents=3, turns=[1, 2])
    assert simulate(scenario).scenario.to_dict() == scenario.to_dict()


def test_a_scenario_changed_to_a_contradiction_is_refused():
    scenario = Scenario(agents=2)
    scenario.prefill_workers = 16
    with pytest.raises(ValueError, match="prefill_workers = 16 must be below workers"):
        simulate(scenario)


def test_a_limit_that_is_just_enough():
    fields, expect = golden()["tiny_phase_lock"]
    check(simulate(Scenario.from_dict(fields), max_ticks=expect["ticks"]), expect)


@pytest.mark.parametrize("short", [1, 100, 303])
def test_a_run_over_the_limit_is_stopped(short):
    fields, expect = golden()["tiny_phase_lock"]
    assert short < expect["ticks"]
    with pytest.raises(sim.RunStopped, match=rf"{short:,} ticks"):
        simulate(Scenario.from_dict(fields), max_ticks=short)


def test_one_run_over_the_limit_stops_the_batch():
    fields, expect = golden()["tiny_phase_lock"]
    tiny = Scenario.from_dict(fields)
    with pytest.raises(sim.RunStopped):
        simulate_many([tiny, Scenario(agents=2), tiny], max_ticks=expect["ticks"])


def test_a_run_without_end_is_stopped():
    with pytest.raises(sim.RunStopped):
        simulate(Scenario(agents=2, turns=[1, 1], decode_rate=1e-9))


def test_run_stopped_is_a_value_error():
    assert issubclass(sim.RunStopped, ValueError)
    assert not issubclass(sim.RunCancelled, ValueError)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_tick_is_refused(limit):
    with pytest.raises(ValueError, match=f"max_ticks = {limit}"):
        simulate(Scenario(agents=1, turns=[1, 1]), max_ticks=limit)


def test_cancel_ends_a_run_within_a_few_calls():
    calls = []

    def cancel():
        calls.append(None)
        return len(calls) == 3

    with pytest.raises(sim.RunCancelled):
        simulate(Scenario(), cancel=cancel)
    assert len(calls) == 3


def test_a_cancel_hook_that_says_no_changes_nothing():
    scenario = Scenario(agents=8, turns=[3, 4], kv_capacity=40_000, workers=2)
    calls = []
    assert_same(simulate(scenario, cancel=lambda: calls.append(None)), simulate(scenario))
    assert calls


def test_an_error_in_the_cancel_hook_comes_through():
    def cancel():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(Scenario(), cancel=cancel)
