"""The lock tax: where the workers' time went, in parts that add up to all of it."""

import numpy as np

from sim.scenario import STATES

PARTS = (
    "decode",
    "prefill",
    "prefill_again",
    "dragged",
    "transfer",
    "waiting_phase",
    "waiting_kv",
    "idle_behind",
    "idle",
)
"""What a tick of a worker can go to. `prefill` is the useful part of it, `prefill_again` that of
context that had been computed before; `idle_behind` is idle while another worker of its lock group
is not, `idle` while the whole group is."""

USEFUL = ("decode", "prefill")


def time_spent(recording):
    """Return where the workers' time went.

    A tick of state mixed goes to prefill and decode as the scheduler divides it: `mixed_share` of
    it to prefill. The sums of such parts are rounded to whole ticks. Prefill counts as again where
    at least half of the requests that prefill recompute, as the timeline draws it.

    Parameters
    ----------
    recording : Recording

    Returns
    -------
    dict of str to int
        Worker-ticks of each of `PARTS`; they add up to workers × ticks.
    """
    _, start, stop, code, again = recording.again_runs
    spent = np.zeros((2, len(STATES)), np.int64)
    np.add.at(spent, (again.astype(int), code), stop - start)
    whole = dict(zip(STATES, spent.sum(axis=0).tolist(), strict=True))
    redone = dict(zip(STATES, spent[1].tolist(), strict=True))
    share = recording.scenario.mixed_share
    prefill, prefill_again = (int(ticks["mixed"] * share + 0.5) for ticks in (whole, redone))
    behind = _idle_behind(recording)
    return {
        "decode": whole["decode"] + whole["mixed"] - prefill,
        "prefill": whole["prefill"] - redone["prefill"] + prefill - prefill_again,
        "prefill_again": redone["prefill"] + prefill_again,
        "dragged": whole["dragged"],
        "transfer": whole["transfer"],
        "waiting_phase": whole["waiting_phase"],
        "waiting_kv": whole["waiting_kv"],
        "idle_behind": behind,
        "idle": whole["idle"] - behind,
    }


def efficiency(recording):
    """Return the lower bound on the makespan over the makespan.

    1 would be a run in which the longest agent never waits for others and nothing is computed
    twice. (A run may come out above it by a tick a turn, as `Result.lower_bound_ticks` says.)
    """
    return recording.result.lower_bound_ticks() / recording.ticks


def _idle_behind(recording):
    """Worker-ticks idle while another worker of the same lock group is not."""
    worker, start, stop, code = recording.runs
    group = np.array([recording.group(worker).start for worker in range(recording.workers)])
    origin = group[worker] * recording.ticks
    idle = code == STATES.index("idle")
    begins, ends = (np.sort((origin + edge)[~idle]) for edge in (start, stop))
    # The groups' ticks one after another; where more has begun than ended somebody is busy.
    border = np.sort(np.concatenate((begins, ends)))
    if not border.size:
        return 0
    busy = np.searchsorted(begins, border, "right") > np.searchsorted(ends, border, "right")
    before = np.concatenate(([0], np.cumsum(np.diff(border) * busy[:-1])))

    def busy_before(key):
        i = np.maximum(np.searchsorted(border, key, "right") - 1, 0)
        return before[i] + np.maximum(key - border[i], 0) * busy[i]

    first, last = ((origin + edge)[idle] for edge in (start, stop))
    return int((busy_before(last) - busy_before(first)).sum())
