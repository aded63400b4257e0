"""What became of each agent: its session in numbers, and its turns."""

import numpy as np

from app.derive.agents import agent_ticks
from app.derive.bins import Bins
from app.derive.lives import CODE

METRICS = (
    *("agent", "status", "turns", "context", "hops", "recomputed", "hit_rate"),
    *("evicted_tokens", "evicts_tokens", "ttft", "ttft_p90", "e2e", "queue", "waiting", "session"),
)
"""Keys of `agent_table` by which agents are sorted."""

ORDERS = tuple(sign + metric for metric in METRICS for sign in ("", "-"))
"""Ways to sort agents; a minus means descending."""

HANDOFF = 3
"""Column of `Recording.stages` at which the prefill has ended."""

STATUS = ("done", "killed", "none")
"""How an agent ended; none: it had no turns."""


def agent_table(recording):
    """Return the session of each agent in numbers.

    Means and shares are NaN for an agent without a finished request.

    Parameters
    ----------
    recording : Recording

    Returns
    -------
    dict of str to ndarray
        A value for each agent:

        - agent: its number; status: a place in `STATUS`; turns: finished ones
        - context: tokens at its end, the shared prefix included; 0 if it never had a request
        - hops: successive turns on different workers
        - recomputed, recomputed_evicted: tokens of context prefilled again; the part of them that
          had been evicted rather than being elsewhere
        - hit_rate: prefix cache hit rate
        - evicted, evicted_tokens: times, and tokens, that it was the victim of an eviction
        - evicts, evicts_tokens: the same of evictions made for its requests
        - ttft, ttft_p90, e2e, queue: seconds, means over its requests
        - waiting: seconds admitted but not advancing
        - session: seconds from its first request to its end
    """
    r, shared, agents = recording.result.requests, recording.shared, recording.agents
    who, tick_s = r["agent"], recording.tick_s
    turns = np.bincount(who, minlength=agents)

    def total(values):
        return np.bincount(who, values, agents).astype(np.int64)

    def mean(ticks):
        return _ratio(total(ticks), turns) * tick_s

    ttft = r["prefilled"] + 1 - r["created"]
    ended, killed = recording.ended
    return {
        "agent": np.arange(agents),
        "status": np.where(killed, 1, np.where(ended < 0, 2, 0)),
        "turns": turns,
        "context": context_at(recording, recording.ticks),
        "hops": _hops(r, agents),
        "recomputed": total(r["recomputed"]),
        "recomputed_evicted": total(r["recomputed_evicted"]),
        "hit_rate": _ratio(total(r["cached"] + shared), total(r["prompt"] + shared)),
        **_evictions(recording),
        "ttft": mean(ttft),
        "ttft_p90": _percentile(who, ttft, agents, 0.9) * tick_s,
        "e2e": mean(r["finished"] + 1 - r["created"]),
        "queue": mean(r["started"] - r["created"]),
        "waiting": _waiting(recording) * tick_s,
        "session": _session_ticks(recording) * tick_s,
    }


def context_at(recording, tick):
    """Return the context of each agent in the midst of a tick, int64.

    That is the prompt and output of its latest request, the one in progress if there is any,
    with the shared prefix; 0 before its first one.
    """
    r = recording.result.requests
    context = np.zeros(recording.agents, np.int64)
    past = np.flatnonzero(r["created"] <= tick)
    context[r["agent"][past]] = (r["prompt"] + r["output"])[past] + recording.shared
    return context


def turns_of(recording, agent):
    """Return the rows in `result.requests` of an agent's turns, in their order, a slice."""
    first, stop = np.searchsorted(recording.result.requests["agent"], (agent, agent + 1))
    return slice(int(first), int(stop))


def visits(recording, agent, window):
    """Return where and when an agent's requests are at work in a window of ticks.

    Parameters
    ----------
    recording : Recording
    agent : int
    window : (int, int)
        First tick and the tick after the last.

    Returns
    -------
    (worker, start, stop) : tuple of int64 ndarray
        From the admission on a worker to the last tick there, whole, if some of it is in the
        window; under disaggregation one on each worker.
    """
    rows, stages = turns_of(recording, agent), recording.stages
    r = recording.result.requests
    worker, start, stop = r["worker"][rows], stages[rows, 1], stages[rows, -1]
    if recording.scenario.prefill_workers:
        worker = np.concatenate((worker, r["decode_worker"][rows]))
        handed = stages[rows, HANDOFF]
        start = np.concatenate((start, stages[rows, HANDOFF + 1]))
        stop = np.concatenate((handed, stop))
    seen = (start < window[1]) & (stop > window[0])
    return worker[seen], start[seen], stop[seen]


def _hops(r, agents):
    hop = (np.diff(r["agent"]) == 0) & (np.diff(r["worker"]) != 0)
    return np.bincount(r["agent"][1:][hop], minlength=agents)


def _evictions(recording):
    evict, agents = recording.result.of_kind("evict"), recording.agents
    columns = {}
    for name, who in (("evicted", evict["agent"]), ("evicts", evict["by"])):
        columns[name] = np.bincount(who, minlength=agents)
        columns[f"{name}_tokens"] = np.bincount(who, evict["tokens"], agents).astype(np.int64)
    return columns


def _waiting(recording):
    whole = Bins.fit((0, recording.ticks), 1, recording.ticks)
    if not whole.count:
        return np.zeros(recording.agents, np.int64)
    return agent_ticks(recording, whole)[CODE["waiting_phase"], :, 0]


def _session_ticks(recording):
    """Ticks from the first request of each agent to its end; NaN without one."""
    r = recording.result.requests
    ended, killed = recording.ended
    agents, first = np.unique(r["agent"], return_index=True)
    ticks = np.full(recording.agents, np.nan)
    ticks[agents] = np.where(killed, ended, ended + 1)[agents] - r["created"][first]
    return ticks


def _percentile(who, values, agents, share):
    """Return a percentile for each agent, between two values in proportion; NaN without any."""
    order = np.lexsort((values, who))
    values = values[order].astype(float)
    count = np.bincount(who, minlength=agents)
    place = share * np.maximum(count - 1, 0)
    low = np.floor(place).astype(np.int64)
    start = np.cumsum(count) - count
    some = np.flatnonzero(count)
    lower = values[(start + low)[some]]
    upper = values[(start + np.minimum(low + 1, count - 1))[some]]
    found = np.full(agents, np.nan)
    found[some] = lower + (place - low)[some] * (upper - lower)
    return found


def _ratio(part, whole):
    ratio = np.full(part.shape, np.nan)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio
