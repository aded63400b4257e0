"""Writes sessions in the forms in which real engines are asked for them again."""

import csv
import io
import json

from sim.traces.mooncake import BLOCK
from sim.traces.sessions import Session, Turn


def to_mooncake(sessions):
    """Return sessions as Mooncake's JSON lines, which AIPerf and Dynamo replay.

    A session's first row has a ``timestamp`` (ms), the others a ``delay`` (ms) after the answer
    before. ``hash_ids`` are blocks of 512 tokens: those of the shared prefix are everybody's,
    those of a context the session's own, new ones after a compaction.

    Parameters
    ----------
    sessions : iterable of Session

    Returns
    -------
    str
    """
    sessions = list(sessions)
    shared = max((s.shared_prefix or 0 for s in sessions), default=0) // BLOCK
    numbers = iter(range(shared, 2**62))
    first = min((session.start_ms for session in sessions), default=0)
    rows = (row for s in sessions for row in _mooncake_rows(s, first, numbers))
    return "".join(json.dumps(row) + "\n" for row in rows)


def _mooncake_rows(session, first, numbers):
    blocks = list(range((session.shared_prefix or 0) // BLOCK))
    for k, (turn, prompt) in enumerate(zip(session.turns, session.prompts, strict=True)):
        when = {"delay": turn.wait_ms} if k else {"timestamp": session.start_ms - first}
        row = {
            "session_id": session.id,
            **when,
            "input_length": prompt,
            "output_length": turn.output,
        }
        if turn.carried is not None:
            row["carried"] = turn.carried
            del blocks[turn.carried // BLOCK :]
        if not k and session.shared_prefix:
            row["shared_prefix"] = session.shared_prefix
        while len(blocks) * BLOCK < prompt:
            blocks.append(next(numbers))
        yield {**row, "hash_ids": list(blocks)}
        # The last block was not full, so what follows makes it another one.
        del blocks[prompt // BLOCK :]


def to_tracelab(sessions):
    """Return sessions as TraceLab's CSV for replay.

    ``prefix_len`` is what is kept of the context, in a first round the shared prefix.

    Parameters
    ----------
    sessions : iterable of Session

    Returns
    -------
    str
        RFC 4180.
    """
    sessions = list(sessions)
    first = min((session.start_ms for session in sessions), default=0)
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(COLUMNS)
    for session in sessions:
        waits = [turn.wait_ms for turn in session.turns[1:]]
        prompts = zip(session.turns, session.prompts, [*waits, 0], strict=True)
        for k, (turn, prompt, wait) in enumerate(prompts):
            new = turn.input
            if not k:
                new -= min(session.shared_prefix or 0, new - 1)
            at = session.start_ms - first
            table.writerow([session.id, at, k, prompt - new, new, turn.output, wait])
    return text.getvalue()


COLUMNS = (
    "session_id",
    "arrival_time",
    "round_idx",
    "prefix_len",
    "input_len",
    "output_len",
    "tool_wait_after_ms",
)


def sessions_of(result):
    """Return the sessions that a run has finished, ready to be asked for again.

    Turns that were cut off by a kill are left out. Waits are whole ticks, as they were
    simulated; compactions, also those at the limit, are the run's.

    Parameters
    ----------
    result : sim.result.Result

    Returns
    -------
    list of Session
    """
    r, shared, tick = result.requests, result.scenario.shared_prefix, result.scenario.tick_ms
    names = ("agent", "wait", "prompt", "cached", "recomputed", "output")
    found = {}
    for agent, wait, prompt, cached, again, output in zip(
        *(r[name].tolist() for name in names), strict=True
    ):
        if agent not in found:
            start = int(result.first_ready[agent]) * tick
            found[agent] = Session(
                f"agent-{agent}", "DPA Scope run", [], start, shared or None, None
            )
        turns = found[agent].turns
        context = cached + again
        new = prompt - context
        carried = None
        if not turns:
            new += shared
        elif context + shared < turns[-1].prompt + turns[-1].output:
            carried = context + shared
        turns.append(
            Turn(
                wait * tick if turns else 0, new, output, carried, prompt + shared, cached + shared
            )
        )
    return list(found.values())
