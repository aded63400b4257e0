"""The command palette: everything that can be done, by name."""

import param
from panel.viewable import Viewer

from app.assets import script
from app.fields import controls
from app.palette import PALETTES
from app.state import TABS, THEMES, AppState
from app.texts import LANGUAGES, Texts
from app.views.export import COPIES, SHOWN
from app.views.part import Part
from sim import PRESETS
from sim.stories import STORIES


class CommandPalette(Part):
    """The palette as the browser shows it."""

    texts = param.Dict({})
    commands = param.List([], doc="Each a dict of id (kind:name), group and text.")

    _esm = script("commands.js")
    _css = "commands.css"

    def heard(self, message):
        self._owner.run(**message)


class Commands(Viewer):
    """The command palette.

    Parameters
    ----------
    app : AppState
    header : app.views.header.Header
    controls : app.views.controls.Controls
    stories : app.views.stories.Stories
    export : app.views.export.Export
        The views that do what is asked for.
    """

    app = param.ClassSelector(class_=AppState)

    def __init__(self, app, header, controls, stories, export):
        super().__init__(app=app)
        self._acts = {
            "tab": lambda name: app.param.update(tab=name),
            "preset": lambda name: header.choose("preset", name),
            "language": lambda name: header.choose("language", name),
            "palette": lambda name: header.choose("palette", name),
            "story": stories.tell,
            "save": export.save_run,
            "page": lambda _: export.save(),
            "reset": lambda _: controls.reset(),
        }
        self._palette = CommandPalette(self)
        self._show()

    def __panel__(self):
        return self._palette

    def run(self, kind, name):
        """Do what a command says, as if the user had found it on the page.

        Parameters
        ----------
        kind, name : str
            The two parts of a command's id. Those that the browser does by itself do not
            come here.
        """
        self._acts[kind](name)

    @param.depends("app.language", watch=True)
    def _show(self):
        texts = Texts(self.app.language)
        commands = [
            {"id": f"{kind}:{name}", "group": texts(f"commands.groups.{group}"), "text": text}
            for group, kind, name, text in listed(self.app, texts)
        ]
        self._palette.param.update(texts=texts.section("commands"), commands=commands)


def listed(app, texts):
    """Yield every command: group, kind, name and text."""
    for name in TABS:
        yield "go", "tab", name, texts(f"tabs.{name}")
    for name in COPIES:
        yield "copy", "copy", name, texts(f"commands.copy.{name}")
    for name in SHOWN:
        yield "save", "save", name, texts(f"files.{name}")
    yield "save", "page", "", texts("commands.page")
    for name in PRESETS:
        yield "preset", "preset", name, texts(f"presets.{name}.title")
    for name in STORIES:
        yield "story", "story", name, texts(f"stories.{name}.title")
    for group in controls(app, texts):
        for control in group["controls"]:
            yield "setting", "field", control["name"], control["label"]
    for name in ("pin", "unpin", "swap"):
        yield "setting", "baseline", name, texts(f"baseline.commands.{name}")
    yield "setting", "reset", "", texts("commands.reset")
    for name in LANGUAGES:
        yield "language", "language", name, Texts(name)("language")
    for name in THEMES:
        yield "theme", "theme", name, texts(f"header.themes.{name}")
    for name in PALETTES:
        yield "palette", "palette", name, texts(f"header.palettes.{name}")
    yield "go", "help", "", texts("commands.help")
