"""The KV caches over time, rebuilt from requests and events."""

import numpy as np

from sim.result import EVENT_KINDS

DROPPED, EVICTED, ADMITTED, UNLOCKED, REMOVED = range(5)
"""What can happen to an entry, in the order within a tick: dropped when its agent compacts or
is killed; evicted; admitted; and after the work unlocked, or removed."""


class Caches:
    """Every change of every cache entry.

    Attributes
    ----------
    worker, agent, tick, kind : ndarray
        int64; where, whose, when and what (one of the kinds above), sorted by worker, agent,
        tick and kind.
    size : ndarray
        Tokens of the entry after the change, without the shared prefix.
    locked : ndarray
        Whether the entry is locked after the change, bool.
    grown : ndarray
        Change in size, tokens.
    """

    def __init__(self, recording):
        changes = np.concatenate(list(_changes(recording)), axis=1)
        worker, agent, tick, kind, value = changes[:, np.lexsort(changes[3::-1])]
        fresh = np.ones(worker.size, bool)
        fresh[1:] = (np.diff(worker) != 0) | (np.diff(agent) != 0)
        self.worker, self.agent, self.tick, self.kind = worker, agent, tick, kind
        self.size = _sizes(kind, value, fresh)
        self.locked = (kind == ADMITTED) & (self.size > 0)
        before = np.concatenate(([0], self.size[:-1]))
        self.grown = self.size - np.where(fresh, 0, before)
        held = np.where(self.locked, self.size, 0)
        self.lock_grown = held - np.where(fresh, 0, np.concatenate(([0], held[:-1])))

    def at(self, tick):
        """Return the entries in the midst of a tick: after its admissions, before its work.

        Returns
        -------
        dict of str to ndarray
            worker, agent, tokens, locked (bool), last_access (tick), sorted by worker and agent.
        """
        past = (self.tick < tick) | ((self.tick == tick) & (self.kind <= ADMITTED))
        rows = np.flatnonzero(past)
        last = np.ones(rows.size, bool)
        last[:-1] = (np.diff(self.worker[rows]) != 0) | (np.diff(self.agent[rows]) != 0)
        rows = rows[last & (self.size[rows] > 0)]
        return {
            "worker": self.worker[rows],
            "agent": self.agent[rows],
            "tokens": self.size[rows],
            "locked": self.locked[rows],
            "last_access": self._accessed()[rows],
        }

    def _accessed(self):
        """Tick of the last admission or unlocking up to each change."""
        touch = np.isin(self.kind, (ADMITTED, UNLOCKED))
        rows = np.maximum.accumulate(np.where(touch, np.arange(touch.size), 0))
        return self.tick[rows]

    def token_ticks(self, ticks):
        """Return the sum over ticks and workers of the tokens in use after each tick."""
        return int((self.grown * (ticks - self.tick)).sum())


def _changes(recording):
    """Yield arrays of rows worker, agent, tick, kind, value."""
    r, s = recording.result.requests, recording.scenario
    end = recording.stages[:, -1] - 1
    if s.prefill_workers:
        arrives, moved = recording.stages[:, 4], recording.stages[:, 5] - 1
        yield _rows(r["worker"], r["agent"], r["started"], ADMITTED, r["prompt"])
        yield _rows(r["worker"], r["agent"], moved, UNLOCKED, 0)
        whole = r["prompt"] + r["output"]
        yield _rows(r["decode_worker"], r["agent"], arrives, ADMITTED, whole)
        yield _rows(r["decode_worker"], r["agent"], end, REMOVED, 0)
    else:
        yield _rows(r["worker"], r["agent"], r["started"], ADMITTED, r["prompt"] + r["output"])
        yield _rows(r["worker"], r["agent"], end, UNLOCKED, 0)
    events = recording.result.events
    lost = np.isin(events["kind"], (EVENT_KINDS.index("evict"), EVENT_KINDS.index("reclaim")))
    yield _rows(
        *(events[f][lost] for f in ("worker", "agent", "tick")), EVICTED, events["tokens"][lost]
    )
    pairs = np.unique(np.column_stack((r["agent"], r["worker"])), axis=0)
    compact = recording.result.of_kind("compact")
    yield _drops(pairs, compact["agent"], compact["tick"], DROPPED)
    if s.release_finished:
        tick, killed = recording.ended
        for which, kind in ((killed, DROPPED), (~killed & (tick >= 0), REMOVED)):
            agents = np.flatnonzero(which)
            yield _drops(pairs, agents, tick[agents], kind)


def _rows(worker, agent, tick, kind, value):
    rows = np.empty((5, len(worker)), np.int64)
    rows[:] = np.broadcast_arrays(worker, agent, tick, kind, value)
    return rows


def _drops(pairs, agents, ticks, kind):
    """Drop an agent's entries on every worker that ever took a request of it."""
    first = np.searchsorted(pairs[:, 0], agents)
    count = np.searchsorted(pairs[:, 0], agents, side="right") - first
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    workers = pairs[np.repeat(first, count) + within, 1]
    return _rows(workers, np.repeat(agents, count), np.repeat(ticks, count), kind, 0)


def _sizes(kind, value, fresh):
    """Size of the entry after each change: what was set last, less what was evicted since."""
    lost = np.cumsum(np.where(kind == EVICTED, value, 0))
    sets = fresh | (kind == ADMITTED) | (kind == DROPPED) | (kind == REMOVED)
    base = np.maximum.accumulate(np.where(sets, np.arange(kind.size), 0))
    start = np.where(kind == ADMITTED, value, 0)
    return start[base] - (lost - lost[base])
