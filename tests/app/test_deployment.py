"""The deployment panel: it fills the fields, marks what is changed, and explains what cannot be."""

import pytest

from app.deployments import DEFAULT, by_hand, changed, normal, read, worked_out, written
from app.fields import controls
from app.state import AppState, preset_values, read_query
from app.texts import Texts
from app.views.controls import Controls
from app.views.deployment import Deployment
from sim.hardware import LIBRARY, DeploymentError, plan
from sim.presets import PLANS
from sim.scenario import Scenario


@pytest.fixture
def app():
    return AppState(scenario=Scenario(agents=7, routing="round_robin"))


@pytest.fixture
def panel(app):
    return Deployment(app)


def shown(panel, name):
    return getattr(panel._panel, name)


def test_the_panel_starts_without_a_plan_behind_the_fields(app, panel):
    assert app.deployment is None
    assert shown(panel, "used") is False
    assert shown(panel, "memory")
    assert app.scenario.to_dict() == Scenario(agents=7, routing="round_robin").to_dict()


def test_a_deployment_fills_the_clusters_fields_and_no_others(app, panel):
    panel.deploy(DEFAULT)
    cluster = plan("glm-5.2", "h100", 16, speculation=True).cluster
    fields = app.scenario.to_dict()
    assert {name: fields[name] for name in cluster} == cluster
    assert fields["agents"] == 7
    assert fields["routing"] == "round_robin"
    assert shown(panel, "short") == "DPA16"
    assert shown(panel, "hand") == []


@pytest.mark.parametrize("preset", [name for name in PLANS if name != "tp24"])
def test_a_preset_brings_its_deployment(preset):
    app = AppState(**preset_values(preset))
    panel = Deployment(app)
    found = plan(**PLANS[preset])
    assert app.gpus_per_worker == found.gpus_per_worker
    assert shown(panel, "short") == found.name
    assert shown(panel, "error") == ""
    assert shown(panel, "hand") == []


def test_a_preset_without_a_plan_drops_the_deployment(app, panel):
    panel.deploy(DEFAULT)
    app.param.update(preset_values("article_fig1"))
    assert app.deployment is None
    panel.deploy({**DEFAULT, "deployment": "tp"})
    Controls(app).reset()
    assert (app.deployment, app.gpus_per_worker) == (None, 1)
    assert app.scenario.to_dict() == Scenario().to_dict()


def test_the_memory_adds_up_and_says_what_it_buys(panel):
    panel.deploy(DEFAULT)
    parts = shown(panel, "memory")
    assert sum(part["share"] for part in parts) == pytest.approx(1)
    names = [part["name"] for part in parts]
    assert names == ["weights", "replicated_weights", "kv", "activations", "reserve"]
    assert shown(panel, "buys").startswith("buys 250,548 tokens a worker, 4,008,768 in all")


def test_every_step_of_the_arithmetic_is_shown_with_its_basis(panel):
    found = worked_out(DEFAULT)
    steps = shown(panel, "steps")
    assert [step["name"] for step in steps] == [step.name for step in found.steps]
    assert {step["basis_label"] for step in steps} == {"measured", "computed", "assumed"}
    capacity = next(step for step in steps if step["name"] == "kv_capacity")
    assert capacity["value"] == "250,548 tokens"
    assert "53,900 bytes" in capacity["formula"]


def test_fields_changed_by_hand_are_marked_and_have_a_way_back(app, panel):
    panel.deploy(DEFAULT)
    form = Controls(app)
    form.change("kv_capacity", 300_000)
    form.change("gpus_per_worker", 2)
    marked = {row["name"]: row["text"] for row in shown(panel, "hand")}
    assert marked == {
        "kv_capacity": "300,000, worked out 250,548",
        "gpus_per_worker": "2, worked out 1",
    }
    groups = controls(app, Texts("en"))
    marks = {c["name"]: c["mark"] for group in groups for c in group["controls"] if c["mark"]}
    assert marks == {
        "kv_capacity": "Changed by hand; worked out: 250,548",
        "gpus_per_worker": "Changed by hand; worked out: 1",
    }
    panel.restore("kv_capacity")
    assert app.scenario.kv_capacity == 250_548
    assert [row["name"] for row in shown(panel, "hand")] == ["gpus_per_worker"]
    form.change("lock", "none")
    panel.restore("")
    assert (app.scenario.lock, app.gpus_per_worker) == ("phase", 1)
    assert shown(panel, "hand") == []


