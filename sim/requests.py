"""The life of a request: made, queued, admitted, loaded or transferred, prefilled, decoded.

Functions take flat indices (`batch`), one entry for each request at hand.
"""

import numpy as np

from sim.batch import (
    LOADING,
    LOCKED,
    NEVER,
    SEQUENCE_MASK,
    THINKING,
    TRANSFERRING,
    WHOLE,
)
from sim.cache import drop, make_room, recency, unlock
from sim.record import CODE
from sim.result import UNITS_PER_TOKEN

BLOCKED = int(CODE["waiting_kv"])
UNITS = np.array([float(UNITS_PER_TOKEN)])
TICK = np.ones(1)


def arrive(batch, log):
    """Let all agents that are ready make their next requests, and end loads and transfers."""
    ready = (batch.due <= batch.t).ravel().nonzero()[0]
    if not ready.size:
        return
    if batch.moves:
        moved = batch.stage_[ready] != THINKING
        if moved.any():
            _end_moves(batch, ready[moved])
            ready = ready[~moved]
            if not ready.size:
                return
    if batch.gated:
        _arrive_gated(batch, log, ready)
    elif batch.routing.static and not batch.by_article:
        request(batch, log, ready)
    else:
        for wave in batch.waves(batch.b_of_ba[ready]):
            request(batch, log, ready[wave])


def _arrive_gated(batch, log, ready):
    """Make requests in the order of ids where session admission may hold agents back."""
    scenarios = np.unique(batch.b_of_ba[ready])
    pending = np.zeros((batch.agents, batch.size), bool)
    pending.ravel()[ready] = True
    pending[:, scenarios] |= batch.waiting[:, scenarios]
    behind = np.full(batch.size, -1)
    ids = np.arange(batch.agents)[:, None]
    while True:
        able = pending & (batch.started | batch.has_place()) & (ids > behind)
        b = able.any(0).nonzero()[0]
        if not b.size:
            break
        a = able[:, b].argmax(0)
        ba = a * batch.size + b
        behind[b] = a
        pending[a, b] = False
        batch.in_flight[b] += ~batch.started_[ba]
        batch.started_[ba] = True
        request(batch, log, ba)
    batch.waiting[:, scenarios] = pending[:, scenarios]
    again = np.where(batch.has_place(), batch.t + 1, NEVER)
    batch.due[:] = np.where(pending, again, batch.due)


def request(batch, log, ba):
    """Make the next request of each agent and put it into its worker's queue.

    At most one of each scenario, unless routing is static and draws are not the article's.
    """
    b, position, context = batch.b_of_ba[ba], batch.position_[ba], batch.context_[ba]
    t = batch.t[b]
    batch.due_[ba] = NEVER
    if batch.by_article:
        at = batch.stream_base[b] + batch.draws_used[b] + batch.routing.draws_route[b]
        new, output = batch.inputs[at], batch.outputs[at + 1]
    else:
        new, output = batch.inputs[position], batch.outputs[position]
    if batch.carried is not None:
        carried = batch.carried[position]
        compacted = (carried >= 0) & (carried < context)
        if compacted.nonzero()[0].size:
            context = np.where(compacted, carried, context)
            compact(batch, log, b, ba, t, context, compacted)
    prompt = context + new
    worker = batch.routing.choose(batch, batch.routing.takers, b, ba, prompt)
    decoder = worker
    if batch.split:
        decoder = batch.routing.choose(batch, batch.routing.decoders, b, ba, prompt)
    if batch.by_article:
        batch.draws_used[b] += 2 + batch.routing.draws_route[b]
    total = prompt + output
    over = total > batch.limit[b]
    if over.nonzero()[0].size:
        compacted = _compactable(batch, b, context, new + output) & over
        if compacted.any():
            context = np.where(compacted, batch.compact_to[b], context)
            compact(batch, log, b, ba, t, context, compacted)
            prompt = context + new
            total = prompt + output
        killed = over & ~compacted
        if killed.any():
            _kill(batch, log, b[killed], ba[killed], t[killed], total[killed])
            b, ba, t, prompt, output, total, worker, decoder = (
                column[~killed] for column in (b, ba, t, prompt, output, total, worker, decoder)
            )
            if not ba.size:
                return
    batch.prompt_[ba] = prompt
    batch.output_[ba] = output
    batch.reserve_[ba] = prompt if batch.split else total
    bw = worker * batch.row + b
    if batch.moves or batch.routing.by_load:
        batch.home_[ba] = worker
    if batch.split:
        batch.away_[ba] = decoder
    if batch.routing.by_load:
        count_outstanding(batch, bw, prompt, 1)
        if batch.split:
            count_outstanding(batch, decoder * batch.size + b, prompt, 1)
    log.created.append((batch.key_of_ba[ba], t, worker, decoder, prompt, output))
    push(batch, bw, batch.a_of_ba[ba])


