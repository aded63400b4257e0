"""The row of numbers above the picture."""

import html

import param
from panel.viewable import Viewer

from app.cards import CARDS, card_values
from app.changes import card_changes
from app.runs import Run
from app.state import AppState
from app.texts import Texts
from app.views.baseline import Pinned
from app.views.markup import Markup

ARROWS = {1: "▲", -1: "▼", 0: ""}


class Numbers(Viewer):
    """The metrics of the last good run, held against the baseline if one is pinned.

    Parameters
    ----------
    app : AppState
    pinned : app.views.baseline.Pinned
    """

    app = param.ClassSelector(class_=AppState)
    pinned = param.ClassSelector(class_=Pinned)
    run = param.ClassSelector(class_=Run, doc="The last good run.")

    def __init__(self, app, pinned):
        super().__init__(app=app, pinned=pinned)
        self._pane = Markup(names=("numbers.css",))
        self._show()

    def __panel__(self):
        return self._pane

    @param.depends("run", "pinned.run", "app.baseline", "app.language", watch=True)
    def _show(self):
        texts = Texts(self.app.language)
        values = card_values(self.run, texts) if self.run else {}
        changes = dict.fromkeys(CARDS, "") if self.app.baseline else {}
        if self.run and self.pinned.run:
            found = card_changes(self.run, self.pinned.run, texts)
            changes = {name: said_change(found[name], texts) for name in CARDS}
        cards = "".join(
            _card(name, *values.get(name, ("", "")), changes.get(name), texts) for name in CARDS
        )
        self._pane.object = f'<dl aria-label="{html.escape(texts("numbers.title"))}">{cards}</dl>'


def _card(name, value, detail, change, texts):
    label, tip = texts(f"numbers.{name}.label"), texts(f"numbers.{name}.help")
    against = "" if change is None else f"<dd class=change>{change}</dd>"
    return (
        f'<div class="card" data-name="{name}" title="{html.escape(tip)}">'
        f"<dt>{html.escape(label)}</dt><dd>{html.escape(value)}</dd>"
        f"<dd class=detail>{html.escape(detail)}</dd>{against}</div>"
    )


def said_change(change, texts):
    """Return a `Change` as HTML: an arrow, by how much, whether that is good, and what was."""
    if change.trend == "same":
        return html.escape(texts("baseline.change.same"))
    parts = [f"{ARROWS[change.sign]} {change.amount}".strip()] if change.amount else []
    if change.trend:
        word = html.escape(texts(f"baseline.change.{change.trend}"))
        parts.append(f'<b class="{change.trend}">{word}</b>')
    first = " ".join(parts)
    was = html.escape(texts("baseline.change.was", before=change.was))
    return f"{first} · {was}" if first else was
