"""Admission: from a worker's queue, as long as its head fits."""

from heapq import heappush

from sim.result import EVENT_KINDS, UNITS_PER_TOKEN, ceil_div
from sim.single.cache import load, make_room
from sim.single.stages import enter
from sim.single.state import ID_BITS

MISS = EVENT_KINDS.index("miss")


def admit(run, worker, now):
    """Admit from a worker's queue as long as its head fits."""
    queue = worker.queue
    fits = _admit_to_decode if run.split and worker.pool is run.decoders else _admit_new
    while queue and fits(run, worker, queue[0], now):
        queue.popleft()


def _admit_new(run, worker, agent, now):
    """Admit a new request, if there is room for it; return whether there was."""
    own = agent.entries.get(worker, 0)
    need = agent.reserve - own
    if worker.used + need > run.capacity and not make_room(run, worker, need, agent, now):
        return False
    cached, loaded = own, 0
    if run.host_capacity:
        loaded = load(worker, agent, own, now)
        cached = own + loaded
    if own:
        del worker.idle[agent]
    prompt, held = agent.prompt, agent.held.get(worker, 0)
    agent.entries[worker] = agent.held[worker] = agent.reserve
    run.use(worker, need, now)
    run.sequence = agent.sequence = agent.order = run.sequence + 1
    agent.started, agent.cached, agent.loaded = now, cached, loaded
    agent.recomputed = agent.context - cached
    agent.recomputed_evicted = max(0, min(held, agent.context) - cached)
    if not cached:
        run.events += (now, MISS, worker.id, agent.id, agent.turn, prompt, -1)
    todo = prompt - cached
    if worker.cold:
        todo += run.shared
        worker.cold = False
    if loaded:
        agent.todo, agent.loading = todo, True
        _begin_move(run, worker, agent, loaded, run.load_step, now)
    else:
        enter(worker.prefill, agent, todo, now)
    return True


def _admit_to_decode(run, worker, agent, now):
    """Admit a request whose prefill is done, if there is room; return whether there was."""
    size = agent.prompt + agent.output
    if worker.used + size > run.capacity:
        return False
    run.use(worker, size, now)
    run.sequence = agent.order = run.sequence + 1
    _begin_move(run, worker, agent, run.shared + agent.prompt, run.transfer_step, now)
    return True


def _begin_move(run, worker, agent, tokens, step, now):
    worker.moving += 1
    until = now + ceil_div(tokens * UNITS_PER_TOKEN, step)
    heappush(run.agenda, until << ID_BITS | run.first_move + agent.id)
