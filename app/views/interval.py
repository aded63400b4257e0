"""The sheet about the marked interval: what happens in it, beside the whole run."""

import panel as pn
import param
from panel.viewable import Viewer

from app.assets import script
from app.derive.interval import interval, whole_ticks
from app.runs import Run
from app.spans import tables
from app.state import AppState
from app.texts import Texts
from app.views.part import Part


class IntervalSheet(Part):
    """The sheet as the browser shows it."""

    title = param.String("")
    length = param.String("", doc="How long the interval is; or why there is nothing in it.")
    tables = param.List([], doc="See `app.spans.tables`.")
    cells = param.List([], doc="Rows of texts and numbers to copy; see `app.spans.cells`.")
    texts = param.Dict({})
    folded = param.Boolean(False, doc="Whether only the head is shown.")

    _esm = script("interval_sheet.js")
    _css = "interval_sheet.css"

    def heard(self, message):
        if message == "zoom":
            self._owner.zoom()
        elif message == "fold":
            self.folded = not self.folded
        else:
            self._owner.app.span = None


class Interval(Viewer):
    """What happens in the marked interval; made when one is first marked.

    Parameters
    ----------
    app : AppState
    board : app.figures.Board
        Its figures shade the interval.
    """

    app = param.ClassSelector(class_=AppState)
    run = param.ClassSelector(class_=Run, doc="The last good run.")

    def __init__(self, app, board):
        super().__init__(app=app)
        self.board = board
        self.sheet = None
        self._place = pn.Column(sizing_mode="stretch_width", margin=0)
        self._show()

    def __panel__(self):
        return self._place

    def zoom(self):
        """Show the interval and nothing else."""
        if self.app.span is not None:
            self.board.frame.set_window(*self.app.span)

    @param.depends("app.pin", watch=True)
    def _fold(self):
        """Make room for a moment that has been pinned."""
        if self.sheet is not None:
            self.sheet.folded = self.app.pin is not None

    @param.depends("app.span", watch=True)
    def _unfold(self):
        if self.sheet is not None:
            self.sheet.folded = False

    @param.depends("app.span", "run", "app.language", "app.dark", "app.palette", watch=True)
    def _show(self):
        self.board.frame.set_interval(self.app.span)
        if self.app.span is None or self.run is None:
            return
        if self.sheet is None:
            self.sheet = IntervalSheet(self, folded=self.app.pin is not None)
            self._place.append(self.sheet)
        recording, texts = self.run.recording, Texts(self.app.language)
        part = interval(recording, *whole_ticks(recording, self.app.span))
        whole = interval(recording, 0, recording.ticks)
        theme = "dark" if self.app.dark else "light"
        self.sheet.param.update(
            texts=texts.section("interval"),
            **tables(part, whole, recording.tick_s, texts, (self.app.palette, theme)),
        )
