"""Two runs on one time axis, and how their workers' states differ over time."""

import dataclasses
import math

import numpy as np

from app.derive.bins import Bins
from app.derive.stack import state_ticks


@dataclasses.dataclass(frozen=True)
class Difference:
    """Shares of the workers in each state, of run A and run B, in the same spans of time.

    Attributes
    ----------
    lefts, rights : ndarray
        Borders of the spans in seconds, float64, shape (columns,). No span reaches beyond the
        end of the shorter run.
    a, b : ndarray
        float64, shape (states, columns), the states in the order of `STACK`; each column sums
        to 1.
    """

    lefts: np.ndarray
    rights: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @property
    def more(self):
        """How much more of each state B has than A; each column sums to 0."""
        return self.b - self.a

    def stacked(self):
        """Return `more` as areas on both sides of zero.

        In each column what B has more of is stacked upwards and what it has less of downwards,
        both in the order of the states, so that above and below are equally high.

        Returns
        -------
        (start, end) : tuple of ndarray
            float64, the shape of `more`: each state's area, from the end nearer to zero; the
            same twice where the state does not differ.
        """
        more = self.more
        up, down = np.maximum(more, 0), np.minimum(more, 0)
        end = np.where(more > 0, up.cumsum(axis=0), down.cumsum(axis=0))
        return end - more, end


def difference(a, b, window, columns):
    """Return how the states of two runs differ within a window.

    Parameters
    ----------
    a, b : Recording
        Their ticks may differ in length: the spans are whole ticks of both.
    window : (float, float)
        Seconds.
    columns : int
        Spans wanted at most; aligned to whole spans there may be one more.

    Returns
    -------
    Difference
        Without columns if one of the runs ends before the window.
    """
    step = math.lcm(a.scenario.tick_ms, b.scenario.tick_ms) / 1000
    end = min(run.ticks * run.tick_s for run in (a, b))
    bins = Bins.fit(
        (math.floor(window[0] / step + 1e-6), math.ceil(window[1] / step - 1e-6)),
        columns,
        math.floor(end / step + 1e-6),
        step,
    )
    return Difference(bins.lefts, bins.rights, *(_shares(run, bins) for run in (a, b)))


def _shares(recording, bins):
    """Return the shares in bins that are given in the runs' common steps."""
    times = round(bins.tick_s / recording.tick_s)
    own = Bins(
        bins.start * times, bins.size * times, bins.count, bins.ticks * times, recording.tick_s
    )
    spent = state_ticks(recording, own, recording.workers)[:, 0]
    return spent / spent.sum(axis=0)
