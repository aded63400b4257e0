"""The address holds the whole state; a broken one says what is broken."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.fields import LAYOUT, change, controls, hidden, idle
from app.problems import link_problem, problem
from app.state import CHOICES, VERSION, AppState, read_query
from app.texts import Texts
from sim.presets import PRESETS
from sim.scenario import Scenario, field_names


def chosen(state):
    values = {name: getattr(state, name) for name in state.param if name != "name"}
    return {**values, "scenario": state.scenario.to_dict()}


def reread(state):
    again, problems = read_query(state.query())
    assert problems == []
    return again


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_survive_the_address(preset):
    state = AppState(scenario=Scenario.preset(preset))
    again = reread(state)
    assert chosen(again) == chosen(state)
    assert again.preset == preset


def test_everything_survives_the_address():
    state = AppState(
        scenario=Scenario(
            workers=12,
            prefill_workers=4,
            host_kv_capacity=500_000,
            decode_rate=47.5,
            mixed_share=0.35,
            overflow="compact",
            prefill_sharing=True,
            release_finished=False,
            turns=[3, 9],
            input_tokens=[100, 900, 4000, 20_000],
        ),
        gpus_per_worker=2,
        view=(12.25, 90.0),
        isolate=["prefill_again", "idle"],
        pin=77,
        worker=3,
        clock=33.5,
        speed=300,
        language="zh",
        theme="dark",
        palette="colorblind",
    )
    assert chosen(reread(state)) == chosen(state)


def test_tables_survive_the_address():
    table = [[[0, 100, 10], [500, 20, 5, 50]], [], [[3, 7, 9]]]
    state = AppState(scenario=Scenario(draws="table", table=table))
    assert reread(state).scenario.table == table


rates = st.floats(1e-3, 1e6, allow_nan=False)


@settings(max_examples=50, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "workers": st.integers(1, 64),
            "kv_capacity": st.integers(200_000, 2_000_000),
            "decode_rate": rates,
            "transfer_rate": rates,
            "decode_slowdown": st.floats(0, 2),
            "routing": st.sampled_from(Scenario.param.routing.objects),
            "eviction": st.sampled_from(["whole", "tail"]),
            "seed": st.integers(0, 2**32 - 1),
            "think_ms": st.lists(st.integers(0, 9000), min_size=2, max_size=6).map(sorted),
        },
    )
)
def test_any_scenario_survives_the_address(fields):
    state = AppState(scenario=Scenario(**fields))
    assert reread(state).scenario.to_dict() == state.scenario.to_dict()


def test_the_address_names_version_and_every_field():
    keys = {pair.partition("=")[0] for pair in AppState().query().split("&")}
    assert keys >= {*field_names(), "v"} - {"table"}
    assert f"v={VERSION}" in AppState().query().split("&")


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("agents=0", {"kind": "value", "key": "agents", "value": "0"}),
        ("agents=many", {"kind": "value", "key": "agents", "value": "many"}),
        ("decode_rate=nan", {"kind": "value", "key": "decode_rate", "value": "nan"}),
        ("kv_capacity=1e400", {"kind": "value", "key": "kv_capacity", "value": "1e400"}),
        ("routing=pined", {"kind": "value", "key": "routing", "value": "pined"}),
        ("turns=9,3", {"kind": "value", "key": "turns", "value": "9,3"}),
        ("turns=", {"kind": "value", "key": "turns", "value": ""}),
        ("table=[[1,", {"kind": "value", "key": "table", "value": "[[1,"}),
        ("prefill_sharing=maybe", {"kind": "value", "key": "prefill_sharing", "value": "maybe"}),
        ("agens=3", {"kind": "near", "key": "agens", "near": "agents"}),
        ("zzz=3", {"kind": "unknown", "key": "zzz"}),
        ("v=7", {"kind": "version", "value": "7", "known": VERSION}),
        ("prefill_workers=16", {"kind": "conflict"}),
        ("draws=table", {"kind": "sessions"}),
        ("view=9-3", {"kind": "refused", "key": "view", "value": "9-3"}),
        ("view=9", {"kind": "refused", "key": "view", "value": "9"}),
        ("isolate=idle,prefil", {"kind": "refused", "key": "isolate", "value": "idle,prefil"}),
        ("pin=-1", {"kind": "refused", "key": "pin", "value": "-1"}),
        ("pin=", {"kind": "refused", "key": "pin", "value": ""}),
        ("clock=1e308", {"kind": "refused", "key": "clock", "value": "1e308"}),
        ("table=" + "[" * 3000, {"kind": "value", "key": "table"}),
        ("story=article.", {"kind": "refused", "key": "story", "value": "article."}),
        ("lang=de", {"kind": "refused", "key": "lang", "value": "de"}),
        ("gpus_per_worker=0", {"kind": "refused", "key": "gpus_per_worker", "value": "0"}),
        ("preset=articel_fig1", {"kind": "refused", "key": "preset", "value": "articel_fig1"}),
    ],
)
def test_what_cannot_be_read_is_said_and_has_its_default(query, problem):
    state, problems = read_query(query)
    assert len(problems) == 1
    assert problems[0].items() >= problem.items()
    assert chosen(state) == chosen(AppState())
    for language in ("en", "zh"):
        said = link_problem(problems[0], Texts(language))
        assert problem.get("key", "") in said
        if problem["kind"] == "refused":
            assert (problem["value"] or '""') in said
            assert all(limit in said for limit in problems[0]["limits"].values())


def test_what_is_said_of_an_address_can_be_read():
    found = {"kind": "refused", "key": "pin", "form": "integer", "limits": {"low": 0, "high": 9}}
    said = link_problem({**found, "value": "9" * 5000}, Texts("en"))
    assert len(said) < 200
    assert said.endswith("from 0 to 9")


def test_moments_stand_in_the_address_without_exponents():
    state = AppState(view=(0.0000499, 0.5), span=(1e-9, 2e10), pin=12_345_678_901, clock=1e-7)
    again = reread(state)
    assert again.view == pytest.approx(state.view, abs=1e-6)
    assert (again.span, again.pin, again.clock) == ((0, 2e10), 12_345_678_901, 0)


def test_one_broken_key_spares_the_others():
    state, problems = read_query("agents=7&lock=strong&workers=3&v=1")
    assert [p["key"] for p in problems] == ["lock"]
    assert (state.scenario.agents, state.scenario.workers) == (7, 3)


def test_a_preset_is_the_base_of_other_keys():
    state, problems = read_query("preset=article_fig2&agents=5")
    assert problems == []
    assert state.scenario.to_dict() == Scenario.preset("article_fig2", agents=5).to_dict()


def test_the_address_wins_over_the_browsers_language():
    assert read_query("", "zh")[0].language == "zh"
    assert read_query("lang=en", "zh")[0].language == "en"


def test_every_field_has_one_control():
    names = [name for group in LAYOUT.values() for name in group]
    assert len(names) == len(set(names))
    assert {*names, "workers", "table"} == {*field_names(), "gpus", "gpus_per_worker"} | {"table"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_controls_hold_the_values(language):
    state = AppState(scenario=Scenario(workers=6, decode_rate=47.5), gpus_per_worker=2)
    made = {c["name"]: c for g in controls(state, Texts(language)) for c in g["controls"]}
    assert made["gpus"]["value"] == 12
    assert made["gpus"]["step"] == 2
    assert made["decode_rate"]["value"] == 47.5
    assert made["seed"]["kind"] == "number"
    assert made["turns"]["kind"] == "distribution"
    assert made["prefill_sharing"]["kind"] == "switch"
    assert [o["value"] for o in made["draws"]["options"]] == ["paired", "article"]


def test_controls_of_other_choices_are_hidden():
    assert {"quantum", "mixed_share", "compact_to", "transfer_rate"} <= hidden(Scenario())
    assert "quantum" not in hidden(Scenario(phase_policy="time_slice"))
    assert "transfer_rate" not in hidden(Scenario(prefill_workers=1))


def test_fields_without_effect_say_why():
    assert idle(Scenario()) == {}
    assert idle(Scenario(prefill_workers=2))["phase_policy"] == "pd"
    assert idle(Scenario(workers=1))["routing"] == "one_worker"
    table = Scenario(draws="table", table=[[[0, 1, 1]]])
    assert idle(table)["turns"] == "table"


def test_a_change_of_gpus_changes_workers():
    state = AppState(gpus_per_worker=4)
    assert change(state, "gpus", 32)["scenario"].workers == 8
    with pytest.raises(ValueError, match="multiple of 4"):
        change(state, "gpus", 30)


def test_leaving_a_table_drops_it():
    state = AppState(scenario=Scenario(draws="table", table=[[[0, 1, 1]]]))
    assert change(state, "draws", "paired")["scenario"].table is None


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("agents", 0, "0 is not allowed: a whole number from 1 to 65,536"),
        ("agents", "lots", "lots is not allowed: a whole number from 1 to 65,536"),
        ("agents", 2.5, "2.5 is not allowed"),
        ("decode_rate", 0, "0 is not allowed: a number above 0"),
        ("mixed_share", 1, "between 0 and 1"),
        ("cache_threshold", 2, "a number from 0 to 1"),
        ("turns", [9, 3], "9, 3 is not allowed: two rising whole numbers from 1"),
        ("turns", [1, 5, 3], "three or more rising"),
        ("gpus", 10, "a multiple of 4 GPUs"),
        ("gpus", 8, "2 prefill workers leave none of 2 workers"),
        ("gpus_per_worker", 0, "a whole number from 1 to 64"),
        ("kv_capacity", 900, "A shared prefix of 1,000 leaves no room in a context of 900"),
    ],
)
def test_problems_say_what_is_allowed(name, value, said):
    scenario = Scenario(prefill_workers=2, shared_prefix=1000)
    state = AppState(scenario=scenario, gpus_per_worker=4)
    with pytest.raises(ValueError, match=r".") as raised:
        change(state, name, value)
    assert said in problem(name, value, raised.value, state, Texts("en"))
    chinese = problem(name, value, raised.value, state, Texts("zh"))
    assert "allowed" not in chinese


def test_every_choice_has_its_key_in_the_address():
    deployment = {"model": "glm-5.2", "gpu": "h100", "gpus": 16, "deployment": "tp"}
    chosen = {
        "tab": "fixes",
        "explore": ("agents", "workers", "makespan"),
        "view": (0, 1),
        "span": (0, 1),
        "isolate": ["idle"],
        "pin": 1,
        "worker": 1,
        "agent": 7,
        "order": "-e2e",
        "clock": 1.0,
    }
    state = AppState(deployment=deployment, story="article.lock", **chosen)
    keys = {pair.partition("=")[0] for pair in state.query().split("&")}
    assert keys >= set(CHOICES)
