"""The model as a plain loop, one tick at a time: what every engine must equal.

Written to be read beside the model's description, section by section, and not to be fast. It
shares nothing with the engines but the scenario and the result.
"""

import math
import types

import numpy as np

from sim.result import EVENT_FIELDS, EVENT_KINDS, REQUEST_FIELDS, Result
from tests.reference_draws import DECODE_ROUTE, ROUTE, WORKLOADS
from tests.reference_policies import Pool, Rates, split_into_groups
from tests.reference_state import (
    DECODE,
    LOAD,
    MIXED,
    PREFILL,
    TRANSFER,
    UNITS,
    Agent,
    Entry,
    Request,
    Worker,
)


def reference(scenario):
    """Run a scenario tick by tick.

    Parameters
    ----------
    scenario : Scenario

    Returns
    -------
    Result
    """
    return Reference(scenario).run()


class Reference:
    """One run of a scenario."""

    def __init__(self, scenario):
        self.given = scenario
        s = self.scenario = types.SimpleNamespace(**scenario.to_dict())
        self.prefix = s.shared_prefix
        self.cap = s.kv_capacity - self.prefix
        self.limit = min(s.context_limit, s.kv_capacity) - self.prefix
        self.rates = Rates(s)
        self.workload = WORKLOADS[s.draws](s)
        self.agents = [
            Agent(a, turns, ready, ended=turns == 0)
            for a, (turns, ready) in enumerate(
                zip(self.workload.turns, self.workload.first_ready, strict=True)
            )
        ]
        pd = s.prefill_workers
        self.workers = [Worker(w, takes_new=not pd or w < pd) for w in range(s.workers)]
        takers = self.workers[:pd] if pd else self.workers
        decoders = self.workers[pd:] if pd else []
        self.pool = Pool(s, takers, ROUTE)
        self.decode_pool = Pool(s, decoders, DECODE_ROUTE)
        self.groups = split_into_groups(s, takers) + split_into_groups(s, decoders)
        for group in self.groups:
            for worker in group.workers:
                worker.group = group
        self.rows = []
        self.events = []
        self.kv_token_ticks = 0
        self.sequences = 0

    def run(self):
        """Step until every agent has ended."""
        t = 0
        while not all(agent.ended for agent in self.agents):
            self.make_requests(t)
            for worker in self.workers:
                self.admit(worker, t)
            for group in self.groups:
                group.update()
            for worker in self.workers:
                worker.record(self.work(worker, t))
            self.kv_token_ticks += sum([e.tokens for w in self.workers for e in w.cache.values()])
            t += 1
        return self.result(t)

    # Requests

    def make_requests(self, t):
        """Let every agent that is ready make its next request."""
        most = self.scenario.max_concurrent_agents
        for agent in self.agents:
            if agent.thinking and not agent.ended and agent.ready <= t:
                if most and not agent.started and self.in_flight() >= most:
                    continue
                self.make_request(agent, t)

    def in_flight(self):
        """Count the agents that have started and not ended."""
        return sum([agent.started and not agent.ended for agent in self.agents])

    def make_request(self, agent, t):
        """Draw a request, choose its workers, and queue it if the context has room."""
        s = self.scenario
        agent.started = True
        random = s.routing == "random"
        draw = self.workload.draw(agent.id, agent.turn, ROUTE) if random else None
        new, output, carried = self.workload.tokens(agent.id, agent.turn)
        if carried is not None and carried < agent.context:
            self.compact(agent, carried, t)

        prompt = agent.context + new
        first = second = self.pool.choose(agent.id, agent.turn, prompt, draw)
        if s.prefill_workers:
            draw = self.workload.draw(agent.id, agent.turn, DECODE_ROUTE) if random else None
            second = self.decode_pool.choose(agent.id, agent.turn, prompt, draw)

        if agent.context + new + output > self.limit:
            fits = s.compact_to < agent.context and s.compact_to + new + output <= self.limit
            if s.overflow == "kill" or not fits:
                self.event(t, "kill", -1, agent, agent.context + new + output)
                self.end(agent)
                return
            self.compact(agent, s.compact_to, t)

        agent.thinking = False
        request = Request(agent, first, second, agent.context, agent.context + new, output, t)
        first.queue.append(request)
        self.count_outstanding(request, {first.id, second.id}, 1)

    def count_outstanding(self, request, worker_ids, sign):
        """Count a request in (1) or out (-1) on those workers."""
        for w in worker_ids:
            self.workers[w].outstanding += sign
            self.workers[w].outstanding_tokens += sign * request.prompt

    def compact(self, agent, context, t):
        """Shrink an agent's context; what is cached of it is void."""
        agent.context = context
        self.drop(agent)
        self.event(t, "compact", -1, agent, context)

    def end(self, agent):
        """End an agent, done or killed."""
        agent.ended = True
        if self.scenario.release_finished:
            self.drop(agent)

    def drop(self, agent):
        """Forget an agent on all workers, but for what a running request has locked."""
        for worker in self.workers:
            if agent.id in worker.cache and not worker.cache[agent.id].locked:
                del worker.cache[agent.id]
            worker.host.pop(agent.id, None)
            worker.held.pop(agent.id, None)

    # Admission

    def admit(self, worker, t):
        """Admit from the head of a worker's queue as long as the head fits."""
        worker.blocked = False
        while worker.queue:
            request = worker.queue[0]
            fits = self.admit_new if worker.takes_new else self.admit_decode
            if not fits(worker, request, t):
                worker.blocked = True
                return
            worker.queue.popleft()
            worker.admitted.append(request)

    def admit_new(self, worker, request, t):
        """Admit a new request, evicting idle contexts; return False if it does not fit."""
        agent = request.owner
        reservation = request.prompt + (0 if self.scenario.prefill_workers else request.output)
        own = worker.cached_tokens(agent.id)
        need = reservation - own
        while worker.used() + need > self.cap:
            if not self.evict(worker, need, agent, t):
                return False
        worker.cache[agent.id] = Entry(reservation, t, self.next_sequence(), locked=True)

        loaded = 0
        if agent.id in worker.host and worker.host[agent.id].tokens > own:
            loaded = worker.host[agent.id].tokens - own
            worker.host[agent.id].last_access = t
        cached = own + loaded
        if cached == 0:
            self.event(t, "miss", worker.id, agent, request.prompt)
        held = worker.held.get(agent.id, 0)
        worker.held[agent.id] = reservation

        cold_start = self.prefix if worker.cold else 0
        worker.cold = False
        to_prefill = (request.prompt - cached + cold_start) * UNITS
        request.row = {
            "started": t,
            "cached": cached,
            "loaded": loaded,
            "recomputed": request.context - cached,
            "recomputed_evicted": max(0, min(held, request.context) - cached),
            "to_prefill": to_prefill,
        }
        if loaded:
            request.stage, request.left = LOAD, loaded * UNITS
        else:
            request.stage, request.left = PREFILL, to_prefill
        return True

    def evict(self, worker, need, by, t):
        """Evict from the least recently used idle context; return False if there is none."""
        idle = [a for a, e in worker.cache.items() if not e.locked and a != by.id]
        if not idle:
            return False
        victim = min(idle, key=lambda a: worker.cache[a].age())
        agent, entry = self.agents[victim], worker.cache[victim]
        size = lost = entry.tokens
        if self.scenario.eviction == "tail":
            lost = min(size, worker.used() + need - self.cap)
        entry.tokens -= lost
        if entry.tokens == 0:
            del worker.cache[victim]
        kind = "reclaim" if agent.ended else "evict"
        self.event(t, kind, worker.id, agent, lost, by.id)
        if not agent.ended:
            self.store_on_host(worker, victim, size, t)
        return True

    def store_on_host(self, worker, agent_id, size, t):
        """Keep an evicted context in the worker's host tier."""
        host, capacity = worker.host, self.scenario.host_kv_capacity
        if agent_id in host:
            size = max(size, host[agent_id].tokens)
        if size > capacity:
            return
        host.pop(agent_id, None)
        while sum([e.tokens for e in host.values()]) + size > capacity:
            del host[min(host, key=lambda a: host[a].age())]
        host[agent_id] = Entry(size, t, self.next_sequence())

    def admit_decode(self, worker, request, t):
        """Admit a prefilled request to a decode worker; return False if it does not fit."""
        reservation = request.prompt + request.output
        if worker.used() + reservation > self.cap:
            return False
        worker.cache[request.owner.id] = Entry(reservation, t, self.next_sequence(), locked=True)
        request.stage, request.left = TRANSFER, (self.prefix + request.prompt) * UNITS
        return True

    def next_sequence(self):
        """Return the next sequence number of the run."""
        self.sequences += 1
        return self.sequences - 1

    # Work

    def work(self, worker, t):
        """Advance a worker's requests by one tick; return the worker's state."""
        if not worker.admitted:
            return "waiting_kv" if worker.blocked else "idle"
        stages = [r.stage for r in worker.admitted]
        p, d = stages.count(PREFILL), stages.count(DECODE)
        phase = worker.group.phase
        dragged = self.scenario.lock == "step" and phase == PREFILL and d > 0 and p == 0
        prefills = p > 0 and phase in (PREFILL, MIXED)
        decodes = d > 0 and (phase in (DECODE, MIXED) or dragged)

        steps = {
            LOAD: self.rates.load,
            TRANSFER: self.rates.transfer,
            PREFILL: self.rates.prefill_step(p) if prefills else 0,
            DECODE: self.rates.decode_step(d, dragged) if decodes else 0,
        }
        if prefills and decodes:
            share = self.scenario.mixed_share
            steps[PREFILL] = max(1, math.floor(steps[PREFILL] * share))
            steps[DECODE] = max(1, math.floor(steps[DECODE] * (1 - share)))
        for request in list(worker.admitted):
            request.left -= steps[request.stage]
            if request.left <= 0:
                self.end_stage(worker, request, t)

        if prefills and decodes:
            return "mixed"
        if prefills:
            return "prefill"
        if decodes:
            return "dragged" if dragged else "decode"
        return "waiting_phase" if p or d else "transfer"

    def end_stage(self, worker, request, t):
        """Move a request on from the stage that it has just ended."""
        if request.stage == LOAD:
            request.stage, request.left = PREFILL, request.row["to_prefill"]
        elif request.stage == TRANSFER:
            self.release(request.first, request, t)
            request.stage, request.left = DECODE, request.output * UNITS
        elif request.stage == PREFILL:
            request.row["prefilled"] = t
            if worker is request.second:
                request.stage, request.left = DECODE, request.output * UNITS
            else:
                worker.admitted.remove(request)
                request.second.queue.append(request)
        else:
            self.finish(worker, request, t)

    def release(self, worker, request, t):
        """Unlock what a request held on a worker where it is no longer outstanding."""
        entry = worker.cache[request.owner.id]
        entry.locked = False
        entry.last_access = t
        self.count_outstanding(request, {worker.id}, -1)

    def finish(self, worker, request, t):
        """Finish a turn: free its place, and let its agent think, or end."""
        agent = request.owner
        worker.admitted.remove(request)
        self.release(worker, request, t)
        if not worker.takes_new:
            del worker.cache[agent.id]
        self.rows.append(finished_row(request, t))
        agent.context = request.prompt + request.output
        agent.turn += 1
        agent.thinking = True
        if agent.turn == agent.turns:
            self.end(agent)
        else:
            agent.wait = self.workload.wait(agent.id, agent.turn)
            agent.ready = t + agent.wait

    # Results

    def event(self, t, kind, worker_id, agent, tokens, by=-1):
        """Note an event."""
        row = (t, EVENT_KINDS.index(kind), worker_id, agent.id, agent.turn, tokens, by)
        self.events.append(row)

    def result(self, ticks):
        """Return what was recorded."""
        return Result(
            scenario=self.given,
            ticks=ticks,
            states=[worker.states() for worker in self.workers],
            requests=columns(self.rows, (*REQUEST_FIELDS, "wait")),
            events=columns(self.events, EVENT_FIELDS),
            first_ready=np.array(self.workload.first_ready, np.int64),
            kv_token_ticks=self.kv_token_ticks,
        )


def finished_row(request, t):
    """Return a finished request as a row of the result."""
    fields = {
        **request.row,
        "agent": request.owner.id,
        "turn": request.owner.turn,
        "worker": request.first.id,
        "decode_worker": request.second.id,
        "created": request.created,
        "finished": t,
        "prompt": request.prompt,
        "output": request.output,
        "wait": request.owner.wait,
    }
    return [fields[name] for name in (*REQUEST_FIELDS, "wait")]


def columns(rows, names):
    """Turn rows into named columns."""
    table = np.array(rows, np.int64).reshape(len(rows), len(names))
    return dict(zip(names, table.T, strict=True))
