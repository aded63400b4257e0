"""Agents make requests, compact their contexts, are killed and end.

Functions take flat indices (`batch`), one entry for each agent at hand.
"""

import numpy as np

from sim.batch import NEVER
from sim.cache import drop
from sim.moves import count_outstanding, push


def arrive(batch, log, ready):
    """Let the agents `ready` make their next requests."""
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
