"""Rows as columns: a table of a sweep, and bands over its seeds."""

import functools

import numpy as np

from sim.runs import simulate
from sim.scenario import Scenario
from sim.sweep.batch import metrics

BAND = (10, 50, 90)
"""Percentiles over the seeds: low, median, high."""


@functools.cache
def metric_types():
    """Return the type of each metric, int or float, by its name and in the order of a row."""
    smallest = simulate(Scenario(workers=1, agents=1, turns=[1, 1]))
    return {n: int if isinstance(v, int) else float for n, v in metrics(smallest).items()}


class Table:
    """The rows of a sweep as columns, in the order of its runs however they come in.

    Parameters
    ----------
    points : Points

    Attributes
    ----------
    done : ndarray of bool, shape (runs,)
        Which runs have come in, with metrics or with an error.
    errors : dict of int to str
        Why a run could not be made.
    """

    def __init__(self, points):
        self.points = points
        self.done = np.zeros(len(points), bool)
        self.errors = {}
        self._values = {name: np.full(len(points), np.nan) for name in metric_types()}

    def __len__(self):
        return int(self.done.sum())

    def add(self, rows):
        """Note rows."""
        for row in rows:
            index = row["index"]
            if row["error"] is None:
                for name, column in self._values.items():
                    column[index] = np.nan if row[name] is None else row[name]
            else:
                self.errors[index] = row["error"]
            self.done[index] = True

    def columns(self):
        """Return the runs that are done as a dict of NumPy columns.

        Returns
        -------
        dict of str to ndarray
            `index`, what varies, `error` (None if all went well) and all metrics. Numbers of
            something are int64, or float64 if a run has none; NaN stands for none.
        """
        index = np.flatnonzero(self.done)
        varied = [self.points.varied(int(i)) for i in index]
        columns = {"index": index}
        columns.update((name, _column([v[name] for v in varied])) for name in self.points.names)
        columns["error"] = _objects([self.errors.get(int(i)) for i in index])
        for name, kind in metric_types().items():
            values = self._values[name][index]
            whole = kind is int and not np.isnan(values).any()
            columns[name] = values.astype(np.int64) if whole else values
        return columns

    def rows(self):
        """Yield the runs that are done as rows, as `Sweep.stream` does."""
        for index in map(int, np.flatnonzero(self.done)):
            found = {n: _plain(kind, self._values[n][index]) for n, kind in metric_types().items()}
            error = self.errors.get(index)
            yield {"index": index, **self.points.varied(index), "error": error, **found}

    def frame(self):
        """Return `columns` as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.columns())

    def bands(self, metric):
        """Return the spread of a metric over the seeds of each cell.

        Returns
        -------
        ndarray of float64, shape (3, *points.shape)
            10th percentile, median and 90th over the runs done so far that have the metric, NaN
            where there are none.
        """
        return _percentiles(self._by_cell(self._values[metric])).reshape(3, *self.points.shape)

    def share_with(self, metric):
        """Return in which share of the runs of each cell a metric is not None.

        Such as `avalanche_onset_s`: how many of the seeds have an avalanche.

        Returns
        -------
        ndarray of float64, shape points.shape
            Over the runs done so far without an error, NaN where there are none.
        """
        ran = ~np.isnan(self._values["ticks"])
        has = np.where(ran, ~np.isnan(self._values[metric]), np.nan)
        by_cell = self._by_cell(has)
        count = (~np.isnan(by_cell)).sum(1)
        share = np.nansum(by_cell, 1) / np.where(count, count, np.nan)
        return share.reshape(self.points.shape)

    def _by_cell(self, values):
        """Return values as a row for each cell, filled up with NaN."""
        places, width = self._places
        rows = np.full((int(np.prod(self.points.shape)), width), np.nan)
        rows.ravel()[places] = values
        return rows

    @functools.cached_property
    def _places(self):
        """Where each run stands in the rows of `_by_cell`, and how long those are."""
        cells = self.points.cells
        order = np.argsort(cells, kind="stable")
        counts = np.bincount(cells)
        first = np.cumsum(counts) - counts
        width = int(counts.max())
        places = np.empty(cells.size, np.int64)
        places[order] = np.arange(cells.size) - first[cells[order]] + cells[order] * width
        return places, width


def _percentiles(rows):
    """Return the percentiles of `BAND` of each row, between values in proportion."""
    rows = np.sort(rows, axis=1)  # NaN last
    last = np.maximum((~np.isnan(rows)).sum(1) - 1, 0)
    each = np.arange(len(rows))
    found = []
    for percentile in BAND:
        place = last * (percentile / 100)
        low = place.astype(np.int64)
        start, end = rows[each, low], rows[each, np.minimum(low + 1, last)]
        found.append(start + (end - start) * (place - low))
    return np.array(found)


def _plain(kind, value):
    return None if np.isnan(value) else kind(value)


def _column(values):
    """Return an array: of numbers, switches or text where all are alike, else of objects."""
    if any(value is None or isinstance(value, (list, tuple, dict)) for value in values):
        return _objects(values)
    return np.array(values)


def _objects(values):
    return np.fromiter(values, object, len(values))
