"""What is measured: scenarios, how many of them in one call, and what they are compared with."""

import dataclasses

from sim import Scenario
from sim.sweep import grid

LOOP, ALONE, ONE = "plain loop", "alone", "batch of 1"
SINGLY, SWEEP = "one at a time", "one process"


@dataclasses.dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes
    ----------
    name : str
    fields : dict
        Of the scenario, where they differ from the defaults.
    batch : int
        Scenarios in one call, each with its own seed; 0: one, and not as a batch.
    repeats : int
        Calls in a round, of which the mean counts.
    loop : bool
        Run by the plain loop of the tests instead of the engine.
    against : dict of str to int
        The names of the cases that this one is compared with, and how many times as fast it
        ought to be; 0: nothing is asked.
    axes : dict
        Of a grid, of whose scenarios one call runs all.
    every : int
        Only every so many of them.
    processes : int
        Processes of a sweep over the grid; 0: no sweep.
    rounds : int
        Most rounds in which it runs; 0: all.
    """

    name: str
    fields: dict = dataclasses.field(default_factory=dict)
    batch: int = 0
    repeats: int = 1
    loop: bool = False
    against: dict = dataclasses.field(default_factory=dict)
    axes: dict = dataclasses.field(default_factory=dict)
    every: int = 1
    processes: int = 0
    rounds: int = 0

    def scenarios(self):
        """Return the scenarios of one call, for a sweep its points."""
        first = Scenario(**self.fields)
        if self.axes:
            points = grid(first, self.axes)
            return points if self.every == 1 else [*points][:: self.every]
        return [first.replace(seed=first.seed + i) for i in range(max(1, self.batch))]


@dataclasses.dataclass(frozen=True)
class Plan:
    """Sections of cases, and how often each is run.

    Attributes
    ----------
    sections : dict of str to list of Case
    rounds : tuple of int
        Least and most rounds; in each round every case runs once.
    seconds : float
        No further round begins after so long.
    """

    sections: dict
    rounds: tuple
    seconds: float

    @property
    def cases(self):
        """All cases, in their order."""
        return [case for cases in self.sections.values() for case in cases]


def _plan(base, batch, agents, workers, batches, axes, every, least=(0, 0), **limits):
    """Return a plan around one scenario; `least` is asked of it alone and in a batch."""

    def numbered(noun, counts, field):
        return [Case(f"{n} {noun}", {**base, field: n}) for n in counts]

    def batched(n, least=0):
        return Case(f"batch of {n}", base, batch=n, against={ONE: least, ALONE: 0})

    swept = {"fields": base, "axes": axes, "rounds": 2}
    runs = len(grid(Scenario(**base), axes))
    return Plan(
        {
            "default scenario": [
                Case(LOOP, base, loop=True),
                Case(ALONE, base, repeats=5, against={LOOP: least[0]}),
                Case(ONE, base, batch=1, repeats=2, against={LOOP: 0}),
                batched(batch, least[1]),
            ],
            "agents": numbered("agents", agents, "agents"),
            "workers": numbered("workers", workers, "workers"),
            "batches": [batched(n) for n in batches],
            f"sweep of {runs:,} scenarios": [
                Case(SINGLY, **swept, every=every),
                Case(SWEEP, **swept, processes=1, against={SINGLY: 0}),
                Case("two processes", **swept, processes=2, against={SINGLY: 0, SWEEP: 0}),
            ],
        },
        **limits,
    )


FULL = _plan(
    {},
    256,
    agents=(8, 16, 64, 128, 256),
    workers=(4, 8, 32, 64),
    batches=(4, 16, 64, 1024),
    axes={
        "kv_capacity": [*range(100_000, 1_000_001, 100_000)],
        "routing": ("pinned", "round_robin", "total_tokens", "cache_aware"),
        "seed": [*range(25)],
    },
    every=21,
    least=(10, 40),
    rounds=(3, 7),
    seconds=45,
)
QUICK = _plan(
    {"agents": 4, "workers": 2, "turns": [2, 3]},
    8,
    agents=(2, 8),
    workers=(3, 4),
    batches=(2, 16),
    axes={"agents": (2, 3, 4), "seed": (1, 2, 3)},
    every=2,
    rounds=(1, 1),
    seconds=0,
)
