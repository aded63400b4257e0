"""What a single run noted, as a result."""

import numpy as np

from sim.result import EVENT_FIELDS, REQUEST_FIELDS, Result
from sim.scenario import STATES
from sim.single.groups import DECODE, PREFILL

HAS_PREFILL, HAS_DECODE, MOVES, BLOCKED = 1, 2, 4, 8
"""What a worker has, the bits of `Worker.kind`."""
CHANGES = 2**20
"""About so many changes become states at once, which bounds the memory that it takes."""


def result(scenario, run, first_ready):
    """Return the result of a run that has ended.

    Parameters
    ----------
    scenario : Scenario
    run : Run
    first_ready : ndarray
        As in `Result`.
    """
    used = sum(worker.used for worker in run.workers)
    return Result(
        scenario,
        run.ticks,
        _states(run.workers, run.ticks, run.drags),
        _columns(run.rows, (*REQUEST_FIELDS, "wait")),
        _columns(run.events, EVENT_FIELDS),
        first_ready,
        used * run.ticks - run.used_since,
    )


def _columns(numbers, names):
    """Turn rows, one after another, into named columns."""
    table = np.array(numbers, np.int64).reshape(-1, len(names))
    return dict(zip(names, table.T, strict=True))


def _states(workers, ticks, drags):
    """Return (starts, codes) for each worker, from what it had and its group's phases."""
    table = _code_table(drags)
    changes = max(len(w.since) + len(w.group.since) for w in workers)
    size = -(-CHANGES // changes)
    parts = (workers[first : first + size] for first in range(0, len(workers), size))
    return [states for part in parts for states in _states_of(part, ticks, table)]


def _states_of(workers, ticks, table):
    """Return (starts, codes) for each of some workers.

    Each change is a key, worker × span + tick, so that one search serves all of them.
    """
    span = ticks + 1
    of_worker = np.concatenate([w.id * span + np.array(w.since) for w in workers])
    kinds = np.concatenate([w.kinds for w in workers])
    groups = dict.fromkeys(w.group for w in workers)
    since = {group: np.array(group.since) for group in groups}
    phases = {group: np.array(group.phases) for group in groups}
    of_group = np.concatenate([w.id * span + since[w.group] for w in workers])
    phases = np.concatenate([phases[w.group] for w in workers])
    keys = np.concatenate((of_worker, of_group))
    keys.sort(kind="stable")  # merges what is sorted already
    keys = keys[keys % span < ticks]
    # of several changes in one tick the last one counts
    kind = kinds[of_worker.searchsorted(keys, "right") - 1]
    phase = phases[of_group.searchsorted(keys, "right") - 1]
    codes = table[phase, kind]
    starts = keys.searchsorted([w.id * span for w in workers])
    fresh = np.ones(keys.size, bool)
    fresh[1:] = codes[1:] != codes[:-1]
    fresh[starts] = True
    bounds = np.cumsum(fresh)[starts[1:] - 1]
    since = keys[fresh] % span
    return list(zip(np.split(since, bounds), np.split(codes[fresh], bounds), strict=True))


def _code_table(drags):
    """Return the state's code for each phase and what a worker may have."""
    codes = [[STATES.index(_state(phase, kind, drags)) for kind in range(16)] for phase in range(4)]
    return np.array(codes, np.uint8)


def _state(phase, kind, drags):
    prefills = phase & PREFILL and kind & HAS_PREFILL
    decodes = phase & DECODE and kind & HAS_DECODE
    if prefills:
        return "mixed" if decodes else "prefill"
    if decodes:
        return "decode"
    if kind & HAS_DECODE and phase == PREFILL and drags:
        return "dragged"
    if kind & (HAS_PREFILL | HAS_DECODE):
        return "waiting_phase"
    if kind & MOVES:
        return "transfer"
    return "waiting_kv" if kind & BLOCKED else "idle"
