"""Claude Code's logs."""

import pytest

from tests.sim.traces.made import CLAUDE, answer, clock, imported, lines, rows, user


def test_lines_of_one_response_count_once():
    found = imported(lines(CLAUDE))
    (session,) = found.sessions
    assert rows(session) == [[0, 910, 120], [2000, 70, 80]]
    assert [turn.prompt for turn in session.turns] == [910, 1100]
    assert [turn.cached for turn in session.turns] == [0, 900]
    assert [turn.trigger for turn in session.turns] == ["person", "tool"]
    (file,) = found.report.files
    assert (file.requests, file.repeats, file.lines) == (2, 1, 6)


@pytest.mark.parametrize("named_by", ["requestId", "uuid"])
def test_responses_without_an_id(named_by):
    log = [
        user(0),
        answer(1, None, (9, 0, 0, 50), requestId="r", uuid="x"),
        answer(2, None, (9, 0, 0, 60), requestId="r", uuid="y"),
    ]
    if named_by == "uuid":
        for line in log:
            line.pop("requestId", None)
    (session,) = imported(lines(log)).sessions
    assert len(session.turns) == (1 if named_by == "requestId" else 2)


def test_one_session_in_two_files_and_what_both_have():
    whole = [*CLAUDE, user(20), answer(22, "c", (6, 100, 1100, 30))]
    found = imported(lines(CLAUDE), lines(whole))
    (session,) = found.sessions
    assert rows(session) == [[0, 910, 120], [2000, 70, 80], [11_000, 26, 30]]
    first, second = found.report.files
    assert (first.requests, second.requests, second.repeats) == (2, 1, 3)
    assert second.error == ""


def test_a_resumed_session_copies_its_history_under_a_new_name():
    resumed = [{**line, "sessionId": "new"} for line in CLAUDE]
    resumed += [answer(30, "c", (5, 95, 1100, 7), text="", session="new")]
    found = imported(lines(CLAUDE), lines(resumed))
    assert [rows(session) for session in found.sessions] == [
        [[0, 910, 120], [2000, 70, 80]],
        [[0, 1200, 7]],
    ]


def test_a_copy_and_nothing_else():
    found = imported(lines(CLAUDE), lines(CLAUDE))
    assert len(found.sessions) == 1
    assert "repeats of requests that other files have" in found.report.files[1].error


def test_two_sessions_in_one_file():
    other = [
        user(1, session="t"),
        answer(3, "z", (50, 0, 0, 9), session="t"),
    ]
    found = imported(lines([*CLAUDE[:3], *other, *CLAUDE[3:]]))
    assert [session.id for session in found.sessions] == ["s", "t"]
    assert [len(session.turns) for session in found.sessions] == [2, 1]


def test_text_stands_for_outputs_that_are_placeholders():
    log = [
        user(0),
        answer(1, "a", (100, 0, 0, 1), text="x" * 700),
        user(2),
        answer(3, "b", (1, 0, 500, 3)),
        user(4),
        answer(5, "c", (500, 0, 500, 90), text="x" * 700),
    ]
    (session,) = imported(lines(log)).sessions
    assert [(turn.output, turn.estimated) for turn in session.turns] == [
        (200, True),
        (3, False),
        (90, False),
    ]


def test_the_next_prompt_bounds_an_estimate():
    log = [
        user(0),
        answer(1, "a", (100, 0, 0, 1), text="x" * 7000),
        user(2),
        answer(3, "b", (1, 0, 149, 40)),
    ]
    (session,) = imported(lines(log)).sessions
    assert [turn.output for turn in session.turns] == [50, 40]
    assert session.prompts == [100, 151]


def test_without_count_and_text_an_answer_is_typical():
    log = [user(0), answer(1, "a", (100, 0, 0, 1)), user(2), answer(3, "b", (900, 0, 0, 0))]
    (session,) = imported(lines(log)).sessions
    assert [(turn.output, turn.estimated) for turn in session.turns] == [(216, True)] * 2


