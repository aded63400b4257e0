"""Timeline, minimap, event track and charts, and how one moves in them."""

import numpy as np
import panel as pn
import param
from bokeh.layouts import column
from panel.viewable import Viewer

from app.assets import script
from app.derive import SHADES, STACK, worker_at
from app.derive.interval import whole_ticks
from app.describe import hover
from app.figures import COLUMNS, LABELS, Board
from app.format import percent, span
from app.palette import state_colors
from app.runs import Run
from app.state import SPEEDS, AppState
from app.texts import Texts
from app.views.part import Part

FEWEST, MOST = 200, 2400
"""Pixel columns that images are made for."""


class Lens(Part):
    """The bar above the figures as the browser shows it; also keys, hover and pin."""

    texts = param.Dict({})
    figures = param.Dict({}, doc="Names of the figures to what they show, for screen readers.")
    states = param.List([], doc="Each a dict of name, label, color and share.")
    caption = param.String("")
    speeds = param.List(list(SPEEDS))
    speed = param.Integer(SPEEDS[0])
    isolate = param.List([], doc="Names of the states shown alone; empty for all.")
    chosen = param.String("", doc="The agent that is looked at; empty for none.")
    clock = param.Number(None, allow_None=True, doc="Seconds at which the replay stands.")
    span = param.List(None, allow_None=True, doc="Seconds from and to of the marked interval.")
    tick = param.Number(1, doc="Seconds in a tick of the run.")

    _esm = script(
        "figures.js", "tip.js", "window.js", "player.js", "interval.js", "legend.js", "lens.js"
    )
    _css = "lens.css"

    def heard(self, message):
        if "columns" in message:
            self._owner.look(message["columns"])
        elif "pin" in message:
            self._owner.pin(*message["pin"])
        elif "span" in message:
            self._owner.mark(message["span"])
        elif "end" in message:
            self._owner.mark_to_pin(message["end"])
        elif "hover" not in message:
            self._owner.app.param.update(message)
        else:
            self._send_msg({"hover": self._owner.hover(message["hover"])})