def _compactable(batch, b, context, tokens):
    to = batch.compact_to[b]
    return batch.compacts[b] & (to < context) & (to + tokens <= batch.limit[b])


def compact(batch, log, b, ba, t, context, chosen):
    """Let the chosen agents go on with a context cut down to `context`; its KV is void."""
    b, ba, t, context = b[chosen], ba[chosen], t[chosen], context[chosen]
    batch.context_[ba] = context
    drop(batch, log, b, ba, t)
    log.compacted.append((batch.key_of_ba[ba], t, batch.turns_[ba] - batch.left_[ba], context))


def _kill(batch, log, b, ba, t, tokens):
    done = batch.turns_[ba] - batch.left_[ba]
    log.killed.append((batch.key_of_ba[ba], t, done, tokens))
    batch.turns_[ba] = done
    batch.left_[ba] = 0
    end(batch, log, b, ba, t)
    over = b[batch.open[b] == 0]
    batch.until[over] = batch.t[over] + 1


def end(batch, log, b, ba, free_from):
    """Let agents end, whose KV is free from the ticks `free_from` on if it is released."""
    np.subtract.at(batch.open, b, 1)
    batch.closing = batch.closing or bool((batch.open[b] == 0).any())
    if batch.gated:
        np.subtract.at(batch.in_flight, b, 1)
    released = batch.releases[b]
    if released.any():
        drop(batch, log, b[released], ba[released], free_from[released])


def count_outstanding(batch, bw, prompt, sign):
    """Add requests to the loads of workers, or take them away."""
    np.add.at(batch.outstanding_, bw, sign)
    np.add.at(batch.outstanding_tokens_, bw, sign * prompt)


def push(batch, bw, a):
    """Put requests into the queues of their workers, in the order given."""
    for wave in batch.waves(bw):
        at = bw[wave]
        queued = batch.queued_[at]
        slot = (batch.queue_head_[at] + queued) & batch.slot_mask
        batch.queue_[batch.slot_of_bw[at] + slot] = a[wave]
        batch.queued_[at] = queued + batch.one
    batch.has_queue_[bw] = True
    batch.dirty_[bw] = True


def admit(batch, log):
    """Admit from every queue as long as its head fits."""
    bw = np.logical_and(batch.dirty_, batch.has_queue_).nonzero()[0]
    while bw.size:
        batch.dirty_[bw] = False
        if batch.split:
            decodes = batch.decodes_[bw]
            taken = [
                _admit_to_decode(batch, log, bw[decodes]),
                _admit_to_prefill(batch, log, bw[~decodes]),
            ]
            bw = np.concatenate(taken)
        else:
            bw = _admit_to_prefill(batch, log, bw)
        bw = bw[batch.has_queue_[bw]]


def _heads(batch, bw):
    """Return the requests at the heads of the queues, as agents."""
    return batch.queue_[batch.slot_of_bw[bw] + batch.queue_head_[bw]]


def _pop(batch, bw):
    batch.queue_head_[bw] = (batch.queue_head_[bw] + batch.one) & batch.slot_mask
    queued = batch.queued_[bw] - batch.one
    batch.queued_[bw] = queued
    batch.has_queue_[bw] = queued


