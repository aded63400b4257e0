"""KV caches of workers: who is evicted for whom, the host tier, what is dropped at an end.

The unlocked entries of a worker, and those of its host tier, are dicts of agents to ages, and
stand in the order of age: the first is the one to go. An age is (last access, sequence) as one
number.
"""

from sim.result import EVENT_KINDS

EVICT, RECLAIM = EVENT_KINDS.index("evict"), EVENT_KINDS.index("reclaim")
SEQUENCE_BITS = 40
SEQUENCE_MASK = 2**SEQUENCE_BITS - 1


def insert(ages, agent, age):
    """Put an agent that is not there in its place, by its age."""
    last = next(reversed(ages.values()), -1)
    ages[agent] = age
    if age < last:  # only ever among those of one tick
        in_order = sorted(ages.items(), key=lambda item: item[1])
        ages.clear()
        ages.update(in_order)


def unlock(worker, agent, last):
    """Let the entry that an agent's request has locked be evicted again."""
    insert(worker.idle, agent, last << SEQUENCE_BITS | agent.sequence)


def make_room(run, worker, need, by, now):
    """Evict idle contexts until `need` tokens fit for the agent `by`; return whether they do."""
    while True:
        excess = worker.used + need - run.capacity
        if excess <= 0:
            return True
        victim = next((agent for agent in worker.idle if agent is not by), None)
        if victim is None:
            return False
        _evict(run, worker, victim, excess, by, now)


def _evict(run, worker, victim, excess, by, now):
    size = victim.entries[worker]
    lost = min(size, excess) if run.tail else size
    if lost == size:
        del victim.entries[worker]
        del worker.idle[victim]
    else:
        victim.entries[worker] = size - lost
    run.use(worker, -lost, now)
    ended = victim.turn == victim.turns
    kind = RECLAIM if ended else EVICT
    run.events += (now, kind, worker.id, victim.id, victim.turn, lost, by.id)
    if run.host_capacity and not ended:
        _store(run, worker, victim, size, now)


def _store(run, worker, agent, size, now):
    """Put an evicted context into the host tier."""
    old = agent.hosted.get(worker, 0)
    size = max(size, old)
    if size > run.host_capacity:
        return
    if old:
        _remove_from_host(worker, agent)
    while worker.host_used + size > run.host_capacity:
        _remove_from_host(worker, next(iter(worker.host)))
    agent.hosted[worker] = size
    worker.host_used += size
    run.sequence += 1
    insert(worker.host, agent, now << SEQUENCE_BITS | run.sequence)


def _remove_from_host(worker, agent):
    del worker.host[agent]
    worker.host_used -= agent.hosted.pop(worker)


def load(worker, agent, own, now):
    """Return the tokens that the host tier has beyond `own`, and note that they are used."""
    loaded = agent.hosted.get(worker, 0) - own
    if loaded <= 0:
        return 0
    age = worker.host.pop(agent)
    insert(worker.host, agent, now << SEQUENCE_BITS | (age & SEQUENCE_MASK))
    return loaded


def drop(run, agent, since):
    """Forget an agent's context everywhere; the space is free from the tick `since` on.

    None of it is locked, for the agent has no request.
    """
    for worker, tokens in agent.entries.items():
        del worker.idle[agent]
        run.use(worker, -tokens, since)
        run.touch(worker)
    agent.entries.clear()
    for worker in list(agent.hosted):
        _remove_from_host(worker, agent)
    agent.held.clear()
