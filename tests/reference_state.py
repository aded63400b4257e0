"""What the reference keeps of agents, requests and workers."""

import collections
import dataclasses

import numpy as np

from sim.scenario import STATES

IDLE, PREFILL, DECODE, MIXED = "idle", "prefill", "decode", "mixed"
"""Phases; prefill and decode are stages of a request as well."""

LOAD, TRANSFER = "load", "transfer"
"""The other stages."""

UNITS = 2**20
"""Units of work in a token."""


@dataclasses.dataclass(slots=True)
class Agent:
    """A coding agent: what it has done, and what it does next."""

    id: int
    turns: int
    ready: int
    wait: int = 0
    turn: int = 0
    context: int = 0
    thinking: bool = True
    started: bool = False
    ended: bool = False


@dataclasses.dataclass(slots=True)
class Entry:
    """What a worker, or its host tier, keeps of one agent's context."""

    tokens: int
    last_access: int
    sequence: int
    locked: bool = False

    def age(self):
        """Sort the least recently used first."""
        return self.last_access, self.sequence


@dataclasses.dataclass(slots=True)
class Request:
    """One turn of an agent on its way through the workers."""

    owner: Agent
    first: "Worker"
    second: "Worker"
    context: int
    prompt: int
    output: int
    created: int
    stage: str = ""
    left: int = 0
    row: dict = dataclasses.field(default_factory=dict)


class Worker:
    """A DP rank: its queue, its admitted requests, its caches."""

    def __init__(self, number, takes_new):
        self.id = number
        self.takes_new = takes_new
        self.queue = collections.deque()
        self.admitted = []
        self.cache = {}
        self.host = {}
        self.held = {}
        self.outstanding = 0
        self.outstanding_tokens = 0
        self.cold = True
        self.blocked = False
        self.group = None
        self.runs = []  # [state, ticks]

    def used(self):
        """Return the KV tokens in use."""
        return sum([entry.tokens for entry in self.cache.values()])

    def cached_tokens(self, agent):
        """Return the size of an agent's entry, 0 without one."""
        return self.cache[agent].tokens if agent in self.cache else 0

    def record(self, state):
        """Add one tick of a state."""
        if self.runs and self.runs[-1][0] == state:
            self.runs[-1][1] += 1
        else:
            self.runs.append([state, 1])

    def states(self):
        """Return the states as first ticks and codes."""
        lengths = np.array([ticks for _, ticks in self.runs], np.int64)
        codes = np.array([STATES.index(state) for state, _ in self.runs], np.uint8)
        return np.cumsum(lengths) - lengths, codes
