"""Compare: the run held against the pinned baseline."""

import functools
from operator import attrgetter

import panel as pn
import param
from bokeh.layouts import column

from app.assets import script
from app.baseline import Baseline
from app.derive import SHADES, STACK
from app.differing import settings
from app.figures import COLUMNS
from app.figures.versus import Versus as Figures
from app.format import percent
from app.palette import state_colors
from app.problems import failure
from app.runs import Memory, Run, Runner
from app.state import AppState
from app.texts import Texts
from app.verdict import moment, said, warnings
from app.versus import EXAMPLES, Question, example, first, over_seeds
from app.views.baseline import Pinned
from app.views.later import Room
from app.views.markup import Markup
from app.views.metrics import written
from app.views.part import Part
from app.views.picture import FEWEST, MOST, labels

TAB = "compare"

FIGURES = ("a", "b", "difference")
"""Names of the figures from top to bottom."""

_MEMORY = Memory(8)


class VersusHead(Part):
    """What stands above the timelines as the browser shows it; also keys and clicks."""

    texts = param.Dict({})
    keys = param.Dict({}, doc="The texts of the buttons that move in time.")
    figures = param.Dict({}, doc="Names of the figures to what they show, for screen readers.")
    pinned = param.Boolean(False, doc="Whether there is a baseline.")
    ready = param.Boolean(False, doc="Whether both runs are there.")
    examples = param.List([], doc="Ready comparisons, each a dict of name, title and look.")
    said = param.String("", doc="What is seen.")
    warnings = param.List([], doc="What makes the two hard to compare.")
    settings = param.List([], doc="What differs; see `app.differing.settings`.")
    states = param.List([], doc="The legend: each a dict of label, color and share.")
    moment = param.String("", doc="What the workers do at the pinned moment.")
    busy = param.String("", doc="What is under way; empty if nothing is.")
    failed = param.String("", doc="Why there is no spread over seeds.")

    _esm = script("figures.js", "window.js", "versus.js")
    _css = ("lens.css", "versus.css")

    def heard(self, message):
        owner = self._owner
        if "columns" in message:
            owner.look(message["columns"])
        elif "pin" in message:
            owner.mark(message["pin"])
        elif "example" in message:
            owner.load(message["example"])
        else:
            acts = {"pin": owner.pinned.pin, "again": owner.again, "cancel": owner.cancel}
            acts[message["do"]]()


