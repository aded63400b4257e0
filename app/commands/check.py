"""`dpascope check`: whether the engine gives the answers of a golden file."""

import time

from app.commands.arguments import read_json
from sim import simulate
from sim.golden import differences, read_cases
from sim.runs import run_all

MOST_SHOWN = 3
"""Differences of a case that are printed."""


def add(commands):
    """Add the command to those of the parser."""
    parser = commands.add_parser(
        "check",
        help="compare the engine with right answers",
        description="Run the scenarios of a golden file and say which results differ from what it "
        "expects. The status is 0 if none does, else 1.",
    )
    parser.add_argument("file", metavar="FILE", help="golden cases as JSON")
    parser.add_argument(
        "--batch",
        action="store_true",
        help="run all of them together on arrays, and not one by one",
    )
    parser.set_defaults(run=run)


def run(options):
    """Check, and return the exit status."""
    cases = list(read_cases(read_json(options.file)))
    begun = time.perf_counter()
    differing = 0
    results = _results([scenario for _, scenario, _ in cases], options.batch)
    for (name, _, expect), result in zip(cases, results, strict=True):
        found = differences(result, expect)
        differing += bool(found)
        for line in found[:MOST_SHOWN]:
            print(f"{name}: {line}")
        if len(found) > MOST_SHOWN:
            print(f"{name}: {len(found) - MOST_SHOWN} more differences")
    equal = len(cases) - differing
    print(f"{equal} of {len(cases)} cases equal ({time.perf_counter() - begun:.1f} s)")
    return 1 if differing else 0


def _results(scenarios, batch):
    return run_all(scenarios, together=1) if batch else map(simulate, scenarios)
