"""Routing, phases and rates of the reference."""

import bisect
import math

from tests.reference_draws import hashed
from tests.reference_state import DECODE, IDLE, MIXED, PREFILL, UNITS


class Pool:
    """Workers among which a request's worker is chosen.

    `field` is the one of the random draws: a request's route, or its route to the decode pool.
    """

    def __init__(self, scenario, workers, field):
        self.scenario = scenario
        self.workers = workers
        self.field = field
        self.next_in_turn = 0
        self.ring = sorted(
            (hashed(0x52494E47, index, v), index)
            for index in range(len(workers))
            for v in range(128)
        )

    def choose(self, agent, turn, prompt, draw):
        """Return the worker for a request of `prompt` tokens; `draw` is for random routing."""
        m = len(self.workers)
        policy = self.scenario.routing
        if policy == "pinned":
            return self.workers[agent % m]
        if policy == "round_robin":
            self.next_in_turn += 1
            return self.workers[(self.next_in_turn - 1) % m]
        if policy == "random":
            return self.workers[draw * m >> 32]
        if policy == "consistent_hash":
            return self.on_ring(agent)
        if policy == "total_requests":
            return self.least_loaded(self.workers)
        if policy == "total_tokens":
            return min(self.workers, key=lambda w: (w.outstanding_tokens, w.outstanding, w.id))
        if policy == "power_of_two":
            return self.less_loaded_of_two(agent, turn)
        return self.cache_aware(agent, prompt)

    def on_ring(self, agent):
        """Return the worker of the first point at or after the agent's."""
        place = hashed(0x4147454E, self.scenario.seed, agent)
        at = bisect.bisect_left(self.ring, (place, 0))
        return self.workers[self.ring[at % len(self.ring)][1]]

    def least_loaded(self, workers):
        """Return the worker with the fewest outstanding requests, the lowest id of several."""
        return min(workers, key=lambda w: (w.outstanding, w.id))

    def less_loaded_of_two(self, agent, turn):
        """Return the less loaded of two workers drawn by hash."""
        m = len(self.workers)
        picks = [
            hashed(self.scenario.seed, agent, turn, field) * m >> 32
            for field in (self.field, self.field + 2)
        ]
        return self.least_loaded([self.workers[i] for i in picks])

    def cache_aware(self, agent, prompt):
        """Return the worker that has enough of the prompt cached, unless loads are uneven."""
        s = self.scenario
        low = min(w.outstanding for w in self.workers)
        high = max(w.outstanding for w in self.workers)
        if not (high - low > s.balance_abs and high > s.balance_rel * low):
            best = min(self.workers, key=lambda w: (-w.cached_tokens(agent), w.outstanding, w.id))
            if best.cached_tokens(agent) > s.cache_threshold * prompt:
                return best
        return self.least_loaded(self.workers)


class Group:
    """Workers that share a lock, and the phase they are in."""

    def __init__(self, scenario, workers):
        self.scenario = scenario
        self.workers = workers
        self.phase = IDLE
        self.run = 0  # ticks of the current phase in a row
        self.decodes_due = 0  # decode ticks before the next contested prefill
        self.delayed = 0  # ticks in a row spent decoding while some request wanted prefill

    def update(self):
        """Choose this tick's phase from the stages of the admitted requests."""
        stages = [[r.stage for r in w.admitted] for w in self.workers]
        p = sum(of_worker.count(PREFILL) for of_worker in stages)
        d = sum(of_worker.count(DECODE) for of_worker in stages)
        before = self.phase
        if p and d:
            self.phase = self.contested(p, d, all(PREFILL in of_worker for of_worker in stages))
        else:
            self.phase = PREFILL if p else DECODE if d else IDLE
        self.run = self.run + 1 if self.phase == before else 1
        if self.phase == PREFILL:
            self.decodes_due = self.scenario.decode_interval
        else:
            self.decodes_due = max(0, self.decodes_due - 1)
        self.delayed = self.delayed + 1 if p and self.phase == DECODE else 0

    def contested(self, p, d, all_want_prefill):
        """Return the phase when p requests want prefill and d want decode."""
        s = self.scenario
        policy = s.phase_policy
        if policy == "prefill_first":
            return PREFILL
        if policy == "decode_first":
            return DECODE
        if policy == "majority":
            return DECODE if d > p else PREFILL
        if policy == "time_slice":
            if self.phase == IDLE:
                return PREFILL
            if self.run < s.quantum:
                return self.phase
            return DECODE if self.phase == PREFILL else PREFILL
        if policy == "decode_interval":
            return DECODE if self.decodes_due else PREFILL
        if policy == "prefill_delayer":
            return PREFILL if all_want_prefill or self.delayed >= s.max_delay - 1 else DECODE
        return MIXED


def split_into_groups(scenario, workers):
    """Split the workers of one role, if there are any, into groups that share a lock."""
    if not workers:
        return []
    size = 1 if scenario.lock == "none" else scenario.group_size or len(workers)
    return [Group(scenario, workers[i : i + size]) for i in range(0, len(workers), size)]


class Rates:
    """Units of work that one tick does."""

    def __init__(self, scenario):
        s = self.scenario = scenario
        self.load = self.step(s.host_load_rate)
        self.transfer = self.step(s.transfer_rate)
        self.prefill = self.step(s.prefill_rate)
        self.decode = self.step(s.decode_rate)
        self.dragged = self.step(s.prefill_rate / s.chunk_tokens)

    def step(self, rate):
        """Return the units that a rate in tokens a second does in one tick."""
        return max(1, math.floor(rate * self.scenario.tick_ms / 1000 * UNITS + 0.5))

    def prefill_step(self, n):
        """Return the step of each of n prefilling requests on a worker."""
        return max(1, self.prefill // n) if self.scenario.prefill_sharing else self.prefill

    def decode_step(self, n, dragged):
        """Return the step of each of n decoding requests on a worker."""
        slowed = self.decode / (1 + self.scenario.decode_slowdown * (n - 1))
        step = max(1, math.floor(slowed + 0.5))
        return min(step, self.dragged) if dragged else step