def test_what_is_no_response_is_skipped():
    log = [
        *CLAUDE,
        answer(30, "e", (0, 0, 0, 0)),
        {**answer(31, "f", (1, 1, 1, 1)), "isApiErrorMessage": True},
        answer(32, "g", ("many", 0, 0, 0)),
        {"type": "assistant", "sessionId": "s", "message": {"id": "h"}},
    ]
    log.append(answer(33, "i", (1, 1, 1, 1)))
    log[-1]["message"]["model"] = "<synthetic>"
    (file,) = imported(lines(log)).report.files
    assert file.requests == 2
    assert file.skipped == {
        "with an empty prompt": 1,
        "of no real response": 2,
        "without usable counts": 1,
        "without usage": 1,
    }


def nested(at, inner, agent="g"):
    return {
        "type": "progress",
        "sessionId": "s",
        "timestamp": clock(at),
        "data": {"type": "agent_progress", "agentId": agent, "message": inner},
    }


def test_a_subagent_counts_once_wherever_it_stands():
    inner = [
        {"type": "user", "timestamp": clock(10), "message": {"content": "go"}},
        answer(11, "n", (300, 0, 0, 20)),
    ]
    sidechain = [
        user(10, tool=False, isSidechain=True, agentId="g"),
        answer(11, "n", (300, 0, 0, 20), isSidechain=True, agentId="g"),
        user(12, isSidechain=True, agentId="g"),
        answer(13, "o", (10, 0, 320, 20), isSidechain=True, agentId="g"),
    ]
    main = [*CLAUDE, *(nested(10 + k, line) for k, line in enumerate(inner))]
    found = imported(lines(main), lines(sidechain))
    assert {session.id: rows(session) for session in found.sessions} == {
        "s": [[0, 910, 120], [2000, 70, 80]],
        "s/g": [[0, 300, 20], [1000, 10, 20]],
    }
    subagent = found.sessions[1]
    assert [turn.trigger for turn in subagent.turns] == ["spawn", "tool"]


def test_subagents_without_a_name_are_trees_of_their_own():
    log = [
        *CLAUDE,
        user(20, isSidechain=True, parentUuid=None, uuid="p"),
        answer(21, "p1", (50, 0, 0, 9), isSidechain=True, parentUuid="p", uuid="p1"),
        user(22, isSidechain=True, parentUuid=None, uuid="q"),
        answer(23, "q1", (60, 0, 0, 9), isSidechain=True, parentUuid="q", uuid="q1"),
        answer(24, "p2", (70, 0, 0, 9), isSidechain=True, parentUuid="p1", uuid="p2"),
    ]
    found = imported(lines(log))
    assert sorted(len(session.turns) for session in found.sessions) == [1, 2, 2]


def test_a_compaction_is_seen_and_told():
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "sessionId": "s",
        "compactMetadata": {"preTokens": 1180},
    }
    told = [*CLAUDE, boundary, user(20), answer(21, "c", (0, 200, 900, 9))]
    seen = [*CLAUDE, user(20), answer(21, "c", (0, 300, 400, 9))]
    small = [*CLAUDE, user(20), answer(21, "c", (0, 200, 900, 9))]
    kept = [rows(imported(lines(log)).sessions[0])[-1] for log in (told, seen, small)]
    assert kept == [[11_000, 200, 9, 900], [11_000, 300, 9, 400], [11_000, 1, 9]]


def test_times_out_of_order_are_counted_and_put_in_order():
    log = [CLAUDE[1], *CLAUDE[4:], *CLAUDE[2:4]]
    found = imported(lines(log))
    assert found.report.total.out_of_order == 1
    assert [turn.prompt for turn in found.sessions[0].turns] == [910, 1100]
    assert all(turn.wait_ms >= 0 for turn in found.sessions[0].turns)


def test_the_first_prompts_cached_part_is_the_shared_prefix():
    log = [user(0), answer(1, "a", (100, 0, 400, 9)), user(2), answer(3, "b", (100, 0, 509, 9))]
    assert imported(lines(log)).sessions[0].shared_prefix == 400
