"""One tick looked at closely."""

import numpy as np

from app.derive.again import SHADES
from app.derive.moment import Blocked, Cause, Entry, Request, WorkerMoment
from app.derive.progress import tokens_left
from app.derive.recording import STAGES

QUEUED, LOAD, PREFILL, HANDOFF, TRANSFER, DECODE = range(len(STAGES))
SERVES = {
    "prefill": (PREFILL,),
    "prefill_again": (PREFILL,),
    "decode": (DECODE,),
    "mixed": (PREFILL, DECODE),
}
COUNTS = {
    "time_slice": "quantum",
    "decode_interval": "decode_interval",
    "prefill_delayer": "max_delay",
}
"""Phase policies that count ticks, and the setting that they count to."""


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
        state, since, until = recording.shade_at(worker, tick)
        requests = [self._request(*at) for at in self.live.get(worker, ())]
        queue = tuple(q for q in requests if q.stage in ("queued", "handoff"))
        entries = self._entries(worker)
        used = sum(entry.tokens for entry in entries)
        free = self.capacity - recording.shared - used
        return WorkerMoment(
            worker=worker,
            role=_role(self.scenario, worker),
            group=recording.group(worker),
            state=state,
            since=since,
            until=until,
            cause=self._cause(worker, SHADES[state]),
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
        return Blocked(head.agent, reserve - own, free, tuple((e.agent, e.tokens) for e in locked))

    def _cause(self, worker, state):
        if state in ("waiting_phase", "dragged"):
            wants_prefill = state == "waiting_phase" and self._agents(worker, (PREFILL,))
            phase = "decode" if wants_prefill else "prefill"
            return self._phase(worker, state, phase)
        if state == "idle":
            agents, until = self._coming(worker)
            return Cause(state, agents=agents, until=until)
        if state == "waiting_kv":
            return Cause(state)
        return Cause(state, agents=self._agents(worker, SERVES.get(state, (LOAD, TRANSFER))))

    def _phase(self, worker, state, phase):
        """Why the group is in a phase that leaves this worker behind."""
        policy, group = self.scenario.phase_policy, self.recording.group(worker)
        wants = [sum(len(self._agents(w, (s,))) for w in group) for s in (PREFILL, DECODE)]
        return Cause(
            state,
            phase=phase,
            blockers=self._serving(worker, phase),
            policy=policy,
            limit=getattr(self.scenario, COUNTS[policy]) if policy in COUNTS else None,
            wants=tuple(wants),
        )

    def _agents(self, worker, stages):
        agent = self.recording.result.requests["agent"]
        return tuple(int(agent[row]) for row, stage in self.live.get(worker, ()) if stage in stages)

    def _serving(self, worker, phase):
        """Workers of the group, and their agents, that the phase serves."""
        group = self.recording.group(worker)
        serving = ((other, self._agents(other, SERVES[phase])) for other in group)
        return tuple((other, agents) for other, agents in serving if agents)

    def _coming(self, worker):
        """Agents whose requests are still to come here, the next one first, and the tick of it.

        Requests come to a decode worker when they are prefilled.
        """
        r, stages = self.recording.result.requests, self.recording.stages
        here = r["worker"] == worker
        comes = np.where(here, stages[:, QUEUED], stages[:, HANDOFF])
        here |= self.split & (r["decode_worker"] == worker)
        rows = np.flatnonzero(here & (comes > self.tick))
        agents, first = np.unique(r["agent"][rows], return_index=True)
        comes = comes[rows[first]]
        order = np.lexsort((agents, comes))
        until = int(comes[order[0]]) if order.size else None
        return tuple(agents[order].tolist()), until


def _role(scenario, worker):
    if not scenario.prefill_workers:
        return "both"
    return "prefill" if worker < scenario.prefill_workers else "decode"
