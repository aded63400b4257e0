"""The lives of all agents as lanes: how long each is in which state, column by column."""

import numpy as np

from app.derive.lives import AGENT_STATES, CODE, NOTHING
from app.derive.stack import Lanes, stack_image


def agent_lanes(recording, bins, order, rows, gap=1, per_lane=1):
    """Return the agents' lives in a window as an image.

    Parameters
    ----------
    recording : Recording
    bins : Bins
        One bin a pixel column.
    order : ndarray
        Agents from the top lane down.
    rows, gap, per_lane : int
        As for `app.derive.lanes`.

    Returns
    -------
    Lanes
        Its `spent` and codes are those of `AGENT_STATES`.
    """
    spent = agent_ticks(recording, bins, order, per_lane)
    codes = np.arange(NOTHING + 1, dtype=np.uint8)
    return Lanes(spent, stack_image(spent, rows, gap, codes), bins, per_lane)


def agent_ticks(recording, bins, order=None, per_lane=1):
    """Return how many ticks of each bin the agents of each lane spend in each state.

    Parameters
    ----------
    recording : Recording
    bins : Bins
    order : ndarray, optional
        Agents from the top lane down; by their ids by default.
    per_lane : int

    Returns
    -------
    ndarray
        int64, shape (11, lanes, bins.count).
    """
    lanes = -(-recording.agents // per_lane)
    shape = (len(AGENT_STATES), lanes, bins.count)
    if not bins.count:
        return np.zeros(shape, np.int64)
    lane = np.arange(recording.agents) // per_lane
    if order is not None:
        lane[order] = lane.copy()
    return _spent(recording, bins, lane, lanes).reshape(shape)


def _spent(recording, bins, lane, lanes):
    life = recording.lives
    row, start, stop, column = _pieces(life, bins)
    code, worker, ticks = life.code[row], life.worker[row], stop - start
    waits, drags = np.zeros_like(ticks), np.zeros_like(ticks)

    def moved(names, some):
        return recording.work.between(names, worker[some], start[some], stop[some])

    some = np.flatnonzero((code == CODE["prefill"]) | (code == CODE["again"]))
    (prefills,) = moved(("prefill",), some)
    waits[some] = ticks[some] - prefills
    some = np.flatnonzero(code == CODE["decode"])
    decodes, drags[some] = moved(("decode", "dragged"), some)
    waits[some] = ticks[some] - decodes - drags[some]

    size = lanes * bins.count
    cell = lane[life.agent[row]] * bins.count + column
    cells = [code * size + cell]
    weights = [ticks - waits - drags]
    for name, some_ticks in (("waiting_phase", waits), ("dragged", drags)):
        some = np.flatnonzero(some_ticks)
        cells.append(CODE[name] * size + cell[some])
        weights.append(some_ticks[some])
    total = np.bincount(np.concatenate(cells), np.concatenate(weights), len(AGENT_STATES) * size)
    return total.astype(np.int64)


def _pieces(life, bins):
    """Cut the spans at the borders of the bins.

    Returns
    -------
    (row, start, stop, column) : tuple of int64 ndarray
        Row of the span, first tick and the one after the last, and the bin.
    """
    rows = np.flatnonzero((life.start < bins.stop) & (life.stop > bins.start))
    start = np.maximum(life.start[rows], bins.start)
    stop = np.minimum(life.stop[rows], bins.stop)
    first = (start - bins.start) // bins.size
    count = (stop - 1 - bins.start) // bins.size + 1 - first
    at = np.repeat(np.arange(rows.size), count)
    column = first[at] + np.arange(at.size) - np.repeat(count.cumsum() - count, count)
    left = bins.start + column * bins.size
    return rows[at], np.maximum(start[at], left), np.minimum(stop[at], left + bins.size), column
