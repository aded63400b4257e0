"""The run of one scenario, from event to event."""

from heapq import heapify, heappop

from sim.engine import CHECK_EVERY, RunCancelled, over_limit
from sim.phases import members
from sim.result import step_units
from sim.single.agents import arrive
from sim.single.draws import StreamDraws, TurnDraws
from sim.single.groups import make_groups
from sim.single.pools import make_pools
from sim.single.record import result
from sim.single.settle import settle
from sim.single.stages import end_move, finish
from sim.single.state import ID_BITS, ID_MASK, Agent, Worker
from sim.workload import Workload


def run_single(scenario, fields, max_ticks, cancel=None):
    """Run a scenario by itself.

    Parameters
    ----------
    scenario : Scenario
    fields : object
        Its checked fields as plain attributes.
    max_ticks : int
    cancel : callable, optional
        Called now and then; a true value ends the run.

    Returns
    -------
    Result

    Raises
    ------
    RunStopped, RunCancelled
    """
    workload = Workload(fields)
    run = Run(fields, workload)
    run.to_end(max_ticks, cancel)
    return result(scenario, run, workload.first_ready)


class Run:
    """One run.

    What is to come stands on an agenda, a heap of ticks and ids. In a tick first the requests
    end that a clock says are due (ids of clocks), then moves, and then agents make requests
    (ids of agents, twice), in the order of the ids; last come groups that decide anew.

    Attributes
    ----------
    agenda : list of int
    open : int
        Agents that have not ended.
    in_flight : int
        Those of them that have started.
    held_back : list of int
        Agents that the limit on those in flight keeps from starting, sorted.
    changed : list of Worker
        Workers on which something happened in this tick.
    deciding : list of Group
        Groups that have to decide anew.
    sequence : int
        Number of the latest entry.
    ticks : int
        Of the whole run, so far as it is known.
    rows, events : list of int
        Of the result, one after another.
    used_since : int
        Sum over all changes of the KV tokens in use of change × the tick from which it counts.
    """

    def __init__(self, s, workload):
        self.capacity = s.kv_capacity - s.shared_prefix
        self.limit = min(s.context_limit, s.kv_capacity) - s.shared_prefix
        self.shared, self.host_capacity = s.shared_prefix, s.host_kv_capacity
        self.compact_to, self.compacts = s.compact_to, s.overflow == "compact"
        self.releases, self.tail = s.release_finished, s.eviction == "tail"
        self.most = s.max_concurrent_agents
        self.load_step = step_units(s.host_load_rate, s.tick_ms)
        self.transfer_step = step_units(s.transfer_rate, s.tick_ms)
        self._rates(s)
        self._draws(s, workload)
        self._workers(s)
        self._agents(workload)
        self.changed, self.deciding = [], []
        self.rows, self.events = [], []
        self.sequence = self.used_since = self.ticks = 0

    def _rates(self, s):
        self.prefill_step = step_units(s.prefill_rate, s.tick_ms)
        self.decode_step = step_units(s.decode_rate, s.tick_ms)
        self.drag_step = step_units(s.prefill_rate / s.chunk_tokens, s.tick_ms)
        self.drags, self.mixes = s.lock == "step", s.phase_policy == "mixed"
        self.sharing, self.slowdown = s.prefill_sharing, s.decode_slowdown
        self.mixed_share = s.mixed_share
        self.constant = not (self.drags or self.mixes or s.prefill_sharing or s.decode_slowdown)

    def _draws(self, s, workload):
        if s.draws == "article":
            self.draws = StreamDraws(workload, s.routing == "random")
        else:
            self.draws = TurnDraws(workload)
        self.takers, self.decoders = make_pools(s, workload, self.draws)
        self.by_load, self.split = self.takers.by_load, self.decoders is not None

    def _workers(self, s):
        size = members(s) or s.workers
        self.groups = make_groups(s, size)
        self.workers = []
        for number in range(s.workers):
            pool = self.decoders if self.split and number >= s.prefill_workers else self.takers
            group = self.groups[number // size]
            worker = Worker(number, pool, group)
            worker.prefill.rate, worker.decode.rate = self.prefill_step, self.decode_step
            self.workers.append(worker)
            group.workers.append(worker)
            pool.workers.append(worker)
        self.clocks = [*(g.prefill for g in self.groups), *(g.decode for g in self.groups)]

    def _agents(self, workload):
        turns, offset = workload.turns.tolist(), workload.offset.tolist()
        self.agents = [Agent(a, *of) for a, of in enumerate(zip(turns, offset, strict=True))]
        self.open, self.in_flight, self.held_back = len(turns) - turns.count(0), 0, []
        self.first_move = len(self.clocks)
        self.first_arrival = self.first_move + len(turns)
        self.first_group = self.first_arrival + len(turns)
        self.agenda = [
            ready << ID_BITS | self.first_arrival + agent
            for agent, ready in enumerate(workload.first_ready.tolist())
            if turns[agent]
        ]
        heapify(self.agenda)

    def use(self, worker, tokens, since):
        """Take KV tokens of a worker into use, which counts from the tick `since` on."""
        worker.used += tokens
        self.used_since += tokens * since

    def touch(self, worker):
        """Note that something happened on a worker."""
        if not worker.changed:
            worker.changed = True
            self.changed.append(worker)

    def touch_group(self, group):
        """Note that a group has to decide anew."""
        if not group.changed:
            group.changed = True
            self.deciding.append(group)

    def to_end(self, max_ticks, cancel):
        """Run until all agents have ended."""
        steps = 0
        while self.open:
            now = self.agenda[0] >> ID_BITS
            if now >= max_ticks:
                # what is due then ended in the tick before
                self._happen(now, max_ticks << ID_BITS | self.first_arrival)
                if self.open:
                    raise over_limit(max_ticks, self.open)
                return
            if cancel is not None and steps % CHECK_EVERY == 0 and cancel():
                raise RunCancelled
            self._happen(now, (now + 1) << ID_BITS)
            settle(self, now)
            steps += 1

    def _happen(self, now, before):
        """Let everything happen that the agenda has before that number."""
        agenda, agents = self.agenda, self.agents
        first_move, first_arrival = self.first_move, self.first_arrival
        while agenda and agenda[0] < before:
            number = heappop(agenda) & ID_MASK
            if number < first_move:
                if self.clocks[number].due == now:
                    finish(self, self.clocks[number], now)
            elif number < first_arrival:
                end_move(self, agents[number - first_move], now)
            elif number < self.first_group:
                arrive(self, agents[number - first_arrival], now)
            else:
                self.touch_group(self.groups[number - self.first_group])
