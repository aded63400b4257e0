"""Explore: two parameters swept against each other, around the present scenario."""

import functools
import math
from operator import attrgetter

import panel as pn
import param

from app.assets import script
from app.axes import AXES, title, written
from app.exploring import METRICS, Question, begun, border, cells, explore
from app.fields import hidden, idle
from app.figures.heatmap import Heatmap
from app.problems import failure
from app.runs import Memory, Runner
from app.shading import columns, scale, short
from app.state import AppState
from app.texts import Texts
from app.views.later import Room
from app.views.part import Part

TAB = "explore"
HOVERED = ("across", "up", "value", "avalanche", "evictions", "killed")
"""Columns of the heatmap's source that a hover names."""

_MEMORY = Memory(8)


class ExploreHead(Part):
    """What stands above the heatmap: the choices, what is under way, and the cell in focus."""

    texts = param.Dict({})
    axes = param.List([], doc="Parameters to choose from, each [name, text].")
    metrics = param.List([], doc="Metrics to choose from, each [name, text].")
    x = param.String("")
    y = param.String("")
    metric = param.String("")
    figure = param.String("", doc="What the figure shows, for screen readers.")
    done = param.Integer(0)
    total = param.Integer(0)
    busy = param.String("", doc="What is under way; empty if nothing is.")
    complete = param.String("", doc="How many runs there are.")
    failed = param.String("", doc="Why the grid is not complete.")
    about = param.String("", doc="What the colours mean.")
    cell = param.String("", doc="The cell at which the keyboard stands; empty for none.")

    _esm = script("figures.js", "explore.js")
    _css = "explore.css"

    def heard(self, message):
        owner = self._owner
        if "choose" in message:
            owner.choose(**message["choose"])
        elif "open" in message:
            owner.open(message["open"])
        elif "move" in message:
            owner.move(message["move"])
        else:
            {"again": owner.ask, "cancel": owner.cancel}[message["do"]]()


GIVEN = "agents"
"""Cannot be swept if the sessions of each agent are given."""
SPARE = ("workers", "kv_capacity")
"""What is swept in its place."""


