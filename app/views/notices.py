"""Banners for what went wrong, and the sign that a run takes its time."""

import param
from panel.viewable import Viewer

from app.assets import script
from app.problems import failure, link_problem
from app.state import AppState
from app.texts import Texts
from app.views.part import Part


class NoticeArea(Part):
    """The banners as the browser shows them."""

    busy = param.Boolean(False, doc="Whether a run is under way.")
    pictures = param.Integer(0, doc="How many runs have been shown.")
    error = param.String("", doc="What failed; empty if nothing did.")
    stale = param.Boolean(False, doc="Whether the picture is not that of the settings.")
    problems = param.List([], doc="What of the page's address could not be read.")
    texts = param.Dict({})

    _esm = script("notices.js")
    _css = "notices.css"

    def heard(self, message):
        if message == "dismiss":
            self.error = ""
        elif message == "read":
            self._owner.problems = []


class Notices(Viewer):
    """What the user must know besides the picture.

    Parameters
    ----------
    app : AppState
    problems : list of dict
        What of the address could not be read, from `app.state.read_query`.
    """

    app = param.ClassSelector(class_=AppState)
    problems = param.List([])

    def __init__(self, app, problems=()):
        super().__init__(app=app, problems=list(problems))
        self._area = NoticeArea(self)
        self._show()

    def __panel__(self):
        return self._area

    def running(self):
        """Say that a run is under way."""
        self._area.busy = True

    def succeeded(self):
        """Say that the picture is that of the settings."""
        self._area.param.update(busy=False, error="", stale=False, pictures=self._area.pictures + 1)

    def failed(self, error, stale):
        """Show what went wrong.

        Parameters
        ----------
        error : Exception
        stale : bool
            Whether the picture is not that of the settings.
        """
        self._area.param.update(
            busy=False,
            error=failure(error, Texts(self.app.language)),
            stale=stale or self._area.stale,
        )

    @param.depends("app.language", "problems", watch=True)
    def _show(self):
        texts = Texts(self.app.language)
        problems = [link_problem(found, texts) for found in self.problems]
        self._area.param.update(texts=texts.section("status"), problems=problems)
