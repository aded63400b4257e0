"""Arguments of commands that run a workload: named, or read from logs and traces."""

import sys

import sim.traces
from app.commands.arguments import value
from sim.traces.workload import CHOICES, COMPACTIONS, STARTS
from sim.workloads import WORKLOADS

SHARED = ("agents", "seed", "stagger_ms", "shared_prefix")
"""Fields whose flags choose how recorded sessions become agents."""
OWN = ("choose", "max_turns", "start", "scale", "compaction")
"""Arguments that only recorded sessions take."""


def add_workload(parser):
    """Add `workload` and how its sessions become agents."""
    group = parser.add_argument_group("recorded or named workloads")
    group.add_argument(
        "--workload",
        metavar="NAME|PATH",
        help=f"{', '.join(WORKLOADS)}; or sessions of dpascope import, or any log or trace that "
        "it reads. --agents, --seed, --stagger-ms and --shared-prefix then say how sessions "
        "become agents",
    )
    group.add_argument(
        "--wait-cap", metavar="SECONDS", help="longest wait before a turn, such as 10 or 60"
    )
    group.add_argument(
        "--choose",
        metavar="NAME",
        help=f"{', '.join(CHOICES)}: which sessions, if --agents is given (sample)",
    )
    group.add_argument("--max-turns", metavar="N", help="turns after which a session is cut")
    group.add_argument(
        "--start",
        metavar="NAME",
        help=f"{', '.join(STARTS)}: when agents begin (together; staggered with --stagger-ms)",
    )
    group.add_argument("--scale", metavar="FACTOR", help="by what tokens are multiplied (1)")
    group.add_argument(
        "--compaction",
        metavar="NAME",
        help=f"{', '.join(COMPACTIONS)}: where contexts are compacted (recorded, which means "
        "there and at the server's limit)",
    )


def workload_fields(options, fields):
    """Return scenario fields with the workload of the command line, if it names one.

    Flags that say how sessions become agents are used up: they are taken out of
    ``options.fields``.

    Parameters
    ----------
    options : argparse.Namespace
    fields : dict
        Fields to start from.
    """
    given = {name: getattr(options, name) for name in OWN if getattr(options, name) is not None}
    if options.workload is None:
        for name in ["wait_cap", *given]:
            if getattr(options, name) is not None:
                raise ValueError(f"--{name.replace('_', '-')} needs --workload")
        return fields
    choices = {name: _number(name, text) for name, text in given.items()}
    if options.workload not in WORKLOADS:
        for name in SHARED:
            if name in options.fields:
                choices[name] = value(name, options.fields.pop(name))
        if "stagger_ms" in choices:
            choices.setdefault("start", "staggered")
    found = sim.traces.workload_fields(
        options.workload, wait_cap_ms=_cap(options.wait_cap), **choices
    )
    return {**fields, **found}


def warn_of_size(scenario):
    """Say on the standard error how many agents have a turn for which there is no room."""
    if scenario.table is None:
        return
    agents, tokens = sim.traces.oversized(scenario)
    if agents:
        end = "compact" if scenario.overflow == "compact" else "are killed"
        print(
            f"dpascope: {agents:,} of {scenario.agents:,} agents outgrow the context limit or the "
            f"KV cache (the largest needs {tokens:,} tokens) and {end}",
            file=sys.stderr,
        )


def _cap(text):
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= 10**6:
        raise ValueError(f"--wait-cap {text} must be a number of seconds")
    return round(seconds * 1000)


def _number(name, text):
    """Return an argument's value: the numbers as numbers, the names as they are."""
    if name not in ("max_turns", "scale"):
        return text
    try:
        return int(text) if name == "max_turns" else float(text)
    except ValueError as error:
        kind = "whole number" if name == "max_turns" else "number"
        raise ValueError(f"--{name.replace('_', '-')} {text} must be a {kind}") from error
