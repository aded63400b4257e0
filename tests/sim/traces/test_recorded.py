"""Real files, read where they lie: in the folder named by DPASCOPE_TRACES, or beside the clone."""

import os
import pathlib

import pytest

from sim import Scenario, simulate
from sim.traces import (
    TraceError,
    ideal_hit_rate,
    read,
    read_sources,
    reported_hit_rate,
    sessions_of,
    to_mooncake,
    to_tracelab,
    trace_fields,
)
from sim.traces.sources import Source
from tests.sim.traces.made import rows

BESIDE = pathlib.Path(__file__).resolve().parents[4] / "shared" / "traces"
FOLDER = pathlib.Path(os.environ.get("DPASCOPE_TRACES", BESIDE))

pytestmark = pytest.mark.skipif(
    not (FOLDER / "weka").is_dir(), reason=f"no recorded traces in {FOLDER} (DPASCOPE_TRACES)"
)

FILES = {
    "weka/trace_0012.json": (14, 649_460, 4_130),
    "weka/trace_0006.json": (46, 3_681_092, 19_178),
    "claude_code/151dbcfa44.jsonl": (18, 623_273, None),
    "claude_code/621daf2136.jsonl": (30, 460_248 + 685_479, None),
    "claude_code/90f9543952.jsonl": (56, 3_987_075, None),
    "claude_code/5d098d9cdc_v2117_output1.jsonl": (36, 2_758_955, None),
    "codex/rollout_small.jsonl": (9, 202_462, 4_140),
    "mooncake/conversation_head600.jsonl": (600, None, None),
    "tracelab/replay_examples_multi_session_large.csv": (303, None, None),
}
"""Requests, prompt and output tokens of each file."""


@pytest.fixture(scope="module", params=FILES)
def file(request):
    """Return a file's import and what is in it."""
    return request.param, read([FOLDER / request.param]), FILES[request.param]


def turns_of(found):
    return [turn for session in found.sessions for turn in session.turns]


def test_requests_and_tokens(file):
    _, found, (requests, prompts, outputs) = file
    turns = turns_of(found)
    assert len(turns) == found.report.total.requests == requests
    if prompts is not None:
        assert sum(turn.prompt for turn in turns) == prompts
    if outputs is not None:
        assert sum(turn.output for turn in turns) == outputs
    assert found.report.total.largest_prompt == max(turn.prompt for turn in turns)


def test_replayed_prompts_are_the_recorded_ones_or_a_little_more(file):
    _, found, _ = file
    replayed = [prompt for session in found.sessions for prompt in session.prompts]
    over = [p - turn.prompt for p, turn in zip(replayed, turns_of(found), strict=True)]
    assert min(over) >= 0
    assert sum(over) <= 0.03 * sum(replayed)


def test_round_trips(file):
    _, found, _ = file
    begun = min(session.start_ms for session in found.sessions)
    kept = [(s.id, s.start_ms - begun, s.shared_prefix, rows(s)) for s in found.sessions]
    for text in (to_mooncake(found.sessions), to_tracelab(found.sessions)):
        again = read_sources([Source.of_bytes("again", text.encode())])
        assert [(s.id, s.start_ms, s.shared_prefix, rows(s)) for s in again.sessions] == kept


def one(name):
    return read([FOLDER / name])


@pytest.mark.parametrize(
    ("name", "shared"), [("trace_0012", 11_899 + 2_767), ("trace_0006", 12_439 + 2_771)]
)
def test_weka_shared_prefixes(name, shared):
    assert one(f"weka/{name}.json").sessions[0].shared_prefix == shared


def test_claude_code_151():
    found = one("claude_code/151dbcfa44.jsonl")
    (file,) = found.report.files
    assert (file.lines, file.requests, file.repeats, file.largest_prompt) == (101, 18, 23, 42_204)
    assert file.skipped == {"of no real response": 1}
    assert sum(turn.cached for turn in turns_of(found)) == 563_052


def test_claude_code_621_with_a_subagent():
    sessions = one("claude_code/621daf2136.jsonl").sessions
    main, subagent = sorted(sessions, key=lambda session: "/" in session.id)
    assert (len(main.turns), sum(turn.prompt for turn in main.turns)) == (14, 460_248)
    assert (len(subagent.turns), sum(t.prompt for t in subagent.turns)) == (16, 685_479)


def test_claude_code_90f_with_two_names():
    found = one("claude_code/90f9543952.jsonl")
    assert sum(turn.cached for turn in turns_of(found)) == 3_812_944
    (file,) = found.report.files
    assert (file.requests, file.repeats, file.largest_prompt) == (56, 126 - 56, 85_974)


def test_claude_code_5d0_with_placeholders():
    found = one("claude_code/5d098d9cdc_v2117_output1.jsonl")
    assert found.report.total.estimated == 36
    assert "36 outputs estimated" in found.report.text()
    assert sum(turn.output for turn in turns_of(found)) > 76 * 100


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gemini_pretty_named", "a Gemini CLI chat, which is not read"),
        ("tiny_ec38b74f08e3", "a Gemini CLI chat without any response, only with warning"),
    ],
)
def test_other_tools_are_named(name, said):
    with pytest.raises(TraceError, match=said):
        one(f"claude_code/{name}.jsonl")


def test_codex():
    found = one("codex/rollout_small.jsonl")
    (session,) = found.sessions
    (compacted,) = [k for k, turn in enumerate(session.turns) if turn.carried is not None]
    before, after = session.turns[compacted - 1 : compacted + 1]
    assert (before.prompt, after.prompt) == (30_982, 13_760)
    assert found.report.total.skipped.total() == 2


def test_mooncake_is_joined():
    found = one("mooncake/conversation_head600.jsonl")
    assert found.report.total.sessions == 514
    assert all(session.start_ms % 1000 < 1000 for session in found.sessions)


def test_tracelab():
    found = one("tracelab/replay_examples_multi_session_large.csv")
    assert found.report.total.sessions == 48
    assert found.sessions[0].turns[1].wait_ms == 300
    assert all(turn.prompt - turn.input == turn.cached for turn in turns_of(found))


@pytest.fixture(scope="module", params=["weka", "claude_code"])
def workload(request):
    """Return what is in a folder, and 32 agents made of it."""
    found = read([FOLDER / request.param])
    return found, trace_fields(found.sessions, agents=32, max_turns=20, wait_cap_ms=10_000)


@pytest.mark.parametrize("cluster", [{}, {"workers": 4}, {"routing": "round_robin"}], ids=str)
def test_simulated_on_32_agents(workload, cluster):
    found, fields = workload
    scenario = Scenario(**fields, **cluster)
    run = simulate(scenario)
    metrics = run.summary()
    asked = sum(len(turns) for turns in scenario.table)
    assert scenario.agents == 32
    assert (metrics["requests_finished"], metrics["kills"]) == (asked, 0)
    told = sum(len(turn) == 4 for turns in scenario.table for turn in turns)
    assert metrics["compactions"] == told
    ideal = ideal_hit_rate(sessions_of(run), scenario.shared_prefix)
    assert 0.3 < metrics["prefix_cache_hit_rate"] <= ideal + 1e-12
    if not cluster:
        assert metrics["prefix_cache_hit_rate"] == pytest.approx(ideal, abs=0.002)
        assert metrics["prefix_cache_hit_rate"] > reported_hit_rate(found.sessions) - 0.1
    if cluster == {"workers": 4}:
        assert metrics["evictions"] > 0
        assert metrics["prefix_cache_hit_rate"] < ideal - 0.01
