"""The engine for one scenario and the one for batches give the same results, to the last bit."""

import itertools
import random

import pytest
from hypothesis import given, settings, strategies

import sim
from sim import Scenario, runs, simulate, simulate_many
from sim.single import cache, record
from sim.single.groups import make_groups
from sim.single.pools import make_pools
from sim.single.state import Agent, Worker
from sim.workload import Workload
from tests.cases import check, golden, random_scenario, scenarios
from tests.sim.test_engine import EXTREMES, assert_same

RANDOM = 300
ALONE = 40
"""How many random scenarios are compared, and how many of them as batches of one."""

ONE_BY_ONE, BATCHES = {"together": 10**9}, {"together": 1}
"""What makes `run_all` use one engine or the other whatever the number of scenarios."""
ENGINES = pytest.mark.parametrize("engine", [ONE_BY_ONE, BATCHES], ids=["one by one", "batches"])


def assert_all_same(chosen, **options):
    both = [runs.run_all(chosen, **engine, **options) for engine in (ONE_BY_ONE, BATCHES)]
    for one, other in zip(*both, strict=True):
        assert_same(one, other)


# The same results


@ENGINES
def test_golden(engine):
    cases = golden().values()
    results = runs.run_all([Scenario.from_dict(fields) for fields, _ in cases], **engine)
    for result, (_, expect) in zip(results, cases, strict=True):
        check(result, expect)


@pytest.fixture(scope="module")
def chosen():
    return [Scenario.from_dict(random_scenario(random.Random(10_000 + i))) for i in range(RANDOM)]


def test_random_scenarios(chosen):
    assert_all_same(chosen)


def test_random_scenarios_as_batches_of_one(chosen):
    for scenario in itertools.islice(chosen, ALONE):
        assert_all_same([scenario])


@settings(max_examples=50)
@given(scenarios())
def test_scenarios_that_hypothesis_finds(scenario):
    assert_all_same([scenario])


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes(name):
    assert_all_same([Scenario(**EXTREMES[name])])


@settings(max_examples=40)
@given(strategies.integers(1, 4), strategies.randoms(use_true_random=False))
def test_places_in_flight(places, rng):
    """Short sessions that often end in a kill, held back by a limit on agents in flight."""
    waits = [0, 0, 100, 250, 1000]
    sessions = [
        [[rng.choice(waits), rng.choice([10, 40, 300]), 20] for _ in range(rng.randint(0, 3))]
        for _ in range(12)
    ]
    scenario = Scenario(
        workers=2,
        draws="table",
        table=[[[0, 10, 10]], *sessions],
        context_limit=200,
        prefill_rate=100,
        max_concurrent_agents=places,
        release_finished=rng.choice([True, False]),
    )
    assert_all_same([scenario])


def test_requests_that_finish_together_draw_in_the_order_of_admission_to_decode():
    fields = {
        "draws": "article",
        "workers": 3,
        "prefill_workers": 2,
        "agents": 12,
        "turns": [2, 4],
        "input_tokens": [100, 900],
        "output_tokens": [10, 60],
        "kv_capacity": 9_000,
        "prefill_rate": 1000,
        "tick_ms": 500,
    }
    assert_all_same([Scenario(**fields, seed=seed) for seed in range(10)])


def test_a_long_run_in_a_large_cluster():
    fields = {
        "workers": 40,
        "agents": 120,
        "turns": [8, 12],
        "group_size": 15,
        "kv_capacity": 60_000,
    }
    assert_all_same([Scenario(**fields, lock=lock) for lock in ("phase", "step")])


def test_states_are_the_same_in_parts(monkeypatch):
    scenario = Scenario(agents=20, turns=[2, 4], workers=7, group_size=3)
    whole = simulate(scenario)
    monkeypatch.setattr(record, "CHANGES", 1)
    assert_same(simulate(scenario), whole)


# Ties, which runs rarely meet


def test_entries_stand_in_the_order_of_age():
    ages = {}
    for age in (3, 5, 9, 7, 8):
        cache.insert(ages, f"agent {age}", age)
    assert list(ages.values()) == [3, 5, 7, 8, 9]


def test_host_entries_used_in_one_tick_keep_the_order_of_their_numbers():
    worker = Worker(0, None, make_groups(Scenario(), 16)[0])
    agents = [Agent(number, 1, 0) for number in range(3)]
    for number, agent in enumerate(agents):
        agent.hosted[worker] = 10
        cache.insert(worker.host, agent, 5 << cache.SEQUENCE_BITS | number)
    for agent in (agents[2], agents[0]):
        assert cache.load(worker, agent, 4, 7) == 6
    assert list(worker.host) == [agents[1], agents[0], agents[2]]


@pytest.mark.parametrize(("load", "best"), [([2, 1, 1], 1), ([1, 1, 1], 0), ([2, 2, 0], 2)])
def test_of_equal_entries_the_one_of_the_lower_load(load, best):
    scenario = Scenario(routing="cache_aware", workers=3)
    pool, _ = make_pools(scenario, Workload(scenario), None)
    group = make_groups(scenario, 3)[0]
    pool.workers = [Worker(number, pool, group) for number in range(3)]
    pool.load = load
    agent = Agent(0, 1, 0)
    agent.entries = dict.fromkeys(reversed(pool.workers), 50)
    assert pool.choose(agent, 100).id == best


# Which engine, and its limits


@pytest.mark.parametrize("more", [0, 1])
def test_few_scenarios_run_one_by_one(monkeypatch, more):
    alone = []

    def run_single(scenario, *rest):
        alone.append(scenario)
        return sim.single.run_single(scenario, *rest)

    monkeypatch.setattr(runs, "run_single", run_single)
    batch = [Scenario(agents=2, turns=[1, 1], seed=i) for i in range(runs.TOGETHER - 1 + more)]
    simulate_many(batch)
    assert alone == ([] if more else batch)


@ENGINES
@pytest.mark.parametrize("less", [0, 1])
def test_a_limit_of_ticks(engine, less):
    fields, expect = golden()["tiny_phase_lock"]
    limit = expect["ticks"] - less
    chosen = [Scenario.from_dict(fields)]
    if less:
        with pytest.raises(sim.RunStopped, match=rf"{limit:,} ticks \(\d+ agents still at work\)"):
            runs.run_all(chosen, limit, **engine)
    else:
        check(runs.run_all(chosen, limit, **engine)[0], expect)


def test_a_kill_in_the_last_tick():
    scenario = Scenario(draws="table", table=[[[5000, 300, 1]]], context_limit=200)
    assert simulate(scenario, max_ticks=21).ticks == 21
    with pytest.raises(sim.RunStopped, match="20 ticks"):
        simulate(scenario, max_ticks=20)


@ENGINES
def test_cancel_is_asked_now_and_then(engine):
    calls = []

    def cancel():
        calls.append(None)
        return len(calls) == 3

    with pytest.raises(sim.RunCancelled):
        runs.run_all([Scenario()], cancel=cancel, **engine)
    assert len(calls) == 3
