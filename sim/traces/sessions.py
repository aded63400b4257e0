"""Sessions: what agents asked for, turn by turn, and nothing of what they said."""

import dataclasses
import typing

from sim.checks import MAX_MS

COMPACTED = 0.7
"""A prompt below this share of the context before it is the first after a compaction."""

TRIGGERS = ("", "tool", "person", "spawn")
"""What a turn answered: unknown, a tool's result, a person, the start of a subagent."""


@dataclasses.dataclass(slots=True)
class Request:
    """One request as its source tells of it.

    Attributes
    ----------
    prompt, output : int
        Tokens of the whole prompt, and of the answer.
    wait_ms : int
        Time between the answer before and this request.
    cached : int or None
        Tokens of the prompt that the source found cached.
    estimated : bool
        Whether `output` is an estimate.
    trigger : str
        One of `TRIGGERS`.
    compacted : bool
        Whether the source says that the context was compacted before.
    carried : int or None
        What such a compaction left, if the source says so.
    """

    prompt: int
    output: int
    wait_ms: int = 0
    cached: int | None = None
    estimated: bool = False
    trigger: str = ""
    compacted: bool = False
    carried: int | None = None


class Turn(typing.NamedTuple):
    """One turn of a session.

    Attributes
    ----------
    wait_ms : int
        Wait before the turn; 0 for a first one, which has its session's start instead.
    input, output : int
        New input tokens and output tokens, at least 1.
    carried : int or None
        Context left by a compaction before the turn, the shared prefix included.
    prompt : int
        Tokens of the prompt as recorded. What `input` and `carried` make of the turns before is
        the same, or a little more where a prompt shrank without a compaction.
    cached : int or None
        Tokens of the prompt that were cached, if the source says so.
    estimated : bool
        Whether `output` is an estimate.
    trigger : str
        One of `TRIGGERS`.
    """

    wait_ms: int
    input: int
    output: int
    carried: int | None
    prompt: int
    cached: int | None = None
    estimated: bool = False
    trigger: str = ""


@dataclasses.dataclass
class Session:
    """The turns of one agent, one after another.

    Attributes
    ----------
    id : str
        The source's own, an opaque name.
    source : str
        Name of the format it was read from.
    turns : list of Turn
    start_ms : int
        When it began, on a clock that the sessions of an import share.
    shared_prefix : int or None
        Tokens of tools and system prompt at the beginning of every prompt, if known.
    file : FileReport or None
        Of the file in which it begins; not saved.
    """

    id: str
    source: str
    turns: list
    start_ms: int = 0
    shared_prefix: int | None = None
    file: object = None

    @classmethod
    def of_requests(cls, requests, **fields):
        """Make a session of requests in the order in which they were sent."""
        return cls(turns=turns_of(requests, fields.get("shared_prefix")), **fields)

    @property
    def prompts(self):
        """Prompts of the turns as they are replayed, tokens."""
        found, context = [], 0
        for turn in self.turns:
            if turn.carried is not None:
                context = min(context, turn.carried)
            found.append(context + turn.input)
            context += turn.input + turn.output
        return found


def turns_of(requests, shared_prefix=None):
    """Turn requests, whose prompts are whole, into turns, whose input is what is new.

    New input is the prompt less the context, which is the prompt and the output before; at least
    1. Where a prompt shrinks a little (an agent leaves out what it thought), the turns after it
    make up for that, so that prompts stay as recorded. Where it falls below `COMPACTED` of the
    context, or at all where the source tells of a compaction, the context was compacted: to
    what the source found cached, else to the shared prefix.

    Parameters
    ----------
    requests : iterable of Request
    shared_prefix : int, optional

    Returns
    -------
    list of Turn
    """
    turns, context = [], 0
    for request in requests:
        prompt = max(1, request.prompt)
        carried = None
        if request.carried is not None and request.carried < context:
            carried = context = min(request.carried, prompt - 1)
        elif prompt < context and (request.compacted or prompt < COMPACTED * context):
            kept = shared_prefix if request.cached is None else request.cached
            carried = context = min(kept or 0, prompt - 1)
        new, output = max(1, prompt - context), max(1, request.output)
        turns.append(
            Turn(
                min(max(0, request.wait_ms), MAX_MS) if turns else 0,
                new,
                output,
                carried,
                prompt,
                request.cached,
                request.estimated,
                request.trigger,
            )
        )
        context += new + output
    return turns


def ideal_hit_rate(sessions, shared_prefix=0):
    """Return the prefix cache hit rate with room for everything.

    All of a context but what a compaction drops is found again, and the shared prefix is always
    there. No simulated run of the sessions does better.
    """
    found = asked = 0
    for session in sessions:
        for turn, prompt in zip(session.turns, session.prompts, strict=True):
            new = prompt if turn.carried is not None else turn.input
            found += max(prompt - new, min(shared_prefix, prompt - 1))
            asked += prompt
    return found / asked if asked else None


def reported_hit_rate(sessions):
    """Return the share of prompt tokens that the source found cached; None if it never says."""
    told = [turn for session in sessions for turn in session.turns if turn.cached is not None]
    asked = sum(turn.prompt for turn in told)
    return sum(min(turn.cached, turn.prompt) for turn in told) / asked if asked else None
