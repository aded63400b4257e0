"""How much work a running request has left at a tick."""

import dataclasses
import functools

import numpy as np

from sim.result import UNITS_PER_TOKEN, ceil_div, step_units
from sim.scenario import STATES

LOAD, PREFILL, TRANSFER, DECODE = 1, 2, 4, 5
"""Numbers in `STAGES` of the stages in which a request advances."""


@dataclasses.dataclass(frozen=True)
class Rates:
    """What a request advances in a tick, in units of work, and what changes that."""

    load: int
    prefill: int
    transfer: int
    decode: int
    dragged: int
    sharing: bool
    slowdown: float
    mixed_share: float

    @classmethod
    def of(cls, scenario):
        """Return the rates of a scenario."""
        s = scenario

        def step(rate):
            return step_units(rate, s.tick_ms)

        return cls(
            load=step(s.host_load_rate),
            prefill=step(s.prefill_rate),
            transfer=step(s.transfer_rate),
            decode=step(s.decode_rate),
            dragged=step(s.prefill_rate / s.chunk_tokens),
            sharing=s.prefill_sharing,
            slowdown=s.decode_slowdown,
            mixed_share=s.mixed_share,
        )

    @functools.lru_cache(maxsize=1024)  # noqa: B019 - small, and holds no result
    def step(self, stage, state, count):
        """Return the units that a request advances in one tick.

        Parameters
        ----------
        stage : int
            `PREFILL` or `DECODE`.
        state : str
            The worker's state in the tick.
        count : int
            Requests in that stage on the worker, this one included.
        """
        if stage == PREFILL:
            step = max(1, self.prefill // count) if self.sharing else self.prefill
            share, moves = self.mixed_share, ("prefill", "mixed")
        else:
            step = max(1, int(self.decode / (1 + self.slowdown * (count - 1)) + 0.5))
            share, moves = 1 - self.mixed_share, ("decode", "mixed", "dragged")
        if state not in moves:
            return 0
        if state == "mixed":
            return max(1, int(step * share))
        return min(step, self.dragged) if state == "dragged" else step


def tokens_left(recording, row, stage, tick):
    """Return the tokens that a request has left of its stage as this tick's work begins.

    Parameters
    ----------
    recording : Recording
    row : int
        Row in `result.requests`.
    stage : int
        Number in `STAGES` that it is in at this tick.
    tick : int

    Returns
    -------
    int
        Tokens, rounded up; 0 for a stage of waiting.
    """
    r, shared = recording.result.requests, recording.shared
    begun = int(recording.stages[row, stage])
    if stage == LOAD:
        total = int(r["loaded"][row])
        done = recording.rates.load * (tick - begun)
    elif stage == TRANSFER:
        total = int(r["prompt"][row]) + shared
        done = recording.rates.transfer * (tick - begun)
    elif stage == PREFILL:
        total = int(r["prompt"][row] - r["cached"][row])
        total += shared if recording.cold_start[row] else 0
        done = _advanced(recording, r["worker"], row, PREFILL, begun, tick)
    elif stage == DECODE:
        total = int(r["output"][row])
        done = _advanced(recording, r["decode_worker"], row, DECODE, begun, tick)
    else:
        return 0
    return max(0, ceil_div(total * UNITS_PER_TOKEN - done, UNITS_PER_TOKEN))


def _advanced(recording, workers, row, stage, start, stop):
    """Units of work on a request in ticks [start, stop).

    Between the borders of the worker's state runs and those of its requests' stages nothing
    changes, so the work is a sum of rectangles.
    """
    starts, codes = recording.result.states[workers[row]]
    here = recording.stages[workers == workers[row]]
    begins, ends = np.sort(here[:, stage]), np.sort(here[:, stage + 1])
    borders = np.concatenate((starts, begins, ends))
    inside = borders[(borders > start) & (borders < stop)]
    borders = np.unique(np.concatenate(([start, stop], inside)))
    left = borders[:-1]
    code = codes[np.searchsorted(starts, left, "right") - 1]
    count = np.searchsorted(begins, left, "right") - np.searchsorted(ends, left, "right")
    return sum(
        ticks * recording.rates.step(stage, STATES[state], requests)
        for ticks, state, requests in zip(
            np.diff(borders).tolist(), code.tolist(), count.tolist(), strict=True
        )
    )
