"""What happens in a span of ticks: the figures of the whole run, for a part of it.

Tokens prefilled and decoded count in the ticks whose work they are, also of requests that reach
beyond the interval. A prompt is prefilled in its order: on a worker's first admission the shared
prefix, then context whose KV was evicted here, then context that was routed here from elsewhere,
then the new input. What is known only of a request as a whole counts with its admission (cached
and loaded tokens) or with its end (latencies). So the intervals of a partition add up to the run.
"""

import dataclasses
import math

import numpy as np

from app.derive.again import SHADES, Flow
from app.derive.progress import DECODE, PREFILL
from sim.result import EVENT_KINDS, PERCENTILES, UNITS_PER_TOKEN

PREFILLED = ("shared", "evicted", "routed", "new")
"""Parts of what is prefilled, in their order: the shared prefix of a cold start; recomputed, as
it was evicted, or as the agent was routed elsewhere; new input."""

BUSY = ("prefill", "prefill_again", "decode", "mixed")
"""States that count as utilization."""

TIMES = ("ttft", "e2e", "queue")


@dataclasses.dataclass(frozen=True)
class Interval:
    """The ticks [first, stop) of a run.

    Attributes
    ----------
    first, stop : int
    workers : int
    state_ticks : ndarray
        Worker-ticks in each of `SHADES`, int64.
    prefilled : dict of str to int
        Tokens prefilled in these ticks, by the names of `PREFILLED`.
    decoded : int
        Tokens generated in these ticks.
    cached, loaded, prompt : int
        Tokens of the requests admitted in these ticks, the first and the last with the shared
        prefix: prompt, of it cached, of that loaded from the host tier.
    events : dict of str to (int, int)
        Number and tokens of the events of each kind.
    requests : dict of str to int
        Requests created, admitted and finished in these ticks.
    times : dict of str to ndarray
        Seconds of the requests finished in these ticks, by the names of `TIMES`.
    """

    first: int
    stop: int
    workers: int
    state_ticks: np.ndarray
    prefilled: dict
    decoded: int
    cached: int
    loaded: int
    prompt: int
    events: dict
    requests: dict
    times: dict

    @property
    def utilization(self):
        """Share of worker time in prefill, decode or mixed; None without a tick."""
        busy = sum(int(self.state_ticks[SHADES.index(name)]) for name in BUSY)
        return _ratio(busy, (self.stop - self.first) * self.workers)

    @property
    def hit_rate(self):
        """Prefix cache hit rate of the requests admitted; None without any."""
        return _ratio(self.cached, self.prompt)

    @property
    def recomputed(self):
        """Tokens prefilled that their agent had had computed before."""
        return self.prefilled["evicted"] + self.prefilled["routed"]

    def percentiles(self, name):
        """Return the percentiles `PERCENTILES` of a time in seconds; Nones without requests."""
        values = self.times[name]
        if not values.size:
            return [None] * len(PERCENTILES)
        return np.percentile(values, PERCENTILES).tolist()


def interval(recording, first, stop):
    """Return the `Interval` of ticks [first, stop), cut to the run.

    Parameters
    ----------
    recording : Recording
    first, stop : int
    """
    first = min(max(0, first), recording.ticks)
    stop = min(max(first, stop), recording.ticks)
    result, shared = recording.result, recording.shared
    r = result.requests
    admitted = _inside(r["started"], first, stop)
    finished = _inside(r["finished"], first, stop)
    times = result.times()
    return Interval(
        first=first,
        stop=stop,
        workers=recording.workers,
        state_ticks=_state_ticks(recording, first, stop),
        prefilled=_prefilled(recording, first, stop),
        decoded=_decoded(recording, first, stop),
        cached=int((r["cached"][admitted] + shared).sum()),
        loaded=int(r["loaded"][admitted].sum()),
        prompt=int((r["prompt"][admitted] + shared).sum()),
        events=_events(result.events, first, stop),
        requests={
            "created": int(_inside(r["created"], first, stop).sum()),
            "admitted": int(admitted.sum()),
            "finished": int(finished.sum()),
        },
        times={name: times[name][finished] for name in TIMES},
    )


def _inside(ticks, first, stop):
    return (ticks >= first) & (ticks < stop)


def _state_ticks(recording, first, stop):
    if stop <= first:
        return np.zeros(len(SHADES), np.int64)
    _, start, end, code = recording.shades_within(first, stop)
    return np.bincount(code, end - start, len(SHADES)).astype(np.int64)


def _events(events, first, stop):
    inside = _inside(events["tick"], first, stop)
    kind, tokens = events["kind"][inside], events["tokens"][inside]
    number = np.bincount(kind, minlength=len(EVENT_KINDS)).tolist()
    sums = np.bincount(kind, tokens, len(EVENT_KINDS)).astype(np.int64).tolist()
    return dict(zip(EVENT_KINDS, zip(number, sums, strict=True), strict=True))


def _prefilled(recording, first, stop):
    r = recording.result.requests
    shared = np.where(recording.cold_start, recording.shared, 0)
    evicted, routed = r["recomputed_evicted"], r["recomputed"] - r["recomputed_evicted"]
    new = r["prompt"] - r["cached"] - r["recomputed"]
    ends = np.cumsum((shared, evicted, routed, new), axis=0)
    done = _done(recording, PREFILL, r["worker"], ends[-1], (first, stop))
    parts = np.diff(np.minimum(done[:, None], ends).sum(axis=2), axis=0)[0]
    return dict(zip(PREFILLED, np.diff(parts, prepend=0).tolist(), strict=True))


def _decoded(recording, first, stop):
    r = recording.result.requests
    done = _done(recording, DECODE, r["decode_worker"], r["output"], (first, stop))
    return int((done[1] - done[0]).sum())


def _done(recording, stage, worker, total, ticks):
    """Return the whole tokens of each request's stage that are done before each of some ticks.

    Returns
    -------
    ndarray
        int64, shape (ticks, requests).
    """
    if not total.size:
        return np.zeros((len(ticks), 0), np.int64)
    origin = worker * recording.ticks
    begin, end = recording.stages[:, stage], recording.stages[:, stage + 1]
    units = total * UNITS_PER_TOKEN
    flow = Flow(recording, stage, origin + begin, origin + end, int(units.max()))
    base, _ = flow.at(origin + begin)
    done = [flow.at(origin + np.clip(tick, begin, end))[0] - base for tick in ticks]
    return np.minimum(done, units) // UNITS_PER_TOKEN


def _ratio(part, whole):
    return part / whole if whole else None


def whole_ticks(recording, span):
    """Return the ticks [first, stop) that hold two numbers of seconds; not cut to the run."""
    first = math.floor(span[0] / recording.tick_s + 1e-6)
    return first, max(first + 1, math.ceil(span[1] / recording.tick_s - 1e-6))
