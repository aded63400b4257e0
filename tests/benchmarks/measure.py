"""Times of all cases, taken in turns, and the peak memory of each in a process of its own."""

import dataclasses
import gc
import json
import resource
import statistics
import subprocess
import sys
import time

from sim import simulate
from sim.runs import run_all
from sim.sweep import Sweep
from tests.reference import reference

BYTES_PER_MAXRSS = 1 if sys.platform == "darwin" else 1024


@dataclasses.dataclass(frozen=True)
class Work:
    """What one call of a case simulates, for each scenario on average."""

    requests: float
    seconds: float


@dataclasses.dataclass
class Timing:
    """Seconds for each scenario of a case, one entry a round."""

    wall: list = dataclasses.field(default_factory=list)
    cpu: list = dataclasses.field(default_factory=list)
    work: Work | None = None

    def add(self, wall, cpu):
        """Note one round."""
        self.wall.append(wall)
        self.cpu.append(cpu)


def call(case, scenarios):
    """Run a case once; return the results, or of a grid the summaries."""
    if case.processes:
        rows = Sweep(scenarios).stream(workers=case.processes)
        return [row for part in rows for row in part]
    if case.axes:
        return [simulate(scenario).summary() for scenario in scenarios]
    if case.loop:
        return [reference(scenario) for scenario in scenarios]
    if not case.batch:
        return [simulate(scenario) for scenario in scenarios]
    return run_all(scenarios, together=1)


def times(plan, say):
    """Return a Timing for each case by its name.

    Parameters
    ----------
    plan : Plan
    say : callable
        Told what is going on.
    """
    timings = {case.name: Timing() for case in plan.cases}
    scenarios = {case.name: case.scenarios() for case in plan.cases}
    for case in plan.cases[:3]:  # the first calls of a process are slower
        call(case, scenarios[case.name])
    least, most = plan.rounds
    begun = time.perf_counter()
    for done in range(most):
        if done >= least and time.perf_counter() - begun > plan.seconds:
            break
        say(f"round {done + 1}")
        for case in plan.cases:
            if case.rounds and done >= case.rounds:
                continue
            _time(case, scenarios[case.name], timings[case.name])
    return timings


def _time(case, scenarios, timing):
    gc.collect()
    wall, cpu = time.perf_counter(), _cpu_time()
    for _ in range(case.repeats):
        results = call(case, scenarios)
    n = len(scenarios) * case.repeats
    timing.add((time.perf_counter() - wall) / n, (_cpu_time() - cpu) / n)
    if timing.work is None:
        summaries = results if case.axes else [result.summary() for result in results]
        timing.work = Work(
            statistics.fmean(s["requests_finished"] for s in summaries),
            statistics.fmean(s["makespan_s"] for s in summaries),
        )


def _cpu_time():
    """Return the CPU time of this process and of its children that have ended, in seconds."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def ratio(timings, name, other, by="cpu"):
    """Return how many times as fast a case is as another, by `cpu` or `wall` time.

    The median over rounds, in each of which both ran within seconds of each other.
    """
    pairs = zip(getattr(timings[name], by), getattr(timings[other], by), strict=True)
    return statistics.median(theirs / own for own, theirs in pairs)


def memory(plan, say):
    """Return the peak memory of each case by its name, in bytes, and that of no case as ""."""
    peaks = {}
    for place, name in enumerate(["", *(case.name for case in plan.cases)]):
        say(f"memory: {name or 'imports alone'}")
        peaks[name] = _peak_of_child(plan, place - 1)
    return peaks


def _peak_of_child(plan, place):
    case = plan.cases[place] if place >= 0 else None
    given = {} if case is None else dataclasses.asdict(case)
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.child", json.dumps(given)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return int(done.stdout)


def peak_so_far():
    """Return the peak memory so far of this process or a child of it, in bytes."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(who).ru_maxrss for who in whose) * BYTES_PER_MAXRSS