class Picture(Viewer):
    """All figures on the time axis, for the last good run.

    Parameters
    ----------
    app : AppState
    """

    app = param.ClassSelector(class_=AppState)
    run = param.ClassSelector(class_=Run, doc="The last good run.")

    def __init__(self, app):
        super().__init__(app=app)
        texts = Texts(app.language)
        self.board = Board(labels(texts), self._theme, app.palette)
        self._columns = COLUMNS
        self._seen = None
        self._lens = Lens(self)
        self._name_figures()
        shown = [self.board.minimap, self.board.timeline, self.board.events, *self.board.charts]
        self._figures = pn.pane.Bokeh(
            column([figure.root for figure in shown], sizing_mode="stretch_width", spacing=0),
            sizing_mode="stretch_width",
            margin=0,
        )
        self.board.outline(app.agent)
        self._isolate()
        self._make_room()
        self._show_bar()
        self._show_replay()
        self._show_span()

    def __panel__(self):
        return pn.Column(self._lens, self._figures, sizing_mode="stretch_width", margin=0)

    @property
    def _theme(self):
        return "dark" if self.app.dark else "light"

    def _name_figures(self):
        for name in ("minimap", "timeline", "events"):
            getattr(self.board, name).root.name = name
        for chart in self.board.charts:
            chart.root.name = chart.name
            chart.root.toolbar.active_scroll = None  # there the wheel scrolls the page

    @param.depends("run", watch=True)
    def _show_run(self):
        first = self.board.recording is None
        recording = self.run.recording
        self.board.show(recording, keep=not first, columns=self._columns)
        if first and self.app.view is not None:
            self.board.frame.set_window(*self.app.view)
            self.board.refine(self._columns)
        self._looked()

    def grown(self):
        """Take note that the board has another figure."""
        self._show_bar()

    def look(self, columns):
        """Bin the figures for what is in sight.

        Parameters
        ----------
        columns : int
            Pixel columns of a figure's frame; 0 if they are not known yet.
        """
        if columns:
            self._columns = min(max(columns, FEWEST), MOST)
        x_range = self.board.frame.x_range
        if self.run is None or (x_range.start, x_range.end, self._columns) == self._seen:
            return
        self.board.refine(self._columns)
        self._looked()

    def _looked(self):
        x_range = self.board.frame.x_range
        self._seen = (x_range.start, x_range.end, self._columns)
        whole = x_range.start <= 0 and x_range.end >= self.board.frame.end
        self.app.view = None if whole else (x_range.start, x_range.end)
        self._show_bar()

    def hover(self, spot):
        """Say what is at a place of the timeline.

        Parameters
        ----------
        spot : (float, float) or None
            Seconds and lane; None: nowhere.

        Returns
        -------
        dict or None
            As `app.describe.hover`.
        """
        worker = self.board.timeline.worker_at(spot[1]) if spot and self.run else None
        if worker is None:
            self.board.timeline.mark_cell(None, 0, 0)
            return None
        recording = self.run.recording
        tick = recording.tick_at(spot[0])
        moment = worker_at(recording, worker, tick)
        ends = (moment.since * recording.tick_s, moment.until * recording.tick_s)
        self.board.timeline.mark_cell(worker, *ends)
        return hover(moment, Texts(self.app.language), recording.tick_s, tick)

    def pin(self, seconds, lane=None):
        """Pin the moment at a time, and choose the worker of a lane of the timeline."""
        if self.run is None:
            return
        worker = None if lane is None else self.board.timeline.worker_at(lane)
        chosen = {} if worker is None else {"worker": worker}
        self.app.param.update(pin=self.run.recording.tick_at(seconds), **chosen)

    def mark(self, span):
        """Mark the interval between two numbers of seconds; None: none."""
        if span is not None and self.run is not None:
            ticks = whole_ticks(self.run.recording, span)
            span = tuple(tick * self.run.recording.tick_s for tick in ticks)
        self.app.span = span

    def mark_to_pin(self, end):
        """Set the "start" or the "stop" of the interval to the pinned tick, if there is one.

        The other end stays, or is that of the run if there is none beyond the pinned tick.
        """
        if self.app.pin is None or self.run is None:
            return
        tick_s = self.run.recording.tick_s
        start, stop = self.app.span or (0, 0)
        pinned = min(self.app.pin, self.run.recording.ticks - 1) * tick_s
        if end == "start":
            self.mark((pinned, stop if stop > pinned else self.board.frame.end))
        else:
            self.mark((start if start < pinned + tick_s else 0, pinned + tick_s))

    @param.depends("app.span", "run", watch=True)
    def _show_span(self):
        tick_s = self.run.recording.tick_s if self.run else 1
        span = None if self.app.span is None else list(self.app.span)
        self._lens.param.update(span=span, tick=tick_s)

    @param.depends("app.clock", "app.speed", watch=True)
    def _show_replay(self):
        self._lens.param.update(clock=self.app.clock, speed=self.app.speed)

    @param.depends("app.isolate", watch=True)
    def _isolate(self):
        self.board.frame.isolate(self.app.isolate)
        self._lens.isolate = list(self.app.isolate)

    @param.depends("app.agent", watch=True)
    def _outline(self):
        self.board.outline(self.app.agent)
        self._show_bar()

    @param.depends("app.tab", watch=True)
    def _make_room(self):
        """Leave the timeline alone above the agents' lanes."""
        for figure in (self.board.events, *self.board.charts):
            figure.root.visible = self.app.tab != "agents"

    @param.depends("app.dark", "app.palette", watch=True)
    def _restyle(self):
        self.board.restyle(self._theme, self.app.palette)
        self._show_bar()

    @param.depends("app.language", watch=True)
    def _relabel(self):
        self.board.relabel(labels(Texts(self.app.language)))
        self._show_bar()

    def _show_bar(self):
        texts = Texts(self.app.language)
        shown = [figure for figure in self.board.figures if figure.root.name]
        self._lens.param.update(
            texts={
                **texts.section("timeline"),
                "player": texts.section("player"),
                "mark": texts("interval.mark"),
            },
            figures={figure.root.name: texts(f"figures.{figure.root.name}") for figure in shown},
            states=self._states(texts),
            caption=self._caption(texts),
            chosen=self._chosen(texts),
        )

    def _states(self, texts):
        colors = state_colors(self.app.palette, self._theme)
        spent = self.run.recording.shade_ticks if self.run else np.zeros(len(SHADES))
        shown = []
        for code in STACK:
            name = SHADES[code]
            share = spent[code] / max(1, spent.sum())
            text = percent(share, texts) if share else ""
            label = texts(f"states.{name}")
            shown.append({"name": name, "label": label, "color": colors[code], "share": text})
        return shown

    def _chosen(self, texts):
        agent = self.app.agent
        if self.run is None or agent is None or agent >= self.run.recording.agents:
            return ""
        return texts("why.agent", agent=agent)

    def _caption(self, texts):
        if self.run is None:
            return ""
        recording = self.run.recording
        ticks = self.board.bins(self.board.window, self._columns).size
        key = "timeline.caption" if ticks > 1 else "timeline.caption_ticks"
        return texts(key, span=span(ticks * recording.tick_s, texts))


def labels(texts):
    """Return the texts of the figures, by the keys of `app.figures.LABELS`."""
    own = {f"event_{kind}": text for kind, text in texts.section("events").items()}
    own |= {f"state_{state}": text for state, text in texts.section("states").items()}
    own |= {"lane": texts("timeline.worker")} | texts.section("figures")
    return {key: own[key] for key in LABELS}
