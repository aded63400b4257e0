"""Runs scenarios away from the event loop: the newest request wins, equal ones are remembered."""

import collections
import dataclasses
import functools
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from app.derive import Recording
from sim import simulate

_POOL = ThreadPoolExecutor(max_workers=2, thread_name_prefix="simulate")


@dataclasses.dataclass(frozen=True)
class Run:
    """A finished run with what every view of it needs.

    Attributes
    ----------
    recording : Recording
        The result, indexed for drawing.
    summary : dict
        `Result.summary`.
    """

    recording: Recording
    summary: dict

    @property
    def result(self):
        """The `Result`."""
        return self.recording.result


class Cancelled(Exception):
    """A newer request has taken the place of this run."""


def run(scenario, cancelled):
    """Simulate one scenario.

    Parameters
    ----------
    scenario : Scenario
    cancelled : callable
        Asked now and then; the run ends when it returns true.

    Returns
    -------
    Run
    """
    result = simulate(scenario, cancel=cancelled)
    return Run(Recording(result), result.summary())


def seeds_of(scenario, count):
    """Return so many seeds, the scenario's first; only that one if the sessions are given."""
    if scenario.draws == "table":
        return [scenario.seed]
    return [(scenario.seed + i) % 2**32 for i in range(count)]


class Memory:
    """The runs of the last scenarios, for all sessions of this process.

    Parameters
    ----------
    size : int
        How many runs are kept.
    """

    def __init__(self, size):
        self._size = size
        self._runs = collections.OrderedDict()
        self._lock = threading.Lock()

    def get(self, key):
        """Return the run under that key, or None."""
        with self._lock:
            if key in self._runs:
                self._runs.move_to_end(key)
            return self._runs.get(key)

    def put(self, key, finished):
        """Remember a run; the one asked for longest ago goes."""
        with self._lock:
            self._runs[key] = finished
            self._runs.move_to_end(key)
            while len(self._runs) > self._size:
                self._runs.popitem(last=False)


MEMORY = Memory(16)


def key_of(scenario):
    """Return a string that two scenarios share only if they are equal."""
    return json.dumps(scenario.to_dict(), sort_keys=True)


class Runner:
    """One session's runs, of which only the newest counts.

    Parameters
    ----------
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop; it may be called
        from any thread.
    work : callable
        ``work(subject, cancelled)`` does what is asked for, as `run` does.
    key : callable
        Returns a string that two subjects share only if they are equal.
    memory : Memory
    pool : concurrent.futures.Executor
        Where the work is done.
    reports : bool
        Whether `work` takes a third argument, to be called with what has been found so far: it is
        handed on as what is found in the end.

    Attributes
    ----------
    seconds : float
        How long the last run took; 0 before the first.
    """

    def __init__(self, post, work=run, key=key_of, memory=MEMORY, pool=_POOL, reports=False):
        self._post = post
        self._work = work
        self._key = key
        self._memory = memory
        self._pool = pool
        self._reports = reports
        self._newest = None
        self.seconds = 0.0

    @property
    def busy(self):
        """Whether a run is under way."""
        return self._newest is not None

    def request(self, subject, done, failed):
        """Run a scenario; an older run of this session is cancelled and never heard of again.

        Parameters
        ----------
        subject : Scenario
            Or what else `work` takes.
        done : callable
            Called with the `Run`, or what else `work` returns, at once if it is remembered.
        failed : callable
            Called with the exception if the run fails.
        """
        self.cancel()
        key = self._key(subject)
        known = self._memory.get(key)
        if known is not None:
            done(known)
            return
        cancelled = self._newest = threading.Event()
        future = self._pool.submit(self._timed, subject, key, cancelled, done)

        def finished(future):
            if not cancelled.is_set():  # nobody waits for it any more; the session may be gone
                self._post(functools.partial(self._deliver, cancelled, future, done, failed))

        future.add_done_callback(finished)

    def cancel(self):
        """Drop the run under way, if any."""
        if self._newest is not None:
            self._newest.set()
            self._newest = None

    def _timed(self, subject, key, cancelled, done):
        if cancelled.is_set():
            raise Cancelled
        start = time.perf_counter()
        report = (functools.partial(self._report, cancelled, done),) if self._reports else ()
        finished = self._work(subject, cancelled.is_set, *report)
        self._memory.put(key, finished)
        self.seconds = time.perf_counter() - start
        return finished

    def _report(self, cancelled, done, found):
        self._post(lambda: done(found) if cancelled is self._newest else None)

    def _deliver(self, cancelled, future, done, failed):
        if cancelled is not self._newest:
            return
        self._newest = None
        error = future.exception()
        if error is None:
            done(future.result())
        else:
            failed(error)
