"""The export menu: the present scenario as a file, as a snippet for a post, as a link."""

from concurrent.futures import ThreadPoolExecutor

import param
from panel.viewable import Viewer

from app.assets import script
from app.export import address, default_title, page_html, snippet
from app.state import AppState
from app.texts import Texts
from app.views.part import Part

NAME = "dpascope.html"
"""Of the file that is saved."""

_POOL = ThreadPoolExecutor(max_workers=1, thread_name_prefix="export")


class ExportMenu(Part):
    """The menu as the browser shows it."""

    texts = param.Dict({})
    snippet = param.String("", doc="What shows the file, with these settings, in a post.")
    link = param.String("", doc="Address of the file with these settings.")

    _esm = script("export.js")
    _css = "export.css"

    def heard(self, message):
        self._owner.save()


class Export(Viewer):
    """The export menu.

    Parameters
    ----------
    app : AppState
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop.
    """

    app = param.ClassSelector(class_=AppState)

    def __init__(self, app, post):
        super().__init__(app=app)
        self._post = post
        self._menu = ExportMenu(self)
        self._show_texts()
        self._show_settings()

    def __panel__(self):
        return self._menu

    def save(self):
        """Make the file; the browser saves it when it is there."""
        app = self.app
        made = _POOL.submit(
            page_html, app.scenario, gpus_per_worker=app.gpus_per_worker, theme=app.theme
        )
        made.add_done_callback(lambda made: self._post(lambda: self._made(made.result())))

    def _made(self, text):
        self._menu._send_msg({"file": text, "name": NAME})

    @param.depends("app.language", watch=True)
    def _show_texts(self):
        self._menu.texts = Texts(self.app.language).section("export")

    @param.depends(*(f"app.{name}" for name in AppState.param if name != "name"), watch=True)
    def _show_settings(self):
        link = f"{NAME}#{address(self.app)}"
        title = default_title(self.app.scenario, self.app.language)
        self._menu.param.update(link=link, snippet=snippet(link, title))
