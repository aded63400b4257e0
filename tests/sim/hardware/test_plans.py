"""Deployments: their fields, their rates, and what cannot be."""

import json

import pytest

from sim import Scenario, simulate
from sim.hardware import DEPLOYMENTS, LIBRARY, DeploymentError, plan


def basis(found, name):
    return next(step.basis for step in found.steps if step.name == name)


@pytest.mark.parametrize(("speculation", "lock"), [(None, "step"), (True, "phase"), (3, "phase")])
def test_speculation_under_dpa_is_the_phase_lock(speculation, lock):
    assert plan("glm-5.2", "h200", 8, speculation=speculation).cluster["lock"] == lock


def test_tp_is_one_worker_a_replica():
    found = plan("glm-5.2", "h200", 24, "tp", gpus_per_worker=8)
    assert found.name == "TP8 × 3"
    assert found.cluster["workers"] == 3
    assert found.cluster["lock"] == "none"
    assert found.cluster["prefill_sharing"] is True
    assert found.cluster["decode_slowdown"] == 0.022


def test_dp_is_independent_workers():
    found = plan("qwen3.6-35b", "h100", 4, "dp")
    assert found.cluster["workers"] == 4
    assert found.cluster["lock"] == "none"


def test_pd_sends_the_cache_over_the_network():
    found = plan("glm-5.2", "h100", 32, "pd", speculation=True)
    assert found.name == "16P + 16D"
    assert found.cluster["transfer_rate"] == pytest.approx(42e9 / 53_900, rel=0.005)


def test_the_slow_down_of_two_sparks_shows_both_reported_rates():
    alone, four = (
        simulate(
            Scenario.preset(
                "two_sparks",
                agents=agents,
                turns=[1, 1],
                input_tokens=[1, 1],
                output_tokens=[8000, 8000],
                tick_ms=10,
            )
        ).times()["tpot"]
        for agents in (1, 4)
    )
    assert 1 / alone.mean() == pytest.approx(40, rel=0.01)
    assert (1 / four).sum() == pytest.approx(130, rel=0.01)


def test_a_measured_rate_wins_over_the_roofline():
    found = plan("glm-5.2", "h200", 8, "tp")
    assert found.cluster["decode_rate"] == 97
    assert basis(found, "decode_rate") == "measured"
    assert basis(plan("glm-5.1", "h200", 8, "tp"), "decode_rate") == "computed"


def test_a_rate_holds_for_its_chunk_alone():
    rates = [
        plan("glm-5.2", "h200", 8, overrides={"chunk_tokens": chunk}).cluster["prefill_rate"]
        for chunk in (1024, 2048, 4096)
    ]
    assert rates[2] == 11_000
    assert rates[0] < rates[1] < rates[2]


def test_the_accept_length_multiplies_the_decode_rate():
    plain, three = (plan("glm-5.2", "h200", 8, speculation=s) for s in (None, 3))
    assert three.cluster["decode_rate"] == pytest.approx(3 * plain.cluster["decode_rate"], rel=0.01)
    plain, three = (plan("glm-5.1", "h200", 8, speculation=s) for s in (None, 3))
    assert three.cluster["decode_rate"] == pytest.approx(3 * plain.cluster["decode_rate"], rel=0.01)


@pytest.mark.parametrize(
    "anchor",
    [a for a in LIBRARY.anchors if a.quantity != "decode_slowdown" and a.gpu != "160gb"],
    ids=lambda a: f"{a.model}-{a.gpu}-{a.deployment}-{a.quantity}",
)
def test_the_roofline_is_within_a_factor_of_2_2_of_what_is_known(anchor):
    others = tuple(a for a in LIBRARY.anchors if a is not anchor)
    library = type(LIBRARY)(LIBRARY.models, LIBRARY.gpus, others, LIBRARY.constants)
    found = plan(
        anchor.model,
        anchor.gpu,
        anchor.gpus,
        anchor.deployment,
        precision=anchor.precision,
        speculation=anchor.accept_length,
        overrides={"chunk_tokens": anchor.chunk_tokens or 2048},
        library=library,
    )
    assert basis(found, anchor.quantity) == "computed"
    assert 1 / 2.2 < found.cluster[anchor.quantity] / anchor.value < 2.2


