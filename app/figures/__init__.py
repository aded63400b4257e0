"""From arrays to Bokeh models: the same figures for the dashboard and for exports; no Panel.

A `Board` holds all figures of one run. It is built once; afterwards only sources, ranges and
colours change, so that zoom survives and nothing flickers::

    board = Board(labels)                   # texts by the keys of LABELS
    board.show(Recording(result))           # another run; keeps the window
    bins = board.refine(columns)            # after a zoom or pan: bin the window anew
    moments = board.pin(tick)               # pinned line and KV bars; None unpins
    board.frame.set_window(start, end)      # seconds
    board.restyle("dark", "colorblind")
    board.relabel(labels)

Figures: `minimap`, `timeline`, `events`, and `board.charts` (`shares`, `evictions`, `hit_rate`,
`oversubscription`, `occupancy`), and `kv`, the inspector's bars. Each has a `root`, a Bokeh
plot with ``sizing_mode="stretch_width"``: stack the roots in one column without gaps. All but
`kv` share `board.frame.x_range`, in seconds, and have equal margins, so they are aligned.

`agents.AgentLanes` and `context.ContextChart` join the axis when they are first wanted: they take
`board.frame`, and what is in `board.followers` is called after every change of the window.
`board.outline` outlines an agent's requests on the timeline. `evictors.EvictorMap` is its matrix.

`heatmap.Heatmap` stands by itself: two parameters against each other, a cell for each pair of
values.

Callbacks are the caller's: listen to `RangesUpdate` of the roots (and to `x_range` for the
minimap's box) and call `refine` with the frame's width, `timeline.root.inner_width`; to `Tap` and
`MouseMove` of `timeline.root` and turn the event's x into a tick with `recording.tick_at(x)`, its
y into a worker with `timeline.worker_at(y)`; `timeline.mark_cell` outlines what a hover speaks
of. Keyboard and accessible names are the page's, and so is the style of tooltips: `TOOLTIP_CSS`.
"""

from app.derive import SHADES
from app.figures.board import BARS, COLUMNS, Board
from app.figures.frame import Frame
from app.figures.inspector import MOST_BARS
from app.figures.tooltips import TOOLTIP_CSS
from sim.result import EVENT_KINDS

LABELS = (
    "lane",
    "onset",
    "shares",
    "evictions",
    "hit_rate",
    "occupancy",
    "oversubscription",
    *(f"event_{kind}" for kind in EVENT_KINDS),
    "kv_locked",
    "kv_idle",
    "kv_ended",
    "kv_shared",
    *(f"state_{state}" for state in SHADES),
    "hover_time",
    "hover_event",
    "hover_count",
    "hover_worker",
    "hover_agent",
    "hover_tokens",
    "hover_by",
    "hover_rate",
    "hover_total",
    "hover_requests",
    "hover_kind",
)
"""Keys of the texts that the figures show. `lane` names a worker and holds ``{worker}``."""

__all__ = ["BARS", "COLUMNS", "LABELS", "MOST_BARS", "TOOLTIP_CSS", "Board", "Frame"]
