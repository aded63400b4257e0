"""The agents of the run: what each does over time, how each fares, and who evicts whom."""

import numpy as np
import panel as pn
import param

from app import sessions
from app.assets import script
from app.derive.lives import AGENT_STATES, life_at
from app.derive.sessions import METRICS, STATUS, turns_of
from app.figures.agents import AgentLanes
from app.format import clock, count, tokens
from app.palette import agent_colors
from app.runs import Run
from app.state import AppState
from app.texts import Texts
from app.views.context import Context
from app.views.evictors import Evictors
from app.views.later import Room
from app.views.part import Part

TAB = "agents"

SCROLLER = """
:host { container-type: inline-size; }
"""
SCROLLED = """
:host { max-height: 440px; overflow: hidden auto; scrollbar-width: thin; }
"""
WIDE = """
:host { flex: none; width: 100cqw !important; max-height: none !important; }
"""
"""The lanes scroll, and their scrollbar lies over their margin, so that they stay aligned."""


class AgentsHead(Part):
    """What stands above the lanes; it also hears what is done in them."""

    texts = param.Dict({})
    said = param.String("", doc="The run in a sentence.")
    metrics = param.List(list(METRICS))
    order = param.String("agent")
    lane = param.Number(
        None, allow_None=True, doc="Place of the chosen lane, from 0 at the top to 1."
    )
    states = param.List([], doc="Each a dict of name and color, as they are stacked.")
    figures = param.Dict({}, doc="Names of the figures to what they show, for screen readers.")

    _esm = script("figures.js", "tip.js", "agents.js")
    _css = "agents.css"

    def heard(self, message):
        owner = self._owner
        if "hover" in message:
            self._send_msg({"hover": owner.hover(message["hover"])})
        elif "spot" in message:
            owner.touch(*message["spot"])
        else:
            owner.app.order = message["order"]


class AgentsList(Part):
    """All agents as a table, and the one that is looked at."""

    texts = param.Dict({})
    metrics = param.List(list(METRICS))
    rows = param.List([], doc="For each agent the texts of the metrics.")
    ranked = param.List([], doc="The agents in their order.")
    order = param.String("agent")
    contexts = param.List([], doc="For each agent its context, at the pinned tick if there is one.")
    pinned = param.String("", doc="What the contexts are then called.")
    agent = param.Integer(None, allow_None=True, doc="The agent that is looked at.")
    missing = param.String("", doc="That the run has no such agent as was asked for.")
    turns = param.List([], doc="Its turns; see `app.sessions.turn_rows`.")
    parts = param.List([], doc="What a context is made of, each a dict of name and color.")
    evicted_by = param.List([], doc="Each agent, times, tokens.")
    evicted_whom = param.List([], doc="The same.")

    _esm = script("agents_list.js")
    _css = "agents.css"

    def heard(self, message):
        owner = self._owner
        if "pin" in message:
            owner.pin_turn(message["pin"])
        elif "order" in message:
            owner.app.order = message["order"]
        else:
            owner.app.agent = message["agent"]


