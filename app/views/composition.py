"""Whose contexts fill a worker's KV cache over time; made when a moment is first pinned."""

import panel as pn
import param
from panel.viewable import Viewer

from app.assets import script
from app.derive import worker_at
from app.derive.composition import ENDED, IDLE, LOCKED, SHARED
from app.figures.composition import KvOverTime
from app.format import clock, tokens
from app.palette import context_colors
from app.runs import Run
from app.state import AppState
from app.texts import Texts
from app.views.part import Part


class CompositionHead(Part):
    """What stands above the figure, and its hover."""

    texts = param.Dict({})
    workers = param.Integer(1)
    worker = param.Integer(0)
    tones = param.List([], doc="Each a dict of label and colors.")
    said = param.String("", doc="What the figure shows, for screen readers.")

    _esm = script("figures.js", "tip.js", "composition.js")
    _css = "composition.css"

    def heard(self, message):
        if "hover" in message:
            self._send_msg({"hover": self._owner.hover(*message["hover"])})
        else:
            self._owner.app.worker = message["worker"]


class Composition(Viewer):
    """The KV cache of the chosen worker over time, while a moment is pinned.

    Parameters
    ----------
    app : AppState
    board : app.figures.Board
        Whose axis the figure shares.
    """

    app = param.ClassSelector(class_=AppState)
    run = param.ClassSelector(class_=Run, doc="The last good run.")

    def __init__(self, app, board):
        super().__init__(app=app)
        self.board = board
        self.figure = None
        self._seen = None
        self._place = pn.Column(sizing_mode="stretch_width", margin=0)
        board.followers.append(self._follow)

    def __panel__(self):
        return self._place

    @property
    def worker(self):
        """The worker that is shown."""
        return min(self.app.worker or 0, self.run.recording.workers - 1)

    @param.depends("app.pin", "app.worker", "run", watch=True)
    def _follow(self):
        """Show what is in sight now, if that is not what is shown."""
        if self.app.pin is None or self.run is None:
            return
        recording, board = self.run.recording, self.board
        if board.recording is not recording:
            return  # its turn comes with the figures
        if self.figure is None:
            self._make()
        bins = board.bins(board.window, board.columns)
        if (recording, self.worker, bins) == self._seen:
            return
        self._seen = recording, self.worker, bins
        self.figure.update(recording, self.worker, bins)
        self._show_head()

    def _make(self):
        self.figure = KvOverTime(self.board.frame, Texts(self.app.language)("composition.agent"))
        self.board.frame.restyle(self.board.frame.theme, self.board.frame.palette)
        self._head = CompositionHead(self)
        wide = {"sizing_mode": "stretch_width", "margin": 0}
        self._place.extend([self._head, pn.pane.Bokeh(self.figure.root, **wide)])

    @param.depends("app.language", watch=True)
    def _relabel(self):
        if self.figure is not None:
            self.figure.relabel(Texts(self.app.language)("composition.agent"))
            self._show_head()

    @param.depends("app.dark", "app.palette", watch=True)
    def _restyle(self):
        if self.figure is not None:
            self.figure.restyle()
            self._show_head()

    @property
    def _colors(self):
        return context_colors("dark" if self.app.dark else "light")

    def _show_head(self):
        texts, colors = Texts(self.app.language), self._colors
        tones = {
            "locked": [colors[LOCKED], colors[LOCKED + 2]],
            "idle": [colors[IDLE], colors[IDLE + 2]],
            "ended": [colors[ENDED]],
        }
        if self.run.recording.shared:
            tones["shared"] = [colors[SHARED]]
        name = texts("timeline.worker", worker=self.worker)
        self._head.param.update(
            texts={**texts.section("composition"), "name": texts.section("timeline.worker")},
            workers=self.run.recording.workers,
            worker=self.worker,
            tones=[{"label": texts(f"figures.kv_{k}"), "colors": c} for k, c in tones.items()],
            said=texts("composition.said", worker=name),
        )

    def hover(self, seconds, height):
        """Say whose context is at a place of the figure; None for free room.

        Parameters
        ----------
        seconds : float
        height : float
            Tokens.

        Returns
        -------
        dict or None
            `title`, `color` and `lines`.
        """
        shown = self.figure.shown
        recording, texts, colors = self.run.recording, Texts(self.app.language), self._colors
        tick = recording.tick_at(seconds)
        agent = shown.agent_at(tick, height)
        time = clock(tick * recording.tick_s)
        if agent is None:
            if height >= shown.shared:
                return None
            line = texts("composition.tokens", tokens=tokens(shown.shared))
            title = texts("figures.kv_shared")
            return {"title": title, "color": colors[SHARED], "lines": [line]}
        place = shown.agents.tolist().index(agent)
        hue = 2 * (place % ((len(colors) - LOCKED) // 2))
        title = texts("composition.hover", agent=agent, time=time)
        entries = worker_at(recording, shown.worker, tick).entries
        entry = next((e for e in entries if e.agent == agent), None)
        if entry is None:  # a column spans ticks, of which this is one without the context
            lines = [texts("composition.gone")]
            return {"title": title, "color": colors[LOCKED + hue], "lines": lines}
        kind = "locked" if entry.locked else "ended" if entry.ended else "idle"
        color = {"locked": LOCKED + hue, "idle": IDLE + hue, "ended": ENDED}[kind]
        lines = [
            texts("composition.tokens", tokens=tokens(entry.tokens)),
            texts(f"figures.kv_{kind}"),
            texts("composition.access", time=clock(entry.last_access * recording.tick_s)),
        ]
        return {"title": title, "color": colors[color], "lines": lines}
