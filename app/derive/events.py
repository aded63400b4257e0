"""Events on the time axis: counts of each kind, the first of each column, the next one."""

import numpy as np

from sim.result import EVENT_FIELDS, EVENT_KINDS


def marks(recording, bins):
    """Return the events of each kind in each bin, so that a single one stays visible.

    Returns
    -------
    dict of str to ndarray
        One row for each kind and bin that has any, sorted by kind (a code of `EVENT_KINDS`) and
        bin: `kind`, `column`, `count`, and of the first event there `tick`, `worker`, `agent`,
        `turn`, `tokens`, `by` and `event`, its row in `result.events`.
    """
    events = recording.result.events
    column, inside = bins.index(events["tick"])
    row = np.flatnonzero(inside)
    cell = events["kind"][row] * max(1, bins.count) + column[row]
    found, first, count = np.unique(cell, return_index=True, return_counts=True)
    first = row[first]
    table = {name: events[name][first] for name in EVENT_FIELDS}
    return {**table, "column": found % max(1, bins.count), "count": count, "event": first}


def next_event(recording, tick, kinds=EVENT_KINDS, step=1):
    """Return the row in `result.events` of the nearest event in another tick, or None.

    Parameters
    ----------
    recording : Recording
    tick : int
        Where to start; events of this tick itself do not count.
    kinds : sequence of str
        Kinds to look for.
    step : int
        1 for the first event of a later tick, -1 for the first one of the nearest earlier tick.
    """
    events = recording.result.events
    wanted = np.isin(events["kind"], [EVENT_KINDS.index(kind) for kind in kinds])
    rows = np.flatnonzero(wanted)
    ticks = events["tick"][rows]
    if step > 0:
        place = np.searchsorted(ticks, tick, side="right")
    else:
        place = np.searchsorted(ticks, tick) - 1
        if place >= 0:
            place = np.searchsorted(ticks, ticks[place])
    return int(rows[place]) if 0 <= place < rows.size else None


def events_at(recording, tick):
    """Return the rows in `result.events` of the events of one tick, int64."""
    first, stop = np.searchsorted(recording.result.events["tick"], (tick, tick + 1))
    return np.arange(first, stop)
