"""Runs scenarios away from the event loop: the newest request wins, equal ones run once."""

import dataclasses
import functools
import json
import time

from app import limits
from app.derive import Recording
from app.jobs import Cancelled, Memory
from app.limits import Demand, LimitError
from sim import RunCancelled, simulate

__all__ = ["Cancelled", "Memory", "Run", "Runner", "key_of", "run", "seeds_of"]

HEAVY = 20_000
"""Requests from which on a run may take seconds."""

DRAWN = ("shade_ticks", "spent", "kv")
"""What every page draws of a `Recording`: made with the run, not in the event loop."""


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
    recording = Recording(simulate(scenario, cancel=cancelled))
    for name in DRAWN:
        if cancelled():
            raise Cancelled
        getattr(recording, name)
    return Run(recording, recording.result.summary())


def seeds_of(scenario, count):
    """Return so many seeds, the scenario's first; only that one if the sessions are given."""
    if scenario.draws == "table":
        return [scenario.seed]
    return [(scenario.seed + i) % 2**32 for i in range(count)]


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
    reports : bool
        Whether `work` takes a third argument, to be called with what has been found so far: it is
        handed on as what is found in the end.
    demand : callable
        Returns the `app.limits.Demand` of a subject.

    Attributes
    ----------
    seconds : float
        How long the last run took, from the request on; 0 before the first.
    """

    def __init__(self, post, work=run, key=key_of, memory=MEMORY, reports=False, demand=Demand.of):
        self._post = post
        self._work = work
        self._key = key
        self._memory = memory
        self._reports = reports
        self._demand = demand
        self._newest = None
        self.seconds = 0.0

    @property
    def busy(self):
        """Whether a run is under way."""
        return self._newest is not None

    def request(self, subject, done, failed):
        """Run a scenario; an older run of this session is never heard of again.

        The older one is cancelled unless another session waits for it too.

        Parameters
        ----------
        subject : Scenario
            Or what else `work` takes.
        done : callable
            Called with the `Run`, or what else `work` returns, at once if it is remembered.
        failed : callable
            Called with the exception if the run fails, at once if it is above the limits.
        """
        self.cancel()
        allowed = limits.current()
        try:
            demand = self._demand(subject)
            allowed.check(demand)
        except LimitError as error:
            failed(error)
            return
        self._newest = request = _Request(self, self._key(subject), done, failed)
        work = functools.partial(_within, self._work, subject, self._reports, allowed)
        known = self._memory.ask(request.key, work, request, demand.total > HEAVY)
        if known is not None:
            self._newest = None
            done(known)

    def cancel(self):
        """Drop the run under way, if any."""
        request, self._newest = self._newest, None
        if request is not None:
            self._memory.leave(request.key, request)

    def post(self, callback, request, *arguments):
        """Have a callback called in the event loop, if the request still counts there."""

        def call():
            if request is self._newest:
                callback(*arguments)

        if request is self._newest:  # else the session may be gone
            self._post(call)

    def ended(self, request):
        """Take note that the newest request has been answered."""
        self._newest = None
        self.seconds = time.perf_counter() - request.start


class _Request:
    """What a session waits for; a listener of `Memory`."""

    def __init__(self, runner, key, done, failed):
        self._runner, self.key = runner, key
        self._done, self._failed = done, failed
        self.start = time.perf_counter()

    def reported(self, found):
        self._runner.post(self._done, self, found)

    def ended(self, job):
        self._runner.post(self._deliver, self, job.found, job.error)

    def _deliver(self, found, error):
        self._runner.ended(self)
        if error is None:
            self._done(found)
        else:
            self._failed(error)


def _within(work, subject, reports, allowed, job, report):
    """Do the work, and stop it when it has computed for longer than is allowed."""

    def cancelled():
        return job.cancelled() or job.spent > allowed.seconds

    try:
        return work(subject, cancelled, *((report,) if reports else ()))
    except (Cancelled, RunCancelled):
        if job.wanted:
            raise LimitError("seconds", most=allowed.seconds) from None
        raise
