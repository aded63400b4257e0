"""`dpascope sweep`: a grid of scenarios into a table."""

import logging
import os
import pathlib
import shutil
import sys

from app.cli import INTERRUPTED, WRONG
from app.commands.arguments import (
    add_scenario,
    base_fields,
    read_json,
    values,
)
from app.terminal.bar import Bar, seconds
from app.terminal.table import table_lines
from sim import Scenario
from sim.checks import unknown_name
from sim.sweep import Sweep, Table, grid, listed
from sim.sweep.files import writer

RUNS_PER_PROCESS = 8
"""A worker process takes as long to start as about so many runs."""
MOST_PRINTED = 10_000
"""Runs whose table is printed; more are for a file."""
GRID_KEYS = ("preset", "base", "grid", "seeds")


def add(commands):
    """Add the command to those of the parser."""
    parser = commands.add_parser(
        "sweep",
        help="run a grid of scenarios",
        description="Run every combination of some values, and print a table of medians or write "
        "one row a run to a file. A field's flag takes one value, a list such as 4,8,16, or a "
        "range such as 4:64:4 (low:high:step).",
    )
    parser.add_argument(
        "--seeds",
        metavar="N",
        help="run each combination with N seeds, from that of the scenario on; or with seeds "
        "such as 1,2,3",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="write a row for each run; the name ends in .csv, .jsonl or .parquet. What is "
        "finished is kept in FILE.part, and the same command goes on where it was interrupted",
    )
    parser.add_argument(
        "--restart", action="store_true", help="do not go on from FILE.part, begin anew"
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes to use (as many as there are cores, for a small grid fewer); 1: only "
        "this one",
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="use a Dask cluster: the address of its scheduler, such as tcp://host:8786; local "
        "starts one here with --workers processes",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    add_scenario(
        parser,
        "scenario as JSON to start from; or a grid: {preset, base, grid, seeds}; or a list of "
        "scenarios; - reads from the standard input",
    )
    parser.set_defaults(run=run)


def run(options):
    """Run the sweep, and return the exit status."""
    points = _points(options)
    if options.cluster is not None:
        logging.disable()  # Dask's tracebacks: what is wrong is said in one line
    sweep = Sweep(points, keep=_part(options, points))
    task = _Task(sweep, options)
    try:
        task.run()
    except KeyboardInterrupt:
        if not task.begun:
            raise
        task.interrupted = True
    finally:
        if task.begun:
            task.hand_over()
    return task.status()


def _part(options, points):
    """Return where finished rows are kept; None if the table is printed."""
    if options.out is None:
        if len(points) > MOST_PRINTED:
            raise ValueError(
                f"{len(points):,} runs are too many for a table that is printed (at most "
                f"{MOST_PRINTED:,}): name a file with --out"
            )
        return None
    writer(options.out)  # is it one that can be written? before hours of work
    part = pathlib.Path(f"{options.out}.part")
    if options.restart:
        part.unlink(missing_ok=True)
    return part


def _points(options):
    """Return what is to be run, from the file and the flags."""
    given = {} if options.file is None else read_json(options.file)
    flags = {name: values(name, text) for name, text in options.fields.items()}
    seeds = _seeds(options.seeds)
    if isinstance(given, list):
        if flags or seeds is not None or options.preset:
            raise ValueError(f"{options.file} is a list of scenarios, which takes no other fields")
        return listed(_scenarios(given))
    axes = {}
    if isinstance(given, dict) and "grid" in given:
        given, axes, seeds = _grid_file(given, options, seeds)
    base = base_fields(options, Scenario.from_dict(given).changed())
    for name, found in flags.items():
        axes.pop(name, None)
        if len(found) == 1:
            base[name] = found[0]
        else:
            axes[name] = found
    return grid(Scenario.from_dict(base), axes, seeds)


def _scenarios(given):
    for place, fields in enumerate(given):
        try:
            yield Scenario.from_dict(fields)
        except ValueError as error:
            raise ValueError(f"scenario {place}: {error}") from error


def _grid_file(given, options, seeds):
    """Return base, axes and seeds of a grid in a file; what flags say comes first."""
    for name in given:
        if name not in GRID_KEYS:
            raise ValueError(unknown_name(f"part of {options.file}:", name, GRID_KEYS))
    if not isinstance(given["grid"], dict):
        raise ValueError(f"grid of {options.file} must map parameters to their values")
    options.preset = options.preset or given.get("preset")
    axes = {
        name: values(name, found) if isinstance(found, str) else found
        for name, found in given["grid"].items()
    }
    return given.get("base", {}), axes, given.get("seeds") if seeds is None else seeds


def _seeds(text):
    if text is None:
        return None
    return int(text) if text.isdecimal() else values("seed", text)


class _Task:
    """A sweep from its start to what it leaves behind.

    Attributes
    ----------
    interrupted : bool
        By Ctrl-C.
    """

    def __init__(self, sweep, options):
        self._sweep = sweep
        self._options = options
        self._table = Table(sweep.points) if options.out is None else None
        self._bar = None if options.quiet else Bar(sys.stderr)
        self._progress = None
        self._error = None
        self.interrupted = False

    def run(self):
        """Make all runs."""
        where = _where(self._sweep, self._options)
        try:
            for rows in self._sweep.stream(**where, report=self._note):
                self._take(rows)
        finally:
            if self._bar:
                self._bar.clear()

    def _take(self, rows):
        for row in rows:
            self._error = self._error or row["error"]
        if self._table is not None:
            self._table.add(rows)

    def _note(self, progress):
        self._progress = progress
        if self._bar:
            self._bar(progress)

    @property
    def begun(self):
        """Whether any run is finished."""
        return self._progress is not None and self._progress.done > 0

    def hand_over(self):
        """Print the table or write the file, of what is finished."""
        if self._table is not None:
            print("\n".join(table_lines(self._table, shutil.get_terminal_size().columns)))
        else:
            self._sweep.save(self._options.out)
            if self._complete:
                pathlib.Path(f"{self._options.out}.part").unlink()
        self._say()

    @property
    def _complete(self):
        return self._progress.done == self._progress.total

    def _say(self):
        p, out = self._progress, self._options.out
        made = p.done - p.resumed
        rate = f" ({made / p.elapsed_s:,.3g}/s)" if made and p.elapsed_s else ""
        earlier = f", {p.resumed:,} had been finished before" if p.resumed else ""
        if p.failed:
            _tell(f"{p.failed:,} of {p.done:,} runs could not be made, such as: {self._error}")
        if self._complete:
            where = "" if out is None else f", in {out}"
            _tell(f"{made:,} runs in {seconds(p.elapsed_s)}{rate}{earlier}{where}")
            return
        where = "" if out is None else f" are in {out}; the same command goes on from there"
        _tell(f"{p.done:,} of {p.total:,} runs{where}")

    def status(self):
        """Return the exit status."""
        if self.interrupted:
            return INTERRUPTED
        return WRONG if self._progress.failed == self._progress.total else 0


def _tell(text):
    print(f"dpascope sweep: {text}", file=sys.stderr)


def _where(sweep, options):
    """Return where the runs are made: `workers` and `cluster`."""
    workers, cluster = options.workers, options.cluster
    if cluster not in (None, "local") and workers is not None:
        raise ValueError("--workers are processes of this machine, and --cluster names another one")
    if workers is None:
        workers = min(_cores(), -(-len(sweep) // RUNS_PER_PROCESS))
    return {"workers": workers, "cluster": cluster}


def _cores():
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
