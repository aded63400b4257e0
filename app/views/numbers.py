"""The row of numbers above the picture."""

import html

import panel as pn
import param
from panel.viewable import Viewer

from app.assets import styles
from app.cards import CARDS, card_values
from app.runs import Run
from app.state import AppState
from app.texts import Texts


class Numbers(Viewer):
    """The metrics of the last good run.

    Parameters
    ----------
    app : AppState
    """

    app = param.ClassSelector(class_=AppState)
    run = param.ClassSelector(class_=Run, doc="The last good run.")

    def __init__(self, app):
        super().__init__(app=app)
        self._pane = pn.pane.HTML(
            stylesheets=styles("numbers.css"), sizing_mode="stretch_width", margin=0
        )
        self._show()

    def __panel__(self):
        return self._pane

    @param.depends("run", "app.language", watch=True)
    def _show(self):
        texts = Texts(self.app.language)
        values = card_values(self.run, texts) if self.run else {}
        cards = "".join(_card(name, *values.get(name, ("", "")), texts) for name in CARDS)
        self._pane.object = f'<dl aria-label="{html.escape(texts("numbers.title"))}">{cards}</dl>'


def _card(name, value, detail, texts):
    label, tip = texts(f"numbers.{name}.label"), texts(f"numbers.{name}.help")
    return (
        f'<div class="card" data-name="{name}" title="{html.escape(tip)}">'
        f"<dt>{html.escape(label)}</dt><dd>{html.escape(value)}</dd>"
        f"<dd class=detail>{html.escape(detail)}</dd></div>"
    )
