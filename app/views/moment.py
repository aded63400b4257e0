"""The pinned moment: each worker's KV cache, queue, state, and why."""

import html

import panel as pn
import param
from panel.viewable import Viewer

from app.assets import script
from app.derive import SHADES, events_at, next_event
from app.describe import blocked, happened, queue, request, why
from app.figures import MOST_BARS
from app.format import clock, count
from app.palette import state_colors
from app.runs import Run
from app.state import AppState
from app.texts import Texts
from app.views.markup import Markup
from app.views.part import Part
from sim.result import EVENT_KINDS

ANY = "any"


class MomentBar(Part):
    """The head of the sheet as the browser shows it."""

    pinned = param.Boolean(False)
    title = param.String("")
    happened = param.String("", doc="The events of this tick.")
    kinds = param.Dict({}, doc="Kinds of events to step to, with their names.")
    texts = param.Dict({})

    _esm = script("figures.js", "moment.js")
    _css = "moment.css"

    def heard(self, message):
        if "step" in message:
            self._owner.step(message["step"])
        elif "event" in message:
            self._owner.to_event(message["event"], message["by"])
        else:
            self._owner.app.pin = None
        self._send_msg("done")


class Moment(Viewer):
    """The sheet about the pinned moment.

    Parameters
    ----------
    app : AppState
    board : app.figures.Board
        Its figures show the run and the pin.
    grown : callable
        Called when the board has another figure.
    """

    app = param.ClassSelector(class_=AppState)
    run = param.ClassSelector(class_=Run, doc="The last good run.")

    def __init__(self, app, board, grown):
        super().__init__(app=app)
        self.board, self._grown = board, grown
        self._bar = MomentBar(self)
        self._bars = pn.Column(sizing_mode="stretch_width", margin=0)
        self._workers = Markup(names=("workers.css",))
        self._show_texts()

    @property
    def parts(self):
        """The parts by the names they have on the page."""
        return {
            "moment_bar": self._bar,
            "moment_bars": self._bars,
            "moment_workers": self._workers,
        }

    @property
    def _tick(self):
        """The tick that is shown: that of the pin, or the last one of a shorter run."""
        return min(self.app.pin, self.run.recording.ticks - 1)

    def step(self, ticks):
        """Go so many ticks on, or back if negative."""
        if None not in (self.app.pin, self.run):
            self._go(self._tick + ticks)

    def to_event(self, kind, by):
        """Go to the next event of a kind, or to the previous one if `by` is negative."""
        if self.app.pin is None or self.run is None:
            return
        kinds = EVENT_KINDS if kind == ANY else (kind,)
        row = next_event(self.run.recording, self._tick, kinds, by)
        if row is None:
            self._bar.happened = Texts(self.app.language)("moment.nothing")
        else:
            self._go(int(self.run.result.events["tick"][row]))

    def _go(self, tick):
        recording = self.run.recording
        self.app.pin = min(max(0, tick), recording.ticks - 1)
        if self.app.clock is not None and recording.tick_at(self.app.clock) != self.app.pin:
            self.app.clock = (self.app.pin + 0.5) * recording.tick_s
        seconds, x_range = self.app.pin * recording.tick_s, self.board.frame.x_range
        width = x_range.end - x_range.start
        if not x_range.start <= seconds < x_range.end:
            self.board.frame.set_window(seconds - width / 2, seconds + width / 2)

    @param.depends("app.clock", watch=True)
    def _follow_replay(self):
        """Pin the tick at which the replay has been paused, if one is pinned."""
        if None not in (self.app.clock, self.app.pin, self.run):
            self.app.pin = self.run.recording.tick_at(self.app.clock)

    @param.depends("app.pin", "app.worker", "run", "app.dark", "app.palette", watch=True)
    def _show(self):
        texts = Texts(self.app.language)
        if self.app.pin is None or self.run is None:
            self.board.pin(None)
            self._bar.pinned = False
            return
        recording = self.run.recording
        tick = self._tick
        moments = self.board.pin(tick, self._in_sight(recording.workers))
        self._show_bars()
        colors = state_colors(self.app.palette, "dark" if self.app.dark else "light")
        rows = "".join(
            _row(m, texts, recording.tick_s, colors, m.worker == self.app.worker) for m in moments
        )
        self._workers.object = f"<table><tbody>{rows}</tbody></table>"
        time = clock(tick * recording.tick_s)
        events = self.run.result.events
        said = [
            happened({name: int(column[row]) for name, column in events.items()}, texts)
            for row in events_at(recording, tick)
        ]
        self._bar.param.update(
            pinned=True,
            title=texts("moment.at", time=time, tick=count(tick)),
            happened=" · ".join(said),
        )

    def _show_bars(self):
        """Have the bars on the page from the first pin on."""
        if not len(self._bars):
            root = self.board.kv.root
            root.name = "kv"
            self._bars.append(pn.pane.Bokeh(root, sizing_mode="stretch_width", margin=0))
            self._grown()

    def _in_sight(self, workers):
        """The workers shown: all, or of too many those around the chosen one."""
        first = min(max(0, (self.app.worker or 0) - MOST_BARS // 2), max(0, workers - MOST_BARS))
        return range(first, min(workers, first + MOST_BARS))

    @param.depends("app.language", watch=True)
    def _show_texts(self):
        texts = Texts(self.app.language)
        names = {kind: texts(f"events.{kind}") for kind in EVENT_KINDS}
        self._bar.param.update(
            texts=texts.section("moment"), kinds={ANY: texts("moment.any"), **names}
        )
        self._show()


def _row(moment, texts, tick_s, colors, chosen):
    state = SHADES[moment.state]
    reason = why(moment, texts, tick_s)
    running = " · ".join(request(r, texts) for r in moment.running)
    waiting = queue(moment, texts)
    cells = (
        ("worker", texts("timeline.worker", worker=moment.worker), ""),
        ("state", texts(f"states.{state}"), f'<i style="background:{colors[moment.state]}"></i>'),
        ("why", reason, ""),
        ("running", running, ""),
        ("queue", waiting, ""),
    )
    tips = {"queue": blocked(moment, texts) if moment.queue else ""}
    start = '<tr class="chosen">' if chosen else "<tr>"
    return start + "".join(_cell(*cell, tips) for cell in cells) + "</tr>"


def _cell(name, text, before, tips):
    tip = html.escape(tips.get(name) or text)
    return f'<td class="{name}" title="{tip}">{before}{html.escape(text)}</td>'
