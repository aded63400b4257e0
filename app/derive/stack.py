"""The timeline as an image: for each worker a lane, for each pixel column its states' shares."""

import dataclasses

import numpy as np

from app.derive.again import SHADES
from app.derive.bins import Bins

STACK = tuple(
    SHADES.index(name)
    for name in (
        "decode",
        "prefill",
        "prefill_again",
        "mixed",
        "dragged",
        "transfer",
        "waiting_phase",
        "waiting_kv",
        "idle",
    )
)
"""Codes of `SHADES` from the bottom of a lane to its top."""

EMPTY = len(SHADES)
"""Code of a pixel that shows no state: a gap between lanes, or no data."""

_PLACE = np.argsort(STACK)
_CODES = np.array([*STACK, EMPTY], np.uint8)


@dataclasses.dataclass(frozen=True)
class Lanes:
    """An image of state codes, and the counts behind it.

    Attributes
    ----------
    spent : ndarray
        Worker-ticks, int64, shape (9, lanes, columns); see `state_ticks`.
    image : ndarray
        uint8, shape (lanes × (rows + gap), columns), the bottom row first; the last lane is at
        the bottom. Codes of `SHADES`, or `EMPTY`.
    bins : Bins
        The columns.
    per_lane : int
        Workers in a lane, 1 unless there are more workers than lanes.
    """

    spent: np.ndarray
    image: np.ndarray
    bins: Bins
    per_lane: int

    @property
    def lanes(self):
        """Number of lanes."""
        return self.spent.shape[1]


def lanes(recording, bins, rows, gap=1, per_lane=1):
    """Return the timeline of a window as an image.

    Parameters
    ----------
    recording : Recording
    bins : Bins
        One bin a pixel column.
    rows : int
        Pixel rows of a lane, 1 to 254.
    gap : int
        Empty pixel rows above each lane.
    per_lane : int
        Workers drawn together in one lane.

    Returns
    -------
    Lanes
    """
    spent = state_ticks(recording, bins, per_lane)
    return Lanes(spent, stack_image(spent, rows, gap), bins, per_lane)


def together(lanes, rows):
    """Return all lanes as one of `rows` rows: the minimap, if `lanes` are of the whole run.

    Returns
    -------
    Lanes
    """
    spent = lanes.spent.sum(axis=1, keepdims=True)
    return Lanes(spent, stack_image(spent, rows, 0), lanes.bins, lanes.per_lane * lanes.lanes)


def state_ticks(recording, bins, per_lane=1):
    """Return how many worker-ticks of each bin each lane spends in each state.

    A run of one state that lies in one bin counts there; a longer one counts its head, its tail
    and whole bins between.

    Returns
    -------
    ndarray
        int64, shape (9, lanes, bins.count): states in the order of `STACK`; lane i holds the
        workers from i × per_lane on.
    """
    height = -(-recording.workers // per_lane)
    shape = (len(SHADES), height, bins.count)
    if not bins.count:
        return np.zeros(shape, np.int64)
    worker, start, stop, code = recording.shades_within(bins.start, bins.stop)
    row = (_PLACE[code] * height + worker // per_lane) * bins.count
    start, stop = start - bins.start, stop - bins.start
    first, last = start // bins.size, stop // bins.size
    head = np.minimum(stop, (first + 1) * bins.size) - start
    tail = stop - last * bins.size
    ends = np.flatnonzero((last > first) & (tail > 0))
    long = np.flatnonzero(last > first + 1)
    between = last[long] - first[long] - 1
    within = np.arange(between.sum()) - np.repeat(between.cumsum() - between, between)
    whole = np.repeat(row[long] + first[long] + 1, between) + within
    spent = np.bincount(
        np.concatenate((row + first, row[ends] + last[ends], whole)),
        np.concatenate((head, tail[ends], np.full(whole.size, bins.size))),
        len(SHADES) * height * bins.count,
    )
    return spent.astype(np.int64).reshape(shape)


def stack_tops(spent, rows):
    """Return where in a lane each state's pixels end, counted in rows from the bottom.

    States are stacked in the order of `STACK`. With c the ticks of a state and all below it, of
    N in the bin, it ends at row floor((2 × c × rows + N) / (2 × N)), the nearest. Then nothing
    may vanish: a state that occurs ends at least one row above the one below it, and leaves a
    row to each state that occurs above it. Where more states occur than there are rows, only
    the first rule holds. In a bin without a tick all end at 0.

    Parameters
    ----------
    spent : ndarray
        int64, shape (9, ...), as from `state_ticks`.
    rows : int
        Rows of a lane.

    Returns
    -------
    ndarray
        uint8, the shape of `spent`.
    """
    total = spent.sum(axis=0)
    twice = np.maximum(2 * total, 1)
    occurs = spent > 0
    above = occurs.sum(axis=0)
    owed = above <= rows
    tops = np.empty(spent.shape, np.uint8)
    count, top = np.zeros_like(total), np.zeros_like(total)
    for state in range(len(spent)):
        if not occurs[state].any():
            tops[state] = top
            continue
        count += spent[state]
        own = occurs[state] & owed
        above -= own
        nearest = ((2 * rows * count + total) / twice).astype(np.int64)
        top = np.clip(nearest, top + own, rows - np.where(owed, above, 0))
        tops[state] = top
    tops[:, total == 0] = 0
    return tops


def stack_image(spent, rows, gap, codes=_CODES):
    """Return the image of lanes, `Lanes.image`, from their `spent`.

    `codes` are those of the pixels of each state in the order of the stack, and of no state.
    """
    tops = stack_tops(spent, rows)
    _, height, columns = spent.shape
    level = np.full((height, rows + gap, columns), len(spent), np.uint8)
    for row in range(rows):
        (tops <= row).sum(axis=0, dtype=np.uint8, out=level[:, row])
    return codes[level[::-1]].reshape(height * (rows + gap), columns)