def test_the_workload_is_nobodys_plan(app, panel):
    panel.deploy(DEFAULT)
    Controls(app).change("agents", 3)
    assert shown(panel, "hand") == []


def test_what_cannot_be_is_explained_and_leaves_the_fields(app, panel):
    panel.deploy(DEFAULT)
    before = app.scenario
    panel.change("deployment", "tp")
    panel.change("gpus", 24)
    assert app.scenario is not before
    last = app.scenario
    assert last.workers == 1
    assert "64 attention heads and 256 experts" in shown(panel, "error")
    assert "do not divide by 24" in shown(panel, "error")
    assert shown(panel, "works")[0] == "TP8·PP3 on 24 GPUs"
    assert shown(panel, "memory") == []
    panel.take_alternative(0)
    assert shown(panel, "error") == ""
    assert shown(panel, "short") == "TP8·PP3"
    assert app.gpus_per_worker == 24


def test_a_model_that_does_not_fit_says_so_in_both_languages(app, panel):
    panel.change("deployment", "pd")
    assert "113 GB of weights" in shown(panel, "error")
    assert "16P + 16D on 32 GPUs" in shown(panel, "works")
    assert app.scenario.prefill_workers == 0
    app.language = "zh"
    assert "113 GB 权重" in shown(panel, "error")
    panel.change("gpus", 1)
    assert shown(panel, "error") == Texts("zh")("deployment.problems.two")


@pytest.mark.parametrize(
    ("arguments", "english", "chinese"),
    [
        ({"pipeline": 2}, "2 pipeline stages: only TP and DP", "流水线 2 级"),
        ({"redundant_experts": 8, "deployment": "tp"}, "8 redundant experts", "8 个冗余专家"),
        ({"gpus_per_worker": 3}, "gpus_per_worker = 3 does not divide gpus = 16", "不能整除"),
        ({"prefill_gpus": 8}, "only PD has a pool", "只有 PD 有单独的预填充池"),
        ({"deployment": "pd", "prefill_gpus": 16}, "less than all 16", "少于全部 16 张"),
        ({"gpus_per_worker": 0}, "gpus_per_worker = 0 is not allowed", "不小于 1 的整数"),
    ],
)
def test_numbers_that_make_no_sense_are_explained(app, panel, arguments, english, chinese):
    panel.deploy({**DEFAULT, **arguments})
    assert english in shown(panel, "error")
    app.language = "zh"
    assert chinese in shown(panel, "error")


def test_where_nothing_works_the_panel_says_that(panel):
    panel.deploy({"model": "deepseek-v4-pro", "gpu": "gb10", "gpus": 3, "deployment": "dp"})
    assert shown(panel, "error")
    assert shown(panel, "nothing") is (shown(panel, "works") == [])


def test_a_plan_that_clashes_with_the_workload_is_explained(app, panel):
    app.scenario = Scenario(shared_prefix=240_000, kv_capacity=600_000, context_limit=600_000)
    panel.deploy({**DEFAULT, "gpu": "h200"})
    assert shown(panel, "error") == ""
    app.scenario = app.scenario.replace(shared_prefix=260_000)
    panel.deploy(DEFAULT)
    assert "shared_prefix" in shown(panel, "error")
    assert app.scenario.kv_capacity > 260_000


def test_a_worker_wider_than_the_page_counts_is_refused(panel):
    panel.deploy(
        {**DEFAULT, "gpus": 128, "deployment": "tp", "gpus_per_worker": 128, "pipeline": 2}
    )
    assert "128" in shown(panel, "error")
    assert "64" in shown(panel, "error")


@pytest.mark.parametrize("value", [0, 4097, 2.5, "many", True])
def test_numbers_of_gpus_are_checked(app, panel, value):
    panel.change("gpus", value)
    assert "a whole number from 1 to 4,096" in shown(panel, "refused")["gpus"]
    assert app.deployment is None
    panel.change("gpus", 32)
    assert shown(panel, "refused") == {}


def test_speculation_takes_the_models_own_accept_length_or_a_number(app, panel):
    panel.change("speculation", False)
    assert app.scenario.lock == "step"
    panel.change("speculation", True)
    assert shown(panel, "values")["accept"] == 2.0
    assert (app.scenario.lock, app.scenario.decode_rate) == ("phase", 50)
    panel.change("accept", 3.0)
    assert app.scenario.decode_rate == 75
    panel.change("accept", 17)
    assert "from 1 to 16" in shown(panel, "refused")["accept"]
    panel.change("model", "qwen3.5-397b")  # has no accept length of its own; keeps the number
    assert shown(panel, "values")["accept"] == 3.0


