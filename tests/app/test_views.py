"""The views without a browser: what the user does, and what is shown then."""

import queue

import pytest

from app import runs
from app.derive import SHADES
from app.format import duration
from app.palette import state_colors
from app.runs import Runner
from app.state import AppState
from app.texts import Texts
from app.views.numbers import CARDS, card_values
from app.views.page import Page
from sim import Scenario, simulate

QUICK = Scenario(agents=6, workers=4, turns=[4, 6], kv_capacity=20_000, input_tokens=[2000, 6000])


class Loop:
    """Stands for the session's event loop: `run` does what has been posted."""

    def __init__(self):
        self.posted = queue.Queue()

    def run(self, until):
        while not until():
            self.posted.get(timeout=60)()


@pytest.fixture
def loop():
    return Loop()


@pytest.fixture
def page(loop):
    page = Page(AppState(scenario=QUICK), [], loop.posted.put)
    page.run()
    loop.run(lambda: page.numbers.run is not None)
    return page


def settle(page, loop):
    loop.run(lambda: not page.runner.busy)


def shown(page):
    return page.numbers.run.result.to_dict()


def test_a_page_shows_the_run_of_its_scenario(page):
    assert shown(page) == simulate(QUICK).to_dict()
    assert page.picture.board.recording is page.numbers.run.recording
    assert page.picture._lens.caption


def test_a_change_runs_again(page, loop):
    page.controls.change("agents", 9)
    settle(page, loop)
    assert shown(page) == simulate(QUICK.replace(agents=9)).to_dict()


def test_a_refused_value_changes_nothing(page):
    before, run = page.app.scenario, page.numbers.run
    page.controls.change("agents", -3)
    assert page.app.scenario is before
    assert page.numbers.run is run
    assert "-3 is not allowed" in page.controls._form.errors["agents"]
    page.controls.change("agents", 6)
    assert page.controls._form.errors == {}


def test_another_field_leaves_the_refused_value_marked(page):
    page.controls.change("agents", "many")
    page.controls.change("seed", 5)
    assert set(page.controls._form.errors) == {"agents"}
    page.header.choose("preset", "default")
    assert page.controls._form.errors == {}


def test_slow_runs_wait_for_the_end_of_a_drag(page, loop):
    page.runner.seconds = 10
    run = page.numbers.run
    page.controls.change("agents", 7, live=True)
    assert not page.runner.busy
    assert page.numbers.run is run
    page.controls.change("agents", 8)
    settle(page, loop)
    assert page.numbers.run.result.scenario.agents == 8


def test_quick_runs_follow_a_drag(page, loop):
    page.runner.seconds = 0
    page.controls.change("agents", 7, live=True)
    settle(page, loop)
    assert page.numbers.run.result.scenario.agents == 7


def test_the_newest_of_several_changes_is_shown(page, loop):
    for agents in (7, 8, 9, 10):
        page.controls.change("agents", agents)
    settle(page, loop)
    assert page.numbers.run.result.scenario.agents == 10


def test_a_failed_run_keeps_the_picture(page, loop, monkeypatch):
    run = page.numbers.run
    monkeypatch.setattr(runs, "simulate", lambda *_, **__: 1 / 0)
    page.controls.change("seed", 99)
    settle(page, loop)
    area = page.notices._area
    assert area.error == "ZeroDivisionError: division by zero"
    assert area.stale
    assert page.numbers.run is run
    monkeypatch.undo()
    page.controls.change("seed", 98)
    settle(page, loop)
    assert (area.error, area.stale) == ("", False)


def test_the_exception_of_a_callback_is_shown(page):
    page.callback_failed(KeyError("lost"))
    assert "lost" in page.notices._area.error
    assert not page.notices._area.stale


def test_equal_scenarios_are_not_run_twice(page, loop, monkeypatch):
    first = page.numbers.run
    page.controls.change("agents", 7)
    settle(page, loop)
    monkeypatch.setattr(runs, "simulate", lambda *_, **__: pytest.fail("ran again"))
    page.controls.change("agents", 6)
    assert page.numbers.run is first


def test_a_superseded_run_is_cancelled(loop, monkeypatch):
    asked, done, failed = [], [], []

    def simulate(scenario, cancel):
        asked.append(scenario.seed)
        while scenario.seed == 1 and not cancel():
            pass
        raise ValueError(f"seed {scenario.seed}")

    monkeypatch.setattr(runs, "simulate", simulate)
    runner = Runner(loop.posted.put)
    runner.request(QUICK.replace(seed=1), done.append, failed.append)
    while not asked:
        pass
    runner.request(QUICK.replace(seed=2), done.append, failed.append)
    loop.run(lambda: not runner.busy)
    assert [str(error) for error in failed] == ["seed 2"]
    assert done == []


