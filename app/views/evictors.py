"""Who evicts whom: the matrix of a run's evictions, and what stands beside it."""

import numpy as np
import panel as pn
import param
from panel.viewable import Viewer

from app import sessions
from app.assets import script
from app.derive.evictors import home_workers
from app.figures.evictors import EvictorMap
from app.format import count, tokens
from app.state import AppState
from app.texts import Texts
from app.views.part import Part

MOST_PAIRS = 12
"""Pairs that are listed beside the matrix."""

STICKY = ("pinned", "consistent_hash")
"""Routing that keeps an agent where it is, so that only neighbours evict each other."""

BESIDE = """
:host {
  display: grid !important;
  grid-template-columns: minmax(0, 7fr) minmax(0, 5fr);
  gap: 16px;
  align-items: start;
  padding-top: 10px;
}
@media (max-width: 860px) { :host { grid-template-columns: minmax(0, 1fr); } }
"""


class EvictorsPart(Part):
    """What stands beside the matrix; it also hears clicks into it."""

    texts = param.Dict({})
    choose = param.String("", doc="What a button with an agent's number does.")
    order = param.String("agent")
    pairs = param.List([], doc="Those with most tokens: evictor, victim, times, tokens.")
    reclaimed = param.String("", doc="What is not counted.")
    figure = param.String("", doc="What the figure shows, for screen readers.")

    _esm = script("figures.js", "evictors.js")
    _css = "agents.css"

    def heard(self, message):
        owner = self._owner
        if "spot" in message:
            owner.touch(*message["spot"])
        elif "order" in message:
            owner.arrange(message["order"])
        else:
            owner.app.agent = message["agent"]


class Evictors(Viewer):
    """The matrix of evictions.

    Parameters
    ----------
    app : AppState
        Its `agent` is outlined.
    frame : app.figures.Frame
        Whose look the figure shares.

    Attributes
    ----------
    map : EvictorMap
    """

    app = param.ClassSelector(class_=AppState)

    def __init__(self, app, frame):
        super().__init__(app=app)
        self.map = EvictorMap(frame, _notation(Texts(app.language)))
        self.map.root.name = "evictors"
        self.map.choose(app.agent)
        self._facts = self._chosen = None
        self._part = EvictorsPart(self)
        self._show_texts()

    def __panel__(self):
        wide = {"sizing_mode": "stretch_width", "margin": 0}
        figure = pn.pane.Bokeh(self.map.root, **wide)
        return pn.Column(figure, self._part, stylesheets=[BESIDE], **wide)

    def show(self, facts):
        """Show the evictions of a run, an `app.sessions.Facts`."""
        self._facts = facts
        self._show()

    def touch(self, across, up):
        """Choose the victim of a cell."""
        agent = self.map.victim_at(up)
        if agent is not None and across >= 0:
            self.app.agent = agent

    def arrange(self, order):
        """Arrange agents by "worker", by "agent", or as the "list" is; None: as suits the run."""
        self._chosen = order
        self._show()

    @property
    def _arrangement(self):
        stays = self._facts.recording.scenario.routing in STICKY
        return self._chosen or ("worker" if stays else "agent")

    def _arranged(self, texts):
        """Return the agents in their order, and their groups as `EvictorMap.show` takes them."""
        recording, arrangement = self._facts.recording, self._arrangement
        if arrangement == "list":
            return self._facts.ranked(self.app.order), []
        if arrangement == "agent":
            return np.arange(recording.agents), []
        home = home_workers(recording)
        workers, sizes = np.unique(home, return_counts=True)
        name, homeless = texts("timeline.worker"), texts("agents.evictors.homeless")
        named = [name.format(worker=w) if w >= 0 else homeless for w in workers.tolist()]
        return np.argsort(home, kind="stable"), list(zip(sizes.tolist(), named, strict=True))

    def _show(self):
        texts, facts = Texts(self.app.language), self._facts
        evictions = facts.evictions
        self.map.show(evictions, *self._arranged(texts))
        self.map.root.visible = bool(evictions.tokens.size)
        left = int(facts.recording.result.of_kind("reclaim")["tokens"].sum())
        pairs, lost = evictions.tokens.size, tokens(int(evictions.tokens.sum()))
        most = evictions.most()[:MOST_PAIRS]
        self._part.param.update(
            order=self._arrangement,
            pairs=sessions.pair_rows(evictions, most, "evictor", "victim"),
            reclaimed=texts("agents.evictors.reclaimed", tokens=tokens(left)) if left else "",
            figure=texts("agents.evictors.figure", pairs=count(pairs), tokens=lost),
        )

    @param.depends("app.order", watch=True)
    def _sort(self):
        if self._facts is not None and self._arrangement == "list":
            self._show()

    @param.depends("app.agent", watch=True)
    def _choose(self):
        self.map.choose(self.app.agent)

    @param.depends("app.dark", "app.palette", watch=True)
    def _restyle(self):
        self.map.restyle()

    @param.depends("app.language", watch=True)
    def _relabel(self):
        self._show_texts()
        self.map.relabel(_notation(Texts(self.app.language)))
        if self._facts is not None:
            self._show()

    def _show_texts(self):
        section = Texts(self.app.language).section("agents")
        self._part.param.update(texts=section["evictors"], choose=section["choose"])


def _notation(texts):
    """Return the texts of the matrix, with Bokeh's names for what a hover fills in."""
    section = texts.section("agents.evictors")
    columns = {n: f"@{n}" for n in ("evictor", "victim", "agent", "role", "tokens")}
    columns["times"] = "@times{0,0}"
    return {
        **{name: section[name] for name in ("victim", "evictor", "lost", "took")},
        "pair": section["cell"].format(**columns),
        "sum": section["sum"].format(**columns),
    }
