"""Phase policies: what a group does when some of its requests want prefill and others decode.

A policy decides for all groups of the scenarios that follow it, given the numbers of admitted
requests in stage prefill and decode, an array of shape (2, groups, scenarios). It returns
whether prefill and decode may advance, of the same shape, and for how many ticks the decision
holds if the numbers stay as they are (None: for ever), so that the engine can skip them.
"""

import numpy as np

NEVER = np.inf
PREFILL, DECODE, NONE = 0, 1, -1


class Weighing:
    """Policies without memory: decode if its requests, weighted, outnumber prefill's."""

    OVERWHELMING = 2**30

    def __init__(self, scenarios, shape):
        many = self.OVERWHELMING
        weights = {"prefill_first": (many, 1), "decode_first": (1, many), "majority": (1, 1)}
        pairs = np.array([weights[s.phase_policy] for s in scenarios], np.int64)
        self.weights = pairs.T[:, None].copy()

    def decide(self, counts, every_worker_prefills, elapsed):
        """See the module."""
        prefill, decode = counts * self.weights
        phases = np.empty(counts.shape, bool)
        np.greater(decode, prefill, out=phases[1])
        np.logical_not(phases[1], out=phases[0])
        return phases, None

    def keep(self, rows):
        """Forget all scenarios but those."""
        self.weights = self.weights[:, :, rows]


class Mixing:
    """Both phases at once; a worker with both kinds splits its tick (in `engine`)."""

    def __init__(self, scenarios, shape):
        self.always = np.ones((2, *shape), bool)

    def decide(self, counts, every_worker_prefills, elapsed):
        """See the module."""
        return self.always, None

    def keep(self, rows):
        """Forget all scenarios but those."""
        self.always = self.always[:, :, rows]


class Clocked:
    """Policies that count ticks; subclasses say what and how."""

    setting = ""

    def __init__(self, scenarios, shape):
        values = [getattr(s, self.setting) for s in scenarios]
        self.limit = np.array(values, float)
        self.phase = np.full(shape, NONE)
        self.count = np.zeros(shape)

    def decide(self, counts, every_worker_prefills, elapsed):
        """See the module."""
        prefills, decodes = counts > 0
        contested = prefills & decodes
        alone = np.where(prefills, PREFILL, np.where(decodes, DECODE, NONE))
        phase, holds = self.choose(contested, alone, every_worker_prefills, elapsed)
        self.phase = np.where(contested, phase, alone)
        decode = self.phase == DECODE
        return np.stack((~decode, decode)), np.where(contested, holds, NEVER)

    def keep(self, rows):
        """Forget all scenarios but those."""
        self.limit = self.limit[rows]
        self.phase = self.phase[:, rows]
        self.count = self.count[:, rows]


class TimeSlice(Clocked):
    """The current phase until it has run `quantum` ticks in a row, then the other.

    `count` is the number of ticks that the current phase has run.
    """

    setting = "quantum"

    def choose(self, contested, alone, every_worker_prefills, elapsed):
        run = self.count + elapsed
        turn = np.where(run >= self.limit, 1 - self.phase, self.phase)
        phase = np.where(self.phase == NONE, PREFILL, turn)
        same = np.where(contested, phase, alone) == self.phase
        self.count = np.where(same, run, 0)
        return phase, self.limit - self.count


class DecodeInterval(Clocked):
    """After a tick of prefill, `decode_interval` ticks of decode before the next.

    `count` is the number of ticks of decode still due.
    """

    setting = "decode_interval"

    def choose(self, contested, alone, every_worker_prefills, elapsed):
        rest = np.maximum(self.count - elapsed, 0)
        self.count = np.where(self.phase == PREFILL, self.limit, rest)
        decode = self.count > 0
        after_prefill = np.where(self.limit > 0, 1, NEVER)
        return np.where(decode, DECODE, PREFILL), np.where(decode, self.count, after_prefill)


