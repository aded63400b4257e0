"""What would fix it, as it is ranked, said and loaded."""

import threading

import numpy as np
import pytest

from app.deployments import DEFAULT
from app.fixing import (
    METRICS,
    SEEDS,
    Question,
    Tried,
    compared,
    loaded,
    obstacles,
    rows,
    said,
    try_out,
)
from app.runs import Cancelled
from app.state import AppState
from app.texts import LANGUAGES, Texts
from app.views.deployment import Deployment
from app.views.fixes import Fixes
from sim import Scenario, simulate
from sim.fixes import NOW, Trials, fixes
from sim.sweep import Table

SMALL = Scenario(agents=6, workers=4, turns=[3, 4], input_tokens=[2000, 6000], kv_capacity=20_000)
EN = Texts("en")


def never():
    return False


@pytest.fixture(scope="module")
def reports():
    return []


@pytest.fixture(scope="module")
def found(reports):
    return try_out(Question(SMALL, DEFAULT), never, reports.append)


def test_each_seed_is_reported(found, reports):
    assert [report.seeds for report in reports] == list(range(1, SEEDS + 1))
    assert {report.of for report in reports} == {SEEDS}
    assert reports[-1].tried == found.tried


def test_rows_are_ranked_by_the_median_makespan(found):
    ranked = rows(found, EN)
    assert len(ranked) == len(found.tried)
    assert {row["name"] for row in ranked} == set(found.tried)
    middles = [row["middle"] for row in ranked]
    assert middles == sorted(middles)
    runs = [SMALL.replace(eviction="tail", seed=SMALL.seed + i) for i in range(SEEDS)]
    spent = sorted(simulate(run).summary()["makespan_s"] for run in runs)
    place = found.tried.index("tail")
    assert found.table.bands("makespan_s")[1, place] == spent[SEEDS // 2]
    assert found.ratios()[:, 0] == pytest.approx(np.ones(SEEDS))


def test_a_row_says_what_changes_and_what_it_costs(found):
    ranked = {row["name"]: row for row in rows(found, EN, gpus_per_worker=2)}
    assert ranked["more_kv"]["change"] == "KV capacity per worker: 20k → 40k"
    assert ranked["more_kv"]["cost"] == "Costs: 20k tokens more on every worker: bigger GPUs"
    assert ranked["pd_twice"]["cost"] == "Costs: twice the GPUs: 16"
    assert ranked["tail"]["cost"] == "Costs: nothing, it is a setting"
    assert ranked["fewer_agents"]["less"].endswith("less work")
    assert ranked[NOW]["now"]
    assert ranked[NOW]["change"] == ""
    assert set(METRICS) <= set(ranked[NOW])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_change_and_obstacle_has_its_texts(language):
    texts = Texts(language)
    hard = [
        Scenario(),
        Scenario(prefill_workers=8, max_concurrent_agents=2),
        Scenario(workers=1, agents=1),
        Scenario(workers=4096, agents=2, kv_capacity=2**26),
        Scenario(draws="table", table=[[[0, 9, 1]]]),
    ]
    for scenario in hard:
        changes = fixes(scenario, DEFAULT)
        points = Trials(scenario, changes, [1])
        table = Table(points)
        table.add([{"index": i, "error": "too long"} for i in range(len(points))])
        tried = Tried(scenario, changes, table, 1, 1)
        ranked = rows(tried, texts)
        assert all(row["title"] and row["failed"] for row in ranked)
        assert all(row["makespan"] == texts("numbers.none") for row in ranked)
        assert all(entry["title"] and entry["why"] for entry in obstacles(tried, texts))
        assert said(ranked, texts) == texts("fixes.said.none")


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ([0.1, 0.2, 0.1], ("10.0× as fast", "better")),
        ([0.9, 0.95, 0.92], ("8 % less", "better")),
        ([2.0, 1.8, np.nan], ("1.9× as long", "worse")),
        ([1.1, 1.2, 1.3], ("20 % more", "worse")),
        ([0.9, 1.1, 1.2], ("no clear change", "")),
        ([1.0, 1.001, 1.0], ("no change", "")),
        ([np.nan], ("", "")),
    ],
)
def test_makespans_are_compared_seed_by_seed(ratios, expected):
    assert compared(ratios, EN) == expected


def row(title, makespan, trend="better", less="", **values):
    return {
        "title": title,
        "makespan": makespan,
        "trend": trend,
        "less": less,
        "now": title == "As it is",
        "turns": "9",
        "low": 0,
        "high": 0,
        **values,
    }


def test_the_sentence_does_not_praise_less_work():
    ranked = [
        row("Half the agents", "1 s", less="now 9: less work"),
        row("Mixed batches", "2 s", high=0.3),
        row("No lock", "3 s", low=0.4),
        row("As it is", "5 s", trend=""),
    ]
    assert said(ranked, EN) == (
        "Mixed batches helps most: 2 s instead of 5 s. "
        "Half the agents is done after 1 s, but finishes 9 of 9 turns."
    )
    ranked[2]["low"] = 0.2
    assert said(ranked, EN).startswith("Mixed batches and No lock help most: 2 s and 3 s")


def test_cancelling_ends_the_runs():
    with pytest.raises(Cancelled):
        try_out(Question(SMALL, DEFAULT), lambda: True, lambda found: None)


def test_loading_a_deployment_counts_its_gpus():
    changes = {fix.name: fix for fix in fixes(Scenario(), DEFAULT)}
    values = loaded(changes["tp"], Scenario())
    assert values["scenario"].workers == 1
    assert values["gpus_per_worker"] == 16
    assert list(loaded(changes["tail"], Scenario())) == ["scenario"]


class Opened:
    """The view with an event loop of its own."""

    def __init__(self, **values):
        self.app = AppState(scenario=SMALL, **values)
        self.calls, self.due = [], threading.Event()
        self.fixes = Fixes(self.app, Deployment(self.app), self._post)
        self.sheet = self.fixes.__panel__()

    def _post(self, callback):
        self.calls.append(callback)
        self.due.set()

    def answer(self):
        """Do what is posted until nothing is under way."""
        while self.fixes.busy:
            assert self.due.wait(60)
            self.due.clear()
            while self.calls:
                self.calls.pop(0)()


def test_nothing_runs_until_the_tab_is_open():
    made = Opened()
    made.fixes.ask()
    assert not made.fixes.busy
    made.app.tab = "fixes"
    made.fixes.ask()
    made.answer()
    assert made.sheet.rows
    assert made.sheet.said
    assert "3 seeds" in made.sheet.note
    made.app.language = "zh"
    assert "3 个种子" in made.sheet.note


def test_loading_a_change_shows_its_run():
    made = Opened(tab="fixes")
    made.fixes.ask()
    made.answer()
    made.sheet.heard({"load": "more_kv"})
    assert made.app.scenario.kv_capacity == 40_000
    assert made.app.tab == "run"


def test_earlier_answers_are_marked_until_there_are_new_ones():
    made = Opened(tab="fixes")
    made.fixes.ask()
    made.answer()
    made.app.scenario = SMALL.replace(seed=99)
    made.fixes.ask()
    assert made.sheet.stale
    made.sheet.heard({"load": "tail"})
    assert made.app.tab == "fixes"
    made.answer()
    assert not made.sheet.stale


def test_a_cancelled_answer_says_so():
    made = Opened(tab="fixes")
    made.app.scenario = Scenario(agents=64, turns=[200, 300])
    made.fixes.ask()
    assert made.sheet.busy
    made.sheet.heard({"do": "cancel"})
    assert made.sheet.busy == ""
    assert made.sheet.failed == EN("fixes.cancelled")
