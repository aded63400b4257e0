"""Every worker and tick has a cause that a reader can follow: who holds it, or what is to come."""

import random

import pytest

from app import derive, describe
from app.derive import SHADES, Recording
from app.format import tokens
from app.texts import LANGUAGES, Texts
from sim import Scenario, simulate_many
from sim.scenario import LOCKS, PHASE_POLICIES
from tests.cases import random_scenario

TICKS = 12


def runs():
    """Random runs, and one of each phase policy under each lock, in groups."""
    rng = random.Random(5)
    scenarios = [Scenario.from_dict(random_scenario(rng)) for _ in range(40)]
    plain = {"agents": 9, "turns": [2, 4], "kv_capacity": 30_000, "tick_ms": 1000}
    for lock in LOCKS:
        for policy in PHASE_POLICIES:
            scenarios.append(Scenario(workers=4, lock=lock, phase_policy=policy, **plain))
            scenarios.append(
                Scenario(workers=5, lock=lock, phase_policy=policy, group_size=2, **plain)
            )
        scenarios.append(Scenario(workers=4, prefill_workers=2, lock=lock, **plain))
    return [Recording(result) for result in simulate_many(scenarios)]


@pytest.fixture(scope="module")
def moments():
    """Moments at some ticks of each run, all workers."""
    rng = random.Random(6)
    return [
        (recording, tick, moment)
        for recording in runs()
        for tick in rng.sample(range(recording.ticks), min(TICKS, recording.ticks))
        for moment in derive.at(recording, tick)
    ]


def name(texts, agent):
    return texts("why.agent", agent=agent)


def to_come(recording, worker, tick):
    """Agents whose requests come to a worker after a tick, with the tick, by a plain loop."""
    r, split = recording.result.requests, recording.scenario.prefill_workers
    found = {}
    for row in range(r["agent"].size):
        arrivals = [int(r["created"][row])] if r["worker"][row] == worker else []
        if split and r["decode_worker"][row] == worker:
            arrivals.append(int(r["prefilled"][row]) + 1)
        for arrival in arrivals:
            if arrival > tick:
                agent = int(r["agent"][row])
                found[agent] = min(arrival, found.get(agent, arrival))
    return sorted((arrival, agent) for agent, arrival in found.items())


def test_who_waits_for_the_phase_is_told_for_whom_and_by_which_rule(moments):
    seen = set()
    for recording, _, moment in moments:
        cause = moment.cause
        if cause.code not in ("waiting_phase", "dragged"):
            continue
        policy = recording.scenario.phase_policy
        seen.add((cause.code, policy, cause.phase))
        assert cause.policy == policy
        assert cause.blockers
        for worker, agents in cause.blockers:
            assert worker in moment.group
            assert agents
        worker, agents = cause.blockers[0]
        for language in LANGUAGES:
            texts = Texts(language)
            said = describe.why(moment, texts, recording.tick_s)
            assert texts("timeline.worker", worker=worker) in said
            assert name(texts, agents[0]) in said
            assert said.count("{") == 0
    policies = {policy for _, policy, _ in seen}
    assert policies == set(PHASE_POLICIES) - {"mixed"}
    assert {code for code, _, _ in seen} == {"waiting_phase", "dragged"}
    assert len(seen) >= 12


def test_who_waits_for_kv_is_told_who_fills_it(moments):
    roles, states = set(), set()
    for recording, tick, moment in moments:
        blocked = moment.blocked
        assert (blocked is not None) == bool(moment.queue)
        if blocked is None:
            assert moment.cause.code != "waiting_kv"
            continue
        roles.add(moment.role)
        states.add(moment.cause.code)
        assert blocked.locked_by
        held = {e.agent: e.tokens for e in moment.entries if e.locked}
        assert dict(blocked.locked_by) == held
        assert sum(held.values()) + blocked.free <= moment.capacity
        agent, size = blocked.locked_by[0]
        assert size == max(held.values())
        for language in LANGUAGES:
            texts = Texts(language)
            said = " ".join(describe.hover(moment, texts, recording.tick_s, tick)["lines"])
            assert name(texts, blocked.agent) in said
            assert texts("why.holder", agent=agent, tokens=tokens(size)) in said
    assert roles == {"both", "prefill", "decode"}
    assert "waiting_kv" in states


def test_who_is_idle_is_told_who_comes_next(moments):
    left = set()
    for recording, tick, moment in moments:
        if moment.cause.code != "idle":
            continue
        coming = to_come(recording, moment.worker, tick)
        left.add(bool(coming))
        assert [agent for _, agent in coming] == list(moment.cause.agents)
        for language in LANGUAGES:
            texts = Texts(language)
            said = describe.why(moment, texts, recording.tick_s)
            if coming:
                arrival, agent = coming[0]
                assert moment.cause.until == arrival
                assert name(texts, agent) in said
            else:
                assert said == texts("why.over")
    assert left == {True, False}


def test_who_works_is_told_for_whom(moments):
    seen = set()
    for recording, _, moment in moments:
        if moment.cause.code in ("idle", "waiting_kv", "waiting_phase", "dragged"):
            continue
        seen.add(moment.cause.code)
        texts = Texts("en")
        said = describe.why(moment, texts, recording.tick_s)
        assert moment.cause.agents
        assert name(texts, moment.cause.agents[0]) in said
    assert seen == set(SHADES) - {"idle", "waiting_kv", "waiting_phase", "dragged"}
