"""Recorded sessions as workloads of scenarios."""

import json

import pytest

from sim import Scenario, simulate
from sim.traces import (
    Session,
    Source,
    Turn,
    ideal_hit_rate,
    oversized,
    read_sources,
    sessions_of,
    to_mooncake,
    to_tracelab,
    trace_fields,
    workload_scenario,
)
from sim.traces.sessions import Request
from tests.sim.traces.made import CLAUDE, lines, rows


def session(name, *turns, start=0, shared=None):
    """Return a session of rows [wait, input, output, carried]."""
    made = [Turn(w, new, out, *(kept or [None]), new) for w, new, out, *kept in turns]
    return Session(name, "made", made, start, shared)


A = session("a", (0, 1000, 50), (2000, 300, 20), (90_000, 10, 5), start=5000, shared=400)
B = session("b", (0, 800, 10), (100, 200, 30), (0, 60, 5, 450), start=7000, shared=300)


def test_one_agent_for_each_session_without_the_shared_prefix():
    fields = trace_fields([A, B])
    assert fields["shared_prefix"] == 300
    assert fields["table"] == [
        [[0, 700, 50], [2000, 300, 20], [90_000, 10, 5]],
        [[0, 500, 10], [100, 200, 30], [0, 60, 5, 150]],
    ]
    scenario = Scenario(**fields)
    prompts = simulate(scenario).requests["prompt"] + 300
    assert prompts.tolist() == A.prompts + B.prompts


def test_what_is_carried_lies_within_the_shared_prefix():
    table = trace_fields([B], shared_prefix=500)["table"]
    assert table == [[[0, 300, 10], [100, 200, 30], [0, 10, 5, 0]]]


def test_sources_that_tell_nothing_of_a_shared_prefix():
    silent = session("c", (0, 100, 5))
    assert trace_fields([A, silent])["shared_prefix"] == 400  # a cold start, of the same source
    silent.source = "other"
    assert trace_fields([A, silent])["shared_prefix"] == 0


def test_a_shared_prefix_longer_than_a_prompt():
    table = trace_fields([B], shared_prefix=5000)["table"]
    assert table[0][0] == [0, 1, 10]


def test_agents_are_sampled_repeated_and_cut():
    many = [session(str(k), (0, 100 + k, 5), (0, 9, 9)) for k in range(10)]
    fields = trace_fields(many, agents=25, seed=4)
    first = [turns[0][1] for turns in fields["table"]]
    assert sorted(first.count(100 + k) for k in range(10)) == [2] * 5 + [3] * 5
    assert fields["agents"] == 25
    assert trace_fields(many, agents=25, seed=4) == fields
    assert trace_fields(many, agents=25, seed=5) != fields
    few = trace_fields(many, agents=3, choose="first", max_turns=1)
    assert few["table"] == [[[0, 100, 5]], [[0, 101, 5]], [[0, 102, 5]]]


def test_starts():
    starts = {
        start: [turns[0][0] for turns in trace_fields([A, B], start=start)["table"]]
        for start in ("together", "recorded", "staggered")
    }
    assert starts == {"together": [0, 0], "recorded": [0, 2000], "staggered": [0, 30_000]}


def test_waits_and_tokens():
    table = trace_fields([A, B], wait_cap_ms=10_000, scale=0.5)["table"]
    assert [turn[0] for turn in table[0]] == [0, 2000, 10_000]
    assert [turn[1:] for turn in table[1]] == [[250, 5], [100, 15], [30, 2, 75]]


def test_compactions():
    limit = trace_fields([B], compaction="limit")
    assert limit["table"][0][2] == [0, 60, 5]
    assert (limit["overflow"], limit["compact_to"]) == ("compact", 30_000)
    assert trace_fields([B], compaction="none")["overflow"] == "kill"


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"agents": 0}, "agents = 0 must be a whole number from 1"),
        ({"agents": 70_000}, "agents = 70000 must be"),
        ({"start": "recoded"}, "did you mean 'recorded'"),
        ({"choose": "last"}, "must be one of sample, first"),
        ({"compaction": "off"}, "must be one of recorded, limit, none"),
        ({"scale": 0}, "scale = 0 must be a number above 0"),
        ({"wait_cap": 5}, "unknown choice 'wait_cap': did you mean 'wait_cap_ms'"),
        ({"wait_cap_ms": -1}, "wait_cap_ms = -1"),
    ],
)
def test_wrong_choices_are_named(choices, said):
    with pytest.raises(ValueError, match=said):
        trace_fields([A], **choices)


