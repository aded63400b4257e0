"""Ends of stages: what follows when a request is loaded, transferred, prefilled, decoded.

Functions take flat indices (`batch`), one entry for each request at hand.
"""

import numpy as np

from sim.agents import end
from sim.batch import LOADING, NEVER, THINKING, WHOLE
from sim.cache import unlock
from sim.moves import UNITS, count_outstanding, enter, push

TICK = np.ones(1)


def end_moves(batch, ready):
    """Let loaded requests prefill and transferred ones decode.

    Parameters
    ----------
    ready : ndarray of int64
        Agents that something is due for.

    Returns
    -------
    ndarray of int64
        Those that are ready for their next turn.
    """
    moved = batch.stage_[ready] != THINKING
    if moved.nonzero()[0].size:
        _end_moves(batch, ready[moved])
    return ready[~moved]


def _end_moves(batch, ba):
    loaded = batch.stage_[ba] == LOADING
    batch.stage_[ba] = THINKING
    batch.due_[ba] = NEVER
    for kind, own in enumerate((ba[loaded], ba[~loaded])):
        worker = (batch.home_, batch.away_)[kind][own]
        bw = worker * batch.size + batch.b_of_ba[own]
        np.subtract.at(batch.moving_, bw, 1)
        todo = (batch.extra_, batch.output_)[kind][own] * UNITS
        for wave in batch.waves(bw):
            streams = bw[wave] + kind * batch.first_stream
            enter(batch, streams, batch.a_of_ba[own[wave]], todo[wave])
    arrived = ba[~loaded]
    b = batch.b_of_ba[arrived]
    bw = batch.home_[arrived] * batch.size + b
    unlock(batch, bw * batch.agents + batch.a_of_ba[arrived], arrived, batch.t[b] - 1)
    batch.dirty_[bw] = True
    if batch.routing.by_load:
        count_outstanding(batch, bw, batch.prompt_[arrived], -1)


def finish(batch, log):
    """End the stage of all requests that have nothing left to do in it."""
    streams = (batch.clock_ >= batch.head_).nonzero()[0]
    if not streams.size:
        return
    a, head = _pop_heads(batch, streams)
    more = streams[head <= batch.clock_[streams]]
    if more.size:
        streams, a = _pop_rest(batch, streams, a, more)
    prefills = int(streams.searchsorted(batch.pairs))
    if prefills:
        alone = not more.size
        _finish_prefill(batch, log, streams[:prefills], a[:prefills], alone)
    if prefills < streams.size:
        _finish_decode(batch, log, streams[prefills:] - batch.first_stream, a[prefills:])


def _pop_heads(batch, streams):
    """Take the request with the least target out of each stream; return agents, next targets."""
    first = batch.cell_of_stream[streams]
    a = batch.target_rows.take(streams, 0).argmin(1)
    batch.target_[first + a] = NEVER
    head = batch.target_[first + batch.target_rows.take(streams, 0).argmin(1)]
    batch.head_[streams] = head
    batch.count_[streams] = batch.count_[streams] - batch.one
    return a, head


def _pop_rest(batch, streams, a, more):
    """Take out all others that are done; return all, by stream and order of admission."""
    all_streams, all_agents = [streams], [a]
    while more.size:
        all_streams.append(more)
        popped, head = _pop_heads(batch, more)
        all_agents.append(popped)
        more = more[head <= batch.clock_[more]]
    streams, a = np.concatenate(all_streams), np.concatenate(all_agents)
    ba = a * batch.size + batch.b_of_bw[streams % batch.pairs]
    admitted = batch.sequence_[ba]
    if batch.split:
        admitted = np.where(streams < batch.pairs, admitted, batch.joined_[ba])
    order = np.lexsort((admitted, streams))
    return streams[order], a[order]


def _finish_prefill(batch, log, bw, a, alone):
    b = batch.b_of_bw[bw]
    ba = a * batch.row + b
    log.prefilled.append((batch.key_of_ba[ba], batch.t[b]))
    if batch.split:
        push(batch, batch.away_[ba] * batch.row + b, a)
        return
    streams = bw + batch.first_stream
    work = batch.output_[ba] * UNITS
    for wave in WHOLE if alone else batch.waves(bw):
        enter(batch, streams[wave], a[wave], work[wave])


def _finish_decode(batch, log, bw, a):
    b = batch.b_of_bw[bw]
    ba, bwa = a * batch.row + b, batch.cell_of_stream[bw] + a
    t = batch.t[b]
    last = t - TICK
    prompt = batch.prompt_[ba]
    batch.context_[ba] = prompt + batch.output_[ba]
    left = batch.left_[ba] - batch.one
    batch.left_[ba] = left
    position = batch.position_[ba] + batch.one
    batch.position_[ba] = position
    goes_on = left > batch.zero
    wait = batch.waits[_wait_draws(batch, b, goes_on) if batch.by_article else position]
    batch.due_[ba] = np.maximum(t, last + wait)
    log.finished.append((batch.key_of_ba[ba], last, wait))
    if batch.split:
        size = batch.entry_[bwa]
        np.subtract.at(batch.used_, bw, size)
        log.used.append((batch.ids[b], last, -size))
        batch.entry_[bwa] = 0
    else:
        unlock(batch, bwa, ba, last)
    batch.dirty_[bw] = True
    if batch.routing.by_load:
        count_outstanding(batch, bw, prompt, -1)
    over = ~goes_on
    if over.nonzero()[0].size:
        batch.due_[ba[over]] = NEVER
        end(batch, log, b[over], ba[over], last[over])
        closed = b[over & (batch.open[b] == 0)]
        batch.until[closed] = batch.t[closed]
        if batch.gated:
            free = np.unique(b[over])
            due = np.where(batch.waiting[:, free], batch.t[free], batch.due[:, free])
            batch.due[:, free] = due


def _wait_draws(batch, b, goes_on):
    """Return the positions of the stream's draws for the waits, in the order of requests."""
    order = np.argsort(b, kind="stable")
    drawn = goes_on[order]
    before = np.cumsum(drawn) - drawn
    before -= before[np.searchsorted(b[order], b[order])]
    at = np.empty_like(b)
    at[order] = batch.stream_base[b[order]] + batch.draws_used[b[order]] + before
    np.add.at(batch.draws_used, b, goes_on)
    return at
