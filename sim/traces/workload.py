"""Recorded sessions as the workload of a scenario: how many, from when on, how fast, how large."""

import dataclasses
import pathlib
import random

from sim import checks
from sim.scenario import Scenario
from sim.traces.reading import read
from sim.traces.report import TraceError
from sim.workloads import WORKLOADS, workload

CHOICES = ("sample", "first")
STARTS = ("together", "recorded", "staggered")
COMPACTIONS = ("recorded", "limit", "none")
FOR_NAMED = ("agents", "wait_cap_ms", "seed", "shared_prefix")
"""Choices that workloads known by name take too."""
COMPACT_TO = WORKLOADS["realistic"]["compact_to"]
"""Tokens, without the shared prefix, that an agent at its limit compacts to."""


@dataclasses.dataclass(frozen=True)
class Choices:
    """How sessions become agents.

    Attributes
    ----------
    agents : int or None
        How many; None: one for each session. Where there are more agents than sessions, sessions
        are repeated, each as often as any other but for one time.
    choose : str
        ``sample``: which sessions, and in which order, is drawn by `seed`; ``first``: those at
        the beginning of the file, in its order.
    max_turns : int or None
        Turns after which a session is cut.
    start : str
        ``together``: all at once; ``recorded``: as far apart as in the source; ``staggered``:
        agent a at a × `stagger_ms`.
    stagger_ms : int
    wait_cap_ms : int or None
        Longest wait before a turn; None: as recorded.
    scale : float
        By what tokens are multiplied.
    shared_prefix : int or None
        Tokens at the beginning of every prompt that all agents share; None: the least of what
        the sessions tell, 0 if there are some of a source that tells nothing.
    compaction : str
        ``recorded``: contexts are compacted where they were, and at the server's limit;
        ``limit``: only there; ``none``: where they were, and at the limit the agent is killed.
    seed : int
    """

    agents: int | None = None
    choose: str = "sample"
    max_turns: int | None = None
    start: str = "together"
    stagger_ms: int = 30_000
    wait_cap_ms: int | None = None
    scale: float = 1
    shared_prefix: int | None = None
    compaction: str = "recorded"
    seed: int = Scenario.param.seed.default

    def __post_init__(self):
        checks.choice("choose", self.choose, CHOICES)
        checks.choice("start", self.start, STARTS)
        checks.choice("compaction", self.compaction, COMPACTIONS)
        checks.integer("stagger_ms", self.stagger_ms, 0, checks.MAX_MS)
        checks.integer("seed", self.seed, 0, 2**32 - 1)
        checks.number("scale", self.scale, 0, 1000, (False, True))
        limits = {
            "agents": (1, checks.MAX_AGENTS),
            "max_turns": (1, 2**31),
            "wait_cap_ms": (0, checks.MAX_MS),
            "shared_prefix": (0, checks.MAX_TOKENS),
        }
        for name, (low, high) in limits.items():
            if getattr(self, name) is not None:
                checks.integer(name, getattr(self, name), low, high)


def trace_fields(sessions, **choices):
    """Return the scenario fields of recorded sessions.

    Parameters
    ----------
    sessions : list of Session
    **choices
        Attributes of `Choices`.

    Returns
    -------
    dict
        For ``Scenario(**fields)``, ``plan(...).scenario(**fields)`` or ``replace(**fields)``.

    Raises
    ------
    ValueError
        If there is no session, or a choice is not allowed; the message names it.
    """
    unknown = [name for name in choices if name not in Choices.__dataclass_fields__]
    if unknown:
        raise ValueError(checks.unknown_name("choice", unknown[0], Choices.__dataclass_fields__))
    made = Choices(**choices)
    chosen = _chosen([session for session in sessions if session.turns], made)
    shared = _shared(chosen, made)
    starts = _starts(chosen, made)
    table = [_rows(s, at, shared, made) for s, at in zip(chosen, starts, strict=True)]
    fields = {
        "draws": "table",
        "table": table,
        "agents": len(table),
        "shared_prefix": shared,
        "seed": made.seed,
        "overflow": "kill" if made.compaction == "none" else "compact",
    }
    if fields["overflow"] == "compact":
        fields["compact_to"] = COMPACT_TO
    return fields


