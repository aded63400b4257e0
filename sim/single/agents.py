"""What agents do: they start, make requests, compact their contexts, and end."""

from bisect import bisect, insort
from heapq import heappush

from sim.result import EVENT_KINDS
from sim.single.cache import drop
from sim.single.state import ID_BITS

COMPACT, KILL = EVENT_KINDS.index("compact"), EVENT_KINDS.index("kill")


def arrive(run, agent, now):
    """Let an agent make its next request, if it may start."""
    if run.most and agent.started < 0:
        if run.in_flight >= run.most:
            insort(run.held_back, agent.id)
            return
        run.in_flight += 1
        agent.started = now
    new, output = run.draws.tokens(agent)
    if run.draws.carried is not None:
        carried = run.draws.carried[agent.position]
        if 0 <= carried < agent.context:
            _compact(run, agent, carried, now)
    prompt = agent.context + new
    worker = decoder = run.takers.choose(agent, prompt)
    if run.split:
        decoder = run.decoders.choose(agent, prompt)
    if prompt + output > run.limit:
        if not _fits_compacted(run, agent, new + output):
            _kill(run, agent, prompt + output, now)
            return
        _compact(run, agent, run.compact_to, now)
        prompt = agent.context + new
    agent.worker, agent.decoder = worker, decoder
    agent.prompt, agent.output, agent.created = prompt, output, now
    agent.reserve = prompt if run.split else prompt + output
    if run.by_load:
        worker.pool.count(worker, prompt, 1)
        if run.split:
            decoder.pool.count(decoder, prompt, 1)
    worker.queue.append(agent)
    run.touch(worker)


def _fits_compacted(run, agent, tokens):
    to = run.compact_to
    return run.compacts and to < agent.context and to + tokens <= run.limit


def _compact(run, agent, context, now):
    """Let an agent go on with a context cut down; its KV is void."""
    agent.context = context
    drop(run, agent, now)
    run.events += (now, COMPACT, -1, agent.id, agent.turn, context, -1)


def _kill(run, agent, tokens, now):
    run.events += (now, KILL, -1, agent.id, agent.turn, tokens, -1)
    agent.turns = agent.turn
    run.ticks = now + 1
    end(run, agent, now, now, agent.id)


def end(run, agent, free_from, now, behind=-1):
    """Let an agent end.

    Parameters
    ----------
    free_from : int
        The tick from which its KV counts as free, if it is released.
    now : int
    behind : int
        Agents up to that id can take its place only in the next tick.
    """
    run.open -= 1
    if run.most:
        run.in_flight -= 1
        if run.held_back:
            _let_start(run, behind, now)
    if run.releases:
        drop(run, agent, free_from)


def _let_start(run, behind, now):
    """Let the first agent that was held back try again, after the one with id `behind`."""
    place = bisect(run.held_back, behind)
    late = place == len(run.held_back)
    agent = run.held_back.pop(0 if late else place)
    heappush(run.agenda, (now + late) << ID_BITS | run.first_arrival + agent)
