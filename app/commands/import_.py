"""`dpascope import`: agents' logs and traces into sessions."""

import pathlib
import sys
import typing

from app.terminal.bar import Bar
from sim.traces import (
    TraceError,
    ideal_hit_rate,
    read,
    reported_hit_rate,
    to_mooncake,
    to_tracelab,
    told_prefix,
)
from sim.traces.streams import size_text
from sim.whole import whole

WRITERS = {
    ".json": lambda found: found.to_json(),
    ".jsonl": lambda found: to_mooncake(found.sessions),
    ".csv": lambda found: to_tracelab(found.sessions),
}
"""What a file's ending means."""


class Reading(typing.NamedTuple):
    """How far an import is, in bytes."""

    done: int
    total: int
    name: str


def add(commands):
    """Add the command to those of the parser."""
    parser = commands.add_parser(
        "import",
        help="read agents' logs and traces",
        description="Read Claude Code logs, Codex rollouts, and kv-cache-tester, Mooncake, "
        "Qwen-Bailian and TraceLab traces, told apart by what is in them; folders, .zip, .gz and "
        ".zst too. Prints what was found, dropped and guessed. Nothing leaves this machine, and of "
        "what is read only ids, counts and times are kept.",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder or archive")
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="write the sessions, for dpascope run --workload: .json, or .jsonl as a Mooncake "
        "trace, or .csv as TraceLab has it",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.set_defaults(run=run)


def run(options):
    """Import, print the report, and return the exit status."""
    out = None if options.out is None else pathlib.Path(options.out)
    if out is not None and out.suffix.lower() not in WRITERS:
        raise ValueError(f"{out} must end in one of {', '.join(WRITERS)}")
    found = _read(options)
    print(found.report.text())
    print(_hits(found.sessions))
    if out is not None:
        text = WRITERS[out.suffix.lower()](found)
        with whole(out) as half:
            half.write_text(text, encoding="utf-8")
    return 0


def _read(options):
    bar = None if options.quiet else Bar(sys.stderr, _said)
    try:
        progress = bar and (lambda *at: bar(Reading(*at)))
        return read(options.paths, progress=progress)
    except TraceError as error:
        raise ValueError(f"nothing could be used\n{error}") from error
    finally:
        if bar:
            bar.clear()


def _said(reading):
    return f"{size_text(reading.done)} of {size_text(reading.total)}, {reading.name[-40:]}"


def _hits(sessions):
    """Say which share of the prompts a cache could have held."""
    ideal = ideal_hit_rate(sessions, told_prefix(sessions))
    told = reported_hit_rate(sessions)
    said = f"prefix cache hit rate with room for everything {ideal:.1%}"
    return said if told is None else f"{said}; {told:.1%} in the source"
