"""What would fix it: each change alone, why one cannot be made, and what is run to try them."""

import pytest

from sim import Scenario
from sim.fixes import FIXES, NOW, Trials, agents_that_fit, fixes
from sim.hardware import DeploymentError, plan
from sim.sweep import Sweep

H100 = {"model": "glm-5.2", "gpu": "h100", "gpus": 16, "speculation": True}
SMALL = Scenario(agents=6, workers=4, turns=[3, 4], input_tokens=[2000, 6000], kv_capacity=20_000)


def found(scenario, request=None):
    return {fix.name: fix for fix in fixes(scenario, request)}


def obstacles(scenario, request=None):
    return {name: fix.obstacle for name, fix in found(scenario, request).items() if fix.obstacle}


def test_each_change_changes_one_thing_and_says_its_cost():
    changes = found(Scenario(), H100)
    assert list(changes) == list(FIXES)
    fields = {name: fix.fields for name, fix in changes.items() if not fix.request}
    assert fields == {
        "session_limit": {"max_concurrent_agents": 16},
        "fewer_agents": {"agents": 16},
        "majority": {"phase_policy": "majority"},
        "decode_interval": {"phase_policy": "decode_interval"},
        "mixed": {"phase_policy": "mixed"},
        "no_lock": {"lock": "none"},
        "cache_aware": {"routing": "cache_aware"},
        "more_kv": {"kv_capacity": 500_000},
        "host_tier": {"host_kv_capacity": 500_000},
        "tail": {"eviction": "tail"},
    }
    assert changes["session_limit"].values == {"agents": 16, "limit": 16}
    assert changes["tail"].cost == ""
    assert all(fix.cost for name, fix in changes.items() if name not in ("tail", "pd"))
    for name, fix in changes.items():
        changed = fix.scenario(Scenario()).changed()
        assert changed == fix.fields, name


def test_a_deployment_changes_the_fields_in_which_its_plan_differs():
    changes = found(Scenario(), H100)
    tensor = plan("glm-5.2", "h100", 16, "tp", speculation=True).cluster
    assert changes["tp"].fields["workers"] == 1
    assert changes["tp"].fields["prefill_rate"] == tensor["prefill_rate"]
    assert changes["tp"].fields["prefill_sharing"] is True
    assert "eviction" not in changes["tp"].fields  # as little a matter of TP as of DPA
    assert changes["pd_twice"].fields["workers"] == 32
    assert changes["pd_twice"].fields["prefill_workers"] == 16
    assert changes["pd_twice"].values["gpus"] == 32
    assert isinstance(changes["pd"].obstacle, DeploymentError)
    assert changes["pd"].obstacle.__traceback__ is None


@pytest.mark.parametrize(
    "scenario",
    [Scenario(kv_capacity=400_000), Scenario(workers=8), Scenario(prefill_rate=9000)],
)
def test_a_plan_for_other_numbers_says_nothing(scenario):
    assert obstacles(scenario, H100)["tp"] == "no_plan"
    half = scenario.workers // 2
    assert found(scenario, H100)["pd"].fields == {
        "workers": scenario.workers,
        "prefill_workers": half,
    }


def test_a_request_that_cannot_be_says_nothing():
    assert obstacles(Scenario(), {**H100, "gpus": 24, "deployment": "tp"}) == {"tp": "no_plan"}


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        (Scenario(agents=4), {"session_limit": "all_fit"}),
        (Scenario(max_concurrent_agents=8), {"session_limit": "limited"}),
        (Scenario(agents=1), {"session_limit": "all_fit", "fewer_agents": "one_agent"}),
        (Scenario(phase_policy="mixed"), {"mixed": "already"}),
        (Scenario(eviction="tail", lock="none"), {"tail": "already", "no_lock": "already"}),
        (Scenario(host_kv_capacity=1, routing="cache_aware"), {"host_tier": "already"}),
        (Scenario(workers=1), {"no_lock": "one_worker", "pd": "one_worker"}),
        (Scenario(prefill_workers=8), {"majority": "pd_phases", "pd_twice": "already"}),
        (Scenario(workers=4096, agents=2), {"pd_twice": "most_workers"}),
        (Scenario(kv_capacity=2**26, agents=2), {"more_kv": "largest"}),
        (Scenario(draws="table", table=[[[0, 9, 1]]] * 3), {"fewer_agents": "table"}),
    ],
)
def test_what_cannot_be_changed_says_why(scenario, expected):
    assert expected.items() <= obstacles(scenario).items()


def test_agents_that_fit_follows_the_longest_context():
    one = Scenario(turns=[2, 2], input_tokens=[900, 900], output_tokens=[100, 100])
    assert agents_that_fit(one.replace(workers=3, kv_capacity=9_000)) == 3 * 4
    assert agents_that_fit(one.replace(workers=3, kv_capacity=1_500)) == 3
    assert agents_that_fit(one.replace(workers=4, prefill_workers=1, kv_capacity=9_000)) == 4
    assert agents_that_fit(one.replace(workers=1, kv_capacity=9_000, shared_prefix=3_000)) == 3
    table = [[[0, 900, 100], [0, 900, 100]], []]
    assert agents_that_fit(Scenario(workers=1, kv_capacity=6_000, draws="table", table=table)) == 3
    assert agents_that_fit(Scenario(draws="article")) == 16


def test_trials_go_through_all_changes_seed_by_seed():
    changes = fixes(SMALL)
    points = Trials(SMALL, changes, [5, 6])
    able = [fix.name for fix in changes if not fix.obstacle]
    labels = [points.varied(run) for run in range(len(points))]
    assert labels == [{"change": n, "seed": s} for s in (5, 6) for n in (NOW, *able)]
    assert points.shape == (1 + len(able),)
    assert points[1 + able.index("tail")].changed()["eviction"] == "tail"
    assert points[len(able) + 1].to_dict() == SMALL.replace(seed=6).to_dict()


def test_the_article_is_fixed_as_it_says():
    """A session limit ends the avalanche; half the agents do half the work."""
    changes = [fix for fix in fixes(Scenario()) if fix.name in ("session_limit", "fewer_agents")]
    sweep = Sweep(Trials(Scenario(), changes, [Scenario().seed])).run()
    (now, limited, fewer), (before, after, _) = (
        sweep.bands(metric)[1] for metric in ("requests_finished", "makespan_s")
    )
    assert limited == now
    assert fewer < 0.6 * now
    assert after < before / 4
