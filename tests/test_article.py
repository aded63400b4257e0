"""What the article behind this project says, as computed on its own two figures.

The article: 16 GPUs serving 32 coding agents under DP attention are busy about half of the time
at best and about a tenth with the usual settings, so that 32 agents take hours; half as many,
bigger cards fare better.
"""

import itertools

import pytest

from sim import Scenario, simulate_many

HOUR = 3600
GRID = tuple(
    itertools.product(
        ("pinned", "round_robin", "random"), ("prefill_first", "decode_first", "majority")
    )
)
"""Routing and phase policy: all that the article's demo offers."""

CHANGES = {
    **{choice: {"routing": choice[0], "phase_policy": choice[1]} for choice in GRID},
    "16 agents": {"agents": 16},
    "no lock": {"lock": "none"},
}


def summaries(preset):
    """Return the metrics of a preset with each of the changes."""
    runs = simulate_many(Scenario.preset(preset, **change) for change in CHANGES.values())
    return dict(zip(CHANGES, (run.summary() for run in runs), strict=True))


@pytest.fixture(scope="module")
def fig1():
    return summaries("article_fig1")


@pytest.fixture(scope="module")
def fig2():
    return summaries("article_fig2")


def near(summary, utilization, hours):
    """Return whether a run has this utilization and this makespan, as rounded here."""
    return (round(summary["utilization"], 3), round(summary["makespan_s"] / HOUR, 2)) == (
        utilization,
        hours,
    )


@pytest.mark.parametrize(
    ("routing", "policy", "utilization", "hours"),
    [
        ("pinned", "majority", 0.534, 1.14),
        ("round_robin", "majority", 0.573, 1.43),
        ("pinned", "prefill_first", 0.116, 4.73),
        ("round_robin", "prefill_first", 0.125, 6.27),
    ],
)
def test_first_figure(fig1, routing, policy, utilization, hours):
    assert near(fig1[routing, policy], utilization, hours)


@pytest.mark.parametrize(
    ("policy", "utilization", "hours"), [("majority", 0.842, 0.22), ("prefill_first", 0.247, 0.72)]
)
def test_second_figure(fig2, policy, utilization, hours):
    assert near(fig2["pinned", policy], utilization, hours)


def test_the_first_figure_takes_hours_however_it_is_set(fig1):
    assert all(fig1[choice]["makespan_s"] > HOUR for choice in GRID)


def test_the_busiest_setting_is_not_the_quickest(fig1):
    busiest = max(GRID, key=lambda choice: fig1[choice]["utilization"])
    quickest = min(GRID, key=lambda choice: fig1[choice]["makespan_s"])
    assert busiest == ("round_robin", "majority")
    assert quickest == ("pinned", "majority")


def test_most_of_the_prefill_is_work_done_again_after_eviction(fig1):
    found = fig1["pinned", "prefill_first"]
    assert round(found["recomputed_share"], 3) == 0.901
    assert found["recomputed_evicted_share"] == found["recomputed_share"]
    assert found["avalanche_onset_s"] == 1362.5


def test_most_agents_outgrow_the_context(fig1):
    assert fig1["pinned", "prefill_first"]["kills"] == 30


def test_half_the_agents_fit(fig1):
    found = fig1["16 agents"]
    assert near(found, 0.452, 0.41)
    assert found["evictions"] == 0
    assert found["avalanche_onset_s"] is None


def test_without_the_lock_workers_are_busy_with_work_done_again(fig1):
    found = fig1["no lock"]
    assert near(found, 0.875, 0.63)
    assert found["share_waiting_phase"] == 0
    assert found["recomputed_share"] > 0.9
