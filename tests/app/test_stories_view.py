"""The story bar: steps set the controls and point at places of the picture."""

import pytest

from app.problems import link_problem
from app.runs import run
from app.state import AppState, read_query
from app.texts import LANGUAGES, Texts
from app.views.numbers import CARDS
from app.views.picture import Picture
from app.views.stories import Stories
from sim.scenario import Scenario
from sim.stories import STORIES

STEPS = [f"{story.id}.{step.id}" for story in STORIES.values() for step in story.steps]


class Shown:
    """A story bar with the picture that its places are in."""

    def __init__(self, **values):
        self.app = AppState(**values)
        self.picture = Picture(self.app)
        self.stories = Stories(self.app, self.picture.board)
        self.bar = self.stories._bar

    def simulate(self):
        self.picture.run = found = run(self.app.scenario, lambda: False)
        self.stories.run = found
        return found


@pytest.fixture
def shown():
    return Shown()


def test_no_story_is_told_at_first(shown):
    assert shown.bar.told == {}
    assert [name for name, _ in shown.bar.stories] == list(STORIES)
    shown.stories.go(1)
    shown.stories.again()
    assert shown.app.story is None


def test_a_story_is_stepped_through_to_its_ends(shown):
    story = STORIES["affinity"]
    shown.stories.tell("affinity")
    for step in story.steps:
        assert shown.app.story == f"affinity.{step.id}"
        assert shown.app.scenario.to_dict() == step.scenario().to_dict()
        last = shown.app.scenario
        shown.stories.go(1)
    assert shown.app.scenario.to_dict() == last.to_dict()
    assert shown.bar.told["step"] == "Step 3 of 3"
    shown.stories.go(-2)
    shown.stories.go(-2)
    assert shown.bar.told["step"] == "Step 1 of 3"
    shown.stories.tell("")
    assert (shown.app.story, shown.bar.told) == (None, {})


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_told(step, language):
    bar = Shown(story=step, language=language).bar
    name, _, id = step.partition(".")
    told = Texts(language).section(f"stories.{name}.steps.{id}")
    assert {key: bar.told[key] for key in told} == told


@pytest.mark.parametrize("story", STORIES)
def test_places_name_figures_and_numbers_that_there_are(story, shown):
    figures = {figure.root.name for figure in shown.picture.board.figures}
    for step in STORIES[story].steps:
        for point in step.points:
            if point.target == "number":
                assert point.name in CARDS
            elif point.target == "chart":
                assert point.name in figures


def test_places_lie_in_the_run(shown):
    shown.stories.tell("hot_rank")
    assert shown.bar.places == []
    end = shown.simulate().summary["makespan_s"]
    chart, first, last, number = shown.bar.places
    assert chart == {"target": "chart", "name": "shares", "at": None, "text": "Workers by state"}
    assert (first["name"], first["at"]) == ("timeline", pytest.approx(end / 2))
    assert first["text"].startswith("Timeline, DP 0 at 0:")
    assert (first["low"], first["high"]) == (3, 4)  # the first of four lanes is on top
    assert (last["low"], last["high"]) == (0, 1)
    assert number["text"] == "Makespan"


def test_another_scenario_has_no_places_and_a_way_back(shown):
    shown.stories.tell("hot_rank")
    shown.simulate()
    told = shown.app.scenario
    shown.app.scenario = told.replace(kv_capacity=told.kv_capacity + 1)
    assert shown.bar.changed
    assert shown.bar.places == []
    shown.stories.again()
    assert not shown.bar.changed
    assert shown.bar.places  # the picture is that of the step


def test_places_wait_for_the_picture_of_their_step(shown):
    shown.stories.tell("hot_rank")
    shown.simulate()
    shown.stories.go(1)
    assert shown.bar.places == []
    shown.simulate()
    assert len(shown.bar.places) == 4


def test_a_step_shows_the_whole_run_and_pins_nothing(shown):
    shown.stories.tell("hot_rank")
    shown.simulate()
    shown.picture.board.frame.set_window(5, 20)
    shown.app.param.update(pin=30, clock=12.0)
    shown.stories.go(1)
    end = shown.simulate().summary["makespan_s"]
    x_range = shown.picture.board.frame.x_range
    assert (x_range.start, x_range.end) == (0, pytest.approx(end))
    assert (shown.app.pin, shown.app.clock) == (None, None)


def test_what_cannot_be_is_explained_and_keeps_the_last_scenario(shown):
    shown.app.story = "article.tp16"
    shown.stories.again()
    before = shown.app.scenario
    shown.stories.go(1)
    assert shown.app.story == "article.cards_24"
    assert shown.app.scenario is before
    assert shown.app.deployment["gpus"] == 24
    assert "do not divide by 24" in shown.bar.told["error"]
    assert "TP16 on 16 GPUs" in shown.bar.told["error"]
    shown.app.language = "zh"
    assert "不能被 24 整除" in shown.bar.told["error"]
    shown.stories.go(1)
    assert shown.app.deployment is None
    assert shown.bar.told["error"] == ""


@pytest.mark.parametrize("step", STEPS)
def test_steps_survive_the_address(step):
    shown = Shown(story=step)
    shown.stories.again()
    app, problems = read_query(shown.app.query())
    assert problems == []
    assert app.story == step
    assert app.scenario.to_dict() == shown.app.scenario.to_dict()
    assert app.gpus_per_worker == shown.app.gpus_per_worker


def test_a_step_alone_in_the_address_sets_the_scenario():
    app, problems = read_query("story=tp_or_dpa.tp_many&agents=9")
    assert problems == []
    told = STORIES["tp_or_dpa"].step("tp_many").scenario()
    assert app.scenario.to_dict() == told.replace(agents=9).to_dict()
    assert app.gpus_per_worker == 16


def test_a_step_that_cannot_be_stands_alone_in_the_address_too():
    app, problems = read_query("story=article.cards_24")
    assert problems == []
    assert "24" in Stories(app, Picture(app).board)._bar.told["error"]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("artcle.lock", "mean article?"),
        ("article.locks", "mean lock?"),
        ("article", "one of all_fit"),
    ],
)
def test_an_unknown_step_says_what_there_is(text, near):
    app, problems = read_query(f"story={text}")
    assert [found["key"] for found in problems] == ["story"]
    assert near in link_problem(problems[0], Texts("en"))
    assert app.story is None
    assert app.scenario.to_dict() == Scenario().to_dict()
