"""The header: presets, language, display, link, help; and the page's address."""

import param
from panel.viewable import Viewer

from app.assets import script
from app.state import AppState, preset_values
from app.texts import LANGUAGES, Texts
from app.views.part import Part
from sim import PRESETS


class HeaderBar(Part):
    """The header as the browser shows it."""

    texts = param.Dict({})
    help = param.Dict({})
    languages = param.Dict({}, doc="Language codes to their own names.")
    presets = param.List(doc="Each a dict of name, title and look.")
    preset = param.String("", doc="The preset shown; empty for none.")
    language = param.String()
    theme = param.String()
    palette = param.String()
    dark = param.Boolean(False, doc="Whether the page was last drawn dark.")
    query = param.String("", doc="The query of the page's address.")

    _esm = script("header.js")
    _css = "header.css"

    def heard(self, message):
        self._owner.choose(message["name"], message["value"])


class Header(Viewer):
    """What stands above the page.

    Parameters
    ----------
    app : AppState
    """

    app = param.ClassSelector(class_=AppState)

    def __init__(self, app):
        super().__init__(app=app)
        self._bar = HeaderBar(self)
        self._show_texts()
        self._show_choices()

    def __panel__(self):
        return self._bar

    def choose(self, name, value):
        """Change one of the header's settings, as if the user had.

        Parameters
        ----------
        name : str
            "preset" or a parameter of `AppState`.
        value
            The preset's name or the parameter's value.
        """
        if name == "preset":
            self.app.param.update(preset_values(value))
        else:
            setattr(self.app, name, value)

    @param.depends("app.language", watch=True)
    def _show_texts(self):
        texts = Texts(self.app.language)
        guide = texts.section("help")
        keys = dict(guide["keys"])
        for topic in ("interval", "baseline", "commands"):
            keys |= texts.section(f"{topic}.keys")
        self._bar.param.update(
            language=self.app.language,
            languages={code: Texts(code)("language") for code in LANGUAGES},
            presets=[{"name": name, **texts.section(f"presets.{name}")} for name in PRESETS],
            help={**guide, "keys": keys},
            texts=texts.section("header"),
        )

    @param.depends(*(f"app.{name}" for name in AppState.param if name != "name"), watch=True)
    def _show_choices(self):
        self._bar.param.update(
            preset=self.app.preset or "",
            theme=self.app.theme,
            palette=self.app.palette,
            dark=self.app.dark,
            query=self.app.query(),
        )
