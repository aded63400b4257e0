"""The export menu: the scenario as a page and as text to copy; the run as files."""

import importlib.util

import param
from panel.viewable import Viewer

from app import sharing
from app.assets import script
from app.export import address, default_title, page_html, snippet
from app.files import KINDS, Look
from app.jobs import Aside
from app.state import AppState
from app.texts import Texts
from app.views.part import Part

NAME = "dpascope.html"
"""Of the file that is saved."""

SHOWN = tuple(
    kind for kind in KINDS if importlib.util.find_spec("pyarrow") or not kind.endswith("-parquet")
)
"""Kinds of file that this server can make."""

COPIES = ("address", "python", "command", "json", "snippet", "link")
"""What can be copied: the page's address, the scenario as text, and two ways into its file."""

MOST_COPIED = 100_000
"""Characters of JSON that are sent to the browser with each change."""

PART = 1_000_000
"""Characters or bytes of a file that are sent at a time."""

_ASIDE = Aside()


class ExportMenu(Part):
    """The menu as the browser shows it."""

    texts = param.Dict({})
    copies = param.Dict({}, doc="Texts to copy, by `COPIES`; empty if too long.")
    copy_names = param.Dict({}, doc="Texts of what can be copied.")
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
        made = _ASIDE.submit(
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
        self._send(_ASIDE.submit(made.make, self.run.recording, look), name, made.mime)

    def _send(self, made, name, mime):
        def deliver():
            error = made.exception()
            if error is None:
                self._send_part(made.result(), 0, name, mime)
            else:
                said = Texts(self.app.language)("files.failed", error=error)
                self._menu._send_msg({"failed": said})

        made.add_done_callback(lambda _: self._post(deliver))

    def _send_part(self, file, start, name, mime):
        """Send what of a file begins there, a part at a time: others are answered in between."""
        end = start + PART
        if end < len(file):
            self._menu._send_msg({"part": file[start:end], "name": name})
            self._post(lambda: self._send_part(file, end, name, mime))
        else:
            self._menu._send_msg({"file": file[start:], "name": name, "mime": mime})

    @param.depends("run", watch=True)
    def _show_run(self):
        self._menu.ready = self.run is not None

    @param.depends("app.language", watch=True)
    def _show_texts(self):
        texts = Texts(self.app.language)
        self._menu.param.update(
            texts=texts.section("export"),
            names=texts.section("files"),
            copy_names=texts.section("commands.copy"),
        )

    @param.depends(*(f"app.{name}" for name in AppState.param if name != "name"), watch=True)
    def _show_settings(self):
        app = self.app
        link = f"{NAME}#{address(app)}"
        as_json = sharing.as_json(app.scenario)
        self._menu.copies = {
            "python": sharing.as_python(app.scenario, app.preset),
            "command": sharing.as_command(app.scenario, app.preset),
            "json": as_json if len(as_json) <= MOST_COPIED else "",
            "snippet": snippet(link, default_title(app.scenario, app.language)),
            "link": link,
        }
