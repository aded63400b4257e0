"""Each story shows what it tells: the direction its report found, the numbers its texts name."""

import functools

import numpy as np
import pytest

from sim import Scenario, simulate, simulate_many
from sim.hardware import DeploymentError
from sim.stories import STORIES, grouped_streams


@functools.cache
def told(story):
    """Return summaries of a story's steps by id."""
    steps = [step for step in STORIES[story].steps if not step.preset]
    results = simulate_many([step.scenario() for step in steps])
    return {step.id: r.summary() for step, r in zip(steps, results, strict=True)}


def per_second(summary):
    return summary["requests_finished"] / summary["makespan_s"]


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_steps_have_ids_of_their_own_and_places_within_their_run(story):
    assert len({step.id for step in story.steps}) == len(story.steps)
    for step in story.steps:
        assert bool(step.fields) != bool(step.preset)
        assert step.points
        for point in step.points:
            assert point.target in ("timeline", "chart", "number", "error")
            assert (point.worker is not None) == (point.target == "timeline")
            assert point.at is None or 0 <= point.at <= 1
            if point.worker is not None:
                assert point.worker < step.scenario().workers


def test_a_step_that_cannot_be_explains_itself():
    with pytest.raises(DeploymentError, match="64 attention heads and 256 experts"):
        STORIES["article"].step("cards_24").scenario()


def test_an_unknown_step_names_the_nearest():
    with pytest.raises(ValueError, match="unknown step 'majorty': did you mean 'majority'"):
        STORIES["article"].step("majorty")


# The article


def test_all_agents_fit():
    found = told("article")["all_fit"]
    assert found["evictions"] == 0
    assert found["prefix_cache_hit_rate"] == pytest.approx(0.95, abs=0.01)
    assert found["share_waiting_phase"] > 0.3


def test_twice_the_agents_make_an_avalanche():
    found = told("article")["lock"]
    assert found["avalanche_onset_s"] < 1800
    assert found["utilization"] == pytest.approx(0.12, abs=0.01)
    assert found["share_waiting_phase"] > 0.8


def test_two_contexts_take_turns_on_the_worker_that_is_pointed_at():
    step = STORIES["article"].step("why_amber")
    result = simulate(step.scenario())
    point = step.points[0]
    evictions = result.of_kind("evict")
    here = evictions["worker"] == point.worker
    near = np.abs(evictions["tick"] / result.ticks - point.at) < 0.05
    victims = evictions["agent"][here & near]
    assert victims.size >= 3
    assert set(victims) == {point.worker, point.worker + 16}


def test_a_majority_helps_and_repeated_work_remains():
    found, lock = told("article")["majority"], told("article")["lock"]
    assert found["utilization"] == pytest.approx(0.5, abs=0.05)
    assert found["makespan_s"] < 0.3 * lock["makespan_s"]
    assert found["recomputed_share"] == pytest.approx(0.9, abs=0.03)


def test_round_robin_loses_the_cache_to_routing():
    found = told("article")["round_robin"]
    assert found["prefix_cache_hit_rate"] == pytest.approx(0.05, abs=0.02)
    assert found["recomputed_evicted_share"] < found["recomputed_share"] / 2


def test_bigger_cards_are_faster_and_still_avalanche():
    found, lock = told("article")["bigger_cards"], told("article")["lock"]
    assert found["makespan_s"] < lock["makespan_s"] / 4
    assert found["avalanche_onset_s"] is not None


def test_pd_ends_the_waiting_and_not_the_evictions():
    found, lock = told("article")["pd"], told("article")["lock"]
    assert found["share_waiting_phase"] == 0
    assert found["evictions"] == pytest.approx(lock["evictions"], rel=0.1)


def test_tp16_is_faster_than_the_lock_without_a_cache():
    found, lock = told("article")["tp16"], told("article")["lock"]
    assert found["prefix_cache_hit_rate"] < 0.01
    assert found["makespan_s"] == pytest.approx(lock["makespan_s"] / 2, rel=0.15)


@pytest.mark.parametrize(
    ("cure", "times", "evicts"),
    [
        ("session_limit", 6, False),
        ("host_tier", 8, True),
        ("decode_interval", 2.8, True),
        ("mixed", 7, True),
    ],
)
def test_cures_shorten_the_run(cure, times, evicts):
    found, lock = told("article")[cure], told("article")["lock"]
    assert lock["makespan_s"] / found["makespan_s"] == pytest.approx(times, rel=0.1)
    assert bool(found["evictions"]) == evicts


