"""The course of a sweep: batches to whoever runs them, rows back in order."""

import collections
import concurrent.futures
import dataclasses
import time

from sim.engine import RunCancelled
from sim.sweep.errors import SweepError
from sim.sweep.progress import Clock
from sim.sweep.table import metric_types

TARGET_S = 15
"""Batches grow or shrink so that they take no longer: what is lost with a worker is little."""
GROWTH = 16
"""A batch is at most so many times as large as the one before."""
LEAST = 128
"""Runs below which a batch is not made smaller for all workers to end at the same time: small
ones take more time a run."""
LONGEST = 4096
"""Rows in a piece, most of which may have been kept from an earlier time."""
TRIES = 3
"""Times a batch is given to a worker before the sweep is given up."""
POLL_S = 0.1


@dataclasses.dataclass
class _Piece:
    """Consecutive runs of the order.

    Attributes
    ----------
    runs : list of int
    missing : list of int
        Those that had not been kept, which are the batch.
    future : concurrent.futures.Future or None
    tries : int
    begun : float
    rows : list of dict or None
        Once finished.
    """

    runs: list
    missing: list
    future: object = None
    tries: int = 0
    begun: float = 0.0
    rows: list | None = None


class Course:
    """One way through a sweep.

    Parameters
    ----------
    points : Points
    order : ndarray of int64
    max_ticks : int
    batch : (int, int)
        Runs in the first batch, and the most in one.
    runner : Here, Processes or Cluster
    kept : Kept or None
    """

    def __init__(self, points, order, max_ticks, batch, runner, kept):
        self._points = points
        self._order = order
        self._max_ticks = max_ticks
        self._size, self._most = batch
        self._runner = runner
        self._kept = kept
        self._left = len(points)
        failed = 0
        if kept is not None:
            self._left -= int((kept.where >= 0).sum())
            failed = kept.failed
        self._clock = Clock(len(points), len(points) - self._left, failed)

    def rows(self, cancel, report):
        """Yield rows in order; parameters as for `Sweep.stream`."""
        waiting = collections.deque()
        pieces = self._pieces()
        self._report = report or (lambda progress: None)
        self._report(self._clock.progress())
        try:
            while True:
                more = self._fill(waiting, pieces)
                while waiting and waiting[0].rows is not None:
                    yield waiting.popleft().rows
                if not (more or waiting):
                    return
                if cancel is not None and cancel():
                    return
                self._collect(waiting)
        except RunCancelled:
            return

    def _fill(self, waiting, pieces):
        """Submit batches while there is room; return whether there may be more."""
        while len(waiting) < self._runner.ahead:
            running = sum(piece.rows is None for piece in waiting)
            if running >= self._runner.slots:
                return True
            piece = next(pieces, None)
            if piece is None:
                return False
            waiting.append(piece)
            if piece.missing:
                self._submit(piece)
            else:
                piece.rows = self._merged(piece, {})
        return True

    def _pieces(self):
        """Yield the order in pieces, each with a batch of missing runs."""
        runs, missing, size = [], [], self._next_size()
        for run in map(int, self._order):
            runs.append(run)
            if self._kept is None or self._kept.where[run] < 0:
                missing.append(run)
            if len(missing) >= size or len(runs) >= LONGEST:
                self._left -= len(missing)
                yield _Piece(runs, missing)
                runs, missing, size = [], [], self._next_size()
        if runs:
            yield _Piece(runs, missing)

    def _next_size(self):
        size = self._size
        slots = self._runner.slots
        if slots > 1:
            size = min(size, max(LEAST, -(-self._left // slots)))
        return size

    def _submit(self, piece):
        changes = [self._points.change(run) for run in piece.missing]
        piece.tries += 1
        piece.begun = time.monotonic()
        piece.future = self._runner.submit(self._points.base, changes, self._max_ticks)

    def _collect(self, waiting):
        """Take what is finished, after a wait if nothing is."""
        running = [piece for piece in waiting if piece.rows is None]
        futures = [piece.future for piece in running]
        concurrent.futures.wait(futures, POLL_S, concurrent.futures.FIRST_COMPLETED)
        for piece in running:
            if piece.future.done():
                self._take(piece)

    def _take(self, piece):
        error = piece.future.exception()
        if isinstance(error, self._runner.lost):
            if piece.tries >= TRIES:
                first = self._points.varied(piece.missing[0])
                raise SweepError(
                    f"a worker died {TRIES} times on the same {len(piece.missing)} runs, the "
                    f"first of which is {first}: {self._runner.hint}"
                ) from error
            self._submit(piece)
            return
        outcomes = piece.future.result()
        self._adapt(len(piece.missing), time.monotonic() - piece.begun)
        made = {
            run: self._row(run, outcome)
            for run, outcome in zip(piece.missing, outcomes, strict=True)
        }
        if self._kept is not None:
            self._kept.add(list(made.values()))
        piece.rows = self._merged(piece, made)
        failed = sum(row["error"] is not None for row in made.values())
        self._report(self._clock.add(len(made), failed))

    def _adapt(self, size, seconds):
        """Set the size of the next batch by what one took."""
        wanted = int(size * min(GROWTH, TARGET_S / max(seconds, 1e-9)))
        if seconds < TARGET_S:  # one that was submitted before they had grown says little
            wanted = max(wanted, self._size)
        self._size = max(1, min(wanted, self._most))

    def _row(self, run, outcome):
        error, found = None, outcome
        if isinstance(outcome, str):
            error, found = outcome, dict.fromkeys(metric_types())
        return {"index": run, **self._points.varied(run), "error": error, **found}

    def _merged(self, piece, made):
        """Return the rows of a piece in order, those that had been kept from the disk."""
        had = {}
        if self._kept is not None:
            had = {row["index"]: row for row in self._kept.rows(set(piece.runs) - made.keys())}
        return [made[run] if run in made else had[run] for run in piece.runs]