class Explore(Room):
    """A grid around the present scenario, run when its tab is opened.

    Parameters
    ----------
    app : AppState
        Its `explore` says which parameters and metric are shown.
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop.
    """

    app = param.ClassSelector(class_=AppState)

    def __init__(self, app, post):
        super().__init__(app=app)
        self._post = post
        self._runner = Runner(
            post, explore, attrgetter("key"), _MEMORY, reports=True, demand=attrgetter("demand")
        )
        self._starting = False
        self._question = None
        self._found = None
        self._why = ""
        self._cursor = None
        self._head = ExploreHead(self)
        self._sheet = pn.Column(self._head, sizing_mode="stretch_width", margin=0)
        self._show_head()

    def __panel__(self):
        return self._sheet

    @property
    def _theme(self):
        return "dark" if self.app.dark else "light"

    @property
    def busy(self):
        """Whether runs are under way."""
        return self._starting or self._runner.busy

    @functools.cached_property
    def map(self):
        """The figure, which is made when it is first needed."""
        made = Heatmap(self._theme, self.app.palette)
        made.root.name = "heatmap"
        return made

    # --- what is asked ---

    def ask(self):
        """Run the grid around the present scenario, if the tab is open and it has not been run."""
        x, y, metric = self.app.explore
        if self.app.scenario.table is not None and GIVEN in (x, y):
            spare = next(name for name in SPARE if name not in (x, y))
            x, y = (spare if name == GIVEN else name for name in (x, y))
            self.app.explore = (x, y, metric)  # this asks
            return
        question = Question.about(self.app.scenario, x, y)
        answered = self._answers(question)
        if self.app.tab != TAB:
            if not answered:
                self._stop()
            return
        if answered and not self._why and (self.busy or self._complete):
            self._show_present()
            return
        self._runner.cancel()
        self._question, self._found = question, begun(question)
        self._why, self._cursor = "", None
        self._starting = True
        self._show()
        # only now, else the runs would keep the empty grid from being sent
        self._post(functools.partial(self._start, question))

    def _start(self, question):
        if self._starting and question is self._question:
            self._starting = False
            self._runner.request(question, self._done, self._failed)
            self._show_head()

    def _answers(self, question):
        """Return whether the grid that is shown holds what is asked for."""
        shown = self._question
        same = shown is not None and (shown.x, shown.y) == (question.x, question.y)
        return same and shown.holds(question.scenario)

    @property
    def _complete(self):
        return bool(self._found.table.done.all())

    def cancel(self):
        """Stop the runs under way; what has been found stays."""
        self._stop()
        texts = Texts(self.app.language)
        self._why = texts("explore.cancelled", **self._counted())
        self._show_head()

    def close(self):
        """Stop the runs under way; the session is over."""
        self._stop()

    def _stop(self):
        self._starting = False
        self._runner.cancel()

    def choose(self, x=None, y=None, metric=None):
        """Show other parameters, which change places if both would be the same, or a metric."""
        was = self.app.explore
        x, y = x or was[0], y or was[1]
        if x == y:
            x, y = was[1], was[0]
        self.app.explore = (x, y, metric or was[2])

    def _done(self, found):
        self._found = found
        self._show()

    def _failed(self, error):
        texts = Texts(self.app.language)
        self._why = texts("explore.failed", error=failure(error, texts))
        self._show_head()

    # --- what the reader does ---

    def move(self, steps):
        """Move the keyboard's cell by columns and rows; None: the keyboard is elsewhere."""
        if steps is None or self._question is None:
            self._cursor = None
        else:
            columns, rows = len(self._question.xs), len(self._question.ys)
            start = self._cursor or self._question.place(self.app.scenario) or (0, 0)
            self._cursor = (
                min(max(0, start[0] + steps[0]), columns - 1),
                min(max(0, start[1] + steps[1]), rows - 1),
            )
        self._show_cursor()

    def open(self, spot):
        """Load a cell and show its run.

        Parameters
        ----------
        spot : (float, float) or None
            Place in the figure; None: the keyboard's cell.
        """
        cell = self._cursor if spot is None else tuple(map(math.floor, spot))
        if cell is None or self._question is None:
            return
        columns, rows = len(self._question.xs), len(self._question.ys)
        if not (0 <= cell[0] < columns and 0 <= cell[1] < rows):
            return
        try:
            scenario = self._question.cell(*cell)
        except ValueError:  # its cell says why
            return
        self.app.param.update(scenario=scenario, tab="run")

    # --- what is shown ---

    @param.depends("app.explore", watch=True)
    def _chosen_otherwise(self):
        self.ask()
        self._show()

    @param.depends("app.dark", "app.palette", watch=True)
    def _restyle(self):
        if self._question is not None:
            self.map.restyle(self._theme, self.app.palette)
            self._show()

    @param.depends("app.language", watch=True)
    def _show(self):
        self._show_head()
        if self._question is None:
            return
        if len(self._sheet) == 1:  # only now, as what is laid out unseen has no size
            figure = pn.pane.Bokeh(self.map.root, sizing_mode="stretch_width", margin=0)
            self._sheet.append(figure)
        self._show_map()
        self._show_present()
        self._show_cursor()

    def _show_head(self):
        texts = Texts(self.app.language)
        x, y, metric = self.app.explore
        section = texts.section("explore")
        names = {"x": title(x, texts), "y": title(y, texts), "metric": section["metrics"][metric]}
        counted = self._counted()
        self._head.param.update(
            texts=section,
            axes=[[name, texts(f"fields.{name}.label")] for name in self._offered(x, y)],
            metrics=[[name, section["metrics"][name]] for name in METRICS],
            x=x,
            y=y,
            metric=metric,
            figure=texts("explore.figure", **names),
            done=counted["done"],
            total=counted["total"],
            about=self._about(texts),
            busy=self._progress(texts) if self.busy else "",
            complete=texts("explore.complete", **counted) if counted["done"] else "",
            failed=self._why,
        )

    def _about(self, texts):
        """Say what the colours mean."""
        if self._found is None:
            return ""
        seeds = self._found.seeds
        median = texts("explore.median" if seeds > 1 else "explore.median_one", seeds=seeds)
        return texts(f"explore.bars.{self.app.explore[2]}", seeds=median)

    def _offered(self, *chosen):
        """Return the parameters that act in the present scenario, and those chosen."""
        scenario = self.app.scenario
        without = (hidden(scenario) | set(idle(scenario))) - set(chosen)
        return [name for name in AXES if name not in without]

    def _counted(self):
        if self._found is None:
            return {"done": 0, "total": 0}
        return {"done": self._found.progress.done, "total": self._found.progress.total}

    def _progress(self, texts):
        left = self._found.progress.left_s
        if not left:
            return texts("explore.running", **self._counted())
        return texts("explore.left", left=short(left, texts), **self._counted())

    def _show_map(self):
        texts = Texts(self.app.language)
        q, metric, palette = self._question, self.app.explore[2], self.app.palette
        titles = [title(name, texts) for name in (q.x, q.y)]
        values = [
            [written(name, value, texts) for value in values]
            for name, values in ((q.x, q.xs), (q.y, q.ys))
        ]
        found = cells(self._found, metric)
        bar = scale(metric, found.value, texts)
        self.map.set_scale(bar.ramp(palette), bar.marks)
        drawn = columns(found, metric, bar, palette, values, texts)
        self.map.show(drawn, *zip(titles, values, strict=True))
        self.map.set_border(border(found.avalanche))
        labels = [*titles, texts(f"explore.metrics.{metric}")]
        labels += [texts(f"explore.hover.{name}") for name in HOVERED[3:]]
        self.map.name([(label, f"@{n}") for n, label in zip(HOVERED, labels, strict=True)])

    def _show_present(self):
        scenario = self.app.scenario
        here = self._question.place(scenario) if self._question.holds(scenario) else None
        self.map.set_present(here)

    def _show_cursor(self):
        self.map.set_cursor(self._cursor)
        self._head.cell = self._said() if self._cursor and self._question else ""

    def _said(self):
        """Say what is known of the keyboard's cell."""
        texts, q = Texts(self.app.language), self._question
        data, (column, row) = self.map.cells.data, self._cursor
        labels = [texts(f"fields.{name}.label") for name in (q.x, q.y)]
        labels.append(texts(f"explore.metrics.{self.app.explore[2]}"))
        labels.append(texts("explore.hover.avalanche"))
        place = column * len(q.ys) + row
        return texts("explore.and").join(
            texts("explore.value", label=label, value=data[name][place])
            for name, label in zip(HOVERED, labels, strict=False)
        )
