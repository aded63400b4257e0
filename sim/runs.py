"""Scenarios in, results out: alone, or in batches of like ones within the memory there is."""

from types import SimpleNamespace

import numpy as np

from sim.batch import Batch
from sim.engine import run
from sim.phases import members, rank
from sim.record import Log
from sim.single import run_single

MAX_TICKS = 20_000_000
"""Default limit of a run: 58 days in ticks of 250 ms."""
MAX_BYTES = 4 * 2**30
"""Largest state that one scenario may need."""
TOGETHER = 32
"""Like scenarios from which on a batch takes less time than one run after another."""
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
    """Run scenarios of any mix of sizes; many alike take much less time than one by one.

    Parameters and errors as for `simulate`.

    Returns
    -------
    list of Result
        In the order given.
    """
    return run_all(list(scenarios), max_ticks, cancel)


def run_all(scenarios, max_ticks=MAX_TICKS, cancel=None, together=TOGETHER):
    """Run scenarios in batches, and those of batches below `together` one by one."""
    if max_ticks < 1:
        raise ValueError(f"max_ticks = {max_ticks} must be at least 1")
    # read once: plain attributes cost a tenth of parameters
    plain = [SimpleNamespace(**scenario.validate()) for scenario in scenarios]
    for fields in plain:
        _check_size(fields)
    results = [None] * len(scenarios)
    for places, size in _batches(plain):
        chosen = [scenarios[place] for place in places], [plain[place] for place in places]
        if len(places) < together:
            found = _one_by_one(*chosen, max_ticks, cancel)
        else:
            found = _as_batch(*chosen, size, max_ticks, cancel)
        for place, result in zip(places, found, strict=True):
            results[place] = result
    return results


def _one_by_one(scenarios, plain, max_ticks, cancel):
    pairs = zip(scenarios, plain, strict=True)
    return [run_single(scenario, fields, max_ticks, cancel) for scenario, fields in pairs]


def _as_batch(scenarios, plain, size, max_ticks, cancel):
    """Run scenarios whose groups have `size` workers as one batch."""
    workers = -(-max(s.workers for s in plain) // size) * size
    batch = Batch(plain, workers, size)
    log = Log(scenarios, batch.agents, workers)
    first_ready = [w.first_ready for w in batch.workloads]
    ticks = run(batch, log, max_ticks, cancel)
    return log.results(ticks, first_ready)


def _batches(scenarios):
    """Yield the places of scenarios that can run together, and the members of their groups."""
    kinds = {}
    for place, s in enumerate(scenarios):
        kind = (members(s), bool(s.prefill_workers), s.draws)
        kinds.setdefault(kind, []).append(place)
    for (size, _, _), places in kinds.items():
        places.sort(key=lambda place: (scenarios[place].agents, scenarios[place].workers))
        while places:
            count = _fitting(scenarios, places)
            batch, places = places[:count], places[count:]
            batch.sort(key=lambda place: rank(scenarios[place]))
            yield batch, size or max(scenarios[place].workers for place in batch)


def _fitting(scenarios, places):
    """Return how many of the scenarios fit into one batch."""
    workers = agents = turns = 0
    for count, place in enumerate(places[:BATCH_SIZE]):
        s = scenarios[place]
        workers, agents = max(workers, s.workers), max(agents, s.agents)
        turns += turns_of(s)
        size = (count + 1) * workers * agents * BYTES_PER_CELL + turns * BYTES_PER_TURN
        if count and size > BATCH_BYTES:
            return count
    return min(len(places), BATCH_SIZE)


def turns_of(scenario):
    """Return about how many turns all agents of a scenario have."""
    if scenario.table is not None:
        return sum(map(len, scenario.table))
    return int(np.mean(scenario.turns) * scenario.agents)


def _check_size(scenario):
    s = scenario
    size = s.workers * s.agents * BYTES_PER_CELL + turns_of(s) * BYTES_PER_TURN
    if size > MAX_BYTES:
        raise ValueError(
            f"the scenario is too large: workers = {s.workers:,}, agents = {s.agents:,} and "
            f"about {turns_of(s):,} turns need {size / 2**30:.1f} GiB, at most "
            f"{MAX_BYTES / 2**30:.0f} GiB are allowed"
        )
