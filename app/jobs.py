"""Work away from the event loop: equal work is done once, and heavy work never delays quick work.

Python lets one thread compute at a time, so more threads than a few only get in each other's way.
Here few compute at once, and each for a while only: work asks now and then whether it is still
wanted, and is held up there when somebody who has had less time waits.
"""

import collections
import itertools
import threading
import time
import weakref
from concurrent.futures import Future

SLOTS = 2
"""How much work computes at the same time."""
QUANTUM_S = 0.1
"""How long others wait for work that asks often enough."""
LEVELS = (0.3, 3.0)
"""Seconds of computing after which work comes after younger work, in steps."""
HEAVY = 6
"""How much heavy work may be begun at a time: what is held up keeps its memory."""


class Cancelled(Exception):
    """Nobody waits for this work any more."""


class Turns:
    """Who may compute when.

    Parameters
    ----------
    slots, heavy : int
        How much work computes at a time, and how much heavy work may be begun at a time.
    quantum : float
        Seconds after which work that is asked to gives way.
    """

    def __init__(self, slots=SLOTS, heavy=HEAVY, quantum=QUANTUM_S):
        self._quantum = quantum
        self._free, self._heavy = slots, heavy
        self._waiting = []
        self._lock = threading.Lock()
        self._count = itertools.count()

    def submit(self, job):
        """Have a job's `run` called in a thread of its own, when its turn has come.

        The threads are daemons, so that the process ends when it is told to.
        """
        with self._lock:
            self._wait(job)
            self._fill()

    def drop(self, job):
        """Forget a job that has not begun; one that has is no longer held up."""
        with self._lock:
            if job not in self._waiting:
                return
            if job.begun:
                job.level = -1
            else:
                self._waiting.remove(job)

    def give_way(self, job):
        """Hold up a job that computes, if it has done so for a while and others wait."""
        now = time.monotonic()
        if now - job.since < self._quantum or not self._waiting:
            return
        with self._lock:
            self._leave(job, now)
            self._wait(job)
            self._fill()
        job.turn.wait()

    def end(self, job):
        """Take note that a job has ended."""
        with self._lock:
            self._leave(job, time.monotonic())
            self._heavy += job.heavy
            self._fill()

    def _wait(self, job):
        job.level = sum(job.used >= level for level in LEVELS)
        job.order = next(self._count)
        job.turn.clear()
        self._waiting.append(job)

    def _leave(self, job, now):
        job.used += now - job.since
        self._free += 1

    def _fill(self):
        while self._free:
            able = [job for job in self._waiting if job.begun or not job.heavy or self._heavy]
            if not able:
                return
            job = min(able, key=lambda job: (job.level, job.order))
            self._waiting.remove(job)
            self._free -= 1
            job.since = time.monotonic()
            job.turn.set()
            if not job.begun:
                job.begun = True
                self._heavy -= job.heavy
                threading.Thread(target=self._run, args=(job,), name="job", daemon=True).start()

    def _run(self, job):
        try:
            job.run()
        finally:
            self.end(job)


TURNS = Turns()


class Job:
    """One piece of work, for all who wait for it.

    Parameters
    ----------
    work : callable
        ``work(cancelled, report)`` does it; it calls `cancelled` now and then and ends if that
        returns true, and may call `report` with what has been found so far.
    ended : callable
        Called with this job, in the thread of the work, once there is an outcome.
    heavy : bool
        Whether it may take long.
    turns : Turns

    Attributes
    ----------
    found, error
        What came of it; the error is None if it went well.
    used : float
        Seconds for which it has computed.
    """

    def __init__(self, work, ended, heavy=False, turns=TURNS):
        self._work, self._ended, self._turns = work, ended, turns
        self.heavy, self.wanted = heavy, True
        self.found = self.error = None
        self.turn, self.begun = threading.Event(), False
        self.used = self.since = 0.0
        self.level = self.order = 0
        turns.submit(self)

    def cancel(self):
        """Take note that nobody waits for it any more."""
        self.wanted = False
        self._turns.drop(self)

    def cancelled(self):
        """Return whether nobody waits for it any more; the work may be held up here."""
        if self.wanted:
            self._turns.give_way(self)
        return not self.wanted

    @property
    def spent(self):
        """Seconds for which it has computed until now."""
        return self.used + time.monotonic() - self.since

    def run(self):
        """Do the work."""
        try:
            self.found = self._work(self)
        except BaseException as error:
            self.error = error
        self._work = None
        self._ended(self)


class Aside:
    """Does what cannot be held up, a few at a time, in threads that end with the process.

    Parameters
    ----------
    most : int
        How many at a time.
    """

    def __init__(self, most=1):
        self._room = threading.Semaphore(most)

    def submit(self, work, *arguments, **options):
        """Have a function called; return the `concurrent.futures.Future` of its result."""
        future = Future()

        def run():
            with self._room:
                try:
                    future.set_result(work(*arguments, **options))
                except BaseException as error:
                    future.set_exception(error)

        threading.Thread(target=run, name="aside", daemon=True).start()
        return future


_MEMORIES = weakref.WeakSet()


def forget():
    """Have every `Memory` forget what was found."""
    for memory in list(_MEMORIES):
        memory.forget()


class Memory:
    """What was found last, and what is being found out, for all sessions of this process.

    Parameters
    ----------
    size : int
        How many findings are kept.
    turns : Turns
    """

    def __init__(self, size, turns=TURNS):
        _MEMORIES.add(self)
        self._size, self._turns = size, turns
        self._found = collections.OrderedDict()
        self._asked = {}
        self._lock = threading.Lock()

    def forget(self):
        """Forget what was found; what is being found out goes on."""
        with self._lock:
            self._found.clear()

    def ask(self, key, work, listener, heavy=False):
        """Return what is remembered under a key, else None and find it out.

        Who asks for what is being found out already waits for the same.

        Parameters
        ----------
        key : str
        work : callable
            As for `Job`, but called with the job.
        listener : object
            Its `reported` is called with what has been found so far, its `ended` with the `Job`,
            both in any thread.
        heavy : bool
        """
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
            asked = self._asked.get(key)
            if asked is None:
                asked = self._asked[key] = _Asked(self, key, listener)
                asked.job = Job(asked.working(work), asked.ended, heavy, self._turns)
                return None
            asked.listeners.append(listener)
        if asked.last is not None:
            listener.reported(asked.last)
        return None

    def leave(self, key, listener):
        """Wait no longer; what nobody waits for is given up."""
        with self._lock:
            asked = self._asked.get(key)
            if asked is None or listener not in asked.listeners:
                return
            asked.listeners.remove(listener)
            if not asked.listeners:
                del self._asked[key]
                asked.job.cancel()

    def finish(self, asked):
        """Take an outcome; return who waits for it."""
        with self._lock:
            if self._asked.get(asked.key) is not asked:
                return []
            del self._asked[asked.key]
            if asked.job.error is None:
                self._found[asked.key] = asked.job.found
                while len(self._found) > self._size:
                    self._found.popitem(last=False)
            return asked.listeners


class _Asked:
    """What is being found out, and who waits for it."""

    def __init__(self, memory, key, listener):
        self.memory, self.key = memory, key
        self.listeners, self.job, self.last = [listener], None, None

    def working(self, work):
        return lambda job: work(job, self.report)

    def report(self, found):
        self.last = found
        for listener in list(self.listeners):
            listener.reported(found)

    def ended(self, job):
        self.job = job  # it may have ended before whoever asked knew it
        for listener in self.memory.finish(self):
            listener.ended(job)