class PrefillDelayer(Clocked):
    """Prefill once every worker has some to do, or after `max_delay` - 1 ticks of decode.

    `count` is the number of ticks in a row spent decoding while a request wanted prefill;
    `delaying` says whether the last decision was such a one.
    """

    setting = "max_delay"

    def __init__(self, scenarios, shape):
        super().__init__(scenarios, shape)
        self.delaying = np.zeros(shape, bool)

    def choose(self, contested, alone, every_worker_prefills, elapsed):
        self.count = np.where(self.delaying, self.count + elapsed, 0)
        left = self.limit - 1 - self.count
        decode = ~every_worker_prefills & (left > 0)
        self.delaying = contested & decode
        one_tick = ~every_worker_prefills & (self.limit > 1)
        return np.where(decode, DECODE, PREFILL), np.where(
            decode, left, np.where(one_tick, 1, NEVER)
        )

    def keep(self, rows):
        """Forget all scenarios but those."""
        super().keep(rows)
        self.delaying = self.delaying[:, rows]


POLICIES = {
    "prefill_first": Weighing,
    "decode_first": Weighing,
    "majority": Weighing,
    "time_slice": TimeSlice,
    "decode_interval": DecodeInterval,
    "prefill_delayer": PrefillDelayer,
    "mixed": Mixing,
}
"""Which class decides for each phase policy; scenarios of one class are decided together."""

ORDER = {policy: order for order, policy in enumerate(dict.fromkeys(POLICIES.values()))}


def members(scenario):
    """Return how many workers share a lock, 0 for all.

    Under PD a group has requests of one kind only, so its workers never wait for each other.
    """
    s = scenario
    if s.lock == "none" or s.prefill_workers or s.workers == 1:
        return 1
    return 0 if s.group_size >= s.workers else s.group_size


def rank(scenario):
    """Return a number by which scenarios sort so that those of one class stand together."""
    return ORDER[POLICIES[scenario.phase_policy]]


class Phases:
    """The policies of a batch whose scenarios stand in the order of `rank`.

    Parameters
    ----------
    scenarios : list of Scenario
    groups : int
        Groups of each scenario, padded.
    """

    def __init__(self, scenarios, groups):
        kinds = [POLICIES[s.phase_policy] for s in scenarios]
        self.parts = []
        for kind in dict.fromkeys(kinds):
            first = kinds.index(kind)
            rows = slice(first, first + kinds.count(kind))
            self.parts.append((rows, kind(scenarios[rows], (groups, kinds.count(kind)))))
        self.clocked = any(isinstance(policy, Clocked) for _, policy in self.parts)
        self.asks_every_worker = PrefillDelayer in kinds

    def decide(self, counts, every_worker_prefills, elapsed):
        """Decide for all scenarios.

        Parameters
        ----------
        counts : ndarray of int, shape (2, groups, scenarios)
            Admitted requests in stage prefill and decode.
        every_worker_prefills : ndarray of bool, shape (groups, scenarios), or None
            Needed only where `asks_every_worker`.
        elapsed : ndarray of float, shape (scenarios,)
            Ticks since the last decision.

        Returns
        -------
        phases : ndarray of bool, shape (2, groups, scenarios)
            Whether prefill and decode may advance.
        holds : ndarray of float, shape (scenarios,), or None
            Ticks for which the decision holds if nothing else happens.
        """
        if len(self.parts) == 1:
            phases, holds = self.parts[0][1].decide(counts, every_worker_prefills, elapsed)
            return phases, None if holds is None else holds.min(0)
        phases = np.empty(counts.shape, bool)
        least = np.full(elapsed.size, NEVER)
        for rows, policy in self.parts:
            every = None if every_worker_prefills is None else every_worker_prefills[:, rows]
            own = policy.decide(counts[:, :, rows], every, elapsed[rows])
            phases[:, :, rows], holds = own
            if holds is not None:
                least[rows] = holds.min(0)
        return phases, least

    def keep(self, rows):
        """Forget all scenarios but those (a rising index array)."""
        parts, first = [], 0
        for span, policy in self.parts:
            own = rows[(rows >= span.start) & (rows < span.stop)] - span.start
            if own.size:
                policy.keep(own)
                parts.append((slice(first, first + own.size), policy))
                first += own.size
        self.parts = parts
