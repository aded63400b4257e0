"""Phase policies for one group at a time: what it does when its requests differ.

Phases are sets of two bits, `PREFILL` and `DECODE`: the stages that may advance.
"""

from sim.single.state import NEVER, Clock

IDLE, PREFILL, DECODE, BOTH = 0, 1, 2, 3


class Group:
    """Workers that share a lock; the subclasses are policies.

    Parameters
    ----------
    scenario : Scenario
    number, groups : int
        Which one of how many.

    Attributes
    ----------
    workers : list of Worker
    prefill, decode : Clock
    prefilling : int
        Workers with a request in stage prefill.
    phase : int
        What it does, from the tick `since[-1]` on.
    since, phases : list of int
        The ticks from which it has had another phase, and which.
    until : int or NEVER
        The tick at which to decide anew even if nothing happens, set by the last decision and
        taken from it.
    changed : bool
        Whether it is in the list of groups to look at in this tick.
    """

    until = NEVER
    setting = None
    """The field that the policy goes by."""

    def __init__(self, scenario, number, groups):
        self.id = number
        self.workers = []
        # clocks of the first stage come first in a tick, and those of the first workers
        self.prefill, self.decode = Clock(number), Clock(groups + number)
        self.prefilling = 0
        self.phase, self.since, self.phases = IDLE, [0], [IDLE]
        self.changed = False
        self.limit = getattr(scenario, self.setting) if self.setting else None

    def decide(self, now):
        """Return the phase from the tick `now` on."""
        if not self.decode.requests:
            return PREFILL if self.prefill.requests else IDLE
        return self.contested(now) if self.prefill.requests else DECODE


class PrefillFirst(Group):
    """Prefill."""

    def contested(self, now):
        """Return the phase from `now` on, if there are requests of both stages."""
        return PREFILL


class DecodeFirst(Group):
    """Decode."""

    def contested(self, now):
        """See `PrefillFirst`."""
        return DECODE


class Majority(Group):
    """What more requests want."""

    def contested(self, now):
        """See `PrefillFirst`."""
        return DECODE if self.decode.requests > self.prefill.requests else PREFILL


class Mixed(Group):
    """Both, on every worker."""

    def contested(self, now):
        """See `PrefillFirst`."""
        return BOTH


class TimeSlice(Group):
    """The current phase until it has run `quantum` ticks in a row, then the other."""

    setting = "quantum"

    def contested(self, now):
        """See `PrefillFirst`."""
        # never idle before: with nothing admitted there is nothing to decode yet
        turn = self.since[-1] + self.limit
        if now < turn:
            self.until = turn
            return self.phase
        self.until = now + self.limit
        return DECODE if self.phase == PREFILL else PREFILL


class DecodeInterval(Group):
    """After a tick of prefill, `decode_interval` ticks of decode before the next.

    Attributes
    ----------
    next : int
        The first tick that may be one of prefill again.
    """

    setting = "decode_interval"
    next = 0

    def decide(self, now):
        """See `Group`."""
        if self.phase == PREFILL:
            self.next = now + self.limit
        return super().decide(now)

    def contested(self, now):
        """See `PrefillFirst`."""
        if now < self.next:
            self.until = self.next
            return DECODE
        if self.limit:
            self.until = now + 1
        return PREFILL


class PrefillDelayer(Group):
    """Prefill once every worker has some to do, or after `max_delay` - 1 ticks of decode.

    Attributes
    ----------
    delaying : bool
        Whether it was decided to decode while a request wants prefill.
    delayed : int
        The tick of the first decision in a row to do so.
    """

    setting = "max_delay"
    delaying, delayed = False, 0

    def decide(self, now):
        """See `Group`."""
        if not self.delaying:
            self.delayed = now
        self.delaying = False
        return super().decide(now)

    def contested(self, now):
        """See `PrefillFirst`."""
        due = self.delayed + self.limit - 1
        if self.prefilling == len(self.workers):
            return PREFILL
        if now < due:
            self.until, self.delaying = due, True
            return DECODE
        if self.limit > 1:
            self.until = now + 1
        return PREFILL


POLICIES = {
    "prefill_first": PrefillFirst,
    "decode_first": DecodeFirst,
    "majority": Majority,
    "time_slice": TimeSlice,
    "decode_interval": DecodeInterval,
    "prefill_delayer": PrefillDelayer,
    "mixed": Mixed,
}


def make_groups(scenario, members):
    """Return the groups of `members` workers each, the last one perhaps of fewer."""
    policy = POLICIES[scenario.phase_policy]
    count = -(-scenario.workers // members)
    return [policy(scenario, number, count) for number in range(count)]
