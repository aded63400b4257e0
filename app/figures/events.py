"""The track of events: single ones stay visible however far the picture is zoomed out."""

import numpy as np
from bokeh.core.properties import value
from bokeh.models import FixedTicker, Grid, Range1d, Rect, Segment

from app.figures.frame import CLOCK
from app.figures.tooltips import hover_tool, table
from app.palette import event_colors
from sim.result import EVENT_KINDS

ORDER = ("evict", "miss", "reclaim", "compact", "kill")
"""Kinds of event from the top of the track down."""

MORE = ("turn", "tokens", "by", "event")
"""Further columns of the source, for the tooltip and the page."""


class EventTrack:
    """A row for each kind of event, a stroke for each pixel column that has any.

    Attributes
    ----------
    root : bokeh.models.Plot
    source : ColumnDataSource
        A row for each kind and column: x, low, high, kind, count, time, detail columns of the
        first event there.
    """

    PITCH = 16

    def __init__(self, frame):
        self.frame = frame
        kinds = len(EVENT_KINDS)
        self.root = frame.figure(self.PITCH * kinds, Range1d(0, kinds))
        middles = FixedTicker(ticks=[row + 0.5 for row in range(kinds)])
        self.axis = self.frame.y_axis(self.root, middles, grid=False)
        borders = FixedTicker(ticks=list(range(1, kinds)))
        self.root.add_layout(Grid(axis=self.axis, dimension=1, ticker=borders))
        names = ("x", "low", "middle", "high", "name", "color", "count", "tick", "worker", "agent")
        self.source = self.frame.source({name: [] for name in (*names, *MORE)})
        stroke = Segment(x0="x", x1="x", y0="low", y1="high", line_color="color", line_width=2)
        self.frame.glyph(self.root, self.source, stroke)
        width = value(6, units="screen")
        target = Rect(x="x", y="middle", width=width, height=1, fill_color=None, line_color=None)
        self.hover = hover_tool(self.frame.glyph(self.root, self.source, target))
        self.root.add_tools(self.hover)
        self.rows = {kind: kinds - 1 - row for row, kind in enumerate(ORDER)}
        self.marks, self.bins = None, None

    def update(self, marks, bins):
        """Show a window's `derive.marks`."""
        self.marks, self.bins = marks, bins
        kinds = [EVENT_KINDS[kind] for kind in marks["kind"].tolist()]
        row = np.array([self.rows[kind] for kind in kinds], float)
        colors = event_colors(self.frame.palette, self.frame.theme)
        self.source.data = {
            "x": (marks["tick"] + 0.5) * bins.tick_s,
            "low": row + 0.2,
            "middle": row + 0.5,
            "high": row + 0.8,
            "name": [self.frame.labels[f"event_{kind}"] for kind in kinds],
            "color": [colors[kind] for kind in kinds],
            **{name: marks[name] for name in ("count", "tick", "agent", "turn", "tokens", "event")},
            **{name: _or_none(marks[name]) for name in ("worker", "by")},
        }

    def restyle(self):
        if self.marks is not None:
            self.update(self.marks, self.bins)

    def relabel(self):
        labels = self.frame.labels
        self.axis.major_label_overrides = {
            row + 0.5: labels[f"event_{kind}"] for kind, row in self.rows.items()
        }
        self.hover.tooltips = table(
            (
                (labels["hover_event"], "@name"),
                (labels["hover_time"], f"@x{{{CLOCK}}}"),
                (labels["hover_count"], "@count"),
                (labels["hover_worker"], "@worker"),
                (labels["hover_agent"], "@agent"),
                (labels["hover_tokens"], "@tokens{0,0}"),
                (labels["hover_by"], "@by"),
            )
        )
        self.restyle()


def _or_none(ids):
    """Ids as text, a dash for -1."""
    return [str(number) if number >= 0 else "–" for number in ids.tolist()]
