"""The generated scenarios press on every rule, and the check of an answer can fail."""

import copy
import json
import random

import numpy as np
import pytest

from sim.scenario import STATES, Scenario
from tests.cases import check, golden, random_scenario
from tests.reference import reference

SAMPLE = [random_scenario(random.Random(seed)) for seed in range(200)]
OFTEN = 10
"""Of 200 runs, how many at least show each thing that can happen."""


def happenings(result):
    """Return which of the things that can happen did happen in a run."""
    s, totals, r = result.scenario, result.totals(), result.requests
    limit = min(s.context_limit, s.kv_capacity) - s.shared_prefix
    counts = ("evictions", "reclaimed", "misses", "kills", "compactions")
    states = dict(zip(STATES, totals["state_ticks"], strict=True))
    return {
        **{name: totals[name] > 0 for name in counts},
        **{f"state {name}": ticks > 0 for name, ticks in states.items()},
        "queued": (r["started"] > r["created"]).any(),
        "host load": (r["loaded"] > 0).any(),
        "recomputed, routed elsewhere": (r["recomputed"] > r["recomputed_evicted"]).any(),
        "recomputed, evicted": (r["recomputed_evicted"] > 0).any(),
        "part of a context cached": ((r["cached"] > 0) & (r["recomputed"] > 0)).any(),
        "transfer": bool(s.prefill_workers),
        "eviction from a prefill worker": s.prefill_workers and totals["evictions"],
        "last group smaller": s.group_size and s.workers % s.group_size,
        "agents held back": 0 < s.max_concurrent_agents < s.agents,
        "avalanche": result.avalanche_onset_tick() is not None,
        "agent without turns": (result.first_ready < 0).any(),
        "carried context": any(len(turn) == 4 for session in s.table or () for turn in session),
        "large counts": s.kv_capacity > 2**20,
        "context just at the limit": (r["prompt"] + r["output"] == limit).any(),
    }


def test_everything_happens_often():
    seen = [happenings(reference(Scenario.from_dict(fields))) for fields in SAMPLE]
    counts = {name: sum(bool(one[name]) for one in seen) for name in seen[0]}
    assert {name: n for name, n in counts.items() if n < OFTEN} == {}


@pytest.mark.parametrize(
    "field", ["routing", "phase_policy", "lock", "draws", "eviction", "overflow"]
)
def test_every_choice_occurs(field):
    chosen = {fields[field] for fields in SAMPLE}
    assert chosen == set(Scenario.param[field].objects)


def test_random_scenarios_are_json_and_all_fields():
    assert json.loads(json.dumps(SAMPLE)) == SAMPLE
    names = set(Scenario().to_dict()) - {"table"}
    assert all(names <= set(fields) for fields in SAMPLE)


def test_random_scenario_is_a_function_of_the_generator():
    assert random_scenario(random.Random(7)) == SAMPLE[7] != SAMPLE[8]


def test_check_fails_on_each_difference():
    fields, expect = golden()["tiny_pd"]
    result = reference(Scenario.from_dict(fields))
    check(result, expect)

    def wrong(change):
        changed = copy.deepcopy(result)
        changed.__dict__.pop("state_ticks", None)
        change(changed)
        with pytest.raises(AssertionError):
            check(changed, expect)

    def shift_state(r):
        starts, codes = r.states[0]
        r.states[0] = (starts + (np.arange(starts.size) == 1), codes)

    wrong(shift_state)
    wrong(lambda r: setattr(r, "kv_token_ticks", r.kv_token_ticks + 1))
    wrong(lambda r: r.requests["finished"].__setitem__(-1, r.requests["finished"][-1] + 1))
    wrong(lambda r: r.events["by"].__setitem__(0, 9))
    wrong(lambda r: r.first_ready.__iadd__(1000))