def test_the_prefill_roofline_by_hand():
    found = plan("glm-5.2", "h100", 16, "tp")
    share = 0.45 * 512 / (512 + 2500)
    by_hand = share * 1979e12 * 16 / (2 * 40e9)
    assert found.cluster["prefill_rate"] == pytest.approx(by_hand, rel=0.005)


def test_the_decode_roofline_by_hand():
    found = plan("glm-5.2", "h100", 16, "tp")
    read = (725 * 8 / 256 + 21) / 16 / 3350  # s
    assert 1 / found.cluster["decode_rate"] == pytest.approx(78 * 0.37e-3 + read, rel=0.005)


def test_the_decode_roofline_under_dpa_by_hand():
    """One request on each of 8 workers touches 1 - (1 - 8/256)^8 of the experts."""
    found = plan("glm-5.1", "h200", 8)
    touched = {n: 1 - (1 - 8 / 256) ** (8 * n) for n in (1, 32)}
    step = {n: 78 * 0.3e-3 + (725 / 8 * share + 21) / 4800 for n, share in touched.items()}
    assert 1 / found.cluster["decode_rate"] == pytest.approx(step[1], rel=0.005)
    slowdown = (step[32] / step[1] - 1) / 31
    assert found.cluster["decode_slowdown"] == pytest.approx(slowdown, rel=0.005)


def test_each_pool_of_pd_has_its_own_rates():
    found = plan("glm-5.2", "h100", 48, "pd", prefill_gpus=32, speculation=True)
    assert found.cluster["decode_rate"] == 50
    assert basis(found, "prefill_rate") == "computed"
    found = plan("glm-5.2", "h100", 48, "pd", prefill_gpus=16, speculation=True)
    assert found.cluster["prefill_rate"] == 3000
    assert basis(found, "decode_rate") == "computed"


def test_24_gpus_explain_themselves():
    with pytest.raises(DeploymentError) as info:
        plan("glm-5.2", "h100", 24, "tp")
    text = str(info.value)
    assert "64 attention heads and 256 experts do not divide by 24" in text
    assert "factor 3" in text
    assert "TP8·PP3 on 24 GPUs" in text
    assert "TP16 on 16 GPUs" in text
    assert info.value.code == "divide"


def test_24_bigger_gpus_may_hold_three_replicas():
    with pytest.raises(DeploymentError, match=r"What works: TP8 × 3 on 24 GPUs"):
        plan("glm-5.2", "h200", 24, "tp")


def test_24_gpus_under_dpa_need_redundant_experts():
    with pytest.raises(DeploymentError, match="DPA24 with 8 redundant experts") as info:
        plan("glm-5.2", "h100", 24)
    assert info.value.alternatives[0] == {"redundant_experts": 8}


@pytest.mark.parametrize(
    ("model", "gpu", "gpus", "deployment"),
    [("glm-5.2", "h100", 24, "tp"), ("glm-5.2", "h100", 4, "tp"), ("glm-5.2", "h100", 16, "dp")],
)
def test_every_alternative_works(model, gpu, gpus, deployment):
    with pytest.raises(DeploymentError) as info:
        plan(model, gpu, gpus, deployment)
    assert info.value.alternatives
    for change in info.value.alternatives:
        plan(**{"model": model, "gpu": gpu, "gpus": gpus, "deployment": deployment, **change})


