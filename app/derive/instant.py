"""One tick looked at closely."""

import functools

import numpy as np

from app.derive.moment import Blocked, Cause, Entry, Request, WorkerMoment
from app.derive.progress import tokens_left
from app.derive.recording import STAGES
from sim.scenario import STATES

QUEUED, LOAD, PREFILL, HANDOFF, TRANSFER, DECODE = range(len(STAGES))
SERVES = {"prefill": (PREFILL,), "decode": (DECODE,), "mixed": (PREFILL, DECODE)}


def at(recording, tick, workers=None):
    """Return the `WorkerMoment` at a tick of some workers, of every worker by default; a list."""
    instant = _Instant(recording, tick)
    return [instant.worker(worker) for worker in workers or range(recording.workers)]


def worker_at(recording, worker, tick):
    """Return one worker's moment at a tick: what the hover and the inspector show.

    Parameters
    ----------
    recording : Recording
    worker : int
    tick : int
        From 0 to recording.ticks - 1.

    Returns
    -------
    WorkerMoment
    """
    return _Instant(recording, tick).worker(worker)


class _Instant:
    """What all workers have in common at one tick."""

    def __init__(self, recording, tick):
        self.recording, self.scenario, self.tick = recording, recording.scenario, tick
        self.split = self.scenario.prefill_workers > 0
        self.capacity = self.scenario.kv_capacity
        self.cached = recording.kv.at(tick)
        self.live = self._live()

    def _live(self):
        """Rows and stages of the requests at each worker, in the order of the queue.

        Returns
        -------
        dict of int to list of (int, int)
        """
        r, stages = self.recording.result.requests, self.recording.stages
        rows = np.flatnonzero((stages[:, 0] <= self.tick) & (stages[:, -1] > self.tick))
        stage = (stages[rows, 1:] <= self.tick).sum(axis=1)
        decodes = stage >= HANDOFF
        home = np.where(decodes, r["decode_worker"][rows], r["worker"][rows])
        arrival = np.where(decodes & self.split, r["prefilled"][rows], r["created"][rows])
        place = self.recording.admission_rank[rows]
        order = np.lexsort((place, arrival))
        live = {}
        for worker, row, number in zip(
            home[order].tolist(), rows[order].tolist(), stage[order].tolist(), strict=True
        ):
            live.setdefault(worker, []).append((row, number))
        return live

    def worker(self, worker):
        recording, tick = self.recording, self.tick
        starts, codes = recording.result.states[worker]
        run = int(np.searchsorted(starts, tick, side="right")) - 1
        until = int(starts[run + 1]) if run + 1 < starts.size else recording.ticks
        requests = [self._request(*at) for at in self.live.get(worker, ())]
        queue = tuple(q for q in requests if q.stage in ("queued", "handoff"))
        entries = self._entries(worker)
        used = sum(entry.tokens for entry in entries)
        free = self.capacity - recording.shared - used
        return WorkerMoment(
            worker=worker,
            role=_role(self.scenario, worker),
            group=recording.group(worker),
            state=int(codes[run]),
            since=int(starts[run]),
            until=until,
            cause=self._cause(worker, STATES[codes[run]]),
            blocked=self._blocked(queue, entries, free),
            running=tuple(q for q in requests if q not in queue),
            queue=queue,
            entries=entries,
            capacity=self.capacity,
            shared=recording.shared,
            used=used,
            locked=sum(entry.tokens for entry in entries if entry.locked),
            free=free,
        )

    def _request(self, row, stage):
        r, shared = self.recording.result.requests, self.recording.shared
        plain = {
            name: int(r[name][row])
            for name in ("agent", "turn", "loaded", "recomputed", "recomputed_evicted", "output")
        }
        return Request(
            row=row,
            stage=STAGES[stage],
            since=int(self.recording.stages[row, stage]),
            prompt=int(r["prompt"][row]) + shared,
            cached=int(r["cached"][row]) + shared,
            left=tokens_left(self.recording, row, stage, self.tick),
            **plain,
        )

    def _entries(self, worker):
        table = self.cached
        ended, _ = self.recording.ended
        first, last = np.searchsorted(table["worker"], (worker, worker + 1))
        entries = [
            Entry(
                agent=int(table["agent"][i]),
                tokens=int(table["tokens"][i]),
                locked=bool(table["locked"][i]),
                last_access=int(table["last_access"][i]),
                ended=bool(ended[table["agent"][i]] < self.tick),
            )
            for i in range(first, last)
        ]
        return tuple(sorted(entries, key=lambda e: (not e.locked, -e.last_access, e.agent)))

    def _blocked(self, queue, entries, free):
        if not queue:
            return None
        head = queue[0]
        own = sum(e.tokens for e in entries if e.agent == head.agent and not e.locked)
        reserve = head.prompt - self.recording.shared
        if head.stage == "handoff" or not self.split:
            reserve += head.output
        locked = sorted((e for e in entries if e.locked), key=lambda e: (-e.tokens, e.agent))
        return Blocked(head.agent, reserve - own, free, tuple(e.agent for e in locked))

    def _cause(self, worker, state):
        if state in ("waiting_phase", "dragged"):
            wants_prefill = state == "waiting_phase" and self._agents(worker, (PREFILL,))
            phase = "decode" if wants_prefill else "prefill"
            return Cause(state, phase=phase, blockers=self._serving(worker, phase))
        if state == "idle":
            agents, until = self._coming(worker)
            return Cause(state, agents=agents, until=until)
        if state == "waiting_kv":
            return Cause(state)
        return Cause(state, agents=self._agents(worker, SERVES.get(state, (LOAD, TRANSFER))))

    def _agents(self, worker, stages):
        agent = self.recording.result.requests["agent"]
        return tuple(int(agent[row]) for row, stage in self.live.get(worker, ()) if stage in stages)

    def _serving(self, worker, phase):
        """Workers of the group, and their agents, that the phase serves."""
        group = self.recording.group(worker)
        serving = ((other, self._agents(other, SERVES[phase])) for other in group)
        return tuple((other, agents) for other, agents in serving if agents)

    def _coming(self, worker):
        """Agents between two turns, or before their first, whose next request comes here, and
        the tick of the first such request."""
        rows = self._next_requests
        r = self.recording.result.requests
        rows = rows[(r["worker"][rows] == worker) | (r["decode_worker"][rows] == worker)]
        until = int(r["created"][rows].min()) if rows.size else None
        return tuple(r["agent"][rows].tolist()), until

    @functools.cached_property
    def _next_requests(self):
        """Rows of the next request of each agent that has none now."""
        r = self.recording.result.requests
        later = np.flatnonzero(r["created"] > self.tick)
        _, first = np.unique(r["agent"][later], return_index=True)
        rows = later[first]
        busy = [r["agent"][row] for live in self.live.values() for row, _ in live]
        return rows[~np.isin(r["agent"][rows], busy)]


def _role(scenario, worker):
    if not scenario.prefill_workers:
        return "both"
    return "prefill" if worker < scenario.prefill_workers else "decode"
