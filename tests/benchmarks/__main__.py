"""How fast the engine is, and how much memory it takes: python -m tests.benchmarks [--quick].

Prints one table in Markdown; what is going on goes to the standard error. A row is a scenario
run alone, or in a batch, or by the plain loop of the tests, or another simulator's own figure.
Times are medians over rounds for one scenario; each round runs every case once, so that what else
the machine does touches all of them alike.
"""

import argparse
import statistics
import sys

from sim.runs import TOGETHER
from tests.benchmarks.cases import FULL, QUICK
from tests.benchmarks.measure import memory, ratio, times
from tests.benchmarks.peers import PEERS

COLUMNS = (
    "",
    "wall time",
    "CPU time",
    "requests/s",
    "simulated s/s",
    "speed",
    "peak memory",
)
NOTES = """\
Wall time, CPU time, requests/s (by wall time) and simulated s/s are for one scenario, on one
core but for the sweep in two processes, their start counted in. Speed compares CPU times within a
round, that of sweeps wall times. Batches run on arrays, also those of few scenarios here;
`simulate_many` takes fewer than {together} one after another. Peak memory is that of a whole
process that runs the case; Python with what it imports takes {base}. Other simulators were measured
on 2 cores, each with a workload of its own and, but for the article's demo, finer steps than a
tick.
"""


def main(arguments=None):
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small cases: only see that it runs")
    plan = QUICK if parser.parse_args(arguments).quick else FULL
    # Memory first: a process's peak counts from that of its parent, which is small yet.
    peaks = memory(plan, _say)
    timings = times(plan, _say)
    print(_table(_rows(plan, timings, peaks)))
    print()
    print(NOTES.format(together=TOGETHER, base=_megabytes(peaks[""])), end="")


def _say(text):
    print(text, file=sys.stderr, flush=True)


def _rows(plan, timings, peaks):
    for section, cases in plan.sections.items():
        yield (f"**{section}**", *[""] * 6)
        for case in cases:
            yield _row(case, timings, peaks[case.name])
    yield ("**other simulators**", *[""] * 6)
    for peer in PEERS:
        yield (peer.name, "", "", _span(peer.requests), _span(peer.seconds), "", "")


def _row(case, timings, peak):
    timing = timings[case.name]
    wall, cpu = statistics.median(timing.wall), statistics.median(timing.cpu)
    return (
        case.name,
        _milliseconds(wall),
        _milliseconds(cpu),
        f"{timing.work.requests / wall:,.0f}",
        f"{timing.work.seconds / wall:,.0f}",
        _speed(case, timings),
        _megabytes(peak),
    )


def _speed(case, timings):
    by = "wall" if case.processes else "cpu"
    return ", ".join(
        f"{_digits(ratio(timings, case.name, other, by))}× {other}"
        + (f" (at least {least}×)" if least else "")
        for other, least in case.against.items()
    )


def _milliseconds(seconds):
    return f"{_digits(1000 * seconds)} ms"


def _megabytes(size):
    return f"{size / 1e6:,.0f} MB"


def _span(numbers):
    return "–".join(f"{number:,}" for number in numbers)


def _digits(number):
    """Return a number with three significant digits."""
    places = 2 if number < 10 else 1 if number < 100 else 0
    return f"{number:,.{places}f}"


def _table(rows):
    """Return rows as a table in Markdown, its columns aligned for reading as plain text."""
    rows = [COLUMNS, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    lines = [_line(row, widths) for row in rows]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([lines[0], _line(rule, widths), *lines[1:]])


def _line(cells, widths):
    first, *others = (
        cell.ljust(width) if i == 0 else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "| " + " | ".join([first, *others]) + " |"


if __name__ == "__main__":
    main()
