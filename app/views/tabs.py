"""The choice of what stands below the numbers."""

import param
from panel.viewable import Viewer

from app.assets import script
from app.state import TABS, AppState
from app.texts import Texts
from app.views.part import Part


class TabBar(Part):
    """The tabs as the browser shows them."""

    label = param.String("")
    names = param.List([], doc="Each [tab, text].")
    tab = param.String("")

    _esm = script("tabs.js")
    _css = "tabs.css"

    def heard(self, message):
        self._owner.app.tab = message["tab"]


class Tabs(Viewer):
    """The run, what would fix it, or two parameters swept.

    Parameters
    ----------
    app : AppState
        Its `tab` is the one that is open.
    """

    app = param.ClassSelector(class_=AppState)

    def __init__(self, app):
        super().__init__(app=app)
        self._bar = TabBar(self)
        self._show()

    def __panel__(self):
        return self._bar

    @param.depends("app.tab", "app.language", watch=True)
    def _show(self):
        texts = Texts(self.app.language)
        self._bar.param.update(
            label=texts("tabs.label"),
            names=[[name, texts(f"tabs.{name}")] for name in TABS],
            tab=self.app.tab,
        )
