"""The comparison: every deployment under the same workload, and what is said of it."""

import dataclasses
import threading

import pytest

from app.comparison import (
    KINDS,
    METRICS,
    SEEDS,
    Question,
    compare,
    reason,
    said,
    table,
)
from app.deployments import DEFAULT, normal
from app.figures.strips import Strips
from app.state import AppState
from app.texts import LANGUAGES, Texts
from app.views.compare import Compare
from app.views.deployment import Deployment
from app.views.picture import labels
from sim import RunCancelled, simulate
from sim.scenario import Scenario

SMALL = Scenario(agents=6, turns=[3, 5], input_tokens=[2000, 6000], routing="round_robin")
QWEN = {"model": "qwen3.5-397b", "gpu": "b200", "gpus": 8, "deployment": "dpa"}


def never():
    return False


@pytest.fixture(scope="module")
def found():
    return compare(Question(normal(QWEN), SMALL), never)


@pytest.fixture(scope="module")
def without_pd():
    return compare(Question(DEFAULT, SMALL), never)


def test_each_deployment_runs_the_same_workload(found):
    assert [c.kind for c in found] == list(KINDS)
    for contender in found:
        scenario = contender.recording.result.scenario
        cluster = contender.plan.cluster
        fields = {**SMALL.to_dict(), **cluster}
        assert scenario.to_dict() == fields
        assert contender.plan.request["gpus"] == 8