def test_heads_in_groups_and_kv_heads_must_divide():
    with pytest.raises(DeploymentError, match="16 head groups do not divide by 32"):
        plan("deepseek-v4-pro", "b300", 32, "tp")
    with pytest.raises(DeploymentError, match="do not divide by 3"):
        plan("qwen3.6-35b", "h100", 3, "tp")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gpus": 0}, "gpus = 0 must be a whole number from 1"),
        ({"gpus": 16.5}, "gpus = 16.5 must be"),
        ({"gpus": True}, "gpus = True must be"),
        ({"gpus": 10**9}, "from 1 to 4,096"),
        ({"gpus": 16, "gpus_per_worker": 3}, "gpus_per_worker = 3 must divide gpus = 16"),
        ({"gpus": 16, "pipeline": 2}, "only tp and dp cut the layers"),
        ({"gpus": 16, "prefill_gpus": 8}, "only pd has a prefill pool"),
        ({"gpus": 16, "deployment": "pd", "prefill_gpus": 16}, "leave GPUs to decode"),
        ({"gpus": 16, "deployment": "tp", "redundant_experts": 8}, "only dpa and pd split"),
        ({"gpus": 16, "deployment": "dap"}, "unknown deployment 'dap': did you mean 'dp'"),
        ({"gpus": 16, "model": "glm-52"}, "unknown model 'glm-52': did you mean 'glm-5.2'"),
        ({"gpus": 16, "gpu": "h20O"}, "unknown GPU 'h20O': did you mean 'h200'"),
        ({"gpus": 16, "precision": "fp9"}, "unknown precision 'fp9': did you mean 'fp8'"),
        ({"gpus": 16, "kv_precision": "f8"}, "unknown precision 'f8': did you mean 'fp8'"),
        ({"gpus": 16, "speculation": 0.5}, "speculation = 0.5 must be"),
        ({"gpus": 16, "speculation": "eagle"}, "speculation = 'eagle' must be"),
        ({"gpus": 16, "host_ratio": -1}, "host_ratio = -1 must be"),
    ],
)
def test_bad_arguments_are_clear_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        plan(**{"model": "glm-5.2", "gpu": "h100", **arguments})


def test_speculation_needs_a_known_accept_length():
    with pytest.raises(ValueError, match="no accept length is known for DeepSeek V4 Flash"):
        plan("deepseek-v4-flash", "gb10", 2, "tp", speculation=True)


def test_the_host_tier_is_a_multiple_of_the_cache():
    found = plan("glm-5.2", "h200", 8, host_ratio=2.0)
    assert found.cluster["host_kv_capacity"] == 2 * found.cluster["kv_capacity"]
    assert found.cluster["host_load_rate"] == pytest.approx(25e9 / 53_900, rel=0.005)


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_a_plan_makes_a_scenario_under_any_workload(deployment):
    found = plan("qwen3.6-35b", "h100", 4, deployment)
    scenario = found.scenario(agents=3, turns=[2, 2])
    assert (scenario.agents, scenario.workers) == (3, found.cluster["workers"])
    assert scenario.kv_capacity == found.cluster["kv_capacity"]
    with pytest.raises(ValueError, match="unknown field 'agent': did you mean 'agents'"):
        found.scenario(agent=3)


def test_every_number_has_a_basis_and_a_source_or_a_formula():
    for deployment in ("dpa", "tp", "pd"):
        for step in plan("glm-5.2", "h100", 32, deployment, speculation=True, host_ratio=1).steps:
            assert step.basis in ("measured", "computed", "assumed", "given"), step
            assert step.source or step.formula, step


def test_a_plan_prints_its_arithmetic():
    text = str(plan("glm-5.2", "h100", 16, speculation=True))
    assert text.startswith("GLM-5.2 (fp8) on 16 × H100 SXM 80 GB, DPA16\n")
    for part in ("kv_capacity", "250,548", "computed", "85.5 GB × 0.95 − 45.9 − 21.0 − 0.8 GB"):
        assert part in text


def test_a_plan_is_plain_data():
    found = plan("glm-5.2", "h100", 16, speculation=True)
    assert json.loads(json.dumps(found.to_dict()))["name"] == "DPA16"