def test_another_model_drops_what_it_does_not_have():
    request = {**DEFAULT, "precision": "nvfp4"}
    assert "precision" not in changed(request, "model", "deepseek-v3")
    assert "speculation" not in changed(request, "model", "deepseek-v4-flash")


@pytest.mark.parametrize("model", LIBRARY.models)
@pytest.mark.parametrize("deployment", ["dpa", "tp", "pd", "dp"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_panel_shows_every_model_in_every_deployment(model, deployment, language):
    app = AppState(language=language)
    panel = Deployment(app)
    panel.deploy(normal({"model": model, "gpu": "h200", "gpus": 8, "deployment": deployment}))
    assert bool(shown(panel, "error")) != bool(shown(panel, "short"))


@pytest.mark.parametrize("request_", [*PLANS.values(), {**DEFAULT, "speculation": 3.5}])
def test_deployments_survive_the_address(request_):
    request_ = normal(request_)
    assert read(written(request_)) == request_
    app = AppState(deployment=request_)
    again, problems = read_query(app.query())
    assert problems == []
    assert again.deployment == request_


def test_an_address_with_a_deployment_alone_has_its_fields():
    app, problems = read_query("deployment=model:glm-5.2,gpu:h100,gpus:16,deployment:tp&agents=5")
    assert problems == []
    assert (app.scenario.workers, app.scenario.agents, app.gpus_per_worker) == (1, 5, 16)
    assert by_hand(app.deployment, app.scenario, app.gpus_per_worker) == {}


def test_an_address_may_hold_what_cannot_be():
    app, problems = read_query("deployment=model:glm-5.2,gpu:h100,gpus:24,deployment:tp")
    assert problems == []
    assert "24" in shown(Deployment(app), "error")
    assert app.scenario.to_dict() == Scenario().to_dict()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("glm-5.2", "must be pairs"),
        ("gpu:h100,gpus:16", "model is missing"),
        ("model:glm-5,gpu:h100,gpus:16", "glm-5.2"),
        ("model:glm-5.2,gpu:h10,gpus:16", "h100"),
        ("model:glm-5.2,gpu:h100,gpus:16,deployment:pda", "pd"),
        ("model:glm-5.2,gpu:h100,gpus:16,chunk_token:512", "chunk_tokens"),
    ],
)
def test_an_address_that_cannot_be_read_says_why(text, said):
    with pytest.raises(ValueError, match=said):
        read(text)
    app, problems = read_query(f"deployment={text}")
    assert [found["key"] for found in problems] == ["deployment"]
    assert app.deployment is None


def test_given_numbers_can_be_worked_out_again(app, panel):
    panel.deploy({**DEFAULT, "overrides": {"chunk_tokens": 4096}})
    assert app.scenario.chunk_tokens == 4096
    given = [step["name"] for step in shown(panel, "steps") if step["given"]]
    assert given == ["chunk_tokens"]
    panel.free("chunk_tokens")
    assert app.scenario.chunk_tokens == 512
    assert app.deployment == normal(DEFAULT)


def test_leaving_the_plan_keeps_the_fields(app, panel):
    panel.deploy(DEFAULT)
    fields = app.scenario
    panel._panel.heard({"leave": True})
    assert app.deployment is None
    assert app.scenario is fields


def test_every_message_of_the_script_is_heard(app, panel):
    for message in (
        {"fill": True},
        {"change": "gpus", "value": 32},
        {"restore": ""},
        {"change": "deployment", "value": "tp"},
        {"change": "gpus", "value": 24},
        {"alternative": 1},
    ):
        panel._panel.heard(message)
    assert (app.deployment["gpus"], shown(panel, "short")) == (16, "TP16")


def test_errors_are_remembered_without_those_who_met_them():
    request = normal({**DEFAULT, "deployment": "pd"})
    met = []
    for _ in range(2):
        with pytest.raises(DeploymentError, match="16P") as raised:
            worked_out(request)
        met.append(raised.value)
    assert met[0] is not met[1]
    assert met[0].alternatives == met[1].alternatives != ()
