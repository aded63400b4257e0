"""From a result to what is drawn: NumPy arrays and plain records, no interface.

Everything starts from a `Recording`, which indexes one result; make one for each result and
keep it as long as its picture is shown::

    recording = Recording(simulate(scenario))

Time is in ticks, [first, stop); `Bins` cut a window into columns::

    bins = Bins.fit(window, columns, recording.ticks, recording.tick_s)

===================== ===========================================================================
`lanes`               timeline image of a window: uint8 codes of `SHADES`, a lane a worker
`together`            the same with all workers in one lane: the minimap
`shares`              share of the workers in each state, stacked in the order of `STACK`, from
                      the same lanes
`evictions`           evictions a minute in each bin, and cumulative
`hit_rate`            prefix cache hit rate of the requests admitted in each bin
`occupancy`           share of each worker's KV cache in use, and locked, in each bin
`oversubscription`    KV that agents in flight want over the KV there is, in each bin
`marks`               for each kind of event and bin: the count, and the first event
`next_event`          the nearest event of some kinds after or before a tick
`events_at`           the events of one tick
`at`, `worker_at`     `WorkerMoment`: state, cause, requests, queue, KV of all or one worker at
                      a tick; `WorkerMoment.focus` is the request a hover names
===================== ===========================================================================

Not imported here: `interval`, what happens in a span of ticks; `composition`, whose contexts fill a
worker's KV cache in each bin; and what belongs to agents: `lives` (spans of their states), `agents`
(the same as an image of lanes), `sessions` (metrics of each, turns), `evictors` (who evicts whom).

`recording.shades` are the runs of states as they are drawn, with prefill that recomputes apart
(`app.derive.again`); `app.derive.tax` adds up where the workers' time went.
`recording.result.avalanche_onset_tick()` is the onset; `recording.tick_at(seconds)` turns an x
of the figures into a tick; `recording.tick_s` turns ticks into x.
"""

from app.derive.again import PREFILL_AGAIN, SHADES
from app.derive.bins import Bins
from app.derive.events import events_at, marks, next_event
from app.derive.instant import at, worker_at
from app.derive.moment import Blocked, Cause, Entry, Request, WorkerMoment
from app.derive.recording import STAGES, Recording
from app.derive.series import evictions, hit_rate, occupancy, oversubscription, shares
from app.derive.stack import EMPTY, STACK, Lanes, lanes, stack_tops, state_ticks, together

__all__ = [
    "EMPTY",
    "PREFILL_AGAIN",
    "SHADES",
    "STACK",
    "STAGES",
    "Bins",
    "Blocked",
    "Cause",
    "Entry",
    "Lanes",
    "Recording",
    "Request",
    "WorkerMoment",
    "at",
    "events_at",
    "evictions",
    "hit_rate",
    "lanes",
    "marks",
    "next_event",
    "occupancy",
    "oversubscription",
    "shares",
    "stack_tops",
    "state_ticks",
    "together",
    "worker_at",
]
