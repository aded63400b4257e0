"""Where the workers' time went, held against a count over every tick."""

import collections

import numpy as np
import pytest
from hypothesis import given, settings

from app.derive import Recording
from app.derive.tax import PARTS, efficiency, time_spent
from sim import Scenario, simulate
from sim.scenario import STATES
from tests.cases import scenarios


def counted(recording):
    """Return the parts as a plain loop over workers and ticks finds them."""
    _, start, stop, code, again = recording.again_runs
    shape = recording.workers, recording.ticks
    states = np.repeat(code, stop - start).reshape(shape)
    redone = np.repeat(again, stop - start).reshape(shape)
    idle = states == STATES.index("idle")
    spent, mixed = collections.Counter(), [0, 0]
    for worker in range(recording.workers):
        group = list(recording.group(worker))
        for tick in range(recording.ticks):
            name = STATES[states[worker, tick]]
            if name == "mixed":
                mixed[int(redone[worker, tick])] += 1
            elif name == "prefill" and redone[worker, tick]:
                spent["prefill_again"] += 1
            elif name == "idle" and not all(idle[group, tick]):
                spent["idle_behind"] += 1
            else:
                spent[name] += 1
    return {name: spent[name] for name in PARTS}, mixed


@settings(max_examples=60, deadline=None)
@given(scenarios())
def test_parts_add_up_to_all_worker_time(scenario):
    recording = Recording(simulate(scenario))
    found = time_spent(recording)
    assert tuple(found) == PARTS
    assert sum(found.values()) == recording.workers * recording.ticks
    assert all(type(ticks) is int and ticks >= 0 for ticks in found.values())
    if recording.workers * recording.ticks < 5_000:
        plain, (useful, again) = counted(recording)
        share = scenario.mixed_share
        work = ("decode", "prefill", "prefill_again")
        exact = ((useful + again) * (1 - share), useful * share, again * share)
        for name, mixed in zip(work, exact, strict=True):
            assert found.pop(name) == pytest.approx(plain.pop(name) + mixed, abs=1)
        assert found == plain


def test_idle_is_told_apart_by_the_group():
    """Worker 0 decodes for ten seconds; 1 is of its group, 2 and 3 of another."""
    scenario = Scenario(
        workers=4,
        group_size=2,
        draws="table",
        table=[[[0, 1000, 100]], [], [[20_000, 1000, 100]]],
        tick_ms=1000,
        prefill_rate=1000,
        decode_rate=10,
    )
    recording = Recording(simulate(scenario))
    assert recording.ticks == 31
    found = time_spent(recording)
    assert found == dict.fromkeys(PARTS, 0) | {
        "decode": 20,
        "prefill": 2,
        "idle_behind": 22,
        "idle": 4 * 31 - 44,
    }


def test_a_run_alone_is_as_efficient_as_its_bound():
    alone = {"workers": 1, "agents": 1, "turns": [3, 3]}
    assert efficiency(Recording(simulate(Scenario(**alone)))) == pytest.approx(1, abs=0.01)
    crowd = Recording(simulate(Scenario(workers=1, agents=8, turns=[3, 3], lock="phase")))
    assert efficiency(crowd) < 0.8