def workload_fields(named, **choices):
    """Return the scenario fields of a workload that is named, or read from a file.

    Parameters
    ----------
    named : str or Path
        A name in `sim.workloads.WORKLOADS`; or a file or folder of sessions, logs or traces.
    **choices
        Attributes of `Choices`. A named workload takes those in `FOR_NAMED`.

    Returns
    -------
    dict
        As of `trace_fields`. Those of a named workload say that there is no table.

    Raises
    ------
    ValueError
        If there is neither such a name nor such a file, the file cannot be used, or a choice is
        not allowed.
    """
    given = {name: value for name, value in choices.items() if value is not None}
    if str(named) not in WORKLOADS:
        if not pathlib.Path(named).expanduser().exists():
            unknown = checks.unknown_name("workload", str(named), WORKLOADS)
            raise ValueError(f"{unknown}; nor is there such a file")
        return trace_fields(read([named]).sessions, **given)
    for name, value in given.items():
        if name not in FOR_NAMED:
            raise ValueError(
                f"{name} = {value!r} is for recorded sessions; the workload {named!r} takes "
                f"{', '.join(FOR_NAMED)}"
            )
    cap = given.pop("wait_cap_ms", None)
    fields = workload(str(named), think_cap_ms=cap, **given)
    return {"draws": "paired", "table": None, **fields}


def workload_scenario(named, base=None, changes=None, **choices):
    """Return a scenario with a workload; else as `workload_fields`.

    Parameters
    ----------
    base : Scenario, optional
        The cluster and its policies; the default scenario if it is not given.
    changes : dict, optional
        Fields to put over those of the workload.

    Returns
    -------
    Scenario
    """
    base = base or Scenario()
    return base.replace(**{**workload_fields(named, **choices), **(changes or {})})


def told_prefix(sessions):
    """Return the shared prefix that sessions tell of, tokens.

    The least of them; 0 if there are sessions of a source that tells nothing.
    """
    told = [session for session in sessions if session.shared_prefix]
    silent = {session.source for session in sessions} - {session.source for session in told}
    return 0 if silent else min((session.shared_prefix for session in told), default=0)


def oversized(scenario):
    """Return how many agents have a turn that does not fit, and their largest need in tokens.

    Without compaction such an agent is killed at that turn; with it, it compacts if that is
    enough. Contexts are taken as recorded.

    Returns
    -------
    (agents, tokens)
        Whole prompts and outputs, the shared prefix included.
    """
    limit = min(scenario.context_limit, scenario.kv_capacity)
    needs = [_largest(turns) + scenario.shared_prefix for turns in scenario.table if turns]
    over = [need for need in needs if need > limit]
    return len(over), max(over, default=0)


def _largest(turns):
    context = largest = 0
    for _, new, output, *carried in turns:
        context = min([context, *carried]) + new + output
        largest = max(largest, context)
    return largest


def _chosen(sessions, choices):
    """Return the session of each agent."""
    if not sessions:
        raise TraceError("no session with a request")
    count = choices.agents or len(sessions)
    if count > checks.MAX_AGENTS:
        raise ValueError(
            f"{count:,} sessions are more than the {checks.MAX_AGENTS:,} agents of a scenario; "
            "choose a number of agents"
        )
    draw, chosen = random.Random(choices.seed), []
    while len(chosen) < count:
        again = list(sessions)
        if choices.choose == "sample" and choices.agents:
            draw.shuffle(again)
        chosen += again[: count - len(chosen)]
    return chosen


def _shared(sessions, choices):
    if choices.shared_prefix is not None:
        return choices.shared_prefix
    told = told_prefix(sessions)
    return _scaled(told, choices.scale) if told else 0


def _starts(sessions, choices):
    if choices.start == "together":
        return [0] * len(sessions)
    if choices.start == "staggered":
        return [a * choices.stagger_ms for a in range(len(sessions))]
    first = min(session.start_ms for session in sessions)
    return [session.start_ms - first for session in sessions]


def _rows(session, start, shared, choices):
    """Return an agent's rows of a table; contexts there leave the shared prefix out."""
    cap = checks.MAX_MS if choices.wait_cap_ms is None else choices.wait_cap_ms
    rows, context = [], 0
    for turn in session.turns[: choices.max_turns]:
        new, output = _scaled(turn.input, choices.scale), _scaled(turn.output, choices.scale)
        wait = min(turn.wait_ms, cap) if rows else min(start, checks.MAX_MS)
        row = [wait, new, output]
        if not rows:
            row[1] = max(1, new - shared)
        elif turn.carried is not None and choices.compaction != "limit":
            # What is kept counts from behind the shared prefix, of which all is kept.
            whole = _scaled(turn.carried, choices.scale) + new
            kept = max(0, whole - new - shared)
            row[1] = max(1, whole - shared - kept)
            if kept < context:
                row.append(kept)
                context = kept
        context += row[1] + output
        rows.append(row)
    return rows


def _scaled(tokens, scale):
    return min(checks.MAX_TOKENS, max(1, round(tokens * scale)))
