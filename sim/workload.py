"""What the agents will ask for: distributions, draws and sessions, for a batch at once.

All draws are 32-bit and reproducible to the bit in any language: `hashed` is a pure function
of what a draw is for, `mulberry32` a stream used in the order in which things happen.
"""

import numpy as np

TURNS, INPUT, OUTPUT, WAIT, ROUTE, DECODE_ROUTE = range(6)
"""What a draw is for: the last value that is hashed."""

SECOND_CHOICE = 2
"""Added to `ROUTE` or `DECODE_ROUTE` for the second candidate of power_of_two."""


def mix(x):
    """Scramble a uint32 array (an integer hash of full period)."""
    x = x ^ (x >> np.uint32(16))
    x = x * np.uint32(0x7FEB352D)
    x = x ^ (x >> np.uint32(15))
    x = x * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def hashed(*values):
    """Return a uint32 draw for a tuple of values; arrays broadcast against each other."""
    state = np.zeros(1, np.uint32)
    for value in values:
        value = np.asarray(value).astype(np.uint32)
        state = mix(state + value + np.uint32(0x9E3779B9))
    return state


def mulberry32(seed, count):
    """Return the first `count` draws of the mulberry32 stream of `seed`, as uint32."""
    s = np.uint32(seed) + np.uint32(0x6D2B79F5) * np.arange(1, count + 1, dtype=np.uint32)
    t = (s ^ (s >> np.uint32(15))) * (s | np.uint32(1))
    t = t ^ (t + (t ^ (t >> np.uint32(7))) * (t | np.uint32(61)))
    return t ^ (t >> np.uint32(14))


def quantile(knots, draws):
    """Map 32-bit draws to integers by a table of quantiles.

    Parameters
    ----------
    knots : sequence of int
        K + 1 values, never falling; two values mean every integer from the first to the
        second, both included, alike.
    draws : ndarray of uint32

    Returns
    -------
    ndarray of int64
        floor(q[i] + (x - i)(q[i + 1] - q[i])) with x = draw / 2^32 * K and i = floor x.
    """
    q = np.array(knots, np.int64)
    if q.size == 2:
        q[1] += 1
    pieces = q.size - 1
    x = draws / 2**32 * pieces
    i = np.minimum(x.astype(np.int64), pieces - 1)
    return np.floor(q[i] + (x - i) * (q[i + 1] - q[i])).astype(np.int64)


def ticks_of(ms, tick_ms):
    """Return waits in ticks, rounded up."""
    return -(-ms // tick_ms)


class Workload:
    """The sessions of one scenario, all turns of all agents one after another.

    Attributes
    ----------
    turns : ndarray of int64, shape (agents,)
        Turns of each agent.
    offset : ndarray of int64, shape (agents,)
        Where an agent's turns begin in the arrays below.
    inputs, outputs, waits : ndarray of int64, shape (turns,)
        New input and output tokens, and the wait before the turn in ticks. With
        ``draws="article"`` instead the values that a draw at each position of the stream
        would give, since which turn uses which draw is known only as the run goes.
    carried : ndarray of int64, shape (turns,) or None
        Context that a compaction by the agent itself leaves before the turn; -1: none.
    first_ready : ndarray of int64, shape (agents,)
        Tick from which the first request can be made; -1 for an agent without turns.
    stream : ndarray of uint32 or None
        The draws of ``draws="article"``.
    agent_of, turn_of : ndarray of int64, shape (turns,)
    """

    def __init__(self, scenario):
        s = scenario
        self.carried = self.stream = None
        start = ticks_of(np.arange(s.agents, dtype=np.int64) * s.stagger_ms, s.tick_ms)
        if s.draws == "table":
            self._from_table(s)
            return
        if s.draws == "article":
            self._from_stream(s)
        else:
            ids = np.arange(s.agents)
            self._lay_out(quantile(s.turns, hashed(s.seed, ids, 0, TURNS)))
            draw = {
                field: hashed(s.seed, self.agent_of, self.turn_of, field)
                for field in (INPUT, OUTPUT, WAIT)
            }
            self.inputs = quantile(s.input_tokens, draw[INPUT])
            self.outputs = quantile(s.output_tokens, draw[OUTPUT])
            self.waits = ticks_of(quantile(s.think_ms, draw[WAIT]), s.tick_ms)
        self.first_ready = start

    def _lay_out(self, turns):
        self.turns = turns
        self.offset = np.cumsum(turns) - turns
        self.agent_of = np.repeat(np.arange(turns.size), turns)
        self.turn_of = np.arange(self.agent_of.size) - self.offset[self.agent_of]

    def _from_stream(self, s):
        drawn = mulberry32(s.seed, s.agents)
        self._lay_out(quantile(s.turns, drawn))
        # a turn takes at most a route, an input, an output and a wait
        self.stream = mulberry32(s.seed, s.agents + 4 * self.agent_of.size + 4)
        self.inputs = quantile(s.input_tokens, self.stream)
        self.outputs = quantile(s.output_tokens, self.stream)
        self.waits = ticks_of(quantile(s.think_ms, self.stream), s.tick_ms)

    def _from_table(self, s):
        self._lay_out(np.array([len(session) for session in s.table], np.int64))
        rows = [[*turn, -1][:4] for session in s.table for turn in session]
        waits, self.inputs, self.outputs, self.carried = np.array(rows, np.int64).T.copy()
        self.waits = ticks_of(waits, s.tick_ms)
        last = self.waits.size - 1
        first = self.waits[np.minimum(self.offset, last)]
        self.first_ready = np.where(self.turns > 0, first, -1)
