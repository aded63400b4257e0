"""Codex rollouts."""

from tests.sim.traces.made import CODEX, clock, codex_event, codex_line, imported, lines, rows


def test_only_events_that_advance_are_requests():
    found = imported(lines(CODEX))
    (session,) = found.sessions
    assert rows(session) == [[0, 1000, 50], [3000, 150, 40]]
    assert [turn.cached for turn in session.turns] == [0, 900]
    assert [turn.trigger for turn in session.turns] == ["person", "tool"]
    (file,) = found.report.files
    assert (file.requests, file.repeats) == (2, 1)
    assert file.skipped == {"of rate limits only": 1}


def test_a_compaction_and_the_empty_event_after_it():
    log = [
        *CODEX,
        codex_line(30, "compacted", message=""),
        codex_event(31, (2200, 900, 90), (0, 0, 0)),
        codex_event(40, (2900, 900, 95), (700, 0, 5)),
    ]
    found = imported(lines(log))
    assert rows(found.sessions[0])[-1] == [0, 700, 5, 0]
    assert found.report.total.compactions == 1
    assert found.report.total.skipped["with an empty prompt"] == 1


def forked(meta):
    """Return a rollout that begins with the history of `CODEX` and goes on by itself."""
    again = [{**line, "timestamp": clock(50)} for line in CODEX[1:]]
    return [
        codex_line(50, "session_meta", id="t2", **meta),
        CODEX[0],
        *again,
        codex_line(52, "event_msg", type="user_message"),
        codex_event(60, (3700, 2100, 99), (1500, 1200, 9)),
    ]


def test_forks_and_subagents_do_not_repeat_their_parents_history():
    spawned = {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "t1"}}}}
    for meta in ({"forked_from_id": "t1"}, spawned, {}):
        for order in (1, -1):
            files = [lines(CODEX), lines(forked(meta))][::order]
            found = imported(*files)
            turns = {session.id: rows(session) for session in found.sessions}
            assert turns == {"t1": [[0, 1000, 50], [3000, 150, 40]], "t2": [[0, 1500, 9]]}
            assert found.report.total.repeats == 1 + 1 + 2


def test_a_fork_without_its_parent_says_so():
    found = imported(lines(forked({"forked_from_id": "t1"})))
    assert len(found.sessions[0].turns) == 3
    assert "its parent's file is missing" in found.report.text()


def test_one_thread_in_two_files():
    more = [CODEX[0], *CODEX[3:], codex_event(30, (3500, 2000, 99), (1300, 1100, 9))]
    found = imported(lines(CODEX), lines(more))
    (session,) = found.sessions
    assert [turn.prompt for turn in session.turns] == [1000, 1200, 1300]


def test_an_early_rollout_is_named():
    log = [{"id": "a", "timestamp": clock(0), "instructions": None}, {"record_type": "state"}]
    found = imported(lines(CODEX), lines(log))
    assert "an early Codex rollout" in found.report.files[1].error
