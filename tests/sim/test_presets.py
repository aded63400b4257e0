"""Presets: what they hold and what their texts say of them."""

import functools

import pytest

from sim import PRESETS, Scenario, simulate
from sim.hardware import DeploymentError
from sim.presets import IMPOSSIBLE, NAMES, PLANS, preset_fields, preset_plan


@functools.cache
def summary(name):
    return simulate(Scenario.preset(name)).summary()


def test_every_preset_is_a_scenario_of_its_own_or_an_error():
    assert set(NAMES) == set(PRESETS) | set(IMPOSSIBLE)
    scenarios = [Scenario.preset(name).changed() for name in PRESETS]
    assert all(a != b for i, a in enumerate(scenarios) for b in scenarios[:i])


@pytest.mark.parametrize("name", PLANS)
def test_a_preset_is_its_plan(name):
    if name in IMPOSSIBLE:
        return
    cluster = preset_plan(name).cluster
    scenario = Scenario.preset(name).to_dict()
    assert {field: scenario[field] for field in cluster} == cluster


def test_24_cards_are_an_explained_error():
    with pytest.raises(DeploymentError, match=r"factor 3 .* What works: TP8·PP3 on 24 GPUs"):
        Scenario.preset("tp24")


def test_an_unknown_preset_names_the_nearest():
    with pytest.raises(ValueError, match="unknown preset 'tp61': did you mean 'tp16'"):
        Scenario.preset("tp61")
    with pytest.raises(ValueError, match="unknown preset"):
        preset_fields("tp61")


def test_the_recipes_differ_as_published():
    fields = {name: Scenario.preset(f"recipe_{name}") for name in ("latency", "balanced")}
    fields["throughput"] = Scenario.preset("recipe_throughput")
    assert [s.lock for s in fields.values()] == ["none", "phase", "step"]
    assert [s.workers for s in fields.values()] == [1, 8, 8]
    assert fields["latency"].decode_rate == 540
    assert fields["balanced"].decode_rate == 2 * fields["throughput"].decode_rate


def test_where_contexts_fit_nothing_is_evicted():
    assert summary("dpa_8xb200")["evictions"] == 0
    assert summary("dpa_8xb200")["share_waiting_phase"] > 0.2


def test_where_they_nearly_fit_little_is_evicted():
    found = summary("dpa_8x160gb")
    assert found["prefix_cache_hit_rate"] > 0.9
    assert found["avalanche_onset_s"] is None


@pytest.mark.parametrize("name", ["dpa_16xh100", "dpa_8xh200", "pd_16p16d", "tp16"])
def test_where_they_do_not_fit_the_avalanche_sets_in(name):
    assert summary(name)["avalanche_onset_s"] is not None


def test_the_worked_out_cluster_avalanches_later_than_the_figure():
    assert (
        summary("dpa_16xh100")["avalanche_onset_s"] > summary("article_fig1")["avalanche_onset_s"]
    )


def test_real_agents_are_cached_almost_whole():
    assert summary("realistic")["prefix_cache_hit_rate"] > 0.95
