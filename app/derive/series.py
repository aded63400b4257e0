"""Quantities over time, on the bins of the shared axis."""

import numpy as np

from app.derive.bins import integrate


def shares(lanes):
    """Return the share of all workers in each state.

    Parameters
    ----------
    lanes : Lanes

    Returns
    -------
    ndarray
        float64, shape (9, columns), the states in the order of `STACK`; each column sums to 1.
        Utilization is the sum of decode, prefill, prefill again and mixed, the first four.
    """
    spent = lanes.spent.sum(axis=1)
    return spent / spent.sum(axis=0)


def evictions(recording, bins):
    """Return the evictions of live contexts.

    Returns
    -------
    (per_minute, cumulative) : tuple of ndarray
        float64 evictions a minute in each bin; int64 evictions from the start of the run to the
        end of each bin. Contexts of ended agents (`reclaim`) do not count.
    """
    tick = recording.result.of_kind("evict")["tick"]
    column, inside = bins.index(tick)
    count = np.bincount(column[inside], minlength=bins.count)
    before = np.count_nonzero(tick < bins.start)
    return count * 60 / (bins.widths * recording.tick_s), before + np.cumsum(count)


def hit_rate(recording, bins):
    """Return the prefix cache hit rate of the requests admitted in each bin.

    Returns
    -------
    (rate, requests) : tuple of ndarray
        float64, Σ(S + cached) / Σ(S + prompt) with the shared prefix S, NaN in a bin without
        requests; int64 number of requests.
    """
    r, shared = recording.result.requests, recording.scenario.shared_prefix
    column, inside = bins.index(r["started"])
    column = column[inside]
    requests = np.bincount(column, minlength=bins.count)
    cached = np.bincount(column, (r["cached"][inside] + shared).astype(float), bins.count)
    prompt = np.bincount(column, (r["prompt"][inside] + shared).astype(float), bins.count)
    rate = np.full(bins.count, np.nan)
    np.divide(cached, prompt, out=rate, where=prompt > 0)
    return rate, requests


def occupancy(recording, bins, per_lane=1):
    """Return how full the KV caches are, averaged over each bin.

    Parameters
    ----------
    recording : Recording
    bins : Bins
    per_lane : int
        Neighbouring workers to take together.

    Returns
    -------
    (used, locked) : tuple of ndarray
        float64, shape (lanes, bins.count): mean tokens after each tick's work, the shared
        prefix included, over `kv_capacity`; and the part of it that running requests lock.
    """
    kv, s = recording.kv, recording.scenario
    height = -(-recording.workers // per_lane)
    workers = np.bincount(np.arange(recording.workers) // per_lane)[:, None]
    lane = kv.worker // per_lane
    whole = workers * s.kv_capacity * bins.widths
    used = integrate(kv.tick, lane, kv.grown, bins, height)
    locked = integrate(kv.tick, lane, kv.lock_grown, bins, height)
    return (used + workers * s.shared_prefix * bins.widths) / whole, locked / whole


def oversubscription(recording, bins):
    """Return the KV that the agents in flight want over the KV there is, averaged over each bin.

    An agent in flight, from the tick of its first request to the one before its end, wants the
    prompt and output of its request, and its context while it thinks, which is the same number.
    There is the cache, less the shared prefix, of the workers that take new requests.

    Returns
    -------
    ndarray
        float64, shape (bins.count,); above 1 the contexts cannot all stay in the caches.
    """
    r, s = recording.result.requests, recording.scenario
    size = r["prompt"] + r["output"]
    first = np.ones(size.size, bool)
    first[1:] = np.diff(r["agent"]) != 0
    grown = size - np.where(first, 0, np.concatenate(([0], size[:-1])))
    last = np.flatnonzero(np.append(first[1:], True)) if size.size else np.zeros(0, np.int64)
    ended, _ = recording.ended
    tick = np.concatenate((r["created"], ended[r["agent"][last]]))
    want = integrate(tick, np.zeros_like(tick), np.concatenate((grown, -size[last])), bins, 1)[0]
    takers = s.prefill_workers or recording.workers
    return want / (takers * (s.kv_capacity - s.shared_prefix) * bins.widths)
