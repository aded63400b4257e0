"""Explore, as a reader of the dashboard goes about in it."""

import threading

import pytest

from app.exploring import Question
from app.problems import link_problem
from app.state import AppState, read_query
from app.texts import Texts
from app.views.explore import Explore
from sim import Scenario

SMALL = Scenario(agents=6, workers=4, turns=[3, 4], input_tokens=[2000, 6000], kv_capacity=20_000)
AXES = ("lock", "eviction", "utilization")
"""The smallest grid: six cells."""
EN = Texts("en")


class Opened:
    """The view with an event loop of its own."""

    def __init__(self, **values):
        self.app = AppState(**{"scenario": SMALL, "explore": AXES, **values})
        self.calls, self.due = [], threading.Event()
        self.explore = Explore(self.app, self._post)
        self.head = self.explore.__panel__()[0]

    @property
    def cells(self):
        return self.explore.map.cells

    def _post(self, callback):
        self.calls.append(callback)
        self.due.set()

    def answer(self):
        """Do what is posted until nothing is under way."""
        while self.explore.busy:
            assert self.due.wait(60)
            self.due.clear()
            while self.calls:
                self.calls.pop(0)()

    def ask(self):
        self.explore.ask()
        self.answer()
        return self


@pytest.fixture(scope="module")
def shared():
    return Opened(tab="explore").ask()


@pytest.fixture
def made(shared):
    """An answered grid, with what a test changes set back."""
    yield shared
    shared.app.param.update(scenario=SMALL, tab="explore", explore=AXES, language="en")
    shared.ask()


def test_nothing_runs_until_the_tab_is_open():
    made = Opened()
    made.explore.ask()
    assert not made.explore.busy
    assert len(made.explore.__panel__()) == 1  # no figure yet: unseen it would have no size
    made.app.tab = "explore"
    made.ask()
    assert len(made.explore.__panel__()) == 2
    assert made.head.complete == "18 runs"
    assert (made.head.done, made.head.total) == (18, 18)


def test_cells_have_values_and_the_present_one_is_outlined(made):
    assert len(made.cells.data["text"]) == 6
    assert all(text.endswith("%") for text in made.cells.data["text"])
    assert made.explore.map._present.data["left"] == [0]
    assert made.explore.map._present.data["bottom"] == [0]


def test_a_click_opens_a_cell(made):
    made.head.heard({"open": [2.4, 1.7]})
    assert (made.app.scenario.lock, made.app.scenario.eviction) == ("none", "tail")
    assert made.app.tab == "run"


@pytest.mark.parametrize("spot", [[-0.1, 0], [3, 0], [0, 2.1]])
def test_a_click_beside_the_cells_does_nothing(made, spot):
    made.head.heard({"open": spot})
    assert made.app.scenario.to_dict() == SMALL.to_dict()


def test_opened_from_elsewhere_only_the_outline_moves(made):
    shown = made.cells.data
    made.app.scenario = SMALL.replace(lock="step")
    made.explore.ask()
    assert not made.explore.busy
    assert made.cells.data is shown
    assert made.explore.map._present.data["left"] == [1]


def test_the_keyboard_goes_from_cell_to_cell(made):
    made.head.heard({"move": [0, 0]})
    assert made.head.cell.startswith("Lock Phase, Eviction Whole context, Effective utilization ")
    for step in ([1, 0], [0, 1], [0, 1], [0, 1]):
        made.head.heard({"move": step})
    assert made.head.cell.startswith("Lock Step, Eviction Tail")
    assert made.explore.map._cursor.data["left"] == [1]
    made.head.heard({"open": None})
    assert (made.app.scenario.lock, made.app.scenario.eviction) == ("step", "tail")
    made.head.heard({"move": None})
    assert made.head.cell == ""


def test_another_metric_needs_no_runs(made):
    before = list(made.cells.data["text"])
    made.head.heard({"choose": {"metric": "makespan"}})
    assert not made.explore.busy
    assert made.cells.data["text"] != before
    assert made.head.about == "Makespan, median over 3 seeds"
    assert read_query(made.app.query())[0].explore == ("lock", "eviction", "makespan")


def test_another_language(made):
    made.app.language = "zh"
    assert made.head.about.startswith("有效利用率")
    assert made.explore.map.axes[0].axis_label == "锁步"


def test_axes_change_places(made):
    made.head.heard({"choose": {"x": "eviction"}})
    assert made.app.explore == ("eviction", "lock", "utilization")
    made.answer()
    assert made.explore.map.root.x_range.end == 2


def test_a_contradiction_is_not_opened():
    made = Opened(tab="explore", explore=("prefill_workers", "eviction", "makespan"))
    made.explore._question = Question(SMALL, "prefill_workers", "eviction", (0, 4), ("whole",))
    made.head.heard({"open": [1.5, 0.5]})
    assert made.app.scenario.prefill_workers == 0
    assert made.app.tab == "explore"


def test_only_parameters_that_act_are_offered(made):
    names = [name for name, _ in made.head.axes]
    assert {"agents", "routing", "kv_capacity"} <= set(names)
    assert not {"quantum", "balance_abs", "host_load_rate", "seed"} & set(names)


def test_a_cancelled_grid_says_so_and_can_be_run_again():
    made = Opened(tab="explore")
    made.app.scenario = Scenario(agents=64, turns=[200, 300])
    made.explore.ask()
    assert made.head.busy
    made.head.heard({"do": "cancel"})
    assert made.head.busy == ""
    assert made.head.failed == "Cancelled after 0 of 18 runs."
    made.app.scenario = SMALL
    made.head.heard({"do": "again"})
    made.answer()
    assert made.head.failed == ""
    assert made.head.done == 18


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "agents,kv_capcity,makespan",
            "agents,kv_capcity,makespan is not allowed; did you mean kv_capacity?",
        ),
        ("agents,routing", "one of utilization"),
        ("agents,agents,makespan", "something like agents,kv_capacity,makespan"),
    ],
)
def test_addresses_that_cannot_be_read(text, problem):
    state, problems = read_query(f"explore={text}")
    assert problem in link_problem(problems[0], Texts("en"))
    assert state.explore == ("agents", "kv_capacity", "utilization")


def test_what_an_earlier_request_found_is_not_shown():
    made = Opened(tab="explore", scenario=SMALL.replace(seed=4))
    made.explore.ask()
    made.due.clear()
    made.calls.pop(0)()  # begins
    assert made.due.wait(60)  # something is found
    made.app.scenario = SMALL.replace(seed=5)
    made.explore.ask()
    while made.explore.busy:
        assert made.due.wait(60)
        made.due.clear()
        while made.calls:
            made.calls.pop(0)()
            assert made.explore._found.question is made.explore._question
    assert made.head.done == 18


@pytest.mark.parametrize(
    ("axes", "swept"),
    [
        (("agents", "kv_capacity"), ("workers", "kv_capacity")),
        (("workers", "agents"), ("workers", "kv_capacity")),
    ],
)
def test_agents_whose_sessions_are_given_are_not_swept(axes, swept):
    table = [[[0, 1000, 100], [10, 500, 50]]] * 3
    given = SMALL.replace(draws="table", table=table)
    view = Opened(scenario=given, explore=(*axes, "makespan"), tab="explore")
    view.explore.ask()
    view.explore.close()
    assert view.app.explore == (*swept, "makespan")
