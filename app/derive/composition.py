"""Whose contexts fill a worker's KV cache over time."""

import dataclasses

import numpy as np

from app.derive.bins import Bins, integrate
from app.derive.kv import ADMITTED

KINDS = ("locked", "idle", "ended")
"""What a context may be: held by a running request; free to be evicted; left by an agent that
has ended."""

HUES = 9
"""Hues in which agents take turns."""

EMPTY, SHARED, ENDED, LINE, LOCKED, IDLE = range(6)
"""Codes of an image: free room, the shared prefix, what ended agents left, a line between agents;
then two for each hue, from `LOCKED` and `IDLE` on."""

CODES = LOCKED + 2 * HUES
"""Number of codes."""

LEAST_ROWS = 4
"""Rows from which a context is set off by a line."""


@dataclasses.dataclass(frozen=True)
class Composition:
    """The contexts in one worker's KV cache, averaged over each bin.

    Attributes
    ----------
    worker : int
    bins : Bins
    agents : ndarray
        int64, rising: those with a context here at any time of the run. An agent's place in it
        gives its hue, so that the hue stays when the window changes.
    tokens : ndarray
        float64, shape (3, agents, bins): by the kinds `KINDS`; in the midst of each tick, after
        its admissions and before its work.
    shared, capacity : int
        Tokens of the shared prefix, and of the whole cache.
    """

    worker: int
    bins: Bins
    agents: np.ndarray
    tokens: np.ndarray
    shared: int
    capacity: int

    def agent_at(self, tick, height):
        """Return the agent whose context is drawn at a tick and a height in tokens, or None."""
        column = int(self.bins.index(tick)[0])
        if not self.agents.size or not 0 <= column < self.bins.count:
            return None
        tops = self.shared + self.tokens[:, :, column].sum(axis=0).cumsum()
        place = int(np.searchsorted(tops, height, "right"))
        return int(self.agents[place]) if self.shared <= height and place < tops.size else None


def composition(recording, worker, bins):
    """Return the `Composition` of a worker's cache."""
    kv = recording.kv
    rows = slice(*np.searchsorted(kv.worker, (worker, worker + 1)).tolist())
    agents, place = np.unique(kv.agent[rows], return_inverse=True)
    # what comes after the work of a tick counts from the next one on
    tick = kv.tick[rows] + (kv.kind[rows] > ADMITTED)
    held = kv.lock_grown[rows]
    loose = kv.grown[rows] - held
    ended, _ = recording.ended
    over = ended[agents] + 1
    late = tick > over[place]
    left = np.bincount(place[~late], loose[~late], agents.size)
    count, every = agents.size, np.arange(agents.size)
    tokens = integrate(
        np.concatenate((tick, tick, over, over)),
        np.concatenate(
            (place, np.where(late, 2, 1) * count + place, count + every, 2 * count + every)
        ),
        np.concatenate((held, loose, -left, left)),
        bins,
        len(KINDS) * count,
    )
    mean = tokens.reshape(len(KINDS), count, bins.count) / np.maximum(bins.widths, 1)
    capacity = recording.scenario.kv_capacity
    return Composition(worker, bins, agents, mean, recording.shared, capacity)


def band_tops(composition, rows):
    """Return where each agent's three parts end, in pixel rows from the bottom.

    Parameters
    ----------
    composition : Composition
    rows : int
        Pixel rows of the whole cache.

    Returns
    -------
    ndarray
        int64, shape (agents, 3, bins): nearest rows, stacked from the shared prefix on.
    """
    stacked = composition.tokens.swapaxes(0, 1)
    tops = composition.shared + stacked.reshape(-1, composition.bins.count).cumsum(axis=0)
    return np.rint(tops * (rows / composition.capacity)).astype(np.int64).reshape(stacked.shape)


def composition_image(composition, tops, rows):
    """Return a picture of a cache: agents stacked in the order of their ids.

    Parameters
    ----------
    composition : Composition
    tops : ndarray
        From `band_tops`.
    rows : int

    Returns
    -------
    ndarray
        uint8 codes, shape (rows, bins), the bottom row first.
    """
    count, columns = len(composition.agents), composition.bins.count
    base = round(composition.shared * rows / composition.capacity)
    top = tops[:, -1]
    below = np.vstack((np.full((1, columns), base), top))[:-1]
    lined = top - below >= LEAST_ROWS
    parts = np.concatenate((np.minimum(tops, (top - lined)[:, None]), top[:, None]), axis=1)
    ends = np.vstack((np.full((1, columns), base), parts.reshape(-1, columns)))
    hue = 2 * (np.arange(count) % HUES)
    kinds = np.stack(
        (LOCKED + hue, IDLE + hue, np.full(count, ENDED), np.full(count, LINE)), axis=1
    )
    codes = np.concatenate(([SHARED], kinds.ravel(), [EMPTY])).astype(np.uint8)
    cell = np.minimum(ends, rows) * columns + np.arange(columns)
    ended = np.bincount(cell.ravel(), minlength=(rows + 1) * columns).reshape(rows + 1, columns)
    return codes[ended[:rows].cumsum(axis=0)]
