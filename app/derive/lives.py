"""What each agent does over time, as spans of its life."""

import dataclasses

import numpy as np

from app.derive.progress import PREFILL
from sim.scenario import STATES

AGENT_STATES = (
    "decode",
    "prefill",
    "again",
    "dragged",
    "transfer",
    "waiting_phase",
    "queued",
    "thinking",
    "not_started",
    "done",
    "killed",
)
"""What an agent may be doing, from the bottom of its lane to its top; the index is the code.

again: prefill of tokens that it had before. transfer: KV is moved, or loaded from the host tier.
waiting_phase: admitted, but the worker is in the other phase. queued: for admission. thinking:
between two turns. not_started: before its first request, held back by the stagger or by the
session limit. done, killed: after its end."""

NOTHING = len(AGENT_STATES)
"""Code of a pixel between two lanes."""

CODE = {name: code for code, name in enumerate(AGENT_STATES)}

ADVANCES = {
    "prefill": ("prefill", "mixed"),
    "decode": ("decode", "mixed"),
    "dragged": ("dragged",),
}
"""The states of a worker in which its requests advance; in every other one they wait."""

_STAGE_CODES = np.array(
    [
        CODE[name]
        for name in ("queued", "transfer", "prefill", "again", "prefill", "queued", "transfer")
    ]
    + [CODE["decode"]]
)
"""Codes of the spans of a request: the stages, prefill in three parts."""


@dataclasses.dataclass(frozen=True)
class Spans:
    """The lives of all agents, cut where they change by themselves.

    Whether a request that prefills or decodes advances in a tick is for its worker's state to
    say; such a span has the code of what it does if it does advance.

    Attributes
    ----------
    agent, start, stop, code : ndarray
        int64, sorted by agent and start; without gaps from tick 0 to the end of the run.
    row : ndarray
        Row of the request in `result.requests`, -1 without one.
    worker : ndarray
        Where the request is, -1 without one.
    """

    agent: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    code: np.ndarray
    row: np.ndarray
    worker: np.ndarray


def spans(recording):
    """Return the `Spans` of a run; better ask the recording, which remembers them."""
    parts = [_request_spans(recording), *_spans_between(recording)]
    columns = np.concatenate(parts, axis=1)
    columns = columns[:, columns[1] < columns[2]]
    columns = columns[:, np.lexsort((columns[1], columns[0]))]
    return Spans(*columns)


def _request_spans(recording):
    """Rows agent, start, stop, code, row, worker of the requests' stages."""
    r, stages, again = recording.result.requests, recording.stages, recording.again
    borders = np.concatenate((stages[:, : PREFILL + 1], again, stages[:, PREFILL + 1 :]), axis=1)
    count = borders.shape[1] - 1
    row = np.repeat(np.arange(len(stages)), count)
    code = np.tile(_STAGE_CODES, len(stages))
    later = np.arange(count) > PREFILL + 2
    worker = np.where(later, r["decode_worker"][:, None], r["worker"][:, None]).ravel()
    return np.stack(
        (r["agent"][row], borders[:, :-1].ravel(), borders[:, 1:].ravel(), code, row, worker)
    )


def _spans_between(recording):
    """Yield rows as `_request_spans` of the times at which an agent has no request."""
    r, agents = recording.result.requests, np.arange(recording.agents)
    ended, killed = recording.ended
    # a kill happens as a request is made; an agent without turns ends at once
    over = np.where(killed | (ended < 0), np.maximum(ended, 0), ended + 1)
    after = r["finished"] + 1
    next_one = np.append(r["created"][1:], 0)
    last = np.append(np.diff(r["agent"]) != 0, True)[: after.size]
    next_one[last] = over[r["agent"][last]]
    yield _rows(r["agent"], after, next_one[: after.size], CODE["thinking"])
    first = over.copy()
    who, place = np.unique(r["agent"], return_index=True)
    first[who] = r["created"][place]
    yield _rows(agents, 0, first, CODE["not_started"])
    code = np.where(killed, CODE["killed"], CODE["done"])
    yield _rows(agents, over, recording.ticks, code)


def _rows(agent, start, stop, code):
    rows = np.empty((6, agent.size), np.int64)
    rows[:] = np.broadcast_arrays(agent, start, stop, code, -1, -1)
    return rows


@dataclasses.dataclass(frozen=True)
class Moment:
    """What an agent does at a tick.

    Attributes
    ----------
    agent : int
    state : str
        One of `AGENT_STATES`.
    since, until : int
        First tick of it and the tick after its last; of waiting for the phase and of work, as far
        as the worker's state lasts.
    row, worker : int
        Row of the request in `result.requests` and where it is, -1 without one.
    """

    agent: int
    state: str
    since: int
    until: int
    row: int
    worker: int


def life_at(recording, agent, tick):
    """Return an agent's `Moment` at a tick of the run."""
    lives = recording.lives
    first, stop = np.searchsorted(lives.agent, (agent, agent + 1))
    span = first + int(np.searchsorted(lives.start[first:stop], tick, "right")) - 1
    state, worker = AGENT_STATES[lives.code[span]], int(lives.worker[span])
    since, until = int(lives.start[span]), int(lives.stop[span])
    if state in ("prefill", "again", "decode"):
        starts, codes = recording.result.states[worker]
        run = int(np.searchsorted(starts, tick, "right")) - 1
        since = max(since, int(starts[run]))
        until = min(until, int(starts[run + 1])) if run + 1 < starts.size else until
        moves = ADVANCES["decode" if state == "decode" else "prefill"]
        if STATES[codes[run]] in ADVANCES["dragged"] and state == "decode":
            state = "dragged"
        elif STATES[codes[run]] not in moves:
            state = "waiting_phase"
    return Moment(agent, state, since, until, int(lives.row[span]), worker)


class Work:
    """How many ticks all workers have spent up to a moment in the states that advance something.

    Parameters
    ----------
    recording : Recording
    """

    def __init__(self, recording):
        worker, start, stop, code = recording.runs
        self._ticks = recording.ticks
        self._key = worker * recording.ticks + start
        self._moves, self._before = {}, {}
        for name, states in ADVANCES.items():
            moves = np.isin(code, [STATES.index(state) for state in states])
            ticks = np.where(moves, stop - start, 0)
            self._moves[name], self._before[name] = moves, np.cumsum(ticks) - ticks

    def between(self, names, worker, start, stop):
        """Return in how many ticks [start, stop) of a worker it is in some states.

        Parameters
        ----------
        names : sequence of str
            Keys of `ADVANCES`.
        worker, start, stop : ndarray

        Returns
        -------
        list of ndarray
            For each name, int64.
        """
        ends = [worker * self._ticks + tick for tick in (start, stop)]
        runs = [np.searchsorted(self._key, end, "right") - 1 for end in ends]

        def upto(name, end, run):
            return self._before[name][run] + self._moves[name][run] * (end - self._key[run])

        return [upto(name, ends[1], runs[1]) - upto(name, ends[0], runs[0]) for name in names]
