"""The pinned baseline: in the address, in the settings that differ, in the numbers' cards."""

import queue

import pytest

from app.baseline import Baseline, read
from app.changes import METRICS, card_changes, change
from app.differing import differing, named, settings
from app.problems import link_problem
from app.runs import run
from app.state import AppState, read_query
from app.texts import Texts
from app.views.baseline import Pinned
from app.views.numbers import Numbers
from sim.presets import PRESETS
from sim.scenario import Scenario

EN, ZH = Texts("en"), Texts("zh")
SMALL = Scenario(agents=6, workers=4, turns=[4, 6], kv_capacity=20_000, input_tokens=[2000, 6000])


def never():
    return False


# --- the address ---


@pytest.mark.parametrize("preset", PRESETS)
def test_a_baseline_survives_the_address(preset):
    state = AppState(baseline=Baseline(Scenario.preset(preset), 4))
    again, problems = read_query(state.query())
    assert problems == []
    assert again.baseline == state.baseline


def test_only_what_was_changed_stands_in_the_address():
    assert Baseline(Scenario()).written() == "preset:default"
    scenario = Scenario(routing="random", turns=[3, 9], prefill_sharing=True)
    written = Baseline(scenario, 2).written()
    assert written.split("~") == [
        "prefill_sharing:on",
        "routing:random",
        "turns:3,9",
        "gpus_per_worker:2",
    ]
    assert AppState(baseline=Baseline(scenario)).query().count("random") == 1
    assert "baseline" not in AppState().query()


def test_short_sessions_stand_in_the_address_and_long_ones_are_missed():
    short = Scenario(draws="table", table=[[[0, 100, 10], [500, 20, 5, 50]], [], [[3, 7, 9]]])
    assert read(Baseline(short).written())[0] == Baseline(short)
    long = Scenario(draws="table", table=[[[0, 1000, 10]] * 500])
    assert len(Baseline(long).written()) < 100
    state, problems = read_query(AppState(baseline=Baseline(long)).query())
    assert state.baseline is None
    assert problems == [{"kind": "baseline", "problem": {"kind": "sessions"}}]
    assert link_problem(problems[0], EN).startswith("No baseline is pinned: Recorded sessions")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agents:0", "agents: 0 is not allowed: a whole number from 1"),
        ("agens:3", "agens is no setting; did you mean agents?"),
        ("routing:pined", "one of pinned"),
        ("preset:articel_fig1", "preset: articel_fig1 is not allowed; did you mean article_fig1?"),
        ("gpus_per_worker:0", "gpus_per_worker: 0 is not allowed: a whole number from 1"),
        ("prefill_workers:16", "prefill_workers"),
        ("", "no setting"),
    ],
)
def test_a_baseline_that_cannot_be_read_is_not_pinned_and_says_why(text, said):
    state, problems = read_query(f"baseline={text}&agents=7")
    assert state.baseline is None
    assert state.scenario.agents == 7
    assert [problem["kind"] for problem in problems] == ["baseline"]
    assert said in link_problem(problems[0], EN)
    assert link_problem(problems[0], ZH).startswith("没有固定基线：")


# --- the settings ---


def test_settings_that_differ_have_names_and_units():
    a = Baseline(Scenario(max_concurrent_agents=16, turns=[3, 9]))
    b = Baseline(Scenario(kv_capacity=300_000, prefill_sharing=True, routing="random"), 2)
    found = {row["name"]: (row["label"], row["a"], row["b"]) for row in settings(a, b, EN)}
    assert found == {
        "kv_capacity": ("KV capacity per worker", "250,000 tokens", "300,000 tokens"),
        "prefill_sharing": ("Share the prefill rate", "Off", "On"),
        "routing": ("Routing", "Pinned", "Random"),
        "max_concurrent_agents": ("Session limit", "16 agents", "no limit"),
        "turns": ("Turns per agent", "3 to 9 turns", "30 to 80 turns"),
        "gpus_per_worker": ("GPUs per worker", "1 GPUs", "2 GPUs"),
    }
    assert settings(a, a, EN) == []


def test_settings_that_act_in_neither_do_not_differ():
    a, b = Baseline(Scenario(quantum=3)), Baseline(Scenario())
    assert differing(a, b) == []
    sliced = Baseline(Scenario(phase_policy="time_slice"))
    assert differing(a, sliced) == ["phase_policy", "quantum"]


def test_a_baseline_is_named_by_what_differs_or_by_its_preset():
    here = Baseline(Scenario(phase_policy="majority"))
    assert named(Baseline(Scenario()), here, EN) == "Phase policy Prefill first"
    assert named(here, here, EN) == "the settings as they are"
    far = Baseline(Scenario.preset("article_fig2"))
    assert named(far, here, EN) == "Eight bigger cards"
    other = Baseline(Scenario(workers=8, agents=9, seed=1))
    assert named(other, Baseline(Scenario()), EN).endswith("and 1 more")


