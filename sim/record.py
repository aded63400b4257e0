"""What happened, noted as the run goes and put in order at its end."""

import numpy as np

from sim.result import EVENT_FIELDS, EVENT_KINDS, Result
from sim.scenario import STATES

CODE = {name: np.uint8(code) for code, name in enumerate(STATES)}
COMPACT, EVICT, KILL, MISS, RECLAIM = range(len(EVENT_KINDS))
UNSEEN = 255


def _code_of(seen):
    """Return the state for what was seen of a worker, bit by bit (`Log.flush`)."""
    if seen & 64:
        return CODE["dragged"]
    if seen & 3:
        return (CODE["prefill"], CODE["decode"], CODE["mixed"])[(seen & 3) - 1]
    return CODE["waiting_phase"] if seen & 4 else (seen >> 3) & 7


CODE_OF = np.array([_code_of(seen) for seen in range(128)], np.uint8)


NOTES = {
    "created": 6,
    "admitted": 7,
    "prefilled": 2,
    "finished": 3,
    "evicted": 8,
    "killed": 4,
    "compacted": 4,
    "used": 3,
}
"""Kinds of notes, and their numbers of columns (`Log`)."""


class Log:
    """Notes of a batch, lists of tuples of arrays that nobody changes afterwards.

    A scenario is named by its number `id` in the batch, an agent by ``key = id * agents + a``;
    ticks are floats. An agent has one request at a time, so its k-th request made, admitted,
    prefilled and finished are one, and no note needs to name the request.

    Attributes
    ----------
    created : key, tick, worker, decode worker, prompt, output
    admitted : key, tick, tokens taken, context, cached, loaded, tokens held after the last time
    prefilled : key, tick after the last one
    finished : key, tick, ticks to wait before the next turn
    evicted : id, tick, worker, key of the victim, its turn, tokens, agent admitted, ended
    killed, compacted : key, tick, turn, tokens
    used : id, first tick that counts it, other change of the KV tokens in use
    """

    def __init__(self, scenarios, agents, workers):
        self.scenarios, self.agents, self.workers = scenarios, agents, workers
        for kind in NOTES:
            setattr(self, kind, [])
        self.steps, self.changes = [], []
        self.last = np.full((workers, len(scenarios)), UNSEEN, np.uint8)

    def step(self, t, advancing, present, hold, dragged):
        """Note the states from the ticks `t` on.

        Parameters
        ----------
        t : ndarray of float, shape (B,)
        advancing, present : ndarray of bool, shape (2, W, B)
            Workers on which a stage advances, and on which it has requests.
        hold : ndarray of uint8, shape (W, B)
            State of the workers that have neither.
        dragged : ndarray of bool, shape (W, B), or None
        """
        self.steps.append((t, advancing, present, hold, dragged))

    def flush(self, ids, until):
        """Turn the steps noted so far into changes of state.

        Parameters
        ----------
        ids : ndarray of int64, shape (B,)
            Numbers of the scenarios that the steps are about.
        until : ndarray of float, shape (B,)
            Ticks from which states no longer count.
        """
        if not self.steps:
            return
        t, advancing, present, hold, dragged = zip(*self.steps, strict=True)
        self.steps = []
        start, advancing = np.stack(t), np.stack(advancing).view(np.uint8)
        seen = np.stack(present).any(1).view(np.uint8) << 2
        seen |= np.stack(hold) << 3
        seen |= advancing[:, 0] | (advancing[:, 1] << 1)
        if dragged[0] is not None:
            seen |= np.stack(dragged).view(np.uint8) << 6
        # by place, so that the changes of each come in one piece
        steps = start.shape[0]
        seen = np.ascontiguousarray(seen.reshape(steps, -1).T)
        last = self.last[:, ids].reshape(-1, 1)
        changed = seen != np.concatenate((last, seen[:, :-1]), 1)
        if (start >= until).any():
            changed &= np.tile((start < until).T, (self.workers, 1))
        self.last[:, ids] = seen[:, -1].reshape(self.workers, -1)
        counts = np.count_nonzero(changed, 1)
        at = np.flatnonzero(changed)
        scenario = np.tile(np.arange(ids.size), self.workers)
        to_start = np.repeat((scenario - np.arange(scenario.size)) * steps, counts)
        since = start.T.astype(np.int64).ravel()[at + to_start]
        places = np.arange(self.workers)[:, None] * len(self.scenarios) + ids
        self.changes.append((places.ravel(), counts, since, CODE_OF[seen.ravel()[at]]))

    def columns(self, kind):
        """Return the notes of that kind as int64 columns, oldest first."""
        notes = getattr(self, kind)
        if not notes:
            return [np.zeros(0, np.int64)] * NOTES[kind]
        return [np.concatenate(column).astype(np.int64) for column in zip(*notes, strict=True)]

    def results(self, ticks, first_ready):
        """Return the Results of all scenarios, in their order.

        Parameters
        ----------
        ticks : ndarray of int64, shape (scenarios,)
        first_ready : list of ndarray
            As in `Result`.
        """
        ids = np.arange(len(self.scenarios) + 1)
        requests = self._requests()
        events = self._events(requests)
        rows = np.searchsorted(requests.pop("id"), ids)
        happened = np.searchsorted(events.pop("id"), ids)
        runs, kv = self._runs(), self._kv_token_ticks(ticks)
        return [
            Result(
                scenario,
                ticks[i],
                runs[i :: len(self.scenarios)][: scenario.workers],
                {name: c[rows[i] : rows[i + 1]] for name, c in requests.items()},
                {name: c[happened[i] : happened[i + 1]] for name, c in events.items()},
                first_ready[i],
                kv[i],
            )
            for i, scenario in enumerate(self.scenarios)
        ]

    def _runs(self):
        """Return (starts, codes) for each place, a counting sort of the changes by place."""
        total = np.zeros(self.last.size, np.int64)
        for places, counts, _, _ in self.changes:
            total[places] += counts
        ends = np.cumsum(total)
        starts, codes = np.empty(ends[-1], np.int64), np.empty(ends[-1], np.uint8)
        free = ends - total
        for places, counts, since, code in self.changes:
            shift = free[places] - (np.cumsum(counts) - counts)
            at = np.arange(since.size) + np.repeat(shift, counts)
            starts[at], codes[at] = since, code
            free[places] += counts
        # what was seen may change without the state
        fresh = np.ones(codes.size, bool)
        fresh[1:] = codes[1:] != codes[:-1]
        fresh[ends[:-1][ends[:-1] < codes.size]] = True
        starts, codes = starts[fresh], codes[fresh]
        bounds = np.concatenate(([0], np.cumsum(fresh)))[ends[:-1]]
        return list(zip(np.split(starts, bounds), np.split(codes, bounds), strict=True))

    def _kv_token_ticks(self, ticks):
        total = np.zeros(len(self.scenarios), np.int64)
        key, admitted, taken = self.columns("admitted")[:3]
        for ids, since, tokens in (self.columns("used"), (key // self.agents, admitted, taken)):
            np.add.at(total, ids, tokens * (ticks[ids] - since))
        return total

    def _requests(self):
        """Return the columns of all finished requests, by scenario, agent and turn."""
        key, created, worker, decode_worker, prompt, output = self._by_agent("created")
        _, started, _, context, cached, loaded, held = self._by_agent("admitted")
        _, prefilled = self._by_agent("prefilled")
        _, finished, wait_after = self._by_agent("finished")
        fresh = np.ones(key.size, bool)
        fresh[1:] = key[1:] != key[:-1]
        first = np.flatnonzero(fresh)
        turn = np.arange(key.size) - np.repeat(first, np.diff(np.append(first, key.size)))
        wait = np.zeros(key.size, np.int64)
        wait[1:] = wait_after[:-1]
        wait[fresh] = 0
        return {
            "id": key // self.agents,
            "agent": key % self.agents,
            "turn": turn,
            "worker": worker,
            "decode_worker": decode_worker,
            "created": created,
            "started": started,
            "prefilled": prefilled - 1,
            "finished": finished,
            "prompt": prompt,
            "cached": cached,
            "loaded": loaded,
            "recomputed": context - cached,
            "recomputed_evicted": np.maximum(np.minimum(held, context) - cached, 0),
            "output": output,
            "wait": wait,
        }

    def _by_agent(self, kind):
        columns = self.columns(kind)
        order = _stable_order(columns[0], len(self.scenarios) * self.agents)
        return [column[order] for column in columns]

    def _events(self, requests):
        """Return the columns of all events, by scenario."""
        parts = [_misses(requests), self._evictions()]
        for kind, code in (("killed", KILL), ("compacted", COMPACT)):
            key, tick, turn, tokens = self.columns(kind)
            id_, agent = np.divmod(key, self.agents)
            parts.append(_rows(id_, tick, code, -1, agent, turn, tokens, -1))
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        return {
            name: column[order] for name, column in zip(("id", *EVENT_FIELDS), columns, strict=True)
        }

    def _evictions(self):
        id_, tick, worker, key, turn, tokens, by, ended = self.columns("evicted")
        kind = np.where(ended, RECLAIM, EVICT)
        return _rows(id_, tick, kind, worker, key % self.agents, turn, tokens, by)


def _stable_order(numbers, limit):
    """Return the stable order of numbers from 0 to below `limit`."""
    # 16-bit integers are sorted by radix, in a tenth of the time
    small = numbers.astype(np.uint16) if limit <= 2**16 else numbers
    return np.argsort(small, kind="stable")


def _misses(requests):
    miss = requests["cached"] == 0
    names = ("id", "started", "worker", "agent", "turn", "prompt")
    id_, tick, worker, agent, turn, prompt = (requests[name][miss] for name in names)
    return _rows(id_, tick, MISS, worker, agent, turn, prompt, -1)


def _rows(*columns):
    return np.broadcast_arrays(*columns)
