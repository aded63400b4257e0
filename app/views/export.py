"""The export menu: the scenario as a page, as a snippet for a post, as a link; the run as files."""

import importlib.util
from concurrent.futures import ThreadPoolExecutor

import param
from panel.viewable import Viewer

from app.assets import script
from app.export import address, default_title, page_html, snippet
from app.files import KINDS, Look
from app.state import AppState
from app.texts import Texts
from app.views.part import Part

NAME = "dpascope.html"
"""Of the file that is saved."""

SHOWN = tuple(
    kind for kind in KINDS if importlib.util.find_spec("pyarrow") or not kind.endswith("-parquet")
)
"""Kinds of file that this server can make."""

_POOL = ThreadPoolExecutor(max_workers=1, thread_name_prefix="export")


class ExportMenu(Part):
    """The menu as the browser shows it."""

    texts = param.Dict({})
    snippet = param.String("", doc="What shows the file, with these settings, in a post.")
    link = param.String("", doc="Address of the file with these settings.")
    kinds = param.List(list(SHOWN), doc="Kinds of file that a run can be saved as.")
    names = param.Dict({}, doc="Texts of the kinds.")
    ready = param.Boolean(False, doc="Whether there is a run to save.")

    _esm = script("export.js")
    _css = "export.css"

    def heard(self, message):
        if message == "page":
            self._owner.save()
        else:
            self._owner.save_run(message["kind"])


class Export(Viewer):
    """The export menu.

    Parameters
    ----------
    app : AppState
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop.
    """

    app = param.ClassSelector(class_=AppState)
    run = param.Parameter(None, doc="The `app.runs.Run` that is shown.")

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
        self._send(made, NAME, "text/html")

    def save_run(self, kind):
        """Make a file of the run that is shown; the browser saves it when it is there.

        Parameters
        ----------
        kind : str
            A key of `app.files.KINDS`.
        """
        if self.run is None or kind not in SHOWN:
            return
        app, made = self.app, KINDS[kind]
        look = Look("dark" if app.dark else "light", app.palette, app.language)
        stem = "" if kind in ("png", "svg") else f"-{kind.removesuffix('-parquet')}"
        name = f"dpascope{stem}{made.suffix}"
        self._send(_POOL.submit(made.make, self.run.recording, look), name, made.mime)

    def _send(self, made, name, mime):
        def deliver():
            error = made.exception()
            if error is None:
                self._menu._send_msg({"file": made.result(), "name": name, "mime": mime})
            else:
                said = Texts(self.app.language)("files.failed", error=error)
                self._menu._send_msg({"failed": said})

        made.add_done_callback(lambda _: self._post(deliver))

    @param.depends("run", watch=True)
    def _show_run(self):
        self._menu.ready = self.run is not None

    @param.depends("app.language", watch=True)
    def _show_texts(self):
        texts = Texts(self.app.language)
        self._menu.param.update(texts=texts.section("export"), names=texts.section("files"))

    @param.depends(*(f"app.{name}" for name in AppState.param if name != "name"), watch=True)
    def _show_settings(self):
        link = f"{NAME}#{address(self.app)}"
        title = default_title(self.app.scenario, self.app.language)
        self._menu.param.update(link=link, snippet=snippet(link, title))