def test_what_the_cures_change():
    found, lock = told("article"), told("article")["lock"]
    assert found["host_tier"]["recomputed_share"] == 0
    faster = lock["mean_tpot_s"] / found["decode_interval"]["mean_tpot_s"]
    assert faster == pytest.approx(10, rel=0.15)
    assert found["mixed"]["utilization"] > 0.8
    assert found["mixed"]["recomputed_share"] > 0.8


# Reports


def test_affinity_beats_round_robin():
    """SGLang#31170: affinity 7.88 against 5.47 requests/s, TTFT 0.8 s against 3.5 s."""
    found = told("affinity")
    robin, affinity = found["round_robin"], found["affinity"]
    assert per_second(affinity) > 1.44 * per_second(robin)
    assert affinity["mean_ttft_s"] < robin["mean_ttft_s"] / 4
    assert affinity["evictions"] == 0
    assert affinity["prefix_cache_hit_rate"] == pytest.approx(0.98, abs=0.01)
    assert robin["prefix_cache_hit_rate"] == pytest.approx(2 / 3, abs=0.03)


def test_balance_by_tokens_is_not_the_worst_here():
    """The report has it at 1.36 requests/s, below round robin: the model does not show that."""
    found = told("affinity")
    rates = [per_second(found[step]) for step in ("round_robin", "by_tokens", "affinity")]
    assert rates == sorted(rates)


def test_affinity_can_heat_one_rank():
    """tpu-inference#3307: affinity pins a group to one rank; routing by load is better."""
    found = told("hot_rank")
    assert found["heated"]["utilization"] == pytest.approx(0.25, abs=0.01)
    assert per_second(found["by_load"]) > 1.05 * per_second(found["heated"])
    assert per_second(found["balanced"]) >= per_second(found["by_load"])
    assert (
        found["by_load"]["prefix_cache_hit_rate"] < found["heated"]["prefix_cache_hit_rate"] - 0.1
    )


def test_load_alone_loses_with_longer_turns():
    steps = {step.id: step.scenario() for step in STORIES["hot_rank"].steps}
    table = [[[w, 4 * new, out] for w, new, out in turns] for turns in grouped_streams(16, 4, 24)]
    longer = (steps[name].replace(table=table) for name in ("heated", "by_load"))
    heated, by_load = simulate_many(list(longer))
    assert by_load.ticks > heated.ticks


def test_a_decode_interval_frees_starved_decode():
    """SGLang#40443: 1.4, 18 and 32 tokens/s a request; TTFT 96.7 s to 99.3 s and 100.0 s.

    The report's eight prompts wait for each other, 3.5 prompts on average; the story's do not.
    """
    found = told("decode_interval")
    speeds = [1 / found[step]["mean_tpot_s"] for step in ("never", "every_1", "every_2")]
    assert speeds == sorted(speeds)
    assert speeds[0] == pytest.approx(1.38, abs=0.03)
    assert speeds[1] == pytest.approx(27, abs=1)
    assert speeds[2] > 30
    waiting = 3.5 * 21.5
    before, after = (found[s]["mean_ttft_s"] + waiting for s in ("never", "every_2"))
    assert before == pytest.approx(96.7, abs=0.5)
    assert before < after < 1.04 * before


def test_tp_beats_dpa_while_contexts_are_few_and_loses_when_they_are_many():
    """SGLang#8657 and the article: TP16 is faster. The model says so for few contexts only."""
    found = told("tp_or_dpa")
    dpa, tp = found["dpa_few"], found["tp_few"]
    assert tp["mean_ttft_s"] < dpa["mean_ttft_s"] / 2.5
    assert tp["mean_session_s"] == pytest.approx(0.75 * dpa["mean_session_s"], rel=0.05)
    dpa, tp = found["dpa_many"], found["tp_many"]
    assert tp["mean_ttft_s"] > 20
    assert tp["makespan_s"] > 1.4 * dpa["makespan_s"]
    assert dpa["prefix_cache_hit_rate"] == pytest.approx(0.98, abs=0.01)


def test_the_order_of_tp_and_dpa_turns_between_8_and_16_agents():
    steps = STORIES["tp_or_dpa"]
    fields = {name: steps.step(f"{name}_few").fields for name in ("dpa", "tp")}
    runs = [Scenario(**{**f, "agents": n}) for n in (8, 16) for f in fields.values()]
    few_dpa, few_tp, many_dpa, many_tp = (r.ticks for r in simulate_many(runs))
    assert few_tp < few_dpa
    assert many_tp > many_dpa
