"""What a GPU's memory holds: the sums, and the sizes that others have seen."""

import math

import pytest

from sim.hardware import DeploymentError, plan

GB = 1e9


def test_glm_on_16_h100_under_dpa_holds_what_the_article_says():
    tokens = plan("glm-5.2", "h100", 16, speculation=True).cluster["kv_capacity"]
    assert 150_000 <= tokens <= 260_000
    assert tokens == pytest.approx(250_000, rel=0.02)


def test_glm_on_16_h100_under_tp_holds_what_the_article_says_in_all():
    found = plan("glm-5.2", "h100", 16, "tp")
    assert found.cluster["workers"] == 1
    assert found.cluster["kv_capacity"] == pytest.approx(400_000, rel=0.02)


@pytest.mark.parametrize(
    ("arguments", "tokens"),
    [
        # SemiAnalysisAI/InferenceX#2268: a pool of 3.3 million tokens
        ({"gpu": "b300", "gpus": 8, "deployment": "tp", "precision": "nvfp4"}, 3_300_000),
        ({"gpu": "b300", "gpus": 8, "deployment": "dpa", "precision": "nvfp4"}, 3_300_000),
    ],
)
def test_capacity_is_near_what_a_report_says(arguments, tokens):
    assert plan("glm-5.2", **arguments).cluster["kv_capacity"] == pytest.approx(tokens, rel=0.1)


def test_the_sum_by_hand():
    found = plan("glm-5.2", "h100", 16, speculation=True)
    weights = (725 + 10) / 16 * GB
    room = 79.65 * 2**30 * 0.95 - weights - 21 * GB - 1.5 * 2**20 * 512
    assert found.cluster["kv_capacity"] == int(room / 53_900)
    assert found["weights"] == pytest.approx(weights / GB)
    assert found["replicated_weights"] == 21
    assert found["chunk_tokens"] == 512


@pytest.mark.parametrize("deployment", ["dpa", "tp"])
@pytest.mark.parametrize("gpu", ["h200", "b200"])
def test_the_parts_of_the_memory_add_up(deployment, gpu):
    found = plan("glm-5.2", gpu, 8, deployment)
    assert sum(part.bytes for part in found.memory) == pytest.approx(found["memory"] * 2**30)
    assert all(part.bytes >= 0 for part in found.memory)
    names = ["weights", "replicated_weights", "kv", "activations", "reserve"]
    assert [part.name for part in found.memory] == names


def test_tp_splits_what_dpa_holds_on_every_gpu():
    dpa, tp = (plan("glm-5.2", "h200", 8, deployment) for deployment in ("dpa", "tp"))
    assert dpa["weights"] == pytest.approx(725 / 8)
    assert dpa["replicated_weights"] == 21
    assert tp["weights"] == pytest.approx((725 + 21) / 8)
    assert tp["replicated_weights"] == 0


def test_the_cache_of_mla_is_whole_on_every_gpu_and_that_of_two_heads_is_halved():
    assert plan("glm-5.2", "h200", 8, "tp")["kv_bytes_per_token"] == 53_900
    four = plan("qwen3.5-397b", "h200", 4, "tp", kv_precision="bf16")
    assert four["kv_bytes_per_token"] == 31_000 / 2


def test_pipeline_stages_split_the_cache_too():
    found = plan("glm-5.2", "h100", 24, "tp", gpus_per_worker=24, pipeline=3)
    assert found.name == "TP8·PP3"
    assert found["weights"] == pytest.approx(746 / 24)
    assert found["kv_bytes_per_token"] == pytest.approx(53_900 / 3)


def test_workers_of_several_gpus_share_the_replicated_weights():
    found = plan("glm-5.2", "h100", 16, gpus_per_worker=2)
    assert (found.cluster["workers"], found.gpus_per_worker) == (8, 2)
    assert found["replicated_weights"] == pytest.approx(21 / 2)
    assert found["weights"] == pytest.approx(725 / 16)
    assert found["chunk_tokens"] == 1024


def test_pd_takes_the_smaller_pool():
    found = plan("glm-5.2", "h100", 48, "pd", prefill_gpus=16)
    assert found["weights"] == pytest.approx(725 / 16)
    assert (found.cluster["workers"], found.cluster["prefill_workers"]) == (48, 16)


def test_redundant_experts_take_memory():
    plain, padded = (plan("glm-5.2", "h200", 8, redundant_experts=n) for n in (0, 8))
    assert padded["weights"] == pytest.approx(plain["weights"] * 264 / 256)


def test_a_cache_in_bf16_holds_fewer_tokens():
    fp8, bf16 = (plan("glm-5.2", "h200", 8, kv_precision=p) for p in ("fp8", "bf16"))
    ratio = fp8.cluster["kv_capacity"] / bf16.cluster["kv_capacity"]
    assert ratio == pytest.approx(90_000 / 53_900, rel=1e-4)


def test_what_does_not_fit_says_what_would():
    with pytest.raises(DeploymentError, match=r"does not fit as DPA8 .*DPA16 on 16 GPUs") as info:
        plan("glm-5.2", "h100", 8)
    assert info.value.code == "fit"
    assert info.value.values["weights_gb"] > info.value.values["usable_gb"]
    first = info.value.alternatives[0]
    assert first["gpus"] == 16
    plan(**{"model": "glm-5.2", "gpu": "h100", **first})


def test_an_override_takes_the_place_of_the_arithmetic():
    found = plan("glm-5.2", "h100", 16, overrides={"kv_capacity": 200_000, "usable_share": 0.9})
    assert found.cluster["kv_capacity"] == 200_000
    given = {step.name for step in found.steps if step.basis == "given"}
    assert {"kv_capacity", "usable_share"} <= given


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, "many", True])
def test_a_bad_override_is_an_error(value):
    with pytest.raises(ValueError, match=r"overrides: kv_capacity = .* must be a number"):
        plan("glm-5.2", "h100", 16, overrides={"kv_capacity": value})


def test_an_unknown_override_names_the_nearest():
    with pytest.raises(ValueError, match="unknown number 'kv_capacit': did you mean 'kv_capacity'"):
        plan("glm-5.2", "h100", 16, overrides={"kv_capacit": 1})