def test_pin_step_and_events(page):
    assert "kv" not in page.picture._lens.figures
    page.picture.pin(20.0, 0.5)
    assert page.picture._lens.figures["kv"]
    tick = page.app.pin
    assert page.app.worker == 3
    assert page.moment._bar.pinned
    page.moment.step(1)
    assert page.app.pin == tick + 1
    page.moment.step(-(10**9))
    assert page.app.pin == 0
    page.moment.to_event("evict", 1)
    evictions = page.numbers.run.result.of_kind("evict")["tick"]
    assert page.app.pin == evictions[0]
    assert "evicts" in page.moment._bar.happened
    page.moment.to_event("compact", 1)
    assert page.app.pin == evictions[0]
    assert page.moment._bar.happened == Texts("en")("moment.nothing")
    page.app.pin = None
    assert not page.moment._bar.pinned


def test_a_pin_beyond_a_shorter_run_shows_its_end(page, loop):
    page.app.pin = page.numbers.run.result.ticks - 1
    page.controls.change("turns", [1, 1])
    settle(page, loop)
    ticks = page.numbers.run.result.ticks
    assert f"tick {ticks - 1:,}" in page.moment._bar.title
    page.picture.mark_to_pin("start")
    assert page.app.span[1] == page.picture.board.frame.end
    page.moment.step(-1)
    assert page.app.pin == ticks - 2


def test_hover_of_no_lane_says_nothing(page):
    assert page.picture.hover(None) is None
    assert page.picture.hover([10.0, -5.0]) is None
    assert page.picture.hover([10.0, 1.5])["title"].startswith("DP 2 at")


def test_many_workers_show_those_around_the_chosen_one(loop):
    app = AppState(scenario=Scenario(workers=300, agents=8, turns=[1, 2]), pin=5, worker=200)
    page = Page(app, [], loop.posted.put)
    page.run()
    loop.run(lambda: page.numbers.run is not None)
    rows = page.moment._workers.object
    assert rows.count("<tr") == 64
    assert '<tr class="chosen"><td class="worker" title="DP 200">' in rows


@pytest.mark.parametrize("language", ["en", "zh"])
def test_numbers_of_a_run_without_finished_requests(language):
    scenario = Scenario(context_limit=10, agents=2)
    run = runs.run(scenario, lambda: False)
    assert run.summary["requests_finished"] == 0
    values = card_values(run, Texts(language))
    assert set(values) == set(CARDS)
    assert values["ttft"][0] == "–"


def test_language_and_theme_change_in_place(page):
    lens, numbers = page.picture._lens, page.numbers._pane
    page.header.choose("language", "zh")
    assert "有效利用率" in numbers.object
    assert lens.texts["legend"] == "状态"
    assert "lang=zh" in page.header._bar.query
    before = lens.states[0]["color"]
    page.header.choose("palette", "colorblind")
    assert lens.states[0]["color"] != before
    page.header.choose("dark", True)
    assert page.picture.board.frame.theme == "dark"


def test_reset_and_presets(page, loop):
    page.controls.change("gpus_per_worker", 2)
    page.controls.reset()
    settle(page, loop)
    assert page.app.preset == "default"
    assert page.app.gpus_per_worker == 1
    page.header.choose("preset", "article_fig2")
    assert page.header._bar.preset == "article_fig2"


def test_the_legend_shows_states_alone(page):
    lens, mapper = page.picture._lens, page.picture.board.frame.states
    full = list(mapper.palette)
    lens._handle_msg({"isolate": ["decode", "idle"]})
    assert "isolate=decode,idle" in page.app.query()
    assert lens.isolate == ["decode", "idle"]
    pairs = zip(SHADES, full[:-1], mapper.palette[:-1], strict=True)
    kept = {name for name, before, now in pairs if before == now}
    assert kept == {"decode", "idle"}
    lens._handle_msg({"isolate": []})
    assert mapper.palette == full


def test_the_tax_adds_up_and_follows(page):
    bar = page.tax._bar
    assert sum(part["share"] for part in bar.parts) == pytest.approx(1)
    decode, recording = bar.parts[0], page.numbers.run.recording
    seconds = decode["share"] * recording.ticks * recording.tick_s * recording.workers
    assert decode["time"] == duration(seconds, Texts("en"))
    page.app.gpus_per_worker = 2
    assert bar.parts[0]["time"] == duration(2 * seconds, Texts("en"))
    page.app.param.update(language="zh", dark=True, palette="colorblind")
    assert bar.texts["title"] == Texts("zh")("tax.title")
    assert bar.parts[0]["color"] == state_colors("colorblind", "dark")[SHADES.index("decode")]
