"""Routing policies: which worker takes a request.

Policies that need no look at the cluster are computed before the run for every turn; the
others are small functions over the state, called for one request of each scenario at a time.
"""

import numpy as np

from sim.workload import DECODE_ROUTE, ROUTE, SECOND_CHOICE, hashed

RING_LABEL, AGENT_LABEL = 0x52494E47, 0x4147454E
RING_POINTS = 128
LOAD_BITS = 17
FAR = 2**62


class Role:
    """The workers that a request is routed over, for all scenarios of a batch.

    Attributes
    ----------
    first, count : ndarray of int64, shape (B,)
        Id of the first worker and number of workers.
    outside : ndarray of bool, shape (W, B)
        Workers that are not of this role.
    turn : ndarray of int64, shape (B,)
        The round-robin counter.
    chosen : ndarray of int64, shape (turns,), or None
        Index among the role's workers for each turn, of the policies that need no look.
    second : ndarray of int64, shape (turns,), or None
        The second candidate of power_of_two.
    """

    def __init__(self, scenarios, workloads, workers, field):
        decode = field == DECODE_ROUTE
        self.first = np.array([s.prefill_workers if decode else 0 for s in scenarios])
        last = np.array(
            [s.workers if decode else s.prefill_workers or s.workers for s in scenarios]
        )
        self.count = last - self.first
        ids = np.arange(workers)[:, None]
        self.outside = (ids < self.first) | (ids >= last)
        self.turn = np.zeros(len(scenarios), np.int64)
        tables = [
            choices(s, w, m, field)
            for s, w, m in zip(scenarios, workloads, self.count.tolist(), strict=True)
        ]
        self.chosen = np.concatenate([first for first, _ in tables])
        self.second = np.concatenate([second for _, second in tables])

    def keep(self, rows):
        """Drop all scenarios but those."""
        self.first, self.count = self.first[rows], self.count[rows]
        self.outside, self.turn = self.outside[:, rows], self.turn[rows]


def choices(scenario, workload, m, field):
    """Return the choices for each turn that can be made before the run, and second ones."""
    agents, turns, seed = workload.agent_of, workload.turn_of, scenario.seed
    none = np.zeros(agents.size, np.int64)
    routing = scenario.routing
    if routing == "pinned":
        return agents % m, none
    if routing == "consistent_hash":
        return _ring(np.arange(scenario.agents), seed, m)[agents], none
    if routing == "random" and (scenario.draws != "article" or field == DECODE_ROUTE):
        return scaled(hashed(seed, agents, turns, field), m), none
    if routing == "power_of_two":
        first = scaled(hashed(seed, agents, turns, field), m)
        return first, scaled(hashed(seed, agents, turns, field + SECOND_CHOICE), m)
    return none, none


def scaled(draws, m):
    """Return draw × m >> 32, an index below m."""
    return (draws.astype(np.uint64) * np.asarray(m, np.uint64) >> np.uint64(32)).astype(np.int64)


def _ring(agents, seed, m):
    worker = np.repeat(np.arange(m), RING_POINTS)
    points = hashed(RING_LABEL, worker, np.tile(np.arange(RING_POINTS), m))
    order = np.argsort(points, kind="stable")
    at = np.searchsorted(points[order], hashed(AGENT_LABEL, seed, agents))
    return worker[order][at % points.size]


def round_robin(batch, role, b, ba, prompt):
    """Next in turn."""
    turn = role.turn[b]
    role.turn[b] = turn + 1
    return turn % role.count[b]


def total_requests(batch, role, b, ba, prompt):
    """Least outstanding requests."""
    load = np.where(role.outside[:, b], FAR, batch.outstanding[:, b])
    return load.argmin(0) - role.first[b]


def total_tokens(batch, role, b, ba, prompt):
    """Least outstanding prompt tokens, then requests."""
    load = (batch.outstanding_tokens[:, b] << LOAD_BITS) + batch.outstanding[:, b]
    return np.where(role.outside[:, b], FAR, load).argmin(0) - role.first[b]


