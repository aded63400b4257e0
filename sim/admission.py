"""Admission: which requests workers take from the heads of their queues.

Functions take flat indices (`batch`), one entry for each worker or request at hand.
"""

import numpy as np

from sim.batch import LOADING, LOCKED, SEQUENCE_MASK, TRANSFERRING
from sim.cache import make_room, recency
from sim.moves import UNITS, begin_move, enter
from sim.record import CODE

BLOCKED = int(CODE["waiting_kv"])


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
            begin_move(batch, LOADING, bw[loads], ba[loads], t[loads] + np.ceil(work))
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
    begin_move(batch, TRANSFERRING, bw, ba, t + np.ceil(work))
    return bw
