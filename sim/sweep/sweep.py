"""A sweep: many runs in batches, wherever they are made, with rows in the same order."""

import contextlib
import importlib.util

import numpy as np

from sim import checks
from sim.runs import MAX_TICKS
from sim.sweep.course import Course
from sim.sweep.files import write_rows
from sim.sweep.here import Here
from sim.sweep.kept import Kept
from sim.sweep.points import Points, listed
from sim.sweep.table import Table

FIRST, MOST = 16, 256
"""Runs in the first batch, and the most in one: more take more memory and hardly less time."""
MAX_WORKERS = 1024


class Sweep:
    """Runs the points of a grid or a list.

    Parameters
    ----------
    points : Points or iterable of Scenario
        Made by `grid` or `listed`.
    keep : str or path, optional
        File in which finished rows are kept; with the same points and file a sweep that was
        interrupted goes on where it stopped.
    order : str or sequence of int
        Order in which runs are made and rows come: "given", "coarse" (a coarse grid first, then
        ever finer ones), or the runs themselves, each once.
    max_ticks : int
        Ticks after which a run that has not ended is given up; its row says so.
    batch : (int, int)
        Runs in the first batch, and the most in one. Those between take at most about 15 s.

    Attributes
    ----------
    points : Points
    """

    def __init__(
        self, points, *, keep=None, order="given", max_ticks=MAX_TICKS, batch=(FIRST, MOST)
    ):
        self.points = points if isinstance(points, Points) else listed(points)
        self._keep = keep
        self._order = _order(self.points, order)
        self._max_ticks = max_ticks
        self._batch = batch
        self._rows = None

    def __len__(self):
        return len(self.points)

    def stream(self, *, workers=1, cluster=None, cancel=None, report=None):
        """Make the runs; yield the rows in batches, in the order of the sweep.

        Rows that had been kept are not made again, and come in their turn. Nothing but the batches
        under way is held in memory.

        Parameters
        ----------
        workers : int
            Processes to use on this machine; 1: this one.
        cluster : str, optional
            Address of a Dask scheduler, such as ``tcp://host:8786``, or ``local`` for one that is
            started here with as many workers.
        cancel : callable, optional
            Called now and then; once it returns true, the rows end.
        report : callable, optional
            Called with a `Progress` at the start and as batches are finished.

        Yields
        ------
        list of dict
            Rows: `index`, what varies, `error` (None, or why the run could not be made) and all
            metrics in SI units (all None if it could not be made).

        Raises
        ------
        SweepError
            If a batch ends its worker again and again, or the cluster cannot be reached.
        ValueError, OSError
            If the file of kept rows belongs to another sweep, is in use, or cannot be written.
        """
        kept = None if self._keep is None else Kept(self._keep, self.points, self._max_ticks)
        runner = None
        try:
            runner = _runner(workers, cluster, cancel)
            course = Course(self.points, self._order, self._max_ticks, self._batch, runner, kept)
            yield from course.rows(cancel, report)
        finally:
            if runner is not None:
                runner.close()
            if kept is not None:
                kept.close()

    def run(self, **where):
        """Make the runs and hold their rows for `table`, `bands` and `share_with`.

        Parameters and errors as for `stream`. After an error, a cancel or Ctrl-C the rows that
        were finished are there.

        Returns
        -------
        Sweep
            This one.
        """
        self._rows = Table(self.points)
        for rows in self.stream(**where):
            self._rows.add(rows)
        return self

    def table(self, pandas=None):
        """Return the finished runs as columns, in the order of the points.

        Parameters
        ----------
        pandas : bool, optional
            Whether to make a DataFrame; unless given, if pandas is installed.

        Returns
        -------
        pandas.DataFrame or dict of str to ndarray
            See `Table.columns`.
        """
        if pandas is None:
            pandas = importlib.util.find_spec("pandas") is not None
        return self._table.frame() if pandas else self._table.columns()

    def save(self, path):
        """Write the finished rows to a file, in the order of the points.

        Those of the file of kept rows if there is one, else those of `run`.

        Parameters
        ----------
        path : str or path
            Ends in ``.csv``, ``.jsonl`` or ``.parquet``, and is replaced.

        Raises
        ------
        ValueError, SweepError, OSError
            As `sim.sweep.files.write_rows`.
        """
        if self._keep is None:
            write_rows(path, self.points, self._table.rows())
            return
        with contextlib.closing(Kept(self._keep, self.points, self._max_ticks)) as kept:
            write_rows(path, self.points, kept.rows(range(len(self.points))))

    @property
    def _table(self):
        """The rows of the newest `run`, none before the first."""
        if self._rows is None:  # made late: a sweep that is streamed has no use for it
            self._rows = Table(self.points)
        return self._rows

    def bands(self, metric):
        """Return 10th percentile, median and 90th over the seeds; see `Table.bands`."""
        return self._table.bands(metric)

    def share_with(self, metric):
        """Return in which share of the seeds a metric is not None; see `Table.share_with`."""
        return self._table.share_with(metric)


def _order(points, order):
    if isinstance(order, str):
        orders = {"given": lambda: np.arange(len(points)), "coarse": points.coarse_first}
        return orders[checks.choice("order", order, list(orders))]()
    order = np.asarray(order, np.int64)
    if not np.array_equal(np.sort(order), np.arange(len(points))):
        raise ValueError(f"order must hold each run from 0 to {len(points) - 1:,} once")
    return order


def _runner(workers, cluster, cancel):
    workers = checks.integer("workers", workers, 1, MAX_WORKERS)
    if cluster is not None:
        from sim.sweep.cluster import Cluster  # of the extra `cluster`

        return Cluster(cluster, workers)
    if workers > 1:
        from sim.sweep.processes import Processes  # slow to import

        return Processes(workers)
    return Here(cancel)