# --- the cards ---


@pytest.mark.parametrize(
    ("name", "before", "after", "sign", "amount", "trend"),
    [
        ("makespan", 200.0, 100.0, -1, "50 %", "better"),
        ("makespan", 100.0, 103.0, 1, "3.0 %", "worse"),
        ("makespan", 100.0, 350.0, 1, "3.5×", "worse"),
        ("makespan", 100.0, 100.0, 0, "0.0 %", "same"),
        ("hit_rate", 0.25, 0.5, 1, "25.0 pts", "better"),
        ("utilization", 0.25, 0.5, 1, "25.0 pts", ""),
        ("evictions", 0, 7, 1, "", "worse"),
        ("evictions", 0, 0, 0, "0.0 %", "same"),
        ("onset", None, 60.0, 0, "", "worse"),
        ("onset", 60.0, None, 0, "", "better"),
        ("onset", None, None, 0, "", "same"),
        ("onset", 60.0, 90.0, 1, "50 %", "better"),
        ("ttft", None, 3.0, 0, "", ""),
    ],
)
def test_changes(name, before, after, sign, amount, trend):
    found = change(name, before, after, EN)
    assert (found.sign, found.amount, found.trend) == (sign, amount, trend)


def test_a_change_says_what_was():
    assert change("onset", None, 60.0, EN).was == "never"
    assert change("makespan", 7200.0, 60.0, ZH).was == "2 时 00 分"


def test_a_run_does_not_differ_from_itself():
    same = run(SMALL, never)
    assert {c.trend for c in card_changes(same, same, EN).values()} == {"same"}
    assert set(card_changes(same, same, EN)) == set(METRICS)


class Desk:
    """The button and the numbers of a session, with its event loop."""

    def __init__(self, **state):
        self.posted = queue.Queue()
        self.app = AppState(scenario=SMALL, **state)
        self.pinned = Pinned(self.app, self.posted.put)
        self.numbers = Numbers(self.app, self.pinned)
        self.numbers.run = run(SMALL, never)

    def settle(self):
        while self.pinned.busy:
            self.posted.get(timeout=60)()

    @property
    def cards(self):
        return self.numbers._pane.object


def test_pin_swap_and_unpin():
    desk = Desk()
    assert "class=change" not in desk.cards
    desk.pinned._bar.heard("pin")
    desk.settle()
    assert desk.app.baseline == Baseline(SMALL)
    assert desk.cards.count("same as the baseline") == 10
    desk.app.param.update(scenario=SMALL.replace(routing="round_robin"), gpus_per_worker=2)
    assert desk.pinned._bar.what == "Routing Pinned, GPUs per worker 1 GPUs"
    desk.pinned._bar.heard("swap")
    desk.settle()
    assert desk.app.scenario is SMALL
    assert desk.app.gpus_per_worker == 1
    assert desk.app.baseline == Baseline(SMALL.replace(routing="round_robin"), 2)
    assert desk.pinned.run.result.scenario.routing == "round_robin"
    desk.pinned._bar.heard("unpin")
    assert desk.app.baseline is None
    assert desk.pinned.run is None
    assert "class=change" not in desk.cards


def test_cards_say_by_how_much_in_words_and_not_in_colour_alone():
    desk = Desk(baseline=Baseline(SMALL.replace(kv_capacity=60_000)))
    assert desk.cards.count("class=change") == 10  # their room is there before the run
    desk.pinned.ask()
    desk.settle()
    lost = card_changes(desk.numbers.run, desk.pinned.run, EN)["evictions"]
    assert lost.trend == "worse"
    assert f'<b class="worse">worse</b> · was {lost.was}' in desk.cards
    desk.app.language = "zh"
    assert "更差" in desk.cards


def test_a_baseline_runs_once_however_often_it_is_asked_for(monkeypatch):
    desk = Desk(baseline=Baseline(SMALL.replace(seed=77)))
    asked = []
    request = desk.pinned._runner.request
    monkeypatch.setattr(
        desk.pinned._runner, "request", lambda *args: (asked.append(args[0].seed), request(*args))
    )
    desk.pinned.ask()
    desk.pinned.ask()
    desk.settle()
    desk.pinned.ask()
    assert asked == [77]
    assert desk.pinned.run.result.scenario.seed == 77


def test_a_baseline_that_fails_says_so(monkeypatch):
    monkeypatch.setenv("DPASCOPE_MAX_REQUESTS", "10")
    desk = Desk(baseline=Baseline(SMALL.replace(agents=60)))
    desk.pinned.ask()
    desk.settle()
    assert desk.pinned._bar.failed.startswith("The baseline’s run failed: 60 agents")
    assert desk.pinned.run is None
