"""How far a sweep is, how fast it goes, and how long it will take."""

import collections
import dataclasses
import time

WINDOW_S = 30
"""The rate is that of the last so many seconds."""


@dataclasses.dataclass(frozen=True)
class Progress:
    """State of a sweep at a moment.

    Attributes
    ----------
    done, total : int
        Runs.
    resumed : int
        Of those done, how many had been kept from an earlier time.
    failed : int
        Of those done, how many could not be run.
    elapsed_s : float
    rate : float or None
        Runs a second, of late; None before the first.
    """

    done: int
    total: int
    resumed: int
    failed: int
    elapsed_s: float
    rate: float | None

    @property
    def left_s(self):
        """Time left in seconds, None if it is not known."""
        return None if self.rate is None else (self.total - self.done) / self.rate


class Clock:
    """Counts runs and tells the time.

    Parameters
    ----------
    total : int
    resumed, failed : int
        Runs that had been done before, and those of them that could not be run.
    now : callable
        Returns seconds.
    """

    def __init__(self, total, resumed=0, failed=0, now=time.monotonic):
        self._total, self._done, self._resumed, self._failed = total, resumed, resumed, failed
        self._now = now
        self._begun = now()
        self._seen = collections.deque([(self._begun, resumed)])

    def add(self, done, failed=0):
        """Count runs; return the `Progress`."""
        now = self._now()
        self._done += done
        self._failed += failed
        self._seen.append((now, self._done))
        while len(self._seen) > 2 and self._seen[1][0] < now - WINDOW_S:
            self._seen.popleft()
        return self.progress()

    def progress(self):
        """Return the `Progress`."""
        (start, before), (end, done) = self._seen[0], self._seen[-1]
        rate = (done - before) / (end - start) if done > before and end > start else None
        return Progress(
            self._done, self._total, self._resumed, self._failed, self._now() - self._begun, rate
        )
