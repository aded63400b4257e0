"""Scenarios in, results out: batches of like scenarios, within the memory there is."""

from types import SimpleNamespace

import numpy as np

from sim.batch import Batch
from sim.engine import run
from sim.phases import rank
from sim.record import Log

MAX_TICKS = 20_000_000
"""Default limit of a run: 58 days in ticks of 250 ms."""
MAX_BYTES = 4 * 2**30
"""Largest state that one scenario may need."""
BATCH_BYTES = 256 * 2**20
BATCH_SIZE = 512
BYTES_PER_CELL = 112
"""State for an agent on a worker; see the arrays of `Batch`."""
BYTES_PER_TURN = 160


def simulate(scenario, *, max_ticks=MAX_TICKS, cancel=None):
    """Run one scenario.

    Parameters
    ----------
    scenario : Scenario
    max_ticks : int
        Ticks after which a run that has not ended is given up.
    cancel : callable, optional
        Called now and then without arguments; a true value ends the run.

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        If fields contradict each other or the scenario is too large.
    RunStopped
        If the run comes to its limit, a ValueError too.
    RunCancelled
        If `cancel` said so.
    """
    return simulate_many([scenario], max_ticks=max_ticks, cancel=cancel)[0]


def simulate_many(scenarios, *, max_ticks=MAX_TICKS, cancel=None):
    """Run scenarios of any mix of sizes, in batches; much faster than one by one.

    Parameters and errors as for `simulate`.

    Returns
    -------
    list of Result
        In the order given.
    """
    scenarios = list(scenarios)
    if max_ticks < 1:
        raise ValueError(f"max_ticks = {max_ticks} must be at least 1")
    # read once: plain attributes cost a tenth of parameters
    plain = [SimpleNamespace(**scenario.validate()) for scenario in scenarios]
    for fields in plain:
        _check_size(fields)
    results = [None] * len(scenarios)
    for places, members in _batches(plain):
        chosen = [plain[place] for place in places]
        workers = -(-max(s.workers for s in chosen) // members) * members
        batch = Batch(chosen, workers, members)
        log = Log([scenarios[place] for place in places], batch.agents, workers)
        first_ready = [w.first_ready for w in batch.workloads]
        ticks = run(batch, log, max_ticks, cancel)
        for place, result in zip(places, log.results(ticks, first_ready), strict=True):
            results[place] = result
    return results


def _members(scenario):
    """Return the workers that share a lock, 0 for all.

    Under PD a group has requests of one kind only, so its workers never wait for each other.
    """
    s = scenario
    if s.lock == "none" or s.prefill_workers or s.workers == 1:
        return 1
    return 0 if s.group_size >= s.workers else s.group_size


def _batches(scenarios):
    """Yield the places of scenarios that can run together, and the members of their groups."""
    kinds = {}
    for place, s in enumerate(scenarios):
        kind = (_members(s), bool(s.prefill_workers), s.draws)
        kinds.setdefault(kind, []).append(place)
    for (members, _, _), places in kinds.items():
        places.sort(key=lambda place: (scenarios[place].agents, scenarios[place].workers))
        while places:
            count = _fitting(scenarios, places)
            batch, places = places[:count], places[count:]
            batch.sort(key=lambda place: rank(scenarios[place]))
            yield batch, members or max(scenarios[place].workers for place in batch)


def _fitting(scenarios, places):
    """Return how many of the scenarios fit into one batch."""
    workers = agents = turns = 0
    for count, place in enumerate(places[:BATCH_SIZE]):
        s = scenarios[place]
        workers, agents = max(workers, s.workers), max(agents, s.agents)
        turns += _turns(s)
        size = (count + 1) * workers * agents * BYTES_PER_CELL + turns * BYTES_PER_TURN
        if count and size > BATCH_BYTES:
            return count
    return min(len(places), BATCH_SIZE)


def _turns(scenario):
    if scenario.table is not None:
        return sum(map(len, scenario.table))
    return int(np.mean(scenario.turns) * scenario.agents)


def _check_size(scenario):
    s = scenario
    size = s.workers * s.agents * BYTES_PER_CELL + _turns(s) * BYTES_PER_TURN
    if size > MAX_BYTES:
        raise ValueError(
            f"the scenario is too large: workers = {s.workers:,}, agents = {s.agents:,} and "
            f"about {_turns(s):,} turns need {size / 2**30:.1f} GiB, at most "
            f"{MAX_BYTES / 2**30:.0f} GiB are allowed"
        )
