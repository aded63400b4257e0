"""What one run keeps of agents, workers, the work on them, and the time that it takes.

Numbers that sort by a time and name something are one integer, ``time << ID_BITS | id``: heaps
compare integers fastest. Python's integers are exact, however large.
"""

import collections
import heapq

ID_BITS = 20
"""Enough for an agenda of all agents, clocks and groups (see `run`)."""
ID_MASK = 2**ID_BITS - 1
NEVER = None
"""The time of what does not happen as things are."""


class Agent:
    """An agent, and its request, of which it has one at a time.

    Attributes
    ----------
    turn, turns : int
        Turns finished, and turns in all.
    position : int
        The current turn's place among all turns of the workload.
    entries : dict of Worker to int
        KV tokens of its context on each worker that takes new requests.
    hosted : dict of Worker to int
        The same in the workers' host tiers.
    held : dict of Worker to int
        What it reserved when it was last admitted there.
    worker, decoder : Worker
        Where its request is prefilled and where it is decoded.
    reserve : int
        Tokens that the request needs where it is prefilled.
    sequence : int
        Number of the entry that the request has locked.
    order : int
        Number of its admission on the worker on which it is.
    todo : int
        Tokens to prefill once loading has ended.
    loading : bool
        Whether the move under way is from the host tier, not to a decode worker.
    """

    __slots__ = (
        "cached",
        "context",
        "created",
        "decoder",
        "entries",
        "held",
        "hosted",
        "id",
        "loaded",
        "loading",
        "order",
        "output",
        "position",
        "prefilled",
        "prompt",
        "recomputed",
        "recomputed_evicted",
        "reserve",
        "sequence",
        "started",
        "todo",
        "turn",
        "turns",
        "wait",
        "worker",
    )

    def __init__(self, number, turns, position):
        self.id = number
        self.turns, self.turn, self.position = turns, 0, position
        self.context = self.wait = 0
        self.started, self.loading = -1, False
        self.entries, self.hosted, self.held = {}, {}, {}


class Worker:
    """A DP rank: its queue, its caches, its work.

    Attributes
    ----------
    used, host_used : int
        Tokens in the KV cache and in the host tier.
    idle, host : dict of Agent to int
        Unlocked entries and those of the host tier by age, oldest first (see `cache`).
    moving : int
        Requests that load or are transferred.
    kind : int
        What it has, bit by bit: requests in prefill, in decode, moving, a blocked queue.
    since, kinds : list of int
        The ticks from which it has had something else, and what.
    changed : bool
        Whether it is in the run's list of workers to look at in this tick.
    """

    __slots__ = (
        "changed",
        "cold",
        "decode",
        "group",
        "host",
        "host_used",
        "id",
        "idle",
        "kind",
        "kinds",
        "moving",
        "pool",
        "prefill",
        "queue",
        "since",
        "used",
    )

    def __init__(self, number, pool, group):
        self.id, self.pool, self.group = number, pool, group
        self.queue = collections.deque()
        self.used = self.host_used = self.moving = 0
        self.idle, self.host = {}, {}
        self.cold, self.changed = True, False
        self.prefill, self.decode = Stream(number, group.prefill), Stream(number, group.decode)
        self.kind, self.since, self.kinds = 0, [0], [0]


class Stream:
    """The requests of a worker in one stage: all advance alike.

    Attributes
    ----------
    clock : Clock
        By which it advances.
    work, since, rate : int
        Units of work that each request had done, had it been there from the start, at the time
        `since` of the clock, and units added by each tick of it from then on.
    targets : list of int
        A heap: the `work` at which requests have finished, with their agents.
    due : int or NEVER
        The time of the clock at which the first one has.
    """

    __slots__ = ("clock", "due", "id", "rate", "since", "targets", "work")

    def __init__(self, number, clock):
        self.id, self.clock = number, clock
        self.work = self.since = self.rate = 0
        self.targets, self.due = [], NEVER
        clock.streams[number] = self


class Clock:
    """Counts the ticks in which a group lets one stage advance.

    So a change of phase stops or starts one clock, whatever the number of workers.

    Attributes
    ----------
    shift : int
        What its time lies behind the tick while it runs.
    stopped : int
        Its time while it does not.
    requests : int
        How many it lets advance.
    streams : dict of int to Stream
        By the ids of their workers.
    dues : list of int
        A heap: times at which streams are due, with their ids; some are out of date.
    due : int or NEVER
        The tick at which the first stream is due.
    """

    __slots__ = ("due", "dues", "id", "requests", "running", "shift", "stopped", "streams")

    def __init__(self, number):
        self.id, self.requests = number, 0
        self.running, self.shift, self.stopped = False, 0, 0
        self.streams, self.dues, self.due = {}, [], NEVER

    def time(self, now):
        """Return its time at the beginning of the tick `now`."""
        return now - self.shift if self.running else self.stopped

    def let(self, running, now):
        """Let it run, or not, from the tick `now` on."""
        if running and not self.running:
            self.shift = now - self.stopped
        elif self.running and not running:
            self.stopped = now - self.shift
        self.running = running

    def next_due(self):
        """Return the tick at which the first of its streams is due."""
        dues, streams = self.dues, self.streams
        while dues:
            time = dues[0] >> ID_BITS
            if streams[dues[0] & ID_MASK].due == time:
                return time + self.shift if self.running else NEVER
            heapq.heappop(dues)
        return NEVER
