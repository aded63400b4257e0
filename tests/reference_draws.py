"""Draws and workloads of the reference: what each agent asks for, and when."""

import math

TURNS, INPUT, OUTPUT, WAIT, ROUTE, DECODE_ROUTE = range(6)
"""What a draw is for."""

MASK = 2**32 - 1


def mix(x):
    """Scramble 32 bits."""
    x ^= x >> 16
    x = x * 0x7FEB352D & MASK
    x ^= x >> 15
    x = x * 0x846CA68B & MASK
    return x ^ x >> 16


def hashed(*values):
    """Hash integers to 32 bits."""
    h = 0
    for v in values:
        h = mix((h + v + 0x9E3779B9) & MASK)
    return h


def mulberry32(seed):
    """Yield an endless stream of 32-bit draws."""
    s = seed
    while True:
        s = (s + 0x6D2B79F5) & MASK
        t = (s ^ s >> 15) * (s | 1) & MASK
        t ^= (t + (t ^ t >> 7) * (t | 61)) & MASK
        yield t ^ t >> 14


def value_at(knots, draw):
    """Turn a 32-bit draw into a value of the distribution with those knots."""
    if len(knots) == 2:
        knots = [knots[0], knots[1] + 1]
    intervals = len(knots) - 1
    x = draw / 2**32 * intervals
    i = min(math.floor(x), intervals - 1)
    return math.floor(knots[i] + (x - i) * (knots[i + 1] - knots[i]))


def ceil_ticks(ms, tick_ms):
    """Return the whole ticks that cover a time."""
    return -(-ms // tick_ms)


class PairedWorkload:
    """Every draw is a function of what it is for."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.turns = self.draw_turns()
        self.first_ready = self.ready_ticks()

    def draw(self, agent, turn, field):
        """Return the 32-bit draw for one field of one turn."""
        return hashed(self.scenario.seed, agent, turn, field)

    def draw_turns(self):
        """Return the number of turns of each agent."""
        s = self.scenario
        return [value_at(s.turns, self.draw(a, 0, TURNS)) for a in range(s.agents)]

    def ready_ticks(self):
        """Return the tick from which each agent may make its first request."""
        s = self.scenario
        return [ceil_ticks(a * s.stagger_ms, s.tick_ms) for a in range(s.agents)]

    def tokens(self, agent, turn):
        """Return a turn's input and output, and the context it carried over, None for all."""
        s = self.scenario
        new = value_at(s.input_tokens, self.draw(agent, turn, INPUT))
        output = value_at(s.output_tokens, self.draw(agent, turn, OUTPUT))
        return new, output, None

    def wait(self, agent, turn):
        """Return the ticks of the wait before a turn."""
        s = self.scenario
        return ceil_ticks(value_at(s.think_ms, self.draw(agent, turn, WAIT)), s.tick_ms)


class ArticleWorkload(PairedWorkload):
    """One stream serves all draws in the order in which things happen."""

    def __init__(self, scenario):
        self.stream = mulberry32(scenario.seed)
        super().__init__(scenario)

    def draw(self, agent, turn, field):
        """Return the next draw of the stream; a decode route is hashed."""
        if field == DECODE_ROUTE:
            return super().draw(agent, turn, field)
        return next(self.stream)


class TableWorkload(PairedWorkload):
    """Explicit sessions; only routes are drawn."""

    def draw_turns(self):
        """Return the number of turns of each agent."""
        return [len(session) for session in self.scenario.table]

    def ready_ticks(self):
        """Return each agent's first wait, -1 for an agent without turns."""
        return [self.wait(a, 0) if session else -1 for a, session in enumerate(self.scenario.table)]

    def tokens(self, agent, turn):
        """Return a turn's input and output, and the context it carried over, None for all."""
        _, new, output, *carried = self.scenario.table[agent][turn]
        return new, output, carried[0] if carried else None

    def wait(self, agent, turn):
        """Return the ticks of the wait before a turn."""
        return ceil_ticks(self.scenario.table[agent][turn][0], self.scenario.tick_ms)


WORKLOADS = {"paired": PairedWorkload, "article": ArticleWorkload, "table": TableWorkload}
