"""Phase policies: what a group does when some of its requests want prefill and others decode.

A policy decides for all groups of the scenarios that follow it, given the numbers p and d of
admitted requests in stage prefill and decode, arrays of shape (groups, scenarios). It returns
whether prefill and decode may advance, and for how many ticks the decision holds if p and d
stay as they are (None: for ever), so that the engine can skip them.
"""

import numpy as np

NEVER = np.inf
PREFILL, DECODE, NONE = 0, 1, -1


class Weighing:
    """Policies without memory: decode if d × decode_weight > p × prefill_weight."""

    OVERWHELMING = 2**30

    def __init__(self, scenarios, shape):
        many = self.OVERWHELMING
        weights = {"prefill_first": (many, 1), "decode_first": (1, many), "majority": (1, 1)}
        pairs = np.array([weights[s.phase_policy] for s in scenarios], np.int64)
        self.prefill_weight, self.decode_weight = pairs[:, 0].copy(), pairs[:, 1].copy()

    def decide(self, p, d, every_worker_prefills, elapsed):
        """See the module."""
        decode = d * self.decode_weight > p * self.prefill_weight
        return ~decode, decode, None

    def keep(self, rows):
        """Forget all scenarios but those."""
        self.prefill_weight = self.prefill_weight[rows]
        self.decode_weight = self.decode_weight[rows]


class Mixing:
    """Both phases at once; a worker with both kinds splits its tick (in `engine`)."""

    def __init__(self, scenarios, shape):
        self.always = np.ones(shape, bool)

    def decide(self, p, d, every_worker_prefills, elapsed):
        """See the module."""
        return self.always, self.always, None

    def keep(self, rows):
        """Forget all scenarios but those."""
        self.always = self.always[:, rows]


class Clocked:
    """Policies that count ticks; subclasses say what and how."""

    setting = ""

    def __init__(self, scenarios, shape):
        values = [getattr(s, self.setting) for s in scenarios]
        self.limit = np.array(values, float)
        self.phase = np.full(shape, NONE)
        self.count = np.zeros(shape)

    def decide(self, p, d, every_worker_prefills, elapsed):
        """See the module."""
        contested = (p > 0) & (d > 0)
        alone = np.where(p > 0, PREFILL, np.where(d > 0, DECODE, NONE))
        phase, holds = self.choose(contested, alone, every_worker_prefills, elapsed)
        self.phase = np.where(contested, phase, alone)
        decode = self.phase == DECODE
        return ~decode, decode, np.where(contested, holds, NEVER)

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

    def decide(self, p, d, every_worker_prefills, elapsed):
        """Decide for all scenarios.

        Parameters
        ----------
        p, d : ndarray of int, shape (groups, scenarios)
        every_worker_prefills : ndarray of bool, shape (groups, scenarios), or None
            Needed only where `asks_every_worker`.
        elapsed : ndarray of float, shape (scenarios,)
            Ticks since the last decision.

        Returns
        -------
        prefill, decode : ndarray of bool, shape (groups, scenarios)
        holds : ndarray of float, shape (scenarios,), or None
            Ticks for which the decision holds if nothing else happens.
        """
        if len(self.parts) == 1:
            prefill, decode, holds = self.parts[0][1].decide(p, d, every_worker_prefills, elapsed)
            return prefill, decode, None if holds is None else holds.min(0)
        prefill, decode = np.empty(p.shape, bool), np.empty(p.shape, bool)
        least = np.full(elapsed.size, NEVER)
        for rows, policy in self.parts:
            every = None if every_worker_prefills is None else every_worker_prefills[:, rows]
            prefill[:, rows], decode[:, rows], holds = policy.decide(
                p[:, rows], d[:, rows], every, elapsed[rows]
            )
            if holds is not None:
                least[rows] = holds.min(0)
        return prefill, decode, least

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
