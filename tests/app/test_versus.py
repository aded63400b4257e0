"""The run against the baseline: what differs over time, the figures, the metrics, the tab."""

import dataclasses
import queue

import numpy as np
import pytest
from bokeh.models import VAreaStep

from app import versus
from app.baseline import Baseline
from app.comparison import SEEDS
from app.derive import SHADES, STACK, Recording
from app.derive.difference import Difference, difference
from app.figures.versus import SPANS
from app.format import duration
from app.runs import Run, run
from app.state import AppState
from app.texts import LANGUAGES, Texts
from app.verdict import said, warnings, worker_seconds
from app.versus import (
    EXAMPLES,
    ROWS,
    Question,
    Sides,
    differences,
    example,
    first,
    over_seeds,
    table,
    winner,
)
from app.views.baseline import Pinned
from app.views.versus import Versus
from sim import Scenario, simulate
from sim.scenario import STATES

EN = Texts("en")
SMALL = Scenario(agents=6, workers=2, turns=[4, 6], kv_capacity=60_000, input_tokens=[2000, 6000])
CHANGED = SMALL.replace(phase_policy="majority", kv_capacity=200_000)


def never():
    return False


@pytest.fixture(scope="module")
def question():
    return Question(run(SMALL, never), run(CHANGED, never))


@pytest.fixture(scope="module")
def sides(question):
    return over_seeds(question, never)


# --- over time ---


def share_of_ticks(recording, window, step):
    """Return the shares in the windows of a whole run, counted tick by tick."""
    lanes = np.empty((recording.workers, recording.ticks), int)
    for worker, (starts, codes) in enumerate(recording.result.states):
        for start, stop, code in zip(starts, [*starts[1:], recording.ticks], codes, strict=True):
            lanes[worker, start:stop] = code
    found = []
    for left in range(*window, step):
        part = lanes[:, left : min(left + step, window[1])]
        found.append(np.bincount(part.ravel(), minlength=len(STATES)) / part.size)
    return np.array(found).T


def merged(shares):
    """Return shares in the order of the states' codes, prefill again counted as prefill."""
    found = np.zeros((len(STATES), shares.shape[1]))
    for code, share in zip(STACK, shares, strict=True):
        name = SHADES[code]
        found[STATES.index("prefill" if name == "prefill_again" else name)] += share
    return found


@pytest.mark.parametrize("ticks_ms", [(250, 250), (250, 500), (500, 750)])
def test_differences_are_those_of_all_ticks(ticks_ms):
    a, b = (
        Recording(simulate(scenario.replace(tick_ms=ms)))
        for scenario, ms in zip((SMALL, CHANGED), ticks_ms, strict=True)
    )
    found = difference(a, b, (0, 1e6), 37)
    step = np.lcm(*ticks_ms) / 1000
    end = min(r.ticks * r.tick_s for r in (a, b)) // step * step
    assert found.lefts[0] == 0
    assert found.rights[-1] == pytest.approx(end)
    assert len(found.lefts) <= 37
    for recording, shares in ((a, found.a), (b, found.b)):
        wide = round(float(found.lefts[1]) / recording.tick_s)
        expected = share_of_ticks(recording, (0, round(end / recording.tick_s)), wide)
        assert merged(shares) == pytest.approx(expected)
    assert found.more.sum(axis=0) == pytest.approx(0)


def test_beyond_the_shorter_run_nothing_differs(question):
    a, b = (side.recording for side in (question.a, question.b))
    end = min(r.ticks * r.tick_s for r in (a, b))
    assert difference(a, b, (end + 5, end + 50), 20).lefts.size == 0
    assert difference(a, b, (end - 10, end + 50), 20).rights[-1] <= end


def test_what_differs_is_stacked_on_both_sides_of_zero():
    a = np.array([[0.5, 0.25], [0.5, 0.25], [0.0, 0.5], [0.0, 0.0]])
    b = np.array([[0.25, 0.25], [0.0, 0.5], [0.25, 0.0], [0.5, 0.25]])
    start, end = Difference(np.zeros(2), np.ones(2), a, b).stacked()
    assert start[:, 0].tolist() == [0, -0.25, 0, 0.25]
    assert end[:, 0].tolist() == [-0.25, -0.75, 0.25, 0.75]
    assert end[:, 1].tolist() == [0, 0.25, -0.5, 0.5]
    assert end.max(axis=0) == pytest.approx(-end.min(axis=0))


