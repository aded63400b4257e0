"""The picture in words, below it."""

import html
import math

import param
from panel.viewable import Viewer

from app.runs import Run
from app.state import AppState
from app.texts import Texts
from app.views.markup import Markup
from app.words import in_words


class Words(Viewer):
    """What the timeline shows, in sentences, for the window in sight.

    Parameters
    ----------
    app : AppState
    """

    app = param.ClassSelector(class_=AppState)
    run = param.ClassSelector(class_=Run, doc="The last good run.")

    def __init__(self, app):
        super().__init__(app=app)
        self._pane = Markup(names=("words.css",))

    def __panel__(self):
        return self._pane

    @param.depends("run", "app.view", "app.language", watch=True)
    def _show(self):
        if self.run is None:
            return
        texts = Texts(self.app.language)
        title, said = texts("words.title"), in_words(self.run, self._window(), texts)
        self._pane.object = f"<h2>{html.escape(title)}</h2><p>{html.escape(said)}</p>"

    def _window(self):
        """First tick in sight and the tick after the last."""
        recording = self.run.recording
        if self.app.view is None:
            return 0, recording.ticks
        first, last = (seconds / recording.tick_s for seconds in self.app.view)
        return max(0, math.floor(first)), min(recording.ticks, math.ceil(last))