def test_nothing_to_do():
    with pytest.raises(ValueError, match="no session with a request"):
        trace_fields([session("empty")])


def test_prompts_that_no_cache_holds_are_flagged_and_do_not_hang():
    huge = session("huge", (0, 2**40, 9), (2**45, 5, 5))
    scenario = Scenario(**trace_fields([huge, A], compaction="none"))
    assert oversized(scenario) == (1, 2**26 + 9 + 5 + 5)
    run = simulate(scenario)
    assert run.summary()["kills"] == 1
    assert oversized(Scenario(**trace_fields([A]))) == (0, 0)


def test_workloads_by_name_and_from_files(tmp_path):
    path = tmp_path / "any.name"
    path.write_bytes(lines(CLAUDE))
    base = Scenario(workers=4)
    traced = workload_scenario(path, base, agents=3)
    assert (traced.workers, traced.agents, traced.draws) == (4, 3, "table")
    again = workload_scenario("realistic", traced, wait_cap_ms=10_000, agents=5)
    assert (again.workers, again.agents, again.draws, again.table) == (4, 5, "paired", None)
    assert max(again.think_ms) == 10_000
    assert workload_scenario(path, changes={"overflow": "kill"}).overflow == "kill"
    with pytest.raises(ValueError, match="start = 'recorded' is for recorded sessions"):
        workload_scenario("realistic", start="recorded")


def test_an_imported_workload_survives_as_a_scenario():
    scenario = Scenario(**trace_fields([A, B]))
    text = json.dumps(scenario.to_dict())
    assert Scenario.from_dict(json.loads(text)).to_dict() == scenario.to_dict()


def test_a_small_fall_of_the_prompt_is_made_up_for():
    made = Session.of_requests(
        [Request(1000, 100), Request(1050, 10), Request(1200, 10)], id="x", source="made"
    )
    assert rows(made) == [[0, 1000, 100], [0, 1, 10], [0, 89, 10]]
    assert made.prompts == [1000, 1101, 1200]


def test_the_ideal_hit_rate():
    assert ideal_hit_rate([A]) == (0 + 1050 + 1370) / (1000 + 1350 + 1380)
    assert ideal_hit_rate([A], 400) == (400 + 1050 + 1370) / (1000 + 1350 + 1380)
    assert ideal_hit_rate([B]) == (0 + 810 + 0) / (800 + 1010 + 510)
    assert ideal_hit_rate([]) is None


def test_blocks_of_a_replay_are_shared_as_the_contexts_are():
    one = session("a", (0, 2000, 100), (0, 900, 50), (0, 700, 9, 1100), shared=1030)
    two = session("b", (0, 1500, 10), shared=1030)
    rows_ = [json.loads(line) for line in to_mooncake([one, two]).splitlines()]
    first, second, third, other = (row["hash_ids"] for row in rows_)
    assert [len(row["hash_ids"]) for row in rows_] == [4, 6, 4, 3]
    assert first[:3] == second[:3]
    assert first[3] != second[3]
    assert (third[:2], third[2] in second) == (second[:2], False)
    assert (other[:2], other[2] in first + second) == (first[:2], False)


@pytest.mark.parametrize("write", [to_mooncake, to_tracelab])
@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(agents=4, turns=[3, 6], shared_prefix=700),
        Scenario(agents=3, turns=[9, 9], overflow="compact", kv_capacity=40_000, compact_to=9_000),
        Scenario(agents=3, turns=[2, 4], draws="article"),
    ],
    ids=["prefix", "compactions", "article"],
)
def test_a_run_exported_and_imported_again_is_the_same_run(write, scenario):
    run = simulate(scenario)
    kept = sessions_of(run)
    again = read_sources([Source.of_bytes("again", write(kept).encode())]).sessions
    assert [(s.id, s.start_ms, rows(s)) for s in again] == [
        (s.id, s.start_ms, rows(s)) for s in kept
    ]
    fields = trace_fields(again, shared_prefix=scenario.shared_prefix)
    same = {"turns": [1, 1], "overflow": scenario.overflow, "compact_to": scenario.compact_to}
    second = simulate(scenario.replace(**{**fields, **same}))
    assert second.ticks == run.ticks
    assert second.requests["prompt"].tolist() == run.requests["prompt"].tolist()