def _admit_to_prefill(batch, log, bw):
    """Admit the heads of queues of workers that take new requests; return where it went."""
    a = _heads(batch, bw)
    b = batch.b_of_bw[bw]
    ba, bwa = a * batch.row + b, batch.cell_of_stream[bw] + a
    size = batch.reserve_[ba]
    need = size - batch.entry_[bwa]
    full = batch.used_[bw] + need > batch.capacity[b]
    batch.hold_[bw] = 0
    if full.nonzero()[0].size:
        fits = make_room(batch, log, bw, a, need, full)
        batch.hold_[bw[~fits]] = BLOCKED
        bw, a, ba, bwa, b, size, need = (x[fits] for x in (bw, a, ba, bwa, b, size, need))
        if not bw.size:
            return bw
    came = bw
    t, cached = batch.t[b], size - need
    loaded = batch.none[: bw.size]
    if batch.has_host:
        loaded = np.maximum(batch.host_[bwa] - cached, 0)
        cached = cached + loaded
        _touch_host(batch, bwa[loaded > 0], t[loaded > 0])
    todo = batch.prompt_[ba] - cached
    if batch.any_shared:
        todo = todo + batch.shared[b] * batch.cold_[bw]
        batch.cold_[bw] = False
    key, context, held = batch.key_of_ba[ba], batch.context_[ba], batch.held_[bwa]
    log.admitted.append((key, t, need, context, cached, loaded, held))
    batch.entry_[bwa] = size
    batch.used_[bw] = batch.used_[bw] + need
    batch.recency_[bwa] = LOCKED
    batch.sequence_[ba] = batch.next_sequence()
    batch.held_[bwa] = size
    _pop(batch, bw)
    if batch.has_host:
        loads = loaded > 0
        if loads.nonzero()[0].size:
            batch.extra_[ba[loads]] = todo[loads]
            work = loaded[loads] * UNITS / batch.load_step[b[loads]]
            _begin_move(batch, LOADING, bw[loads], ba[loads], t[loads] + np.ceil(work))
            bw, a, todo = bw[~loads], a[~loads], todo[~loads]
    enter(batch, bw, a, todo * UNITS)
    return came


def _touch_host(batch, bwa, t):
    sequence = batch.host_recency_[bwa] & SEQUENCE_MASK
    batch.host_recency_[bwa] = recency(t, sequence)


def _admit_to_decode(batch, log, bw):
    """Admit requests whose prefill is done to decode workers; return where it went."""
    a = _heads(batch, bw)
    b = batch.b_of_bw[bw]
    ba, bwa = a * batch.size + b, bw * batch.agents + a
    size = batch.prompt_[ba] + batch.output_[ba]
    fits = batch.used_[bw] + size <= batch.capacity[b]
    batch.hold_[bw] = np.where(fits, 0, BLOCKED)
    bw, ba, bwa, b, size = (x[fits] for x in (bw, ba, bwa, b, size))
    t = batch.t[b]
    batch.entry_[bwa] = size
    batch.used_[bw] += size
    batch.joined_[ba] = batch.next_sequence()
    log.used.append((batch.ids[b], t, size))
    _pop(batch, bw)
    work = (batch.shared[b] + batch.prompt_[ba]) * UNITS / batch.transfer_step[b]
    _begin_move(batch, TRANSFERRING, bw, ba, t + np.ceil(work))
    return bw


def _begin_move(batch, stage, bw, ba, until):
    batch.stage_[ba] = stage
    batch.due_[ba] = until
    batch.moving_[bw] += 1


def _end_moves(batch, ba):
    """Let loaded requests prefill and transferred ones decode."""
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


def enter(batch, streams, a, work):
    """Let requests enter stages with so much to do (units).

    Parameters
    ----------
    streams : ndarray of int64
        Where, all different: `bw` for prefill, W * B more for decode.
    """
    target = batch.clock_[streams] + work
    batch.target_[batch.cell_of_stream[streams] + a] = target
    batch.head_[streams] = np.minimum(batch.head_[streams], target)
    batch.count_[streams] = batch.count_[streams] + batch.one


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
