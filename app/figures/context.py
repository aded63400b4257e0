"""The context of one agent, turn by turn."""

import numpy as np
from bokeh.core.properties import value
from bokeh.models import (
    NumeralTickFormatter,
    Quad,
    Range1d,
    Scatter,
    Title,
)

from app.figures.charts import few_ticks
from app.figures.frame import CLOCK, FONT
from app.figures.lettering import text_glyph
from app.figures.tooltips import hover_tool, table
from app.palette import PALETTES

PARTS = ("cached", "again", "new", "output")
"""What a context is made of, from the bottom of its bar up."""

LABEL_ROOM = 40
"""Pixels that the name of a worker takes."""


class ContextChart:
    """The context of one agent: a bar for each turn, until the next one is made.

    A bar is what the turn found in the cache, what it had to prefill again, its new input, and
    its output. Above it stands the worker, where it is another than that of the turn before;
    triangles at the top are evictions of the agent's context.

    Attributes
    ----------
    root : bokeh.models.Plot
    """

    def __init__(self, frame, labels):
        self.frame = frame
        self.y_range = Range1d(0, 1)
        self.root = frame.figure(120, self.y_range)
        self.root.toolbar.active_scroll = None
        self.root.title = Title(
            text=" ", text_font=FONT, text_font_size="13px", text_font_style="bold", standoff=6
        )
        self.frame.y_axis(self.root, few_ticks(), NumeralTickFormatter(format="0a"))
        self._levels = [f"y{i}" for i in range(len(PARTS) + 1)]
        columns = ("left", "right", *self._levels, "turn", "worker", *PARTS)
        self.source = self.frame.source({name: [] for name in columns})
        self.names = self.frame.source({name: [] for name in ("x", "y", "text")})
        self.marks = self.frame.source({name: [] for name in ("x", "y", "by", "tokens", "worker")})
        self._add_glyphs()
        self._turns = None
        self.relabel(labels)
        self.restyle()

    def _add_glyphs(self):
        self.bars = {}
        for name, low, high in zip(PARTS, self._levels[:-1], self._levels[1:], strict=True):
            bar = Quad(left="left", right="right", bottom=low, top=high, line_color=None)
            self.bars[name] = bar
            self.frame.glyph(self.root, self.source, bar)
        whole = Quad(
            left="left", right="right", bottom=0, top=self._levels[-1], fill_color=None,
            line_width=1,
        )  # fmt: skip
        self.edge = whole
        self.hover = hover_tool(self.frame.glyph(self.root, self.source, whole))
        self.mark = Scatter(
            x="x", y="y", marker=value("inverted_triangle"), size=7, line_color=None
        )
        self.mark_hover = hover_tool(self.frame.glyph(self.root, self.marks, self.mark))
        self.name = text_glyph(text_baseline="bottom", x_offset=2)
        self.frame.glyph(self.root, self.names, self.name)
        self.root.add_tools(self.hover, self.mark_hover)

    def show(self, turns, evicted, end):
        """Show the turns of an agent.

        Parameters
        ----------
        turns : dict of str to ndarray
            For each turn `created` (seconds), `turn`, `worker`, and the tokens of `PARTS`.
        evicted : dict of str to ndarray
            For each eviction of it `x` (seconds), `by`, `tokens` and `worker`.
        end : float
            Second at which the agent ended.
        """
        self._turns = turns
        levels = np.cumsum([np.zeros(turns["turn"].size), *(turns[part] for part in PARTS)], axis=0)
        top = max(1, levels[-1].max(initial=0))
        self.y_range.end = top * 1.3
        self.source.data = {
            "left": turns["created"],
            "right": np.append(turns["created"][1:], end)[: turns["turn"].size],
            **dict(zip(self._levels, levels, strict=True)),
            **{name: turns[name] for name in ("turn", "worker", *PARTS)},
        }
        self.marks.data = {**evicted, "y": np.full(evicted["x"].size, top * 1.24)}

    def refine(self, columns):
        """Write the workers where there is room in the present window.

        Parameters
        ----------
        columns : int
            Pixels of the figure's frame.
        """
        if self._turns is None:
            return
        x, worker = self._turns["created"], self._turns["worker"]
        right, tops = (np.asarray(self.source.data[n]) for n in ("right", self._levels[-1]))
        start, end = self.frame.x_range.start, self.frame.x_range.end
        hops = np.flatnonzero(np.append(True, np.diff(worker) != 0)[: worker.size])
        room = LABEL_ROOM * (end - start) / columns
        shown, last = [], -np.inf
        for row in hops.tolist():
            if start <= x[row] <= end and x[row] - last >= room:
                shown.append(row)
                last = x[row]
        self.names.data = {
            "x": [x[row] for row in shown],
            "y": [tops[(x < x[row] + room) & (right > x[row])].max() for row in shown],
            "text": [self.frame.labels["lane"].format(worker=worker[row]) for row in shown],
        }

    @property
    def colors(self):
        """The colours of `PARTS`, a dict."""
        states = PALETTES[self.frame.palette]
        return {
            "cached": self.frame.colors.resting,
            "again": states["prefill_again"],
            "new": states["prefill"],
            "output": states["decode"],
        }

    def restyle(self):
        colors = self.frame.colors
        for name, color in self.colors.items():
            self.bars[name].fill_color = color
        self.edge.line_color = colors.surface
        self.mark.fill_color = colors.series
        self.name.text_color = colors.muted

    def relabel(self, labels):
        """Take texts: `turn`, `worker`, `evictor`, `tokens`, `time` and those of `PARTS`."""
        time = (labels["time"], f"@left{{{CLOCK}}}")
        rows = [(labels["turn"], "@turn"), time, (labels["worker"], "@worker")]
        rows += [(labels[part], f"@{part}{{0,0}}") for part in reversed(PARTS)]
        self.hover.tooltips = table(rows)
        self.mark_hover.tooltips = table(
            (
                (labels["evictor"], "@by"),
                (labels["time"], f"@x{{{CLOCK}}}"),
                (labels["worker"], "@worker"),
                (labels["tokens"], "@tokens{0,0}"),
            )
        )
