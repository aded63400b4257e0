"""A result indexed for drawing: flat runs of states, the stages of requests, the KV caches."""

import functools
import heapq

import numpy as np

from app.derive.again import PREFILL_AGAIN, SHADES, again_runs, again_ticks
from app.derive.kv import Caches
from app.derive.lives import Work, spans
from app.derive.progress import Rates
from app.derive.tax import time_spent
from sim.result import UNITS_PER_TOKEN, ceil_div
from sim.scenario import STATES

STAGES = ("queued", "load", "prefill", "handoff", "transfer", "decode")
"""Stages of a request in their order. handoff: prefilled, queued at the decode worker."""


class Recording:
    """One result, indexed once so that every picture of it is quick.

    The index is made piece by piece when first asked for, and lives as long as this object.

    Parameters
    ----------
    result : sim.result.Result
        A finished run.

    Attributes
    ----------
    result : sim.result.Result
    scenario : sim.Scenario
    ticks, workers, agents : int
    tick_s : float
        Length of a tick in seconds.
    shared : int
        Tokens of the shared prefix.
    rates : Rates
        What a request advances in a tick.
    """

    def __init__(self, result):
        self.result = result
        self.scenario = result.scenario
        self.ticks = result.ticks
        self.tick_s = result.tick_s
        self.workers = result.workers
        self.agents = int(result.first_ready.size)
        self.shared = result.scenario.shared_prefix
        self.rates = Rates.of(result.scenario)

    @functools.cached_property
    def runs(self):
        """All workers' runs of states, one after another.

        Returns
        -------
        (worker, start, stop, code) : tuple of int64 ndarray
            Sorted by worker, then start.
        """
        states = self.result.states
        sizes = np.array([starts.size for starts, _ in states])
        start = np.concatenate([starts for starts, _ in states]).astype(np.int64)
        stop = np.append(start[1:], self.ticks)
        stop[sizes.cumsum() - 1] = self.ticks
        code = np.concatenate([codes for _, codes in states]).astype(np.int64)
        return np.repeat(np.arange(self.workers), sizes), start, stop, code

    def shades_within(self, first, last):
        """Return the parts of `shades` that lie in ticks [first, last)."""
        worker, start, stop, code = self.shades
        if first <= 0 and last >= self.ticks:
            return self.shades
        rows = np.flatnonzero((start < last) & (stop > first))
        start, stop = np.maximum(start[rows], first), np.minimum(stop[rows], last)
        return worker[rows], start, stop, code[rows]

    @functools.cached_property
    def admission_order(self):
        """Rows of the requests in the order of admission: tick, worker, place in its queue."""
        r = self.result.requests
        return np.lexsort((r["agent"], r["created"], r["worker"], r["started"]))

    @functools.cached_property
    def admission_rank(self):
        """Place of each request in `admission_order`, int64."""
        rank = np.empty(self.admission_order.size, np.int64)
        rank[self.admission_order] = np.arange(rank.size)
        return rank

    @functools.cached_property
    def prefilling(self):
        """First tick of each request's prefill, and the tick after its last; two int64 columns."""
        r = self.result.requests
        load = ceil_div(r["loaded"] * UNITS_PER_TOKEN, self.rates.load)
        return r["started"] + load, r["prefilled"] + 1

    @functools.cached_property
    def stages(self):
        """First tick of each stage of each request, and the tick after its last.

        Returns
        -------
        ndarray
            int64, shape (requests, 7): the columns of `STAGES`, then the end. A stage that does
            not happen has the same tick as the next one.
        """
        r, s = self.result.requests, self.scenario
        prefill, prefilled = self.prefilling
        decode = admitted = prefilled
        if s.prefill_workers:
            admitted = self._decode_admissions()
            moved = (r["prompt"] + self.shared) * UNITS_PER_TOKEN
            decode = admitted + ceil_div(moved, self.rates.transfer)
        return np.column_stack(
            (
                r["created"],
                r["started"],
                prefill,
                prefilled,
                admitted,
                decode,
                r["finished"] + 1,
            )
        )

    def _decode_admissions(self):
        """Tick at which each request is admitted on its decode worker.

        First come, first served in the order in which the prefills ended; nothing is evicted,
        so a request waits until enough of those before it have finished.
        """
        r, s = self.result.requests, self.scenario
        capacity = s.kv_capacity - self.shared
        size = r["prompt"] + r["output"]
        order = np.lexsort((self.admission_rank, r["worker"], r["prefilled"]))
        admitted = np.zeros(order.size, np.int64)
        for worker in range(s.prefill_workers, self.workers):
            used, now, running = 0, 0, []
            for row in order[r["decode_worker"][order] == worker].tolist():
                now = max(now, int(r["prefilled"][row]) + 1)
                while running and (running[0][0] < now or used + size[row] > capacity):
                    finished, freed = heapq.heappop(running)
                    used -= freed
                    now = max(now, finished + 1)
                admitted[row] = now
                used += int(size[row])
                heapq.heappush(running, (int(r["finished"][row]), int(size[row])))
        return admitted

    @functools.cached_property
    def cold_start(self):
        """Whether a request is its worker's first and so prefills the shared prefix, bool."""
        first = np.zeros(self.result.requests["agent"].size, bool)
        order = self.admission_order
        _, index = np.unique(self.result.requests["worker"][order], return_index=True)
        first[order[index]] = True
        return first

    @functools.cached_property
    def again(self):
        """When each request prefills context that it had before; see `again_ticks`."""
        return again_ticks(self)

    @functools.cached_property
    def again_runs(self):
        """`runs`, cut where prefill begins or ends to recompute; see `again.again_runs`."""
        return again_runs(self)

    @functools.cached_property
    def shades(self):
        """`runs` as they are drawn: codes of `SHADES`, prefill that recomputes apart."""
        worker, start, stop, code, again = self.again_runs
        shade = np.where(again & (code == STATES.index("prefill")), PREFILL_AGAIN, code)
        return worker, start, stop, shade

    @functools.cached_property
    def shade_ticks(self):
        """Worker-ticks in each of `SHADES`, int64."""
        _, start, stop, shade = self.shades
        spent = np.zeros(len(SHADES), np.int64)
        np.add.at(spent, shade, stop - start)
        return spent

    def shade_at(self, worker, tick):
        """Return what is drawn of a worker at a tick.

        Returns
        -------
        (shade, start, stop) : tuple of int
            Code of `SHADES`, and the ticks from which on and up to which it is drawn.
        """
        workers, start, stop, shade = self.shades
        first, last = np.searchsorted(workers, (worker, worker + 1))
        run = first + int(np.searchsorted(start[first:last], tick, "right")) - 1
        return int(shade[run]), int(start[run]), int(stop[run])

    @functools.cached_property
    def lives(self):
        """What each agent does over time, `lives.Spans`."""
        return spans(self)

    @functools.cached_property
    def work(self):
        """How long workers have advanced what, a `lives.Work`."""
        return Work(self)

    @functools.cached_property
    def spent(self):
        """Where the workers' time went; see `tax.time_spent`."""
        return time_spent(self)

    @functools.cached_property
    def ended(self):
        """Tick in which each agent ends, int64, and whether by a kill, bool.

        An agent without turns has the tick -1.
        """
        r, kills = self.result.requests, self.result.of_kind("kill")
        tick = np.full(self.agents, -1, np.int64)
        np.maximum.at(tick, r["agent"], r["finished"])
        killed = np.zeros(self.agents, bool)
        killed[kills["agent"]] = True
        tick[kills["agent"]] = kills["tick"]
        return tick, killed

    @functools.cached_property
    def kv(self):
        """The KV caches over time, a `Caches`."""
        return Caches(self)

    def group(self, worker):
        """Return the workers that share a lock with this one, as a range."""
        s = self.scenario
        first, stop = (0, self.workers)
        if s.prefill_workers:
            split = s.prefill_workers
            first, stop = (0, split) if worker < split else (split, self.workers)
        size = 1 if s.lock == "none" else s.group_size or stop - first
        start = first + (worker - first) // size * size
        return range(start, min(stop, start + size))

    def tick_at(self, seconds):
        """Return the tick that holds this time, cut to the run."""
        return min(max(0, int(seconds / self.tick_s + 1e-9)), max(0, self.ticks - 1))
