"""What is known of a worker at one tick: its cache, queue and requests, and why it does what it
does. Codes and numbers only; sentences are the interface's."""

import dataclasses

from app.derive.again import SHADES


@dataclasses.dataclass(frozen=True)
class Entry:
    """A context in a worker's KV cache.

    Attributes
    ----------
    agent : int
    tokens : int
        Without the shared prefix.
    locked : bool
        Whether a running request holds it; otherwise it may be evicted.
    last_access : int
        Tick of the last admission or end of work; the least goes first.
    ended : bool
        Whether its agent has ended.
    """

    agent: int
    tokens: int
    locked: bool
    last_access: int
    ended: bool


@dataclasses.dataclass(frozen=True)
class Request:
    """A request at work or waiting on a worker.

    Attributes
    ----------
    row : int
        Its row in `result.requests`.
    agent, turn : int
    stage : str
        One of `STAGES`.
    since : int
        Tick at which the stage began.
    prompt, cached : int
        Tokens with the shared prefix. `cached` is of no meaning before the admission.
    loaded, recomputed, recomputed_evicted, output : int
        Tokens.
    left : int
        Tokens left of its stage as the tick's work begins; 0 while it waits in a queue.
    """

    row: int
    agent: int
    turn: int
    stage: str
    since: int
    prompt: int
    cached: int
    loaded: int
    recomputed: int
    recomputed_evicted: int
    output: int
    left: int


@dataclasses.dataclass(frozen=True)
class Blocked:
    """Why the head of a queue was not admitted in this tick.

    Attributes
    ----------
    agent : int
        Whose request is the head.
    need : int
        Tokens it needs beyond those of its own entry.
    free : int
        Tokens free.
    locked_by : tuple of (int, int)
        Agents whose entries are locked, and their tokens, the largest first.
    """

    agent: int
    need: int
    free: int
    locked_by: tuple


@dataclasses.dataclass(frozen=True)
class Cause:
    """Why a worker is in its state.

    Attributes
    ----------
    code : str
        The state's name. By code, what the rest holds:

        - waiting_phase, dragged: the group is in `phase`, for the requests of `blockers`, as
          `policy` has it
        - waiting_kv: see the worker's `blocked`
        - prefill, prefill_again, decode, mixed, transfer: the `agents` whose requests advance
        - idle: the `agents` whose requests are to come here, the next one first, and `until` the
          tick in which that comes
    phase : str or None
        "prefill" or "decode".
    blockers : tuple of (int, tuple of int)
        Workers of the group with agents that the phase serves.
    policy : str or None
        One of `sim.scenario.PHASE_POLICIES`.
    limit : int or None
        Ticks that the policy counts to, if it counts.
    wants : tuple of (int, int) or None
        Requests of the group that want prefill, and decode.
    agents : tuple of int
    until : int or None
    """

    code: str
    phase: str | None = None
    blockers: tuple = ()
    policy: str | None = None
    limit: int | None = None
    wants: tuple | None = None
    agents: tuple = ()
    until: int | None = None


@dataclasses.dataclass(frozen=True)
class WorkerMoment:
    """One worker at one tick: after its admissions, before its work.

    Attributes
    ----------
    worker : int
    role : str
        "both", "prefill" or "decode".
    group : range
        Workers with the same lock.
    state : int
        Code of `SHADES`.
    since, until : int
        First tick of the state and the tick after its last.
    cause : Cause
    blocked : Blocked or None
        Set if the queue's head does not fit.
    running : tuple of Request
        In the order of admission.
    queue : tuple of Request
        The head first.
    entries : tuple of Entry
        Locked ones first, then the idle ones, the next victim last.
    capacity, shared, used, locked, free : int
        Tokens of the KV cache: whole; shared prefix; entries; locked part of them; the rest.
    """

    worker: int
    role: str
    group: range
    state: int
    since: int
    until: int
    cause: Cause
    blocked: Blocked | None
    running: tuple
    queue: tuple
    entries: tuple
    capacity: int
    shared: int
    used: int
    locked: int
    free: int

    @property
    def focus(self):
        """The request to name first: one that advances or waits for the phase, else the queue's
        head, else None."""
        order = {"prefill": 0, "decode": 1, "transfer": 2, "load": 3}
        if SHADES[self.state] in ("decode", "dragged"):
            order["decode"] = -1
        working = sorted(self.running, key=lambda request: order[request.stage])
        return next(iter((*working, *self.queue)), None)
