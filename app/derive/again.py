"""Prefill of context that its agent had had computed before: work done again.

A prompt is prefilled in its order: on a worker's first admission the shared prefix, then the
`recomputed` tokens (context whose KV was lost to eviction or routing), then the new input. A tick
recomputes for a request if the middle of what the request advances in it lies in the second part.
"""

import numpy as np

from app.derive.progress import DECODE, PREFILL
from sim.result import UNITS_PER_TOKEN
from sim.scenario import STATES

SHADES = (*STATES, "prefill_again")
"""Names of what is drawn: the states, and prefill that recomputes apart from the rest of it."""

PREFILL_AGAIN = SHADES.index("prefill_again")

_PREFILL, _MIXED = STATES.index("prefill"), STATES.index("mixed")
_MOVES = {
    PREFILL: (_PREFILL, _MIXED),
    DECODE: tuple(STATES.index(name) for name in ("decode", "mixed", "dragged")),
}
"""Worker states in which the requests of a stage advance."""


def again_ticks(recording):
    """Return when each request prefills context that it had before.

    Parameters
    ----------
    recording : Recording

    Returns
    -------
    ndarray
        int64, shape (requests, 2): the first tick that recomputes, and the tick after the last;
        the same twice if none does. Between them the worker may wait; every tick in which it
        prefills recomputes.
    """
    r = recording.result.requests
    if not r["agent"].size:
        return np.zeros((0, 2), np.int64)
    begin, stop = (_keys(recording, tick) for tick in recording.prefilling)
    shared = np.where(recording.cold_start, recording.shared, 0) * UNITS_PER_TOKEN
    total = shared + (r["prompt"] - r["cached"]) * UNITS_PER_TOKEN
    lost = r["recomputed"] * UNITS_PER_TOKEN
    flow = Flow(recording, PREFILL, begin, stop, int(total.max()))
    base, _ = flow.at(begin)
    before, last = flow.at(stop - 1)
    middle = before - base + total  # Twice the middle of the last tick, which ends with the work.

    def turn_of(units):
        turn = flow.turn_of(base + units)
        return np.where(turn < last, turn, last + (middle < 2 * units))

    first, end = turn_of(shared), turn_of(shared + lost)
    none = first == end
    key = np.where(none, begin, flow.key(first))
    ends = np.where(none, begin, flow.key(end - 1) + 1)
    origin = r["worker"] * recording.ticks
    return np.column_stack((key - origin, ends - origin))


class Flow:
    """The prefill, or decode, of all workers, one after another, as one line of units over ticks.

    All requests in that stage on a worker advance alike, so that a request's place on the line
    says how much of it is done. Only ticks in which something advances are on it: such a tick
    is a turn, numbered over all workers.

    Parameters
    ----------
    recording : Recording
    stage : int
        `PREFILL` or `DECODE`, as numbered in `STAGES`.
    begin, stop : ndarray
        For each request the key of its first tick in that stage and the one after its last.
    most : int
        Most units of a request in that stage; longer steps are cut to it, which changes nothing
        for any request and keeps sums below 2^63.
    """

    def __init__(self, recording, stage, begin, stop, most):
        begins, stops = np.sort(begin), np.sort(stop)
        left, right, code = split(recording, (begins, stops))
        rows = np.flatnonzero(np.isin(code, _MOVES[stage]))
        left, right, code = left[rows], right[rows], code[rows]
        count = present(begins, stops, left)
        kinds, which = np.unique(count * len(STATES) + code, return_inverse=True)
        steps = [
            recording.rates.step(stage, STATES[kind % len(STATES)], kind // len(STATES))
            for kind in kinds.tolist()
        ]
        self.step = np.minimum(steps, most)[which]
        self.left, self.turns = left, right - left
        self.units_before = _before(self.turns * self.step)
        self.turns_before = _before(self.turns)

    def at(self, key):
        """Return the units and the turns before a tick."""
        i = np.maximum(np.searchsorted(self.left, key, "right") - 1, 0)
        turns = np.clip(key - self.left[i], 0, self.turns[i])
        return self.units_before[i] + turns * self.step[i], self.turns_before[i] + turns

    def turn_of(self, units):
        """Return the first turn whose middle is not before this place on the line."""
        i = np.searchsorted(self.units_before, units, "right") - 1
        twice = 2 * self.step[i]
        turns = -(-(2 * (units - self.units_before[i]) - self.step[i]) // twice)
        return self.turns_before[i] + np.clip(turns, 0, self.turns[i])

    def key(self, turn):
        """Return the key of a turn's tick."""
        i = np.searchsorted(self.turns_before, turn, "right") - 1
        return self.left[i] + turn - self.turns_before[i]


def again_runs(recording):
    """Return the runs of states, cut where prefill begins or ends to recompute.

    Returns
    -------
    (worker, start, stop, code, again) : tuple of ndarray
        int64 as in `Recording.runs`; `again`, bool, says for ticks of prefill and mixed whether
        at least half of the requests that prefill there recompute.
    """
    begin, stop = (_keys(recording, tick) for tick in recording.prefilling)
    first, end = (_keys(recording, column) for column in recording.again.T)
    begins, stops, firsts, ends = (np.sort(keys) for keys in (begin, stop, first, end))
    left, right, code = split(recording, (begins, stops, firsts, ends))
    again = (code == _PREFILL) | (code == _MIXED)
    rows = np.flatnonzero(again)
    at = left[rows]
    recompute = present(firsts, ends, at)
    again[rows] = (recompute > 0) & (2 * recompute >= present(begins, stops, at))
    left, right, code, again = _merged(left, right, code, again, recording.ticks)
    worker = left // recording.ticks
    origin = worker * recording.ticks
    return worker, left - origin, right - origin, code, again


def split(recording, borders):
    """Return all workers' runs of states, cut at some keys.

    A key is worker × ticks + tick: the workers' ticks one after another.

    Returns
    -------
    (left, right, code) : tuple of int64 ndarray
        Keys of the first tick and the one after the last; the state.
    """
    worker, start, _, code = recording.runs
    starts = worker * recording.ticks + start
    end = recording.workers * recording.ticks
    left = np.sort(np.concatenate((starts, *borders)))
    left = left[(np.diff(left, prepend=-1) > 0) & (left < end)]
    right = np.append(left[1:], end)
    return left, right, code[np.searchsorted(starts, left, "right") - 1]


def present(begins, stops, key):
    """Return how many spans [begin, stop) hold a key; both sorted, each by itself."""
    return np.searchsorted(begins, key, "right") - np.searchsorted(stops, key, "right")


def _keys(recording, tick):
    return recording.result.requests["worker"] * recording.ticks + tick


def _before(values):
    return np.cumsum(values) - values


def _merged(left, right, code, again, ticks):
    """Join neighbours of one worker that are alike."""
    changes = np.ones(left.size, bool)
    changes[1:] = (code[1:] != code[:-1]) | (again[1:] != again[:-1]) | (left[1:] % ticks == 0)
    rows = np.flatnonzero(changes)
    return left[rows], right[np.append(rows[1:], left.size) - 1], code[rows], again[rows]