class Versus(Room):
    """The two runs below each other, their difference, and the table.

    Parameters
    ----------
    app : AppState
    pinned : app.views.baseline.Pinned
        Whose run is A.
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop.
    """

    app = param.ClassSelector(class_=AppState)
    pinned = param.ClassSelector(class_=Pinned)
    run = param.ClassSelector(class_=Run, doc="The last good run, B.")

    def __init__(self, app, pinned, post):
        super().__init__(app=app, pinned=pinned)
        self._runner = Runner(
            post, over_seeds, attrgetter("key"), _MEMORY, demand=attrgetter("demand")
        )
        self._question = None
        self._sides = None
        self._why = ""
        self._columns = COLUMNS
        self._head = VersusHead(self)
        self._table = Markup(names=("compare.css", "versus.css"))
        self._sheet = pn.Column(self._head, sizing_mode="stretch_width", margin=0)
        self._show()

    def __panel__(self):
        return self._sheet

    @property
    def busy(self):
        """Whether the runs of the other seeds are under way."""
        return self._runner.busy

    @property
    def _theme(self):
        return "dark" if self.app.dark else "light"

    @functools.cached_property
    def figures(self):
        """The figures, which are made when they are first needed."""
        made = Figures(self._labels(), self._theme, self.app.palette)
        for figure, name in zip(made.figures, FIGURES, strict=True):
            figure.root.name = f"versus_{name}"
        made.difference.root.toolbar.active_scroll = None  # there the wheel scrolls the page
        return made

    @functools.cached_property
    def _pane(self):
        roots = [figure.root for figure in self.figures.figures]
        stacked = column(roots, sizing_mode="stretch_width", spacing=0)
        return pn.pane.Bokeh(stacked, sizing_mode="stretch_width", margin=0)

    def _labels(self):
        texts = Texts(self.app.language)
        own = {
            "side_a": texts("versus.a_title"),
            "side_b": texts("versus.b_title"),
            **{
                name: texts(f"versus.{name}")
                for name in ("difference", "more_b", "less_b", "end", "both")
            },
        }
        return {**labels(texts), **own}

    # --- what is asked ---

    @param.depends("pinned.run", "run", watch=True)
    def ask(self):
        """Compare the run with the baseline's, if the tab is open and both are there."""
        if self.app.tab != TAB:
            self._runner.cancel()
            return
        if self.run is None or self.pinned.run is None:
            self._runner.cancel()
            self._question = self._sides = None
            self._show()
            return
        question = Question(self.pinned.run, self.run)
        if self._answered(question):
            self._show()
            return
        self._question, self._sides, self._why = question, first(question), ""
        self.figures.show(question.a.recording, question.b.recording, self._columns)
        if question.runs:
            self._runner.request(question, self._done, self._failed)
        self._show()

    def _answered(self, question):
        """Return whether a question is the one that is answered, or being answered."""
        asked = self._question
        if asked is None or asked.key != question.key or self._why:
            return False
        return self.busy or self._sides.seeds > 1 or not question.runs

    def again(self):
        """Make the runs that failed once more: the baseline's, or those of the other seeds."""
        if self.pinned.failed:
            self.pinned.again()
        self._question = None
        self.ask()

    def cancel(self):
        """Stop the runs under way; what is known stays."""
        self._runner.cancel()
        self._why = Texts(self.app.language)("versus.cancelled")
        self._show()

    def close(self):
        """Stop the runs under way; the session is over."""
        self._runner.cancel()

    def _done(self, sides):
        self._sides = sides
        self._show()

    def _failed(self, error):
        texts = Texts(self.app.language)
        self._why = texts("versus.seeds_failed", error=failure(error, texts))
        self._show()

    # --- what the reader does ---

    def load(self, name):
        """Load a ready comparison."""
        self.app.param.update(example(name))

    def look(self, columns):
        """Bin the figures for what is in sight; `columns` pixels wide, 0 if that is not known."""
        if columns:
            self._columns = min(max(columns, FEWEST), MOST)
        if self._question is not None:
            self.figures.look(self._columns)

    def mark(self, seconds):
        """Pin the moment at a time in both runs; None: unpin."""
        if self.run is not None:
            self.app.pin = None if seconds is None else self.run.recording.tick_at(seconds)

    # --- what is shown ---

    @param.depends("app.dark", "app.palette", watch=True)
    def _restyle(self):
        if self._question is not None:
            self.figures.restyle(self._theme, self.app.palette)
            self._show()

    @param.depends("app.language", watch=True)
    def _relabel(self):
        if self._question is not None:
            self.figures.relabel(self._labels())
        self._show()

    @param.depends("app.baseline", "app.gpus_per_worker", "app.pin", "pinned.failed", watch=True)
    def _show(self):
        if self._question is not None and self.app.tab != TAB:
            return  # that is made up for when the tab is opened
        texts = Texts(self.app.language)
        alone = self.app.baseline is not None and not (self.pinned.busy or self.pinned.failed)
        said_alone = texts("versus.no_run") if alone else ""
        shown = {"said": said_alone, "warnings": [], "settings": [], "states": [], "moment": ""}
        if self._question is not None:
            shown = self._compared(texts)
            self._table.object = written(self._sides, texts)
        self._head.param.update(
            texts=texts.section("versus"),
            keys=texts.section("timeline"),
            figures={
                "versus_a": texts("versus.lane_a"),
                "versus_b": texts("versus.lane_b"),
                "versus_difference": texts("versus.difference_figure"),
            },
            pinned=self.app.baseline is not None,
            ready=self._question is not None,
            examples=[{"name": n, **texts.section(f"versus.examples.{n}")} for n in EXAMPLES],
            busy=self._progress(texts),
            failed=self.pinned.failed or self._why,
            **shown,
        )
        both = self._question is not None
        if both != (len(self._sheet) > 1):
            self._sheet.objects = [self._head, self._pane, self._table] if both else [self._head]

    def _progress(self, texts):
        if self.busy:
            return texts("versus.first_seed", runs=self._question.runs)
        return texts("versus.running") if self.pinned.busy else ""

    def _compared(self, texts):
        question = self._question
        a, b = question.scenarios
        sides = Baseline(a, self._gpus), Baseline(b, self.app.gpus_per_worker)
        pin = self.app.pin
        seconds = None if pin is None else (pin + 0.5) * question.b.recording.tick_s
        self.figures.frame.set_pin(seconds)
        return {
            "said": said(question, self._sides, texts),
            "warnings": warnings(question, *sides, texts),
            "settings": settings(*sides, texts),
            "states": self._states(texts),
            "moment": "" if seconds is None else moment(question, seconds, texts),
        }

    @property
    def _gpus(self):
        return self.app.baseline.gpus_per_worker if self.app.baseline else 1

    def _states(self, texts):
        """Return the legend: the states that occur, and their shares in A and B."""
        colors = state_colors(self.app.palette, self._theme)
        spent = [run.recording.shade_ticks for run in (self._question.a, self._question.b)]
        a, b = (ticks / max(1, ticks.sum()) for ticks in spent)
        return [
            {
                "label": texts(f"states.{SHADES[code]}"),
                "color": colors[code],
                "share": texts(
                    "versus.shares", a=percent(a[code], texts), b=percent(b[code], texts)
                ),
            }
            for code in STACK
            if a[code] or b[code]
        ]
