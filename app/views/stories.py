"""The story bar: an argument told in steps on the live picture."""

import param
from panel.viewable import Viewer

from app.assets import script
from app.deployments import explained_with_alternatives, normal, worked_out
from app.format import clock
from app.runs import Run
from app.state import AppState
from app.texts import Texts
from app.views.part import Part
from sim.presets import PLANS
from sim.stories import STORIES


class StoryBar(Part):
    """The bar as the browser shows it."""

    texts = param.Dict({})
    stories = param.List([], doc="Each [id, title].")
    told = param.Dict({}, doc="The story and step shown; empty for none. See `Stories`.")
    places = param.List([], doc="Where to look; see `Stories.places`.")
    changed = param.Boolean(False, doc="Whether the settings are no longer those of the step.")

    _esm = script("figures.js", "marks.js", "stories.js")
    _css = "stories.css"

    def heard(self, message):
        if "story" in message:
            self._owner.tell(message["story"])
        elif "go" in message:
            self._owner.go(message["go"])
        else:
            self._owner.again()


class Stories(Viewer):
    """Stories to choose from, and the step that is told.

    Parameters
    ----------
    app : AppState
        Its `story` is the step that is told.
    board : app.figures.Board
        Its figures show the run.
    """

    app = param.ClassSelector(class_=AppState)
    run = param.ClassSelector(class_=Run, doc="The last good run.")

    def __init__(self, app, board):
        super().__init__(app=app)
        self.board = board
        self._bar = StoryBar(self)
        self._show()

    def __panel__(self):
        return self._bar

    @property
    def told(self):
        """The story and the number of its step that are told, or None."""
        if self.app.story is None:
            return None
        name, _, step = self.app.story.partition(".")
        story = STORIES[name]
        return story, story.steps.index(story.step(step))

    def tell(self, name):
        """Begin a story; "": leave the one that is told."""
        if name:
            self._set(STORIES[name], 0)
        else:
            self.app.story = None

    def go(self, steps):
        """Go so many steps on, or back if negative, as far as there are any."""
        if self.told:
            story, index = self.told
            self._set(story, min(max(0, index + steps), len(story.steps) - 1))

    def again(self):
        """Set the controls of the step once more."""
        if self.told:
            self._set(*self.told)

    def _set(self, story, index):
        step = story.steps[index]
        values = {"story": f"{story.id}.{step.id}", "tab": "run", "pin": None, "clock": None}
        if step.preset:
            values["deployment"] = normal(PLANS[step.preset])
        else:
            values |= {
                "scenario": step.scenario(),
                "gpus_per_worker": step.gpus_per_worker,
                "deployment": None,
            }
        self.board.frame.set_window(0, self.board.frame.end)
        self.app.param.update(values)

    @param.depends("app.story", "app.scenario", "app.deployment", "app.language", "run", watch=True)
    def _show(self):
        texts = Texts(self.app.language)
        shown = {"told": {}, "places": [], "changed": False}
        if self.told:
            story, index = self.told
            step = story.steps[index]
            as_told = self._as_told(step)
            shown["told"] = _told(story, index, texts)
            shown["changed"] = not as_told
            if step.preset and as_told:
                shown["told"]["error"] = _why_not(step, texts)
            elif as_told and self._shows(step):
                shown["places"] = [self._place(p, texts) for p in step.points]
        self._bar.param.update(
            texts=texts.section("story"),
            stories=[[name, texts(f"stories.{name}.title")] for name in STORIES],
            **shown,
        )

    def _as_told(self, step):
        """Return whether the settings are those of the step."""
        if step.preset:
            return self.app.deployment == normal(PLANS[step.preset])
        return self.app.scenario.to_dict() == step.scenario().to_dict()

    def _shows(self, step):
        """Return whether the picture is that of the step."""
        if self.run is None:
            return False
        return self.run.result.scenario.to_dict() == step.scenario().to_dict()

    def _place(self, point, texts):
        """Return a place in the picture.

        Returns
        -------
        dict
            `target` ("timeline", "chart" or "number"), `name` of the figure or number, `text`,
            `at` in seconds or None, and in the timeline the lane's `low` and `high`.
        """
        end = self.run.recording.ticks * self.run.recording.tick_s
        at = None if point.at is None else point.at * end
        place = {"target": point.target, "name": point.name, "at": at}
        if point.target == "timeline":
            timeline = self.board.timeline
            low = timeline.lanes - 1 - point.worker // timeline.per_lane
            text = texts("story.worker", worker=point.worker, time=clock(round(at)))
            return {**place, "name": "timeline", "low": low, "high": low + 1, "text": text}
        if point.target == "number":
            return {**place, "text": texts(f"numbers.{point.name}.label")}
        text = texts(f"figures.{point.name}")
        if at is not None:
            text = texts("story.chart", chart=text, time=clock(round(at)))
        return {**place, "text": text}


def _told(story, index, texts):
    """Return what the bar says of a step."""
    step = story.steps[index]
    told = texts.section(f"stories.{story.id}")
    return {
        "story": story.id,
        "intro": told["intro"],
        "report": texts("story.report", report=story.report) if story.report else "",
        "step": texts("story.step", step=index + 1, steps=len(story.steps)),
        "index": index,
        "count": len(story.steps),
        "error": "",
        **told["steps"][step.id],
    }


def _why_not(step, texts):
    """Return why the step's deployment cannot be."""
    request = normal(PLANS[step.preset])
    try:
        worked_out(request)
    except ValueError as error:
        return explained_with_alternatives(error, request, texts)
    return ""
