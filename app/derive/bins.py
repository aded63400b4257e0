"""Cutting a span of ticks into equal bins, and integrating step functions over them."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Bins:
    """Neighbouring bins of `size` ticks each; the last one ends with the run.

    The first bin starts at a multiple of `size`, so that panning by less than a bin does not
    move the borders and a picture does not shimmer.

    Attributes
    ----------
    start : int
        First tick of the first bin, a multiple of `size`.
    size : int
        Ticks in a bin.
    count : int
        Number of bins; 0 if the window lies outside the run.
    ticks : int
        Length of the run; no bin counts a tick beyond it.
    tick_s : float
        Length of a tick in seconds.
    """

    start: int
    size: int
    count: int
    ticks: int
    tick_s: float = 1.0

    @classmethod
    def fit(cls, window, columns, ticks, tick_s=1.0, least=1):
        """Return the smallest bins of which at most `columns` cover the window.

        Parameters
        ----------
        window : (int, int)
            First tick and the tick after the last; cut to the run. Aligned to multiples of the
            bin's size it may take one bin more than `columns`.
        columns : int
            Bins wanted at most, at least 1.
        ticks : int
            Length of the run.
        tick_s : float
            Seconds in a tick.
        least : int
            Smallest size of a bin in ticks.
        """
        start, stop = max(0, int(window[0])), min(int(ticks), int(window[1]))
        if stop <= start:
            return cls(0, least, 0, int(ticks), tick_s)
        size = max(least, -(-(stop - start) // max(1, columns)))
        start -= start % size
        return cls(start, size, -(-(stop - start) // size), int(ticks), tick_s)

    @property
    def stop(self):
        """Tick after the last bin, at most the length of the run."""
        return min(self.ticks, self.start + self.size * self.count)

    @property
    def starts(self):
        """First tick of each bin, int64."""
        return self.start + self.size * np.arange(self.count, dtype=np.int64)

    @property
    def widths(self):
        """Ticks of the run in each bin, int64; all `size` but perhaps the last."""
        return np.minimum(self.size, self.ticks - self.starts)

    @property
    def lefts(self):
        """Left border of each bin in seconds, float64."""
        return self.starts * self.tick_s

    @property
    def rights(self):
        """Right border of each bin in seconds, cut at the end of the run, float64."""
        return (self.starts + self.widths) * self.tick_s

    def index(self, ticks):
        """Return the bin of each tick and whether it lies in any bin."""
        ticks = np.asarray(ticks, np.int64)
        return (ticks - self.start) // self.size, (ticks >= self.start) & (ticks < self.stop)


def integrate(ticks, rows, deltas, bins, height):
    """Return the integral over each bin of several step functions.

    A step function starts at 0 and changes by `deltas[i]` at tick `ticks[i]`, that tick already
    included. With w the bin's width, a bin's integral is w times the value that all changes up
    to its end make, less, for each change inside it, the change times the ticks before it.

    Parameters
    ----------
    ticks, rows, deltas : ndarray
        Changes in any order: tick, number of the function, change (whole numbers).
    bins : Bins
        Where to integrate; changes before the first bin count as made at its start.
    height : int
        Number of functions.

    Returns
    -------
    ndarray
        int64, shape (height, bins.count), in units of the value times ticks.
    """
    if not bins.count:
        return np.zeros((height, 0), np.int64)
    inside = ticks < bins.stop
    offset = np.maximum(ticks[inside], bins.start) - bins.start
    column = offset // bins.size
    cell = rows[inside] * bins.count + column
    change = deltas[inside].astype(float)
    cells = height * bins.count
    level = np.bincount(cell, change, cells).reshape(height, bins.count).cumsum(axis=1)
    late = np.bincount(cell, change * (offset - column * bins.size), cells)
    return (level * bins.widths - late.reshape(height, bins.count)).astype(np.int64)
