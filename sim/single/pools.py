"""Routing policies for one request at a time: which worker of a pool takes it."""

from sim.routing import choices
from sim.workload import DECODE_ROUTE, ROUTE


class Pool:
    """Workers that requests are routed over, by choices made before the run.

    Parameters
    ----------
    scenario : Scenario
    workload : Workload
    size : int
        Number of workers.
    field : int
        `ROUTE` or `DECODE_ROUTE`.

    Attributes
    ----------
    workers : list of Worker
    """

    by_load = False
    """Whether the policy has to know what is outstanding."""

    def __init__(self, scenario, workload, size, field):
        self.workers = []
        chosen, second = choices(scenario, workload, size, field)
        self.chosen, self.second = chosen.tolist(), second.tolist()

    def choose(self, agent, prompt):
        """Return the worker for an agent's request."""
        return self.workers[self.chosen[agent.position]]


class Drawn(Pool):
    """By a draw of the stream."""

    draws = None

    def choose(self, agent, prompt):
        """See `Pool`."""
        return self.workers[self.draws.route * len(self.workers) >> 32]


class RoundRobin(Pool):
    """Next in turn."""

    turn = -1

    def choose(self, agent, prompt):
        """See `Pool`."""
        self.turn = (self.turn + 1) % len(self.workers)
        return self.workers[self.turn]


class ByLoad(Pool):
    """Policies that look at what is outstanding.

    Attributes
    ----------
    first : int
        Id of the first worker.
    load, tokens : list of int
        Outstanding requests of each worker, and their prompt tokens.
    """

    by_load = True

    def __init__(self, scenario, workload, size, field):
        super().__init__(scenario, workload, size, field)
        self.first = scenario.prefill_workers if field == DECODE_ROUTE else 0
        self.load, self.tokens = [0] * size, [0] * size

    def count(self, worker, prompt, sign):
        """Count a request as outstanding (1) or no longer (-1)."""
        self.load[worker.id - self.first] += sign
        self.tokens[worker.id - self.first] += sign * prompt

    def least_loaded(self):
        """Return the worker with the least outstanding requests."""
        return self.workers[self.load.index(min(self.load))]


class TotalRequests(ByLoad):
    """Least outstanding requests."""

    def choose(self, agent, prompt):
        """See `Pool`."""
        return self.least_loaded()


class TotalTokens(ByLoad):
    """Least outstanding prompt tokens, then requests."""

    def choose(self, agent, prompt):
        """See `Pool`."""
        pairs = list(zip(self.tokens, self.load, strict=True))
        return self.workers[pairs.index(min(pairs))]


class PowerOfTwo(ByLoad):
    """The less loaded of two drawn ones."""

    def choose(self, agent, prompt):
        """See `Pool`."""
        pair = self.chosen[agent.position], self.second[agent.position]
        low, high = min(pair), max(pair)
        return self.workers[high if self.load[high] < self.load[low] else low]


class CacheAware(ByLoad):
    """The worker with the most of the agent's context, unless loads differ too much."""

    def __init__(self, scenario, workload, size, field):
        super().__init__(scenario, workload, size, field)
        self.threshold = scenario.cache_threshold
        self.balance_abs, self.balance_rel = scenario.balance_abs, scenario.balance_rel

    def choose(self, agent, prompt):
        """See `Pool`."""
        own = [item for item in agent.entries.items() if item[0].pool is self]
        if own and not self._uneven():
            worker, cached = min(own, key=self._worth)
            if cached > self.threshold * prompt:
                return worker
        return self.least_loaded()

    def _uneven(self):
        low, high = min(self.load), max(self.load)
        return high - low > self.balance_abs and high > self.balance_rel * low

    def _worth(self, item):
        worker, cached = item
        return -cached, self.load[worker.id - self.first], worker.id


POLICIES = {
    "round_robin": RoundRobin,
    "total_requests": TotalRequests,
    "total_tokens": TotalTokens,
    "power_of_two": PowerOfTwo,
    "cache_aware": CacheAware,
}
"""Policies that look at the cluster, or at a counter; the others are known before the run."""


def make_pools(scenario, workload, draws):
    """Return the pool of workers that take new requests and that of decode workers, or None."""
    s = scenario
    policy = POLICIES.get(s.routing, Pool)
    size = s.prefill_workers or s.workers
    decoders = None
    if s.prefill_workers:
        decoders = policy(s, workload, s.workers - s.prefill_workers, DECODE_ROUTE)
    if s.routing == "random" and s.draws == "article":
        policy = Drawn
    takers = policy(s, workload, size, ROUTE)
    if policy is Drawn:
        takers.draws = draws
    return takers, decoders