# --- the metrics ---


def test_other_seeds_run_on_both_sides(question, sides):
    assert (len(sides.a), len(sides.b)) == (SEEDS, SEEDS)
    assert sides.a[0]["makespan_s"] == question.a.summary["makespan_s"]
    last = CHANGED.replace(seed=SMALL.seed + SEEDS - 1)
    assert sides.b[-1]["makespan_s"] == simulate(last).summary()["makespan_s"]
    assert question.runs == 2 * (SEEDS - 1)
    assert question.demand.runs == question.runs


def with_makespans(a, b):
    sides = [[{"makespan_s": value, "recomputed_share": None} for value in side] for side in (a, b)]
    return Sides(*sides)


@pytest.mark.parametrize(
    ("a", "b", "wins"),
    [
        ([100, 200, 300], [90, 180, 250], "better"),
        ([100, 200, 300], [110, 230, 301], "worse"),
        ([100, 200, 300], [90, 230, 290], "unclear"),
        ([100, 200, 300], [100, 200, 300], "same"),
        ([100], [90], "better"),
        ([100], [90, 80, 110], "unclear"),
        ([100], [90, 80, 95], "better"),
    ],
)
def test_who_wins_over_the_seeds(a, b, wins):
    assert winner("makespan", with_makespans(a, b)) == wins


def test_differences_are_taken_seed_by_seed():
    assert differences("makespan", with_makespans([100, 200], [50, 300])).tolist() == [-0.5, 0.5]
    assert differences("recomputed", with_makespans([1], [2])).size == 0


@pytest.mark.parametrize(
    ("a", "b", "wins"), [(None, 60, "worse"), (60, None, "better"), (None, None, "same")]
)
def test_an_avalanche_on_one_side_only(a, b, wins):
    sides = Sides([{"avalanche_onset_s": a}], [{"avalanche_onset_s": b}])
    assert winner("onset", sides) == wins


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_has_bands_once_the_seeds_are_there(question, sides, language):
    texts = Texts(language)
    begun, ended = table(first(question), texts), table(sides, texts)
    assert [row["name"] for row in ended] == list(ROWS)
    assert not any(row[side]["band"] for row in begun for side in "ab")
    rows = {row["name"]: row for row in ended}
    assert rows["makespan"]["a"]["band"]
    assert rows["makespan"]["change"]["band"]
    assert rows["makespan"]["change"]["winner"] == winner("makespan", sides)
    assert rows["utilization"]["change"]["winner"] == ""


def test_sessions_given_as_a_table_run_once():
    given = SMALL.replace(draws="table", table=[[[0, 500, 20]], [[0, 900, 10]]])
    question = Question(run(given, never), run(given.replace(workers=1), never))
    assert question.runs == 0
    assert over_seeds(question, never) == first(question)


# --- what is said ---


def test_the_sentence_adds_up(question, sides):
    text = said(question, sides, EN)
    a, b = (np.median([s["makespan_s"] for s in side]) for side in (sides.a, sides.b))
    assert text.startswith(f"B takes {100 * (b / a - 1):.0f} % more time than A: ")
    spent = [worker_seconds(side.recording) for side in (question.a, question.b)]
    ticks = [side.recording.ticks for side in (question.a, question.b)]
    assert [s.sum() for s in spent] == pytest.approx([t * 0.25 * SMALL.workers for t in ticks])
    state = SHADES[np.argmax(spent[1] - spent[0])]
    more = duration(float((spent[1] - spent[0]).max()), EN)
    assert f"{more} more worker time in “{EN(f'states.{state}')}”" in text
    assert "one seed" not in text
    assert "one seed" in said(question, first(question), EN)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_winner_is_claimed_where_seeds_disagree(question, language):
    unclear = with_makespans([100, 200, 300], [90, 230, 290])
    text = said(question, unclear, Texts(language))
    assert ("No clear winner" if language == "en" else "难分高下") in text
    alike = said(question, with_makespans([150], [150]), Texts(language))
    assert alike.startswith(
        {"en": "A and B take the same time, 2 min", "zh": "A 与 B 用时相同，都是 2 分"}[language]
    )


