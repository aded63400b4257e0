"""Public traces, and this project's own JSON."""

import copy
import json

import pytest

from sim import Scenario
from sim.traces import TraceError
from tests.sim.traces.made import TRACELAB, WEKA, imported, lines, mooncake, rows


def test_weka():
    found = imported(lines([WEKA]))
    (session,) = found.sessions
    assert rows(session) == [[0, 256, 30], [6000, 54, 1]]  # an output of 0 is one of 1
    assert [turn.cached for turn in session.turns] == [0, 256]
    assert session.shared_prefix == 100
    assert session.id == "c1"


def test_weka_without_think_times_and_with_a_pair():
    trace = copy.deepcopy(WEKA)
    first, second = trace["requests"]
    del second["think_time"]
    trace["requests"] = [first, {**first, "type": "s"}, second]
    found = imported(lines([trace]))
    assert rows(found.sessions[0]) == [[0, 256, 30], [7000, 54, 1]]
    assert found.report.total.repeats == 1


def test_weka_subagents_are_sessions_of_their_own():
    trace = copy.deepcopy(WEKA)
    inside = {"t": 1.0, "type": "n", "in": 128, "out": 8, "hash_ids": [1, 9]}
    trace["requests"].insert(1, {"t": 3.0, "type": "subagent", "requests": [inside]})
    found = imported(lines([trace]))
    assert [(s.id, s.start_ms, len(s.turns)) for s in found.sessions] == [
        ("c1/1", 4000, 1),
        ("c1", 0, 2),
    ]
    assert found.sessions[0].turns[0].trigger == "spawn"


def test_weka_pretty_printed_under_any_name():
    found = imported(json.dumps(WEKA, indent=2).encode())
    assert len(found.sessions[0].turns) == 2


def test_mooncake_joins_by_the_longest_shared_prefix():
    big = 2**60
    found = imported(
        mooncake(
            (0, 1300, 10, [0, big + 1, big + 2]),
            (0, 1100, 10, [0, big + 3, big + 4]),
            (5000, 1400, 10, [0, big + 1, big + 5]),
            (6000, 700, 10, [0, big + 6]),
            (9000, 1900, 10, [0, big + 1, big + 5, big + 7]),
        )
    )
    assert [rows(session) for session in found.sessions] == [
        [[0, 1300, 10], [5000, 90, 10], [4000, 490, 10]],
        [[0, 1100, 10]],
        [[0, 700, 10]],
    ]
    assert [session.start_ms for session in found.sessions] == [0, 0, 6000]
    assert "waits include the time of the answers" in found.report.text()


def test_a_branch_off_an_earlier_prompt_is_a_session_of_its_own():
    found = imported(
        mooncake(
            (0, 1300, 10, [0, 1, 2]),
            (1000, 1900, 10, [0, 1, 3, 4]),
            (2000, 1800, 10, [0, 1, 5, 6]),
        )
    )
    assert [rows(session) for session in found.sessions] == [
        [[0, 1300, 10], [1000, 590, 10]],
        [[0, 1800, 10]],
    ]


def test_mooncake_with_sessions_and_delays():
    rows_ = [
        {"session_id": "a", "timestamp": 50, "input_length": 100, "output_length": 5},
        {"session_id": "b", "timestamp": 60, "input_length": 90, "output_length": 5},
        {"session_id": "a", "delay": 700, "input_length": 150, "output_length": 5},
    ]
    found = imported(lines(rows_))
    assert {s.id: rows(s) for s in found.sessions} == {
        "a": [[0, 100, 5], [700, 45, 5]],
        "b": [[0, 90, 5]],
    }


def test_ten_thousand_sessions_of_one_turn():
    found = imported(mooncake(*((k, 600, 5, [0, k + 1]) for k in range(10_000))))
    assert found.report.total.sessions == 10_000
    assert {len(session.turns) for session in found.sessions} == {1}


def test_bailian_follows_parents():
    names = ("chat_id", "parent_chat_id", "timestamp", "input_length", "output_length", "turn")
    values = [
        (1, -1, 0.5, 100, 10, 1),
        (2, 1, 4.5, 150, 10, 2),
        (3, 1, 5.5, 160, 10, 2),
        (4, 99, 6.0, 300, 10, 5),
    ]
    found = imported(lines(dict(zip(names, row, strict=True)) for row in values))
    assert [rows(session) for session in found.sessions] == [
        [[0, 100, 10], [4000, 40, 10]],
        [[0, 160, 10]],
        [[0, 300, 10]],
    ]
    assert "not in the file" in found.report.text()


def test_tracelab():
    found = imported(TRACELAB)
    assert {s.id: (s.start_ms, rows(s)) for s in found.sessions} == {
        "7": (100, [[0, 500, 20], [300, 30, 10]]),
        "8": (150, [[0, 90, 5]]),
    }


def test_tracelab_keeps_what_a_compaction_left():
    text = TRACELAB + b"7,100,2,200,40,5,0\r\n"
    found = imported(text)
    assert rows(found.sessions[0])[-1] == [0, 40, 5, 200]
    assert found.report.total.compactions == 1


def test_own_json_reads_what_it_writes():
    first = imported(lines([WEKA]), TRACELAB + b"7,100,2,200,40,5,0\r\n")
    again = imported(first.to_json().encode())
    for old, new in zip(first.sessions, again.sessions, strict=True):
        old.file = new.file = None
        assert old == new


def test_a_scenarios_table_is_sessions():
    scenario = Scenario(
        draws="table",
        shared_prefix=50,
        table=[[[0, 100, 9], [300, 40, 9, 60]], [[2000, 7, 3]]],
    )
    found = imported(json.dumps(scenario.to_dict()).encode())
    assert [rows(session) for session in found.sessions] == [
        [[0, 150, 9], [300, 40, 9, 110]],
        [[0, 57, 3]],
    ]
    assert [session.start_ms for session in found.sessions] == [0, 2000]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"version": 2, "sessions": []}, "version = 2"),
        ({"version": 1, "sessions": [3]}, "list of sessions"),
        ({"version": 1, "sessions": [{"turns": [[0, 0, 1]]}]}, r"sessions\[0\]\[0\]\[1\] = 0"),
    ],
)
def test_own_json_that_is_wrong_names_the_place(fields, said):
    with pytest.raises(TraceError, match=said):
        imported(json.dumps({"format": "dpascope-sessions", **fields}).encode())