def power_of_two(batch, role, b, ba, prompt):
    """The less loaded of two drawn ones."""
    at = batch.position_[ba]
    one, other = role.chosen[at], role.second[at]
    low, high = np.minimum(one, other), np.maximum(one, other)
    load, first = batch.outstanding, role.first[b]
    return np.where(load[first + high, b] < load[first + low, b], high, low)


def cache_aware(batch, role, b, ba, prompt):
    """The worker with the most of the agent's context, unless loads differ too much."""
    load, outside = batch.outstanding[:, b], role.outside[:, b]
    least = np.where(outside, FAR, load)
    low, high = least.min(0), np.where(outside, -1, load).max(0)
    routing = batch.routing
    uneven = (high - low > routing.balance_abs[b]) & (high > routing.balance_rel[b] * low)
    own = batch.entry[:, b, batch.a_of_ba[ba]]
    worth = np.where(outside, -1, (own << LOAD_BITS) + (2**LOAD_BITS - 1 - load))
    best = worth.argmax(0)
    cached = own[best, np.arange(b.size)]
    hit = ~uneven & (cached > routing.cache_threshold[b] * prompt)
    return np.where(hit, best, least.argmin(0)) - role.first[b]


def fixed(batch, role, b, ba, prompt):
    """Computed before the run."""
    return role.chosen[batch.position_[ba]]


DYNAMIC = {
    "round_robin": round_robin,
    "total_requests": total_requests,
    "total_tokens": total_tokens,
    "power_of_two": power_of_two,
    "cache_aware": cache_aware,
}
"""Policies that look at the cluster, or at a counter."""

POLICIES = (fixed, *DYNAMIC.values())
LOOKS_AT_LOAD = ("total_requests", "total_tokens", "power_of_two", "cache_aware")


class Routing:
    """The routing policies of a batch."""

    def __init__(self, batch):
        s = batch.scenarios
        self.takers = Role(s, batch.workloads, batch.workers, ROUTE)
        self.decoders = (
            Role(s, batch.workloads, batch.workers, DECODE_ROUTE) if batch.split else None
        )
        self.cache_threshold = np.array([x.cache_threshold for x in s], float)
        self.balance_abs = np.array([x.balance_abs for x in s])
        self.balance_rel = np.array([x.balance_rel for x in s], float)
        self.policy = np.array([POLICIES.index(DYNAMIC.get(x.routing, fixed)) for x in s])
        self.draws_route = np.array([x.routing == "random" for x in s]) & batch.by_article
        self.by_load = any(x.routing in LOOKS_AT_LOAD for x in s)
        self._one_policy()

    def _one_policy(self):
        kinds = set(self.policy.tolist())
        self.only = POLICIES[kinds.pop()] if len(kinds) == 1 else None
        self.any_drawn = bool(self.draws_route.any())
        self.static = self.only is fixed and not self.any_drawn

    def keep(self, rows):
        """Drop all scenarios but those."""
        self.takers.keep(rows)
        if self.decoders is not None:
            self.decoders.keep(rows)
        for name in ("cache_threshold", "balance_abs", "balance_rel", "policy", "draws_route"):
            setattr(self, name, getattr(self, name)[rows])
        self._one_policy()

    def choose(self, batch, role, b, ba, prompt):
        """Return the id of the worker for one request of each of the scenarios `b`.

        Parameters
        ----------
        role : Role
        b, ba, prompt : ndarray of int64, shape (requests,)
        """
        if self.only is not None:
            index = self.only(batch, role, b, ba, prompt)
        else:
            index = np.zeros(b.size, np.int64)
            policies = self.policy[b]
            for policy in np.unique(policies):
                rows = np.flatnonzero(policies == policy)
                index[rows] = POLICIES[policy](batch, role, b[rows], ba[rows], prompt[rows])
        if role is self.takers and self.any_drawn:
            drawn = batch.stream[batch.stream_base[b] + batch.draws_used[b]]
            index = np.where(self.draws_route[b], scaled(drawn, role.count[b]), index)
        return index if role is self.takers else role.first[b] + index
