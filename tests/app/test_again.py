"""Prefill again, held against a loop over every tick."""

import numpy as np
import pytest
from hypothesis import given, settings

from app.derive import PREFILL_AGAIN, Recording
from app.derive.progress import PREFILL
from sim import Scenario, simulate, simulate_many
from sim.result import UNITS_PER_TOKEN
from sim.scenario import STATES
from tests.cases import golden, scenarios


def every_tick(recording):
    """Yield (worker, tick, state, again) as a plain loop finds them.

    `again` maps each request that prefills in the tick to whether it recomputes.
    """
    r, stages = recording.result.requests, recording.stages
    for worker, (starts, codes) in enumerate(recording.result.states):
        rows = np.flatnonzero(r["worker"] == worker).tolist()
        done = dict.fromkeys(rows, 0)
        for tick in range(recording.ticks):
            state = STATES[codes[np.searchsorted(starts, tick, "right") - 1]]
            there = [row for row in rows if stages[row, 2] <= tick < stages[row, 3]]
            step = recording.rates.step(PREFILL, state, len(there)) if there else 0
            again = {}
            for row in there if step else ():
                total = int(r["prompt"][row] - r["cached"][row]) * UNITS_PER_TOKEN
                first = 0
                if recording.cold_start[row]:
                    first = recording.shared * UNITS_PER_TOKEN
                    total += first
                moved = min(step, total - done[row])
                middle = done[row] + moved / 2
                lost = int(r["recomputed"][row]) * UNITS_PER_TOKEN
                again[row] = first <= middle < first + lost
                done[row] += moved
            yield worker, tick, state, again


def check(recording):
    spans = {row: [] for row in range(len(recording.stages))}
    states = np.repeat(recording.shades[3], recording.shades[2] - recording.shades[1])
    marked = np.repeat(recording.again_runs[4], recording.shades[2] - recording.shades[1])
    assert states.size == recording.workers * recording.ticks
    for worker, tick, state, again in every_tick(recording):
        for row, recomputes in again.items():
            first, stop = recording.again[row]
            assert recomputes == (first <= tick < stop)
            if recomputes:
                spans[row].append(tick)
        at = worker * recording.ticks + tick
        half = bool(again) and 2 * sum(again.values()) >= len(again)
        code = STATES.index(state)
        assert states[at] == (PREFILL_AGAIN if state == "prefill" and half else code)
        assert marked[at] == half
    for row, ticks in spans.items():
        expected = (ticks[0], ticks[-1] + 1) if ticks else None
        first, stop = recording.again[row].tolist()
        assert (first, stop) == expected if expected else first == stop


@settings(max_examples=60, deadline=None)
@given(scenarios())
def test_again_is_what_a_plain_loop_finds(scenario):
    recording = Recording(simulate(scenario))
    if recording.ticks * recording.workers < 20_000:
        check(recording)


@pytest.mark.parametrize("again", [{"prefill_sharing": True}, {"phase_policy": "mixed"}, {}])
def test_again_where_much_is_recomputed(again):
    base = {"workers": 2, "agents": 6, "turns": [4, 6], "input_tokens": [300, 900], "seed": 5}
    base |= {"output_tokens": [20, 60], "kv_capacity": 6500, "shared_prefix": 700}
    for more in ({}, {"workers": 3, "prefill_workers": 2}, {"host_kv_capacity": 2500}):
        scenario = Scenario.from_dict({**base, **more, **again, "prefill_rate": 900})
        recording = Recording(simulate(scenario))
        assert (recording.again[:, 0] < recording.again[:, 1]).any()
        check(recording)


def test_shades_spend_the_time_of_the_states():
    recordings = map(
        Recording, simulate_many([Scenario.from_dict(fields) for fields, _ in golden().values()])
    )
    for recording in recordings:
        worker, start, stop, code = recording.shades
        spent = np.bincount(code, stop - start, len(STATES) + 1).astype(int)
        spent[STATES.index("prefill")] += spent[PREFILL_AGAIN]
        assert spent[:-1].tolist() == recording.result.state_ticks.tolist()
        assert (np.diff(worker) >= 0).all()
        same = worker[1:] == worker[:-1]
        assert (start[1:][same] == stop[:-1][same]).all()


def test_the_lost_part_lies_between_the_shared_prefix_and_the_new_input():
    """One worker, a tick a second, 1000 tokens a tick; agent 0's context is evicted once."""
    table = [[[0, 3000, 10], [20_000, 2000, 10]], [[8_000, 6000, 10]]]
    recording = Recording(
        simulate(
            Scenario(
                workers=1,
                draws="table",
                table=table,
                tick_ms=1000,
                prefill_rate=1000,
                decode_rate=10,
                kv_capacity=8_000,
                shared_prefix=1000,
            )
        )
    )
    again, stages = recording.again, recording.stages
    assert recording.result.requests["recomputed"].tolist() == [0, 3010, 0]
    assert again[0].tolist() == [stages[0, 2]] * 2
    assert again[1].tolist() == [stages[1, 2], stages[1, 2] + 3]
    assert stages[1, 3] - stages[1, 2] == 6
