"""The run of a batch: all scenarios at once, each from event to event.

Between two events nothing changes: the requests that advance do so at constant rates and every
worker keeps its state. So each step moves every scenario to its own next event, the first tick
before which a request has come to the end of its stage, a waiting agent is ready, or a policy
decides anew; what happens there is done in the order of the model's tick. The result is that
of stepping every tick.
"""

import numpy as np

from sim.admission import admit
from sim.agents import arrive
from sim.batch import MAX_STEP
from sim.record import CODE
from sim.stages import end_moves, finish

CHECK_EVERY = 32
"""Steps between looks at the limit, the cancel hook and the clocks."""
FLUSH_EVERY = 256
"""Steps whose states are kept before they are reduced to changes."""
SPARSE = 0.75
"""Share of running scenarios below which the others leave the batch."""


class RunStopped(ValueError):
    """A run came to its limit of ticks."""


class RunCancelled(Exception):
    """The cancel hook said so."""


def run(batch, log, max_ticks, cancel=None):
    """Run all scenarios of a batch to their ends.

    Parameters
    ----------
    batch : Batch
    log : Log
    max_ticks : int
    cancel : callable, optional
        Called now and then; a true value ends the run.

    Returns
    -------
    ndarray of int64, shape (scenarios,)
        Ticks of each run.

    Raises
    ------
    RunStopped, RunCancelled
    """
    ends = np.zeros(batch.size, np.int64)
    batch.until[:] = max_ticks
    elapsed = np.zeros(batch.size)
    steps = 0
    with np.errstate(divide="ignore"):
        while True:
            ready = (batch.due <= batch.t).ravel().nonzero()[0]
            if batch.moves:
                ready = end_moves(batch, ready)
            arrive(batch, log, ready)
            admit(batch, log)
            holds = decide(batch, log, elapsed)
            elapsed = advance(batch, holds)
            finish(batch, log)
            steps += 1
            if steps % CHECK_EVERY == 0:
                _check(batch, max_ticks, cancel)
            if steps % FLUSH_EVERY == 0:
                log.flush(batch.ids, batch.until)
            if batch.closing:
                ended = (batch.open == 0) & (batch.t >= batch.until)
                ends[batch.ids[ended]] = batch.t[ended]
                if ends.max() > max_ticks:  # the last agent was killed in the tick after
                    raise over_limit(max_ticks, 0)
                running = np.flatnonzero(~ended)
                batch.closing = bool((batch.open == 0)[running].any())
                if running.size <= SPARSE * batch.size:
                    log.flush(batch.ids, batch.until)
                    if not running.size:
                        return ends
                    batch.keep(running)
                    elapsed = elapsed[running]


def over_limit(max_ticks, agents):
    """Return the error for a run with so many agents still at work."""
    return RunStopped(
        f"the run has not ended after {max_ticks:,} ticks ({agents} agents still at work): "
        "take fewer agents or turns, higher rates or shorter waits, or raise max_ticks"
    )


def _check(batch, max_ticks, cancel):
    if cancel is not None and cancel():
        raise RunCancelled
    stuck = (batch.t >= max_ticks) & (batch.open > 0)
    if stuck.any():
        raise over_limit(max_ticks, int(batch.open[stuck.argmax()]))
    batch.rebase()


def decide(batch, log, elapsed):
    """Decide which stages advance on which workers, and note the states that follow.

    Returns
    -------
    ndarray of float, shape (B,), or None
        Ticks for which the decision holds if nothing happens.
    """
    present = batch.count > batch.zero
    groups = (-1, batch.members, batch.size)
    counts, every = batch.count, None
    if batch.members > 1:
        counts = np.add.reduce(batch.count_groups, 2)
    if batch.phases.asks_every_worker:
        every = (present[0] | ~batch.real).reshape(groups).all(1)
    phases, holds = batch.phases.decide(counts, every, elapsed)
    # one group or groups of one need no more than broadcasting
    on = phases.repeat(batch.members, 1) if 1 < batch.members < batch.workers else phases
    advancing = present & on
    dragged = _drag(batch, present, advancing, on) if batch.any_step else None
    _set_rates(batch, advancing, dragged)
    hold = batch.hold.copy()
    if batch.moves:
        hold[batch.moving > 0] = CODE["transfer"]
    log.step(batch.t, advancing, present, hold, dragged)
    return holds


def _drag(batch, present, advancing, on):
    """Let workers without prefill work go on decoding in a prefill phase of the step lock."""
    dragged = on[0] & ~on[1] & ~present[0] & present[1] & batch.is_step
    advancing[1] |= dragged
    return dragged


def _set_rates(batch, advancing, dragged):
    step = batch.step
    if batch.any_sharing or batch.any_slowdown:
        step = _shared_steps(batch)
    np.multiply(step, advancing, out=batch.rate)
    if dragged is not None:
        decode = batch.rate[1]
        decode[:] = np.where(dragged, np.minimum(decode, batch.drag), decode)
    if batch.any_mixed:
        both = advancing[0] & advancing[1] & batch.is_mixed
        split = np.maximum(np.floor(batch.rate * batch.share_both), 1)
        batch.rate[:] = np.where(both, split, batch.rate)
    if batch.any_fast:
        np.minimum(batch.rate, MAX_STEP, out=batch.rate)


def _shared_steps(batch):
    """Return the steps of one request, given how many there are: prefill sharing, slow-down."""
    step = batch.step.copy()
    n = np.maximum(batch.count, 1)
    if batch.any_sharing:
        share = np.maximum(np.floor(step[0] / n[0]), 1)
        step[0] = np.where(batch.sharing, share, step[0])
    if batch.any_slowdown:
        slowed = np.floor(step[1] / (1 + batch.slowdown * (n[1] - 1)) + 0.5)
        step[1] = np.where(batch.slowdown > 0, np.maximum(slowed, 1), step[1])
    return step


def advance(batch, holds):
    """Move each scenario to its next event; return the ticks that this took."""
    wait = batch.head_ - batch.clock_
    wait /= batch.rate_
    then = np.ceil(np.minimum.reduce(wait.reshape(-1, batch.size), 0))
    then += batch.t
    np.minimum(then, np.minimum.reduce(batch.due, 0), out=then)
    if holds is not None:
        np.minimum(then, batch.t + holds, out=then)
    np.minimum(then, batch.until, out=then)
    elapsed = then - batch.t
    batch.rate *= elapsed
    batch.clock_ += batch.rate_
    batch.t = then
    return elapsed
