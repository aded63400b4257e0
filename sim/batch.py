"""The state of all scenarios of a batch, as arrays padded to the largest of them.

Shapes: W workers, A agents, B scenarios, the last axis where there is no cell for an agent on a
worker, so that all reductions run along memory. A worker of a scenario is also addressed by the
flat index ``bw = w * B + b``, an agent by ``ba = a * B + b``, an agent on a worker by
``bwa = bw * A + a``; attributes ending in ``_`` are such flat views. Index 0 of a leading axis
of 2 is prefill, index 1 decode. Work is counted in units, held exactly in doubles.
"""

import numpy as np

from sim.phases import Phases
from sim.result import step_units
from sim.routing import Routing
from sim.workload import Workload

NEVER = np.inf
LOCKED = np.iinfo(np.int64).max
"""Recency of an entry that may not be evicted: locked, or not there at all."""
SEQUENCE_BITS = 31
SEQUENCE_MASK = 2**SEQUENCE_BITS - 1

THINKING, LOADING, TRANSFERRING = 0, 1, 2

MAX_STEP = 2.0**46
"""Units of the longest context: a larger step finishes any request in one tick just the same."""

WHOLE = (slice(None),)

SETTINGS = [
    "t",
    "until",
    "capacity",
    "limit",
    "shared",
    "host_capacity",
    "load_step",
    "transfer_step",
    "drag",
    "share",
    "is_mixed",
    "is_step",
    "sharing",
    "slowdown",
    "compact_to",
    "compacts",
    "releases",
    "tail",
    "max_concurrent",
    "taking",
    "open",
    "in_flight",
    "draws_used",
    "stream_base",
    "ids",
]
BY_WORKER = [
    "used",
    "host_used",
    "queue_head",
    "queued",
    "dirty",
    "has_queue",
    "hold",
    "moving",
    "cold",
    "outstanding",
    "outstanding_tokens",
    "real",
]
BY_AGENT = [
    "due",
    "context",
    "position",
    "left",
    "turns",
    "started",
    "waiting",
    "stage",
    "prompt",
    "reserve",
    "output",
    "extra",
    "home",
    "away",
    "sequence",
    "joined",
]
BY_CELL = ["entry", "recency", "held", "queue", "host", "host_recency"]
BY_KIND = ["clock", "head", "count", "rate"]
AXIS = {
    **dict.fromkeys(SETTINGS, 0),
    **dict.fromkeys([*BY_WORKER, *BY_AGENT, *BY_CELL, "base_step"], 1),
    **dict.fromkeys([*BY_KIND, "target"], 2),
}
"""The axis of the scenarios in each array."""
FLAT = [*BY_WORKER, *BY_AGENT, *BY_CELL, *BY_KIND, "target"]


