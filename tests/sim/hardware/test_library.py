"""The table of facts, and a user's own file beside it."""

import json

import pytest

from sim.hardware import LIBRARY, load_library, plan
from sim.hardware.library import DATA

MODEL = {
    "title": "Mine",
    "parameters": 30e9,
    "active_parameters": 30e9,
    "layers": 32,
    "heads": 32,
    "kv_heads": 8,
    "context_limit": 32_768,
    "weights_gb": {"bf16": {"other": 60}},
    "kv_bytes_per_token": {"bf16": 131_072},
}
GPU = {
    "title": "Card",
    "memory_gib": 96,
    "bandwidth_tb_s": 1.8,
    "tflops": {"bf16": 500},
    "network_gb_s": 10,
}
ANCHOR = {
    "model": "mine",
    "gpu": "card",
    "deployment": "tp",
    "quantity": "prefill_rate",
    "value": 4321,
    "basis": "measured",
    "source": "my desk",
}


def test_every_built_in_fact_says_where_it_comes_from():
    for entry in (*LIBRARY.models.values(), *LIBRARY.gpus.values()):
        assert entry.sources, entry.id
    for model in LIBRARY.models.values():
        assert {"weights_gb", "kv_bytes_per_token"} <= set(model.sources), model.id
    assert all(fact.source for fact in (*LIBRARY.anchors, *LIBRARY.constants.values()))


def test_weights_are_near_what_the_parameters_take():
    width = {"fp8": 1, "bf16": 2, "nvfp4": 4.5 / 8, "fp4": 4.25 / 8}
    for model in LIBRARY.models.values():
        for precision, parts in model.weights_gb.items():
            gb = parts["experts"] + parts["other"]
            assert 0.95 < gb * 1e9 / model.parameters / width[precision] < 1.15, model.id


def test_a_file_of_ones_own_stands_beside_the_built_in_facts(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"models": {"mine": MODEL}, "gpus": {"card": GPU}}))
    library = load_library(path)
    assert "glm-5.2" in library.models
    assert "mine" not in LIBRARY.models
    found = plan("mine", "card", 2, "dp", kv_precision="bf16", library=library)
    assert found.cluster["workers"] == 2
    assert plan("glm-5.2", "card", 16, library=library).cluster["workers"] == 16


def test_a_measured_rate_of_ones_own_is_used():
    facts = {"models": {"mine": MODEL}, "gpus": {"card": GPU}, "anchors": [ANCHOR]}
    library = load_library(facts)
    found = plan("mine", "card", 2, "dp", kv_precision="bf16", library=library)
    assert found.cluster["prefill_rate"] == 4321
    step = next(step for step in found.steps if step.name == "prefill_rate")
    assert (step.basis, step.source) == ("measured", "my desk")


def test_a_constant_can_be_replaced():
    share = {"value": 0.8, "basis": "measured", "source": "my logs"}
    library = load_library({"constants": {"usable_share": share}})
    assert plan("glm-5.2", "h200", 8, library=library)["usable_share"] == 0.8


def without(fields, name):
    return {key: value for key, value in fields.items() if key != name}


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"model": {}}, "unknown field 'model': did you mean 'models'"),
        ({"models": []}, "models must be an object"),
        (
            {"models": {"mine": {**MODEL, "layer": 3}}},
            r"models\.mine: unknown field 'layer'.*layers",
        ),
        ({"models": {"mine": without(MODEL, "heads")}}, r"models\.mine: heads is missing"),
        ({"models": {"mine": {**MODEL, "heads": 0}}}, r"models\.mine\.heads = 0 must be a whole"),
        ({"models": {"mine": {**MODEL, "heads": "64"}}}, r"heads = '64' must be a whole number"),
        ({"models": {"mine": {**MODEL, "weights_gb": {}}}}, "must give experts, other and draft"),
        (
            {"models": {"mine": {**MODEL, "weights_gb": {"fp8": {"expert": 1}}}}},
            "unknown field 'expert': did you mean 'experts'",
        ),
        (
            {"models": {"mine": {**MODEL, "weights_gb": {"fp8": {"experts": 1}}}}},
            "other is missing",
        ),
        (
            {"models": {"mine": {**MODEL, "kv_bytes_per_token": {"fp8": -1}}}},
            r"kv_bytes_per_token\.fp8 = -1 must be a number above 0",
        ),
        ({"gpus": {"card": {**GPU, "memory_gib": float("nan")}}}, "memory_gib = nan must be"),
        ({"anchors": {}}, "anchors must be a list"),
        ({"anchors": [{**ANCHOR, "model": "glm-5.3"}]}, r"anchors\[0\]: unknown model 'glm-5.3'"),
        (
            {"anchors": [{**ANCHOR, "model": "glm-5.2", "gpu": "h300"}]},
            "unknown GPU 'h300': did you mean",
        ),
        (
            {"anchors": [{**ANCHOR, "quantity": "prefil_rate"}]},
            "unknown value 'prefil_rate': did you mean 'prefill_rate'",
        ),
        (
            {"anchors": [{**ANCHOR, "model": "glm-5.2", "gpu": "h200", "precision": "fp4"}]},
            "unknown precision 'fp4'",
        ),
        (
            {"anchors": [{**ANCHOR, "model": "glm-5.2", "gpu": "h200", "value": 0}]},
            r"value = 0 must be above 0",
        ),
        ({"constants": {"usable": {}}}, "unknown field 'usable': did you mean 'usable_share'"),
    ],
)
def test_a_bad_file_is_a_clear_error(facts, message):
    with pytest.raises(ValueError, match=message):
        load_library(facts)


def test_a_file_that_is_no_json_is_a_clear_error(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text("{models: 1}")
    with pytest.raises(ValueError, match="is no JSON"):
        load_library(path)
    path.write_text("[1, 2]")
    with pytest.raises(ValueError, match="must hold an object"):
        load_library(path)


def test_a_file_with_a_byte_order_mark_is_read(tmp_path):
    path = tmp_path / "mine.json"
    path.write_bytes(b"\xef\xbb\xbf" + DATA.read_bytes())
    assert load_library(path).models == LIBRARY.models
