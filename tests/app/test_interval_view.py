"""The marked interval and the KV cache over time on the page, without a browser."""

import queue

import pytest

from app.derive.interval import interval
from app.export import address
from app.format import count, percent
from app.problems import link_problem
from app.spans import cells, tables
from app.state import AppState, read_query
from app.texts import LANGUAGES, Texts
from app.views.page import Page
from sim import Scenario

QUICK = Scenario(agents=6, workers=4, turns=[4, 6], kv_capacity=20_000, input_tokens=[2000, 6000])


def make(**state):
    posted = queue.Queue()
    page = Page(AppState(scenario=QUICK, **state), [], posted.put)
    page.run()
    while page.numbers.run is None:
        posted.get(timeout=60)()
    return page


@pytest.fixture
def page():
    return make()


def found(page):
    recording = page.numbers.run.recording
    first, stop = (round(seconds / recording.tick_s) for seconds in page.app.span)
    return interval(recording, first, stop), interval(recording, 0, recording.ticks)


def shown(page, title):
    return next(t for t in page.interval.sheet.tables if t["title"].startswith(title))


def test_nothing_is_made_before_it_is_asked_for(page):
    assert page.interval.sheet is None
    assert page.composition.figure is None
    assert not page.picture.board.frame.interval.visible


def test_a_marked_interval_is_whole_ticks_shaded_and_told(page):
    page.picture._lens.heard({"span": [10.1, 29.95]})
    assert page.app.span == (10.0, 30.0)
    box = page.picture.board.frame.interval
    assert (box.left, box.right, box.visible) == (10.0, 30.0, True)
    part, whole = found(page)
    assert shown(page, "Requests")["rows"][1]["cells"] == [
        count(part.requests["admitted"]),
        count(whole.requests["admitted"]),
    ]
    rows = {row["label"]: row["cells"] for row in shown(page, "Time by state")["rows"]}
    texts = Texts("en")
    assert rows["Effective utilization"][1:] == [
        percent(part.utilization, texts),
        percent(whole.utilization, texts),
    ]
    assert f"{part.requests['finished']} requests" in shown(page, "Of the")["title"]
    assert page.picture._lens.span == [10.0, 30.0]
    assert "span=10-30" in page.app.query()
    assert "span" not in address(page.app)
    page.interval.sheet.heard("zoom")
    assert page.picture.board.frame.x_range.start == 10
    page.interval.sheet.heard("clear")
    assert page.app.span is None
    assert not box.visible


def test_brackets_set_the_ends_at_the_pinned_tick(page):
    page.picture.mark_to_pin("start")
    assert page.app.span is None
    end, tick_s = page.picture.board.frame.end, page.numbers.run.recording.tick_s
    page.app.pin = 40
    page.picture.mark_to_pin("start")
    assert page.app.span == (40 * tick_s, end)
    page.app.pin = 80
    page.picture.mark_to_pin("stop")
    assert page.app.span == (40 * tick_s, 81 * tick_s)
    page.app.pin = 100
    page.picture.mark_to_pin("start")
    assert page.app.span == (100 * tick_s, end)
    page.app.pin = 20
    page.picture.mark_to_pin("stop")
    assert page.app.span == (0, 21 * tick_s)


def test_a_pinned_moment_folds_the_table_and_a_new_interval_unfolds_it():
    page = make(span=(10, 20))
    assert not page.interval.sheet.folded
    page.app.pin = 8
    assert page.interval.sheet.folded
    page.app.span = (10, 25)
    assert not page.interval.sheet.folded


def test_an_interval_beyond_the_run_says_so():
    page = make(span=(1e6, 2e6))
    assert page.interval.sheet.length == Texts("en")("interval.beyond")
    assert page.interval.sheet.tables == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_copied_table_holds_plain_numbers(page, language):
    page.app.span = (5, 25)
    part, whole = found(page)
    texts = Texts(language)
    recording = page.numbers.run.recording
    head, *rows = cells(part, whole, recording.tick_s, texts)
    assert len(head) == 4
    assert all(len(row) == 4 for row in rows)
    assert {type(value) for row in rows for value in row[2:]} <= {int, float, type(None)}
    tenths = [value for row in cells(part, whole, 0.1, texts)[1:] for value in row[2:]]
    assert all(value == round(value, 6) for value in tenths if value is not None)
    spent = [row for row in rows if row[1] == texts("interval.unit_worker_s")]
    assert sum(row[2] for row in spent) == 20 * recording.workers
    made = tables(part, whole, recording.tick_s, texts, ("default", "dark"))
    assert [len(table["rows"][0]["cells"]) for table in made["tables"]] == [3, 2, 2, 2, 3]


@pytest.mark.parametrize("text", ["20-10", "10", "a-b", "1-2-3", "nan-1", "0-1e300"])
def test_an_address_with_a_wrong_span_is_told(text):
    state, problems = read_query(f"span={text}")
    assert state.span is None
    said = "not allowed: something like 0-3600"
    assert [link_problem(found, Texts("en")) for found in problems] == [f"span: {text} is {said}"]
    assert read_query("span=10-20.5")[0].span == (10, 20.5)


# --- the KV cache over time ---


def test_a_pinned_moment_shows_the_chosen_workers_cache(page):
    page.app.param.update(pin=50, worker=2)
    figure, head = page.composition.figure, page.composition._head
    assert figure.shown.worker == 2
    assert (head.workers, head.worker) == (4, 2)
    assert figure.shown.bins == page.picture.board.bins(
        page.picture.board.window, page.picture.board.columns
    )
    head.heard({"worker": 1})
    assert page.app.worker == 1
    assert figure.shown.worker == 1
    page.picture.board.frame.set_window(5, 20)
    page.picture.look(800)
    assert figure.shown.bins == page.picture.board.bins(page.picture.board.window, 800)
    page.app.language = "zh"
    assert figure.label == Texts("zh")("composition.agent")


def test_the_hover_names_the_context_under_the_pointer(page):
    page.app.param.update(pin=50, worker=0)
    page.picture.board.frame.set_window(10, 15)
    page.picture.look(1000)
    figure, recording = page.composition.figure, page.numbers.run.recording
    assert figure.shown.bins.size == 1
    for tick in (41, 48, 57):
        seconds = (tick + 0.5) * recording.tick_s
        table = recording.kv.at(tick)
        here = table["worker"] == 0
        low = 0
        for agent, size in zip(table["agent"][here], table["tokens"][here], strict=True):
            said = page.composition.hover(seconds, low + size / 2)
            assert said["title"].startswith(f"agent {agent} at")
            low += size
        assert page.composition.hover(seconds, 19_999) is None or low > 19_999


def test_replay_and_pinned_moment_go_together(page):
    recording = page.numbers.run.recording
    page.app.clock = 12.3
    assert page.app.pin is None
    page.app.pin = 10
    assert page.app.clock == 12.3
    page.app.clock = 15.1
    assert page.app.pin == recording.tick_at(15.1)
    page.moment.step(1)
    assert page.app.pin == recording.tick_at(15.1) + 1
    assert recording.tick_at(page.app.clock) == page.app.pin
    page.app.clock = None
    page.moment.step(1)
    assert page.app.clock is None
