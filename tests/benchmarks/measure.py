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
    """Run a case once; return the results."""
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
            _time(case, scenarios[case.name], timings[case.name])
    return timings


def _time(case, scenarios, timing):
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(case.repeats):
        results = call(case, scenarios)
    n = len(scenarios) * case.repeats
    timing.add((time.perf_counter() - wall) / n, (time.process_time() - cpu) / n)
    if timing.work is None:
        summaries = [result.summary() for result in results]
        timing.work = Work(
            statistics.fmean(s["requests_finished"] for s in summaries),
            statistics.fmean(s["makespan_s"] for s in summaries),
        )


def ratio(timings, name, other):
    """Return how many times as fast a case is as another, by CPU time.

    The median over rounds, in each of which both ran within seconds of each other.
    """
    pairs = zip(timings[name].cpu, timings[other].cpu, strict=True)
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


def peak_of_this_process():
    """Return the peak memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * BYTES_PER_MAXRSS