def test_bands_are_those_of_the_seeds(found):
    dpa = found[0]
    times = sorted(
        simulate(dpa.recording.result.scenario.replace(seed=SMALL.seed + i)).summary()["makespan_s"]
        for i in range(SEEDS)
    )
    low, median, high = dpa.bands["makespan"]
    assert median == times[SEEDS // 2]
    assert times[0] <= low <= median <= high <= times[-1]


def test_sessions_given_as_a_table_run_once():
    scenario = Scenario(draws="table", table=[[[0, 500, 20]], [[0, 900, 10]]])
    question = Question(normal(QWEN), scenario)
    assert question.seeds == [scenario.seed]
    low, median, high = compare(question, never)[0].bands["makespan"]
    assert low == median == high


def test_what_cannot_be_stands_in_its_place_with_the_reason(without_pd):
    pd = without_pd[1]
    assert (pd.kind, pd.plan, pd.recording) == ("pd", None, None)
    assert "does not fit" in reason(pd, Texts("en"))
    assert "16P + 16D on 32 GPUs" in reason(pd, Texts("en"))
    assert "放不下" in reason(pd, Texts("zh"))
    cells = [row["cells"][1] for row in table(without_pd, Texts("en"))]
    assert all(cell == {"value": "–", "band": "", "best": False} for cell in cells)


def test_the_table_marks_the_best(found):
    rows = {row["name"]: row["cells"] for row in table(found, Texts("en"))}
    assert list(rows) == list(METRICS)
    medians = [c.median("makespan") for c in found]
    best = [cell["best"] for cell in rows["makespan"]]
    assert best == [value == min(medians) for value in medians]
    assert not any(cell["best"] for cell in rows["utilization"])


def with_times(contender, makespan, ttft=1.0, waiting=0.0, recomputed=0.0):
    bands = dict.fromkeys(METRICS, (1.0, 1.0, 1.0))
    bands |= {
        "makespan": makespan,
        "ttft": (ttft,) * 3,
        "waiting": (waiting,) * 3,
        "recomputed": (recomputed,) * 3,
    }
    return dataclasses.replace(contender, bands=bands)


def test_the_sentence_names_the_first_and_by_how_much(found):
    made = [
        with_times(found[0], (190, 200, 210), ttft=3),
        with_times(found[1], (90, 100, 110), ttft=2),
        with_times(found[2], (290, 300, 310), waiting=0.4, recomputed=0.5),
    ]
    names = [c.plan.name for c in made]
    assert said(made, Texts("en")) == (
        f"{names[1]} is done first, after 1 min 40 s: 2.0× as fast as {names[0]}. "
        f"{names[2]} takes 3.0× as long. Answers begin soonest under {names[2]}, after 1.0 s. "
        f"{names[2]} spends 40.0 % of its worker time waiting. "
        f"50.0 % of what {names[2]} prefills had been computed before."
    )


def test_the_sentence_claims_no_order_where_bands_overlap(found):
    made = [
        with_times(found[0], (90, 100, 130)),
        with_times(found[1], (120, 125, 140)),
        with_times(found[2], (290, 300, 310)),
    ]
    text = said(made, Texts("en"))
    assert "take about the same time, 1 min 40 s and 2 min 05 s" in text
    assert "done first" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentence_knows_of_what_cannot_be(without_pd, language):
    texts = Texts(language)
    assert texts("compare.said.impossible", names="PD") in said(without_pd, texts)
    none = [dataclasses.replace(c, plan=None, recording=None) for c in without_pd]
    assert said(none, texts) == texts("compare.said.none")
    only = [without_pd[0], *none[1:]]
    assert without_pd[0].plan.name in said(only, texts)


def test_numbers_given_for_one_deployment_do_not_hold_for_another():
    question = Question({**DEFAULT, "overrides": {"chunk_tokens": 4096}}, SMALL)
    assert question.of_kind("dpa")["overrides"] == {"chunk_tokens": 4096}
    assert "overrides" not in question.of_kind("tp")


def test_strips_share_a_time_axis_as_long_as_the_longest_run(found):
    recordings = [c.recording for c in found]
    strips = Strips(recordings, labels(Texts("en")), "dark", "colorblind")
    ends = {strip.root.x_range.end for strip in strips.strips}
    assert ends == {max(r.ticks * r.tick_s for r in recordings)}
    assert [strip.lanes for strip in strips.strips] == [8, 8, 1]


def test_many_workers_share_lanes():
    scenario = SMALL.replace(workers=100)
    compared = compare(Question({**normal(QWEN), "gpus": 64}, scenario), never)
    strip = Strips([compared[0].recording], labels(Texts("en")), "light", "default").strips[0]
    assert strip.lanes * strip.per_lane >= 64
    assert strip.lanes <= 37


def test_cancelling_ends_the_runs():
    with pytest.raises(RunCancelled):
        compare(Question(normal(QWEN), SMALL), lambda: True)


class Opened:
    """A comparison with an event loop of its own."""

    def __init__(self):
        self.app = AppState(scenario=SMALL)
        self.deployment = Deployment(self.app)
        self.deployment.deploy(normal(QWEN))
        self.due = threading.Event()
        self.compare = Compare(self.app, self.deployment, self._post)
        self.head = self.compare._head

    def _post(self, callback):
        self.callback = callback
        self.due.set()

    def answer(self):
        assert self.due.wait(60)
        self.due.clear()
        self.callback()

    def open(self):
        self.compare.toggle()
        if self.compare.busy:
            self.answer()


def test_opening_compares_and_closing_leaves_nothing():
    made = Opened()
    assert made.compare.__panel__().objects == []
    made.open()
    assert made.head.said
    assert made.head.busy == ""
    # the head, three headings, three strips and the table
    assert len(made.compare.__panel__().objects) == 8
    made.compare.toggle()
    assert made.compare.__panel__().objects == []
    made.compare.toggle()  # remembered: answered at once
    assert made.head.said


def test_changed_settings_mark_the_comparison_and_can_be_compared_again():
    made = Opened()
    made.open()
    made.app.scenario = made.app.scenario.replace(agents=4)
    assert made.head.stale
    made.head.heard("again")
    assert not made.head.stale
    made.answer()
    assert made.compare._found[0].recording.result.scenario.agents == 4


def test_a_cancelled_comparison_says_so():
    made = Opened()
    made.app.scenario = made.app.scenario.replace(agents=64, turns=[200, 300])
    made.compare.toggle()
    assert made.head.busy
    made.head.heard("cancel")
    assert made.head.busy == ""
    assert made.head.failed == Texts("en")("compare.cancelled")
    assert made.head.said == ""


def test_a_failure_is_shown():
    made = Opened()
    made.open()
    made.compare._failed(ValueError("too large"))
    assert "too large" in made.head.failed


def test_language_and_colours_change_in_place():
    made = Opened()
    made.open()
    made.app.language = "zh"
    assert made.head.title.startswith("DPA、PD 与 TP")
    made.app.param.update(dark=True, palette="colorblind")
    assert len(made.compare.__panel__().objects) == 8