class Agents(Room):
    """The agents of the last good run, below its timeline.

    Parameters
    ----------
    app : AppState
        Its `agent` is looked at; its `order` sorts lanes and list.
    board : app.figures.Board
        Whose axis the lanes share.
    """

    app = param.ClassSelector(class_=AppState)
    run = param.ClassSelector(class_=Run, doc="The last good run.")

    def __init__(self, app, board):
        super().__init__(app=app)
        texts = Texts(app.language)
        self.board = board
        self.lanes = AgentLanes(board.frame, texts("agents.lane"))
        self.context = Context(board)
        self.pairs = Evictors(app, board.frame)
        self._facts = self._shown = None
        self.lanes.root.name = "agent_lanes"
        self._head, self._list = AgentsHead(self), AgentsList(self)
        board.frame.restyle(board.frame.theme, board.frame.palette)
        board.followers.append(self._follow)
        self._show_texts()
        self._choose()

    @property
    def _figures(self):
        return [figure for figure in (self.lanes, self.context.chart) if figure is not None]

    def __panel__(self):
        wide = {"sizing_mode": "stretch_width", "margin": 0}
        self.lanes.root.stylesheets = [*self.lanes.root.stylesheets, WIDE]
        lanes = pn.pane.Bokeh(self.lanes.root, **wide)
        scrolled = pn.Column(lanes, stylesheets=[SCROLLED], **wide)
        return pn.Column(
            self._head,
            pn.Column(scrolled, stylesheets=[SCROLLER], **wide),
            self.context,
            self._list,
            self.pairs,
            **wide,
        )

    # --- the run ---

    @param.depends("run", watch=True)
    def _show_run(self):
        self._facts = sessions.Facts.of(self.run.recording)
        self._show_rows()
        self.pairs.show(self._facts)
        self._sort()
        self._choose()

    def ask(self):
        """Catch up with what has changed while the tab was closed."""
        if self.app.tab == TAB:
            self._follow()

    def _follow(self):
        """Show the window that the timeline shows."""
        shown = self.run is not None and self.run.recording is self.board.recording
        if self.app.tab != TAB or not shown:
            return
        x_range, columns = self.board.frame.x_range, self.board.columns
        seen = (self.run, x_range.start, x_range.end, columns)
        if seen == self._shown:
            return
        if self._shown is None or (self._shown[0], self._shown[3]) != (self.run, columns):
            self._draw()
        self._shown = seen
        self.lanes.refine(self.board.bins(self.board.window, columns))
        self.context.refine()

    def _draw(self):
        """Draw the lanes of the whole run in their order."""
        order = self._facts.ranked(self.app.order)
        self.lanes.show(self.run.recording, order, self.board.columns)
        self._head.lane = self.lanes.place_of(self._agent)
        self._show_states()

    # --- what the reader does ---

    def hover(self, spot):
        """Say what is at a place of the lanes; None: nowhere."""
        agent = self.lanes.agent_at(spot[1]) if spot and self.run else None
        if agent is None:
            self.lanes.mark_cell(None, 0, 0)
            return None
        recording = self.run.recording
        tick = recording.tick_at(spot[0])
        life = life_at(recording, agent, tick)
        self.lanes.mark_cell(agent, life.since * recording.tick_s, life.until * recording.tick_s)
        return sessions.hover(recording, life, tick, Texts(self.app.language))

    def touch(self, seconds, lane):
        """Choose the agent of a lane; if it is the chosen one, pin the moment."""
        agent = self.lanes.agent_at(lane) if self.run else None
        if agent is None:
            return
        if agent == self.app.agent:
            self.app.pin = self.run.recording.tick_at(seconds)
        else:
            self.app.agent = agent

    def pin_turn(self, turn):
        """Pin the admission of a turn of the chosen agent, and look at its worker."""
        r = self.run.recording.result.requests
        row = turns_of(self.run.recording, self._agent).start + turn
        self.app.param.update(pin=int(r["started"][row]), worker=int(r["worker"][row]))

    # --- what is shown ---

    @property
    def _agent(self):
        """The chosen agent, None if the run has none of that number."""
        agent = self.app.agent
        known = self.run is not None and agent is not None and agent < self.run.recording.agents
        return agent if known else None

    @param.depends("app.order", watch=True)
    def _sort(self):
        self._head.order = self._list.order = self.app.order
        self._shown = None
        if self.run is None:
            return
        self._list.ranked = self._facts.ranked(self.app.order).tolist()
        self._follow()

    @param.depends("app.agent", watch=True)
    def _choose(self):
        agent, texts = self._agent, Texts(self.app.language)
        self.lanes.choose(agent)
        self._head.lane = self.lanes.place_of(agent)
        self._list.missing = self._missing(texts)
        self.context.show(self.run and self.run.recording, agent, texts)
        self._show_texts()
        if agent is None:
            self._list.param.update(agent=None, turns=[], evicted_by=[], evicted_whom=[])
            return
        recording, evictions = self.run.recording, self._facts.evictions
        self._list.param.update(
            agent=agent,
            turns=sessions.turn_rows(recording, agent, texts),
            evicted_by=sessions.pair_rows(evictions, evictions.of(agent, True), "evictor"),
            evicted_whom=sessions.pair_rows(evictions, evictions.of(agent, False), "victim"),
        )

    def _missing(self, texts):
        wanted = self.app.agent
        if self.run is None or wanted is None or wanted < self.run.recording.agents:
            return ""
        return texts("agents.missing", agent=wanted, last=self.run.recording.agents - 1)

    @param.depends("app.pin", watch=True)
    def _show_contexts(self):
        if self.run is None:
            return
        recording, pin, texts = self.run.recording, self.app.pin, Texts(self.app.language)
        tick = recording.ticks if pin is None else min(pin, max(0, recording.ticks - 1))
        time = clock(tick * recording.tick_s)
        self._list.param.update(
            contexts=sessions.contexts_at(recording, tick),
            pinned="" if pin is None else texts("agents.context_at", time=time),
        )

    def _show_rows(self):
        texts = Texts(self.app.language)
        table = self._facts.table
        self._show_contexts()
        # the old order may name agents that are no more
        self._list.param.update(
            ranked=self._facts.ranked(self.app.order).tolist(),
            rows=sessions.agent_rows(table, texts),
        )
        self._head.said = self._said(table, texts)

    def _said(self, table, texts):
        ended = np.bincount(table["status"], minlength=len(STATUS)).tolist()
        lost = texts("agents.said_none")
        if table["evicted"].any():
            agent = int(table["evicted_tokens"].argmax())
            times, size = (int(table[name][agent]) for name in ("evicted", "evicted_tokens"))
            lost = texts(
                "agents.said_evictions", agent=agent, times=count(times), tokens=tokens(size)
            )
        killed = ended[STATUS.index("killed")]
        agents = sum(ended)
        return texts(
            "agents.said", agents=agents, done=agents - killed, killed=killed, evictions=lost
        )

    @param.depends("app.language", watch=True)
    def _relabel(self):
        texts = Texts(self.app.language)
        self._show_texts()
        self.lanes.relabel(texts("agents.lane"))
        self.context.relabel(texts)
        if self.run is not None:
            self._show_rows()
        self._choose()

    @param.depends("app.dark", "app.palette", watch=True)
    def _restyle(self):
        for figure in self._figures:
            figure.restyle()
        self._show_states()

    def _show_texts(self):
        texts = Texts(self.app.language)
        section = texts.section("agents")
        self._head.param.update(
            texts=section,
            figures={f.root.name: texts(f"agents.{FIGURES[f.root.name]}") for f in self._figures},
        )
        self._list.texts = section
        self._show_states()

    def _show_states(self):
        colors = agent_colors(self.app.palette, self.board.frame.theme)
        self._head.states = [
            {"name": name, "color": color}
            for name, color, occurs in zip(AGENT_STATES, colors, self.lanes.occurs, strict=True)
            if occurs
        ]
        parts = self.context.colors.items()
        self._list.parts = [{"name": name, "color": color} for name, color in parts]


FIGURES = {"agent_lanes": "lanes", "context": "context"}
"""Names of figures, and the keys of what they show."""