class Batch:
    """Scenarios of like coupling and one kind of draws, ready to run.

    Parameters
    ----------
    scenarios : list of Scenario
        Sorted by `phases.rank`.
    workers : int
        W, a multiple of `members`.
    members : int
        Workers of a lock group.
    """

    def __init__(self, scenarios, workers, members):
        self.scenarios = scenarios
        self.size = B = len(scenarios)
        self.workers, self.members = W, _ = workers, members
        self.agents = A = max(s.agents for s in scenarios)
        self.workloads = [Workload(s) for s in scenarios]
        self.ids = np.arange(B)
        self.sequence_now = 0
        self.closing = False
        self.split = any(s.prefill_workers for s in scenarios)
        self.has_host = any(s.host_kv_capacity for s in scenarios)
        self.moves = self.split or self.has_host
        self.gated = any(s.max_concurrent_agents for s in scenarios)
        self.by_article = scenarios[0].draws == "article"
        self._settings()
        self._clocks(B, W, A)
        self._caches(B, W, A)
        self._agents(B, A)
        self.phases = Phases(scenarios, W // members)
        self.routing = Routing(self)
        self._index()

    def _settings(self):
        s = self.scenarios

        def each(value, dtype=np.int64):
            return np.array([value(one) for one in s], dtype)

        self.capacity = each(lambda x: x.kv_capacity - x.shared_prefix)
        self.limit = each(lambda x: min(x.context_limit, x.kv_capacity) - x.shared_prefix)
        self.shared = each(lambda x: x.shared_prefix)
        self.host_capacity = each(lambda x: x.host_kv_capacity)
        self.load_step = each(lambda x: step_units(x.host_load_rate, x.tick_ms), float)
        self.transfer_step = each(lambda x: step_units(x.transfer_rate, x.tick_ms), float)
        self.drag = each(lambda x: step_units(x.prefill_rate / x.chunk_tokens, x.tick_ms), float)
        self.share = each(lambda x: x.mixed_share, float)
        self.is_mixed = each(lambda x: x.phase_policy == "mixed", bool)
        self.is_step = each(lambda x: x.lock == "step", bool)
        self.sharing = each(lambda x: x.prefill_sharing, bool)
        self.slowdown = each(lambda x: x.decode_slowdown, float)
        self.compact_to = each(lambda x: x.compact_to)
        self.compacts = each(lambda x: x.overflow == "compact", bool)
        self.releases = each(lambda x: x.release_finished, bool)
        self.tail = each(lambda x: x.eviction == "tail", bool)
        self.max_concurrent = each(lambda x: x.max_concurrent_agents)
        self.taking = each(lambda x: x.prefill_workers or x.workers)
        prefill = each(lambda x: step_units(x.prefill_rate, x.tick_ms), float)
        decode = each(lambda x: step_units(x.decode_rate, x.tick_ms), float)
        self.base_step = np.stack((prefill, decode))
        self.real = np.arange(self.workers)[:, None] < each(lambda x: x.workers)

    def _clocks(self, B, W, A):
        self.t = np.zeros(B)
        self.until = np.full(B, NEVER)
        # A stage's requests on a worker all advance alike: one clock of work done for all of
        # them, at which each has its target; the head is the least target.
        self.clock = np.zeros((2, W, B))
        self.head = np.full((2, W, B), NEVER)
        self.target = np.full((2, W, B, A), NEVER)
        self.count = np.zeros((2, W, B), np.int64)
        self.rate = np.zeros((2, W, B))

    def _caches(self, B, W, A):
        for name in ("entry", "held"):
            setattr(self, name, np.zeros((W, B, A), np.int64))
        # a ring for each worker, of a power of two of slots
        self.slots = 1 << (A - 1).bit_length()
        self.queue = np.zeros((W, B, self.slots), np.int64)
        self.recency = np.full((W, B, A), LOCKED)
        tier = W if self.has_host else 0
        self.host = np.zeros((tier, B, A), np.int64)
        self.host_recency = np.full((tier, B, A), LOCKED)
        self.host_used = np.zeros((tier, B), np.int64)
        for name in ("used", "queue_head", "queued", "moving", "outstanding", "outstanding_tokens"):
            setattr(self, name, np.zeros((W, B), np.int64))
        self.hold = np.zeros((W, B), np.uint8)
        self.dirty = np.ones((W, B), bool)
        self.cold = np.ones((W, B), bool)
        self.has_queue = np.zeros((W, B), bool)

    def _agents(self, B, A):
        loads, lengths = self.workloads, [w.inputs.size for w in self.workloads]
        base = np.cumsum([0, *lengths[:-1]])
        self.inputs = np.concatenate([w.inputs for w in loads])
        self.outputs = np.concatenate([w.outputs for w in loads])
        # one more, for the wait after the very last turn, which nobody uses
        self.waits = np.concatenate([*(w.waits for w in loads), [0]])
        rows = np.cumsum([0, *(w.agent_of.size for w in loads[:-1])])
        self.stream_base = base + [w.turns.size for w in loads]
        self.stream = np.concatenate([w.stream for w in loads]) if self.by_article else None
        has_carried = loads[0].carried is not None
        self.carried = np.concatenate([w.carried for w in loads]) if has_carried else None
        self.draws_used = np.zeros(B, np.int64)
        self.due = np.full((A, B), NEVER)
        for name in BY_AGENT[1:]:
            setattr(self, name, np.zeros((A, B), np.int64))
        self.started = np.zeros((A, B), bool)
        self.waiting = np.zeros((A, B), bool)
        self.stage = np.zeros((A, B), np.int8)
        for b, w in enumerate(loads):
            n = w.turns.size
            self.turns[:n, b] = w.turns
            self.position[:n, b] = w.offset + rows[b]
            self.due[:n, b] = np.where(w.turns > 0, w.first_ready, NEVER)
        self.left = self.turns.copy()
        self.open = (self.turns > 0).sum(0)
        self.in_flight = np.zeros(B, np.int64)

    def _index(self):
        """Make the flat views and the look-ups between flat indices."""
        B, W, A = self.size, self.workers, self.agents
        for name in FLAT:
            setattr(self, name + "_", getattr(self, name).reshape(-1))
        self.count_groups = self.count.reshape(2, -1, self.members, B)
        self.target_rows = self.target.reshape(2 * W * B, A)
        self.recency_rows = self.recency.reshape(W * B, A)
        self.host_rows = self.host_recency.reshape(-1, A)
        self.b_of_bw = np.tile(np.arange(B), W)
        self.b_of_ba = np.tile(np.arange(B), A)
        self.a_of_ba = np.repeat(np.arange(A), B)
        self.key_of_ba = (self.ids * A + np.arange(A)[:, None]).ravel()
        # one-element arrays: cheaper operands than Python's numbers where arrays are short
        self.one, self.zero = np.ones(1, np.int64), np.zeros(1, np.int64)
        self.row = np.array([B])
        self.cell_of_stream = np.arange(2 * W * B) * A
        self.slot_of_bw = np.arange(W * B) * self.slots
        self.slot_mask = np.array([self.slots - 1])
        self.first_stream = np.array([W * B])
        self.none = np.zeros(W * B, np.int64)
        self.first_worker = np.arange(W) * B
        self.pairs = W * B
        self.scratch = np.zeros(W * B, np.int64)
        self.decodes_ = (np.arange(W)[:, None] >= self.taking).ravel()
        self.step = np.repeat(self.base_step[:, None], W, 1)
        self.share_both = np.stack((self.share, 1 - self.share))[:, None]
        self.any_shared = bool((self.shared > 0).any())
        self.any_mixed = bool(self.is_mixed.any())
        self.any_step = bool(self.is_step.any())
        self.any_sharing = bool(self.sharing.any())
        self.any_slowdown = bool((self.slowdown > 0).any())
        self.any_fast = bool((self.base_step > MAX_STEP).any())

    def keep(self, rows):
        """Drop all scenarios but those (a rising index array)."""
        for name, axis in AXIS.items():
            setattr(self, name, np.take(getattr(self, name), rows, axis))
        self.scenarios = [self.scenarios[row] for row in rows]
        self.size = rows.size
        self.phases.keep(rows)
        self.routing.keep(rows)
        self._index()

    def next_sequence(self):
        """Return a sequence number above all earlier ones.

        Only entries of one worker are compared, so that entries made at once on several workers
        may have the same number.
        """
        self.sequence_now += 1
        return self.sequence_now

    def has_place(self):
        """Return whether one more agent may be in flight, for each scenario."""
        return (self.max_concurrent == 0) | (self.in_flight < self.max_concurrent)

    def waves(self, keys):
        """Split positions into waves in which no key (below W * B) stands twice, in order."""
        k = keys.size
        if k < 2:
            return WHOLE
        places = np.arange(k)
        self.scratch[keys] = places
        if (self.scratch[keys] == places).all():
            return WHOLE
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        lengths = np.diff(np.append(starts, k))
        turn = np.empty(k, np.int64)
        turn[order] = places - np.repeat(starts, lengths)
        return [np.flatnonzero(turn == n) for n in range(lengths.max())]

    def rebase(self):
        """Set clocks that have run far back to 0, so that doubles stay exact."""
        for stream in np.flatnonzero(self.clock_ > 2.0**51):
            self.target_rows[stream] -= self.clock_[stream]
            self.head_[stream] -= self.clock_[stream]
            self.clock_[stream] = 0
