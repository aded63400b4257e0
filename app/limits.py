"""What one session may ask of the server; whoever runs it sets it."""

import dataclasses
import os

from sim.runs import turns_of

SUFFIXES = {"k": 1e3, "M": 1e6, "G": 1e9}


@dataclasses.dataclass(frozen=True)
class Limits:
    """The most that is taken.

    Attributes
    ----------
    requests : int
        Of one run: agents × turns.
    cells : int
        Of one run: agents × workers, which is what its memory grows with.
    total : int
        Requests of all runs of one question: those of a comparison, of all changes that are tried
        out, of a grid; each with all its seeds.
    seconds : int
        Of computing, for one question.
    upload : int
        Bytes of an upload as it arrives.
    """

    requests: int = 100_000
    cells: int = 500_000
    total: int = 5_000_000
    seconds: int = 300
    upload: int = 1_000_000_000

    def check(self, demand):
        """Refuse a demand that is above.

        Raises
        ------
        LimitError
        """
        for kind in ("requests", "cells", "total"):
            if getattr(demand, kind) > getattr(self, kind):
                values = dataclasses.asdict(demand)
                raise LimitError(kind, most=getattr(self, kind), **values)


HELP = {
    "requests": "requests of one run: agents × turns",
    "cells": "agents × workers of one run",
    "total": "requests of all runs of a comparison, of the changes tried out, or of a grid",
    "seconds": "seconds of computing for what is asked at a time",
    "upload": "bytes of an upload",
}
"""What each limit means, as the command line says it."""


@dataclasses.dataclass(frozen=True)
class Demand:
    """How much is asked for at a time.

    Attributes
    ----------
    agents, workers, turns : int
        Of the largest run; the turns are those of an agent on average.
    requests, cells : int
        Of the largest run.
    runs, total : int
        Runs, and the requests of all of them.
    """

    agents: int
    workers: int
    turns: int
    requests: int
    cells: int
    runs: int
    total: int

    @classmethod
    def of(cls, scenario, runs=1, agents=None, workers=None):
        """Return what it takes to run a scenario so many times.

        Parameters
        ----------
        scenario : Scenario
        runs : int
        agents, workers : sequence of int, optional
            Values that are swept, each in as many of the runs; the scenario's own unless given.
        """
        agents, workers = agents or [scenario.agents], workers or [scenario.workers]
        turns = turns_of(scenario) / scenario.agents
        return cls(
            agents=max(agents),
            workers=max(workers),
            turns=round(turns),
            requests=round(turns * max(agents)),
            cells=max(agents) * max(workers),
            runs=runs,
            total=round(turns * sum(agents) / len(agents) * runs),
        )


class LimitError(ValueError):
    """More is asked for than is allowed here.

    Attributes
    ----------
    kind : str
        One of the `Limits`.
    values : dict
        What a text about it needs.
    """

    def __init__(self, kind, **values):
        self.kind = kind
        self.values = {name: f"{value:,}" for name, value in values.items()}
        super().__init__(SAID[kind].format(**self.values))


SAID = {
    "requests": "agents = {agents} with {turns} turns each make {requests} requests, at most "
    "{most} are allowed here: take fewer agents or turns",
    "cells": "agents × workers = {cells}, at most {most} are allowed here: take fewer agents or "
    "workers",
    "total": "{runs} runs make {total} requests, at most {most} are allowed here: take fewer "
    "agents or turns",
    "seconds": "stopped after {most} s of computing, which is what is allowed here: take fewer "
    "agents, turns or workers",
}


def from_environment(environment=os.environ):
    """Return the limits that variables such as DPASCOPE_MAX_REQUESTS set.

    Raises
    ------
    ValueError
        If one of them is no whole number above 0.
    """
    found = {}
    for name in names():
        text = environment.get(variable(name))
        if text is not None:
            try:
                found[name] = number(text)
            except ValueError as error:
                raise ValueError(f"{variable(name)} = {error}") from None
    return Limits(**found)


def names():
    """Return the names of all limits."""
    return [field.name for field in dataclasses.fields(Limits)]


def variable(name):
    """Return the name of the environment's variable for a limit."""
    return f"DPASCOPE_MAX_{name.upper()}"


def number(text):
    """Return the whole number that a text means; it may end in k, M or G."""
    text = text.strip()
    factor = SUFFIXES.get(text[-1:], 1)
    try:
        found = float(text[:-1] if factor > 1 else text.replace("_", "")) * factor
    except ValueError:
        found = 0
    if not 1 <= found < 2**53 or found != int(found):
        raise ValueError(f"{text!r} must be a whole number above 0, such as 500000, 500k or 2M")
    return int(found)


_limits = None


def current():
    """Return the limits of this server."""
    return from_environment() if _limits is None else _limits


def use(limits):
    """Set the limits of this server; None: those of the environment."""
    global _limits
    _limits = limits
