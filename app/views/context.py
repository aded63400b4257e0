"""The context of the agent that is looked at, turn by turn."""

import panel as pn
from panel.viewable import Viewer

from app import sessions
from app.figures.context import ContextChart


class Context(Viewer):
    """A chart below the lanes of agents, made when an agent that has a turn is first chosen.

    Parameters
    ----------
    board : app.figures.Board
        Whose axis it shares.

    Attributes
    ----------
    chart : app.figures.context.ContextChart or None
        None until it has been made.
    """

    def __init__(self, board):
        super().__init__()
        self._board = board
        self._place = pn.Column(visible=False, sizing_mode="stretch_width", margin=0)
        self.chart = None

    def __panel__(self):
        return self._place

    @property
    def colors(self):
        """The colours of what a context is made of, a dict; empty until the chart is made."""
        return self.chart.colors if self.chart else {}

    def show(self, recording, agent, texts):
        """Show the context of an agent that has a turn; otherwise there is no chart.

        Parameters
        ----------
        recording : derive.Recording
        agent : int or None
        texts : Texts
        """
        turns = None if agent is None else sessions.context_turns(recording, agent)
        if turns is None or not turns["turn"].size:
            self._place.visible = False
            return
        if self.chart is None:
            self._make(texts)
        self.chart.root.title.text = texts("agents.context_of", agent=agent)
        evict = recording.result.of_kind("evict")
        mine = {name: column[evict["agent"] == agent] for name, column in evict.items()}
        evicted = {name: mine[name] for name in ("by", "tokens", "worker")}
        evicted["x"] = (mine["tick"] + 0.5) * recording.tick_s
        end = (recording.ended[0][agent] + 1) * recording.tick_s
        self.chart.show(turns, evicted, end)
        self._place.visible = True
        self.refine()

    def _make(self, texts):
        frame = self._board.frame
        self.chart = ContextChart(frame, texts.section("agents.parts"))
        self.chart.root.name = "context"
        frame.restyle(frame.theme, frame.palette)
        self._place.append(pn.pane.Bokeh(self.chart.root, sizing_mode="stretch_width", margin=0))

    def refine(self):
        """Write the workers where there is room in the board's window."""
        if self._place.visible:
            self.chart.refine(self._board.columns)

    def relabel(self, texts):
        """Change the language in place."""
        if self.chart is not None:
            self.chart.relabel(texts.section("agents.parts"))
