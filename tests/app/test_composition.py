"""KV caches over time: at bins of one tick they are what each tick says."""

import numpy as np
import pytest
from hypothesis import given, settings

from app import derive
from app.derive import Bins, Recording
from app.derive import composition as kv_over_time
from app.derive.composition import KINDS, band_tops, composition, composition_image
from app.figures.composition import HEIGHT, name_places
from sim import Scenario, simulate
from tests.cases import scenarios


def known(recording, worker, tick):
    """Tokens of each kind and agent in a worker's cache, by the inspector."""
    found = {}
    for entry in derive.worker_at(recording, worker, tick).entries:
        kind = "locked" if entry.locked else "ended" if entry.ended else "idle"
        found[kind, entry.agent] = entry.tokens
    return found


@settings(max_examples=40, deadline=None)
@given(scenarios())
def test_bins_of_a_tick_hold_what_the_inspector_says(scenario):
    recording = Recording(simulate(scenario))
    rng = np.random.default_rng(3)
    worker = int(rng.integers(recording.workers))
    start = int(rng.integers(max(1, recording.ticks - 25)))
    bins = Bins.fit((start, start + 25), 25, recording.ticks, recording.tick_s)
    found = composition(recording, worker, bins)
    for column in range(bins.count):
        drawn = {
            (kind, int(agent)): found.tokens[k, i, column]
            for k, kind in enumerate(KINDS)
            for i, agent in enumerate(found.agents)
            if found.tokens[k, i, column]
        }
        assert drawn == known(recording, worker, start + column)


@settings(max_examples=25, deadline=None)
@given(scenarios())
def test_wide_bins_hold_the_mean_of_their_ticks(scenario):
    recording = Recording(simulate(scenario))
    whole = (0, min(recording.ticks, 400))
    fine = composition(recording, 0, Bins.fit(whole, 400, recording.ticks))
    wide = composition(recording, 0, Bins.fit(whole, 3, recording.ticks))
    for column in range(wide.bins.count - 1):
        ticks = slice(column * wide.bins.size, (column + 1) * wide.bins.size)
        mean = fine.tokens[:, :, ticks].mean(axis=2)
        assert mean == pytest.approx(wide.tokens[:, :, column])


def full():
    scenario = Scenario(
        agents=8,
        workers=2,
        kv_capacity=40_000,
        shared_prefix=4000,
        turns=[3, 5],
        release_finished=False,
        routing="round_robin",
    )
    return Recording(simulate(scenario))


def test_the_image_stacks_agents_by_their_ids():
    recording, rows = full(), 80
    bins = Bins.fit((0, recording.ticks), 60, recording.ticks, recording.tick_s)
    found = composition(recording, 1, bins)
    tops = band_tops(found, rows)
    image = composition_image(found, tops, rows)
    assert image.shape == (rows, bins.count)
    assert image.dtype == np.uint8
    assert (image[:8] == kv_over_time.SHARED).all()
    assert {kv_over_time.EMPTY, kv_over_time.ENDED, kv_over_time.LINE} <= set(np.unique(image))
    for column in range(bins.count):
        low = 8
        for place, agent in enumerate(found.agents.tolist()):
            high = tops[place, -1, column]
            band = image[low:high, column]
            hue = 2 * (place % kv_over_time.HUES)
            own = {kv_over_time.LOCKED + hue, kv_over_time.IDLE + hue, kv_over_time.ENDED}
            assert set(band.tolist()) <= own | {kv_over_time.LINE}
            middle = found.capacity * (low + high) / 2 / rows
            if high - low > 2:
                assert found.agent_at(bins.start + column * bins.size, middle) == agent
            low = high
        assert (image[low:, column] == kv_over_time.EMPTY).all()


def test_nobody_is_at_the_shared_prefix_or_in_free_room():
    recording = full()
    bins = Bins.fit((0, recording.ticks), 60, recording.ticks, recording.tick_s)
    found = composition(recording, 0, bins)
    assert found.agent_at(5, 1000) is None
    assert found.agent_at(0, 39_999) is None
    assert found.agent_at(10**9, 5000) is None


def test_a_worker_that_never_worked_is_empty():
    recording = Recording(simulate(Scenario(workers=3, agents=1, turns=[1, 1])))
    bins = Bins.fit((0, recording.ticks), 10, recording.ticks, recording.tick_s)
    found = composition(recording, 2, bins)
    image = composition_image(found, band_tops(found, 20), 20)
    assert (image == kv_over_time.EMPTY).all()
    assert found.agent_at(0, 10) is None


def test_names_stand_inside_of_their_own_bands():
    recording = full()
    bins = Bins.fit((0, recording.ticks), 900, recording.ticks, recording.tick_s)
    found = composition(recording, 0, bins)
    places = name_places(found, band_tops(found, HEIGHT))
    assert len({place.agent for place in places}) == len(places) >= 2
    for place in places:
        assert found.agent_at(recording.tick_at(place.x), place.y) == place.agent
