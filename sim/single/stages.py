"""Stages of requests: how they begin and how they end."""

from heapq import heappop, heappush
from operator import attrgetter

from sim.result import UNITS_PER_TOKEN
from sim.single.agents import end
from sim.single.cache import unlock
from sim.single.state import ID_BITS, ID_MASK, NEVER

ORDER = attrgetter("order")


def enter(stream, agent, tokens, now):
    """Let an agent's request enter a stage with so much to do."""
    done = stream.work + stream.rate * (stream.clock.time(now) - stream.since)
    target = done + tokens * UNITS_PER_TOKEN
    heappush(stream.targets, target << ID_BITS | agent.id)
    stream.clock.requests += 1


def end_move(run, agent, now):
    """Let a request that was loaded prefill, and one that was transferred decode."""
    worker = agent.worker
    if agent.loading:
        agent.loading = False
        enter(worker.prefill, agent, agent.todo, now)
        worker.moving -= 1
    else:
        decoder = agent.decoder
        unlock(worker, agent, now - 1)
        if run.by_load:
            worker.pool.count(worker, agent.prompt, -1)
        enter(decoder.decode, agent, agent.output, now)
        decoder.moving -= 1
        run.touch(decoder)
    run.touch(worker)


def finish(run, clock, now):
    """End the stage of all requests of a clock's streams that are due at the tick `now`."""
    time = now - clock.shift
    before = time + 1 << ID_BITS
    dues = clock.dues
    while dues and dues[0] < before:
        number = heappop(dues) & ID_MASK
        stream = clock.streams[number]
        if stream.due != time:
            continue
        stream.due = NEVER
        worker = run.workers[number]
        end_stage = _end_prefill if stream is worker.prefill else _end_decode
        for agent in _pop_done(run, stream, time):
            end_stage(run, worker, agent, now)
        run.touch(worker)


def _pop_done(run, stream, time):
    """Take the requests that are done out of a stream; return them in order of admission."""
    before = stream.work + stream.rate * (time - stream.since) + 1 << ID_BITS
    targets, agents = stream.targets, run.agents
    done = [agents[heappop(targets) & ID_MASK]]
    while targets and targets[0] < before:
        done.append(agents[heappop(targets) & ID_MASK])
    if len(done) > 1:
        done.sort(key=ORDER)
    stream.clock.requests -= len(done)
    return done


def _end_prefill(run, worker, agent, now):
    agent.prefilled = now - 1
    if run.split:
        agent.decoder.queue.append(agent)
        run.touch(agent.decoder)
    else:
        enter(worker.decode, agent, agent.output, now)


def _end_decode(run, worker, agent, now):
    last, prompt, output = now - 1, agent.prompt, agent.output
    run.rows += (
        agent.id,
        agent.turn,
        agent.worker.id,
        worker.id,
        agent.created,
        agent.started,
        agent.prefilled,
        last,
        prompt,
        agent.cached,
        agent.loaded,
        agent.recomputed,
        agent.recomputed_evicted,
        output,
        agent.wait,
    )
    if run.split:
        run.use(worker, -(prompt + output), last)
    else:
        unlock(worker, agent, last)
    if run.by_load:
        worker.pool.count(worker, prompt, -1)
    agent.context = prompt + output
    agent.turn += 1
    agent.position += 1
    if agent.turn < agent.turns:
        agent.wait = run.draws.wait(agent)
        ready = max(now, last + agent.wait)
        heappush(run.agenda, ready << ID_BITS | run.first_arrival + agent.id)
    else:
        run.ticks = now
        end(run, agent, last, now)
