"""Scenarios to test with: known right answers, and generated ones that press on every rule."""

import functools
import json
import pathlib

from hypothesis import strategies

from sim.golden import differences
from sim.scenario import (
    DRAWS,
    EVICTIONS,
    LOCKS,
    MAX_RATE,
    OVERFLOWS,
    PHASE_POLICIES,
    ROUTINGS,
    Scenario,
)

GOLDEN = pathlib.Path(__file__).parent / "data" / "golden.json"


@functools.cache
def golden():
    """Return the golden cases, name to (scenario fields, expected answers)."""
    cases = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return {case["name"]: (case["scenario"], case["expect"]) for case in cases}


def check(result, expect):
    """Assert that a result is what a golden case expects, to the last bit.

    Parameters
    ----------
    result : Result
    expect : dict
        `expect` of a golden case: totals, metrics, check sums, and for some cases full lists.
    """
    assert differences(result, expect) == []


def random_scenario(rng):
    """Return the fields of a random scenario.

    Parameters
    ----------
    rng : random.Random

    Returns
    -------
    dict
        All fields, ready for `Scenario.from_dict` and for JSON.
    """
    return _fields(_Choices(rng.choice, rng.randint))


@strategies.composite
def scenarios(draw):
    """Return a Hypothesis strategy for scenarios, with the coverage of `random_scenario`."""
    choices = _Choices(
        lambda options: draw(strategies.sampled_from(options)),
        lambda low, high: draw(strategies.integers(low, high)),
    )
    return Scenario.from_dict(_fields(choices))


class _Choices:
    """What a scenario is made of by chance.

    Parameters
    ----------
    pick : callable
        Chooses one of a sequence; the first is the simplest.
    integer : callable
        Chooses an integer of a closed range.
    """

    def __init__(self, pick, integer):
        self.pick, self.integer = pick, integer
        # Large counts press on exact arithmetic, round ones on what happens at equality.
        self.size = pick((1, 1, 1, 1, 997))
        self.grain = pick((1, 1, 100 * self.size))

    def tokens(self, low, high):
        """Choose a number of tokens of a closed range."""
        return self.grain * self.integer(-(-low // self.grain), high // self.grain)

    def token_knots(self, high):
        """Choose the distribution of a number of tokens."""
        low, high = self.grain, high * self.size
        if self.grain > 1:
            return [self.tokens(low, high)] * 2
        return self.knots(low, high)

    def knots(self, low, high):
        """Choose a range or a table of quantiles."""
        return sorted(self.integer(low, high) for _ in range(self.pick((2, 2, 3, 5))))


def _fields(choices):
    """Choose all fields of a small scenario in which memory is short."""
    fields = {
        **_workload(choices),
        **_policies(choices.pick),
        **_workers(choices),
    }
    fields.update(_rates(choices, fields["tick_ms"]))
    if fields["draws"] == "table":
        fields["table"] = _table(choices, fields)
    fields.update(_memory(choices, fields))
    return fields


def _workload(choices):
    pick, integer = choices.pick, choices.integer
    tick_ms = pick((250, 100, 37, 1, 1001))
    agents = integer(1, 14)
    return {
        "agents": agents,
        "turns": choices.knots(1, 9),
        "input_tokens": choices.token_knots(1500),
        "output_tokens": choices.token_knots(400),
        "think_ms": pick(([0, 0], choices.knots(0, 5 * tick_ms))),
        "tick_ms": tick_ms,
        "stagger_ms": pick((0, integer(0, 3 * tick_ms))),
        "max_concurrent_agents": pick((0, 0, integer(1, agents))),
        "draws": pick(("paired", *DRAWS)),
        "seed": integer(0, 2**32 - 1),
    }


def _policies(pick):
    return {
        "routing": pick((*ROUTINGS, "total_tokens", "cache_aware", "cache_aware")),
        "cache_threshold": pick((0.3, 0, 0.5)),
        "balance_abs": pick((64, 0, 1)),
        "balance_rel": pick((1.5, 0, 2)),
        "lock": pick((*LOCKS, "step")),
        "phase_policy": pick((*PHASE_POLICIES, "mixed")),
        "quantum": pick((8, 1, 3)),
        "decode_interval": pick((4, 0, 1, 40)),
        "max_delay": pick((4, 1, 2, 9)),
        "mixed_share": pick((0.5, 0.37, 0.9)),
        "eviction": pick(EVICTIONS),
        "overflow": pick(OVERFLOWS),
        "release_finished": pick((True, False)),
    }


def _workers(choices):
    pick = choices.pick
    workers = pick((1, 2, 3, 4, 6))
    return {
        "workers": workers,
        "prefill_workers": pick((0, 0, choices.integer(0, workers - 1))),
        "group_size": pick((0, 0, 1, 2, 3)),
    }


def _rates(choices, tick_ms):
    """Choose rates at which a stage takes one tick or a few, however long a tick is."""
    pick = choices.pick

    def rate(low, high):
        grain = 1 if choices.grain == 1 else 25
        tokens = grain * choices.integer(-(-low // grain), high // grain)
        tokens *= pick((1, 1, 1, 1, 30)) * choices.size
        return min(tokens * 1000 / tick_ms, MAX_RATE)

    return {
        "prefill_rate": rate(40, 400),
        "decode_rate": rate(8, 40),
        "host_load_rate": rate(100, 3000),
        "transfer_rate": rate(100, 3000),
        "chunk_tokens": pick((512, 7, 64)),
        "prefill_sharing": pick((False, True)),
        "decode_slowdown": pick((0, 0.05, 1)),
    }


def _table(choices, fields):
    """Choose explicit sessions, some empty, some compacted by the agents themselves."""
    pick, integer, tokens = choices.pick, choices.integer, choices.tokens
    least, new, output = choices.grain, fields["input_tokens"][-1], fields["output_tokens"][-1]

    def turn():
        start = [integer(0, 9 * fields["tick_ms"]), tokens(least, new), tokens(least, output)]
        return start + pick(([], [], [], [tokens(0, 3 * new)]))

    lengths = [pick((integer(1, 9), integer(1, 9), 0)) for _ in range(fields["agents"])]
    lengths[0] = max(1, lengths[0])
    return [[turn() for _ in range(length)] for length in lengths]


def _memory(choices, fields):
    """Choose capacities of the order of one context."""
    pick, tokens = choices.pick, choices.tokens
    turns = fields["turns"][-1]
    if fields["draws"] == "table":
        turns = max(len(session) for session in fields["table"])
    turn = fields["input_tokens"][-1] + fields["output_tokens"][-1]
    context = turn * turns
    room = tokens(turn, context)
    limit = pick((room, 2 * room, tokens(turn, context)))
    shared = pick((0, 0, tokens(0, turn)))
    return {
        "kv_capacity": shared + room,
        "context_limit": shared + limit,
        "shared_prefix": shared,
        "host_kv_capacity": pick((0, 4 * context, tokens(0, 2 * context), tokens(0, room))),
        "compact_to": pick((tokens(choices.grain, turn), max(1, min(room, limit) - turn))),
    }