def asked(a, b, question):
    return warnings(question, Baseline(a), Baseline(b), EN)


def test_other_work_is_said_plainly(question):
    assert asked(SMALL, CHANGED, question) == []
    other = asked(SMALL, SMALL.replace(agents=5, seed=3), question)
    assert other[0].startswith("Not the same work: the two differ in Agents, Seed")
    article = [s.replace(draws="article") for s in (SMALL, CHANGED)]
    assert asked(*article, question)[0].startswith("Not quite the same work")
    summary = {**question.b.summary, "requests_finished": 1}
    idle = dataclasses.replace(question, b=Run(question.b.recording, summary))
    assert asked(SMALL, CHANGED, idle)[0].startswith("B finishes fewer turns: 1 instead of")


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_hold_the_same_work_against_each_other(name, question):
    values = example(name)
    AppState(**values)
    a, b = values["baseline"].scenario, values["scenario"]
    assert a.to_dict() != b.to_dict()
    assert asked(a, b, question) == []


# --- the tab ---


class Desk:
    """The tab of a session, with its event loop."""

    def __init__(self, **state):
        self.posted = queue.Queue()
        self.app = AppState(**{"scenario": SMALL, "tab": "compare", **state})
        self.pinned = Pinned(self.app, self.posted.put)
        self.room = Versus(self.app, self.pinned, self.posted.put)
        self.head = self.room._head
        self.show(self.app.scenario)

    def show(self, scenario):
        self.app.scenario = scenario
        self.room.run = run(scenario, never)
        self.pinned.ask()
        self.room.ask()

    def settle(self):
        while self.pinned.busy or self.room.busy:
            self.posted.get(timeout=60)()

    @property
    def shown(self):
        return len(self.room.__panel__().objects)


@pytest.fixture(scope="module")
def desk():
    desk = Desk(baseline=Baseline(SMALL))
    desk.show(CHANGED)
    desk.settle()
    return desk


def test_without_a_baseline_the_tab_says_how_to_pin_one():
    desk = Desk()
    assert not desk.head.pinned
    assert desk.shown == 1
    assert "figures" not in vars(desk.room)  # made when they are first needed
    assert [e["name"] for e in desk.head.examples] == list(EXAMPLES)
    desk.head.heard({"do": "pin"})
    desk.settle()
    assert desk.head.pinned
    assert desk.head.ready
    assert desk.head.settings == []
    assert desk.shown == 3
    desk.pinned.unpin()
    assert desk.shown == 1


def test_a_ready_comparison_is_loaded():
    desk = Desk(tab="run")
    desk.head.heard({"example": "routing"})
    assert desk.app.scenario.routing == "round_robin"
    assert desk.app.baseline == Baseline(Scenario())


def test_both_runs_stand_on_one_axis_and_the_shorter_one_ends(desk):
    figures = desk.room.figures
    a, b = figures.a, figures.b
    assert {f.root.x_range for f in figures.figures} == {figures.frame.x_range}
    assert figures.frame.end == max(a.end, b.end)
    ended = [side.over.visible for side in (a, b)]
    assert ended == [side.end < figures.frame.end for side in (a, b)]
    assert sum(ended) == 1
    shorter = a if ended[0] else b
    assert (shorter.over.left, shorter.over.right) == (shorter.end, figures.frame.end)
    assert "ends at" in shorter.end_label.text
    assert figures.difference.over.left == shorter.end


def test_the_single_seed_is_there_at_once_and_then_the_spread():
    desk = Desk(baseline=Baseline(SMALL.replace(seed=7)), scenario=CHANGED.replace(seed=7))
    while desk.pinned.busy:
        desk.posted.get(timeout=60)()
    if desk.room.busy:
        assert "one seed" in desk.head.busy
        assert "<small>" not in desk.room._table.object
    desk.settle()
    assert desk.head.busy == ""
    assert "<small>" in desk.room._table.object


def test_cancelled_runs_leave_the_single_seed_and_can_be_made_again():
    desk = Desk(baseline=Baseline(SMALL.replace(seed=8)), scenario=CHANGED.replace(seed=8))
    while desk.pinned.busy:
        desk.posted.get(timeout=60)()
    desk.head.heard({"do": "cancel"})
    assert desk.head.failed == EN("versus.cancelled")
    desk.head.heard({"do": "again"})
    desk.settle()
    assert desk.head.failed == ""
    assert "<small>" in desk.room._table.object


def test_a_zoom_bins_both_and_the_difference_anew(desk):
    figures = desk.room.figures
    before = figures.difference.spans.data["left"]
    figures.frame.set_window(1, 7)
    desk.head.heard({"columns": 700})
    for side in (figures.a, figures.b):
        image = side.fine.source.data
        assert image["x"][0] <= 1
        assert image["x"][0] + image["dw"][0] >= 6.9
        assert len(side.bins.data["left"]) <= SPANS + 1
    lefts = figures.difference.spans.data["left"]
    assert lefts[0] <= 1 < lefts[1]
    assert not np.array_equal(lefts, before)
    areas = [r.glyph for r in figures.difference.root.renderers if isinstance(r.glyph, VAreaStep)]
    assert len(areas) == len(STACK)
    beyond = max(figures.a.end, figures.b.end)
    figures.frame.set_window(beyond - 6, beyond)
    desk.head.heard({"columns": 700})
    assert len(figures.difference.source.data["x"])  # areas without a row never end
    figures.frame.set_window(0, beyond)
    desk.head.heard({"columns": 700})


def test_a_moment_is_pinned_in_both(desk):
    desk.head.heard({"pin": 5.0})
    assert desk.app.pin == 20
    line = desk.room.figures.frame.lines["pin"]
    assert (line.visible, line.location) == (True, 5.125)
    assert desk.head.moment.startswith("At 0:00:05: A: ")
    desk.head.heard({"pin": None})
    assert not line.visible
    assert desk.head.moment == ""


def test_language_theme_and_palette_change_in_place(desk):
    figures = desk.room.figures
    desk.app.param.update(language="zh", dark=True, palette="colorblind")
    assert figures.a.root.title.text == "A · 基线"
    assert figures.difference.sides[0].text == "▲ B 更多"
    assert figures.frame.theme == "dark"
    assert "总时长" in desk.room._table.object
    assert desk.head.states[0]["color"] == "#007c84"
    desk.app.param.update(language="en", dark=False, palette="default")


def test_nothing_is_asked_while_another_tab_is_open(desk):
    desk.app.tab = "run"
    desk.show(CHANGED.replace(seed=99))
    assert not desk.room.busy
    desk.app.language = "zh"
    desk.app.language = "en"
    desk.app.tab = "compare"
    desk.show(CHANGED)
    desk.settle()
    assert desk.head.said


def test_a_baseline_that_fails_is_said_in_the_tab_and_can_be_run_again(monkeypatch):
    monkeypatch.setenv("DPASCOPE_MAX_REQUESTS", "10")
    desk = Desk(baseline=Baseline(SMALL.replace(seed=9, agents=60)))
    desk.settle()
    assert desk.head.failed.startswith("The baseline’s run failed: 60 agents")
    assert desk.head.busy == ""  # no spinner that never ends
    monkeypatch.delenv("DPASCOPE_MAX_REQUESTS")
    desk.head.heard({"do": "again"})
    desk.settle()
    assert desk.head.failed == ""
    assert desk.head.ready


def test_without_a_run_of_its_own_the_tab_says_so():
    desk = Desk(baseline=Baseline(SMALL))
    desk.settle()
    desk.room.run = None
    assert not desk.head.ready
    assert (desk.head.said, desk.head.busy) == (EN("versus.no_run"), "")


def test_the_change_is_the_median_of_the_differences_seed_by_seed():
    sides = Sides(
        *(
            [{"makespan_s": seconds} for seconds in side]
            for side in ((100, 200, 400), (80, 100, 360))
        )
    )
    found = versus._changed("makespan", sides, Texts("en"))
    assert (found["sign"], found["value"]) == (-1, "20 %")  # not 50 %, as of the medians
