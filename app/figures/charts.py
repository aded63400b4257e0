"""Quantities over time below the timeline, on the same axis."""

import numpy as np
from bokeh.models import (
    BasicTicker,
    ColorBar,
    FixedTicker,
    Line,
    LinearAxis,
    LinearColorMapper,
    NumeralTickFormatter,
    Quad,
    Range1d,
    Scatter,
    Span,
    Step,
    Title,
    VAreaStep,
)

from app.derive import SHADES, STACK
from app.figures.frame import CLOCK, FONT
from app.figures.images import BinnedImage
from app.figures.tooltips import hover_tool, table
from app.palette import state_colors

BEYOND = 1e9
"""A height above every chart."""


def few_ticks():
    """Return a ticker for the low y axes of charts."""
    return BasicTicker(desired_num_ticks=3, num_minor_ticks=0)


def percent():
    """Return a formatter of shares."""
    return NumeralTickFormatter(format="0%")


class Chart:
    """A figure on the shared axis with a title.

    Attributes
    ----------
    root : bokeh.models.Plot
    source : ColumnDataSource
    """

    name = ""
    height = 110

    def __init__(self, frame, times=False):
        self.frame = frame
        self.y_range = Range1d(0, 1)
        self.root = frame.figure(self.height, self.y_range, times=times)
        self.root.title = Title(
            text=" ", text_font=FONT, text_font_size="13px", text_font_style="bold", standoff=6
        )
        self.source = self.frame.source()
        self.build()

    def build(self):
        """Add the glyphs."""

    def rows(self):
        """Return the rows of the tooltip, as `tooltips.table` takes them."""
        return ()

    def probe(self, source):
        """Let a hover anywhere above a bin, a row left to right of the source, speak of it."""
        bins = Quad(
            left="left", right="right", bottom=0, top=BEYOND, fill_color=None, line_color=None
        )
        self.hover = hover_tool(self.frame.glyph(self.root, source, bins))
        self.root.add_tools(self.hover)

    def restyle(self):
        """Take the colours of the frame's theme and palette."""

    def relabel(self):
        """Take the frame's labels."""
        self.root.title.text = self.frame.labels[self.name]
        self.hover.tooltips = table(self.rows())

    def time_row(self):
        """The first row of most tooltips."""
        return (self.frame.labels["hover_time"], f"@left{{{CLOCK}}} – @right{{{CLOCK}}}")


def nothing(*columns):
    """Return data of an area that shows nothing yet.

    It has a row, for a browser that draws a `VAreaStep` without any (of Bokeh 3.9) never ends.
    """
    return {name: [0] for name in columns}


class Shares(Chart):
    """Share of the workers in each state, stacked; the lowest four are utilization."""

    name = "shares"
    height = 132

    def build(self):
        self.frame.y_axis(self.root, few_ticks(), percent())
        self.occurs = np.zeros(len(STACK), bool)
        self.areas = []
        self.source.data = nothing("x", *(f"y{i}" for i in range(len(STACK) + 1)))
        self.bins = self.frame.source({name: [] for name in ("left", "right", *SHADES)})
        for i in range(len(STACK)):
            area = VAreaStep(x="x", y1=f"y{i}", y2=f"y{i + 1}", step_mode="after")
            self.frame.glyph(self.root, self.source, area)
            self.areas.append(area)
        self.probe(self.bins)

    def update(self, shares, bins):
        """Show `derive.shares`."""
        tops = np.zeros((len(STACK) + 1, bins.count + 1), np.float32)
        tops[1:, :-1] = np.cumsum(shares, axis=0)
        tops[:, -1:] = tops[:, -2:-1]
        x = np.append(bins.lefts, bins.rights[-1:])
        self.source.data = {"x": x, **{f"y{i}": tops[i, : x.size] for i in range(len(tops))}}
        self.bins.data = {
            "left": bins.lefts,
            "right": bins.rights,
            **{SHADES[code]: shares[i].astype(np.float32) for i, code in enumerate(STACK)},
        }
        occurs = shares.any(axis=1)
        if (occurs != self.occurs).any():
            self.occurs = occurs
            self.hover.tooltips = table(self.rows())

    def rows(self):
        colors = state_colors(self.frame.palette, self.frame.theme)
        states = [
            (self.frame.labels[f"state_{SHADES[code]}"], f"@{SHADES[code]}{{0.0%}}", colors[code])
            for code, occurs in zip(STACK, self.occurs, strict=True)
            if occurs
        ]
        return (self.time_row(), *reversed(states))

    def restyle(self):
        colors = state_colors(self.frame.palette, self.frame.theme)
        for code, area in zip(STACK, self.areas, strict=True):
            area.fill_color = colors[code]
        self.hover.tooltips = table(self.rows())


class Evictions(Chart):
    """Evictions a minute as bars, and their running total as a line."""

    name = "evictions"

    def build(self):
        self.frame.y_axis(self.root, few_ticks())
        self.source.data = {name: [] for name in ("left", "right", "rate", "total")}
        self.bars = Quad(left="left", right="right", bottom=0, top="rate", line_color=None)
        self.frame.glyph(self.root, self.source, self.bars)
        self.total_range = Range1d(0, 1)
        self.root.extra_y_ranges = {"total": self.total_range}
        self.root.add_layout(LinearAxis(y_range_name="total", ticker=few_ticks()), "right")
        self.line = Step(x="right", y="total", mode="after", line_width=1.5)
        self.frame.glyph(self.root, self.source, self.line, y_range_name="total")
        self.probe(self.source)

    def update(self, evictions, bins, total):
        """Show `derive.evictions`; `total` is that of the whole run."""
        rate, cumulative = evictions
        self.source.data = {
            "left": bins.lefts,
            "right": bins.rights,
            "rate": rate,
            "total": cumulative,
        }
        self.y_range.end = max(1, rate.max(initial=0)) * 1.1
        self.total_range.end = max(1, total) * 1.1

    def rows(self):
        labels = self.frame.labels
        return (
            self.time_row(),
            (labels["hover_rate"], "@rate{0.0}"),
            (labels["hover_total"], "@total{0,0}"),
        )

    def restyle(self):
        colors = self.frame.colors
        self.bars.fill_color = colors.series
        self.line.line_color = colors.muted


class HitRate(Chart):
    """Prefix cache hit rate of the requests admitted in each bin."""

    name = "hit_rate"

    def build(self):
        self.frame.y_axis(self.root, few_ticks(), percent())
        self.y_range.end = 1.06
        self.source.data = {name: [] for name in ("left", "right", "x", "rate", "requests")}
        self.line = Line(x="x", y="rate", line_width=1.5)
        self.dots = Scatter(x="x", y="rate", size=4, line_color=None)
        self.frame.glyph(self.root, self.source, self.line)
        self.frame.glyph(self.root, self.source, self.dots)
        self.probe(self.source)

    def update(self, hit_rate, bins):
        """Show `derive.hit_rate`; bins without a request have no point."""
        rate, requests = hit_rate
        filled = requests > 0
        left, right = bins.lefts[filled], bins.rights[filled]
        self.source.data = {
            "left": left,
            "right": right,
            "x": (left + right) / 2,
            "rate": rate[filled],
            "requests": requests[filled],
        }

    def rows(self):
        labels = self.frame.labels
        return (
            self.time_row(),
            (labels["hit_rate"], "@rate{0.0%}"),
            (labels["hover_requests"], "@requests{0,0}"),
        )

    def restyle(self):
        colors = self.frame.colors
        self.line.line_color = colors.accent
        self.dots.fill_color = colors.accent


class Occupancy(Chart):
    """KV cache of each worker as a strip, from empty to full."""

    name = "occupancy"
    height = 96

    def build(self):
        self.named = {}
        self.axis = self.frame.y_axis(self.root, FixedTicker(ticks=[]), grid=False)
        self.mapper = LinearColorMapper(palette=["#000000"], low=0, high=100)
        self.image = BinnedImage(self.frame, self.root, self.mapper, blank=0)
        self.source = self.image.source
        self.scale = ColorBar(
            color_mapper=self.mapper,
            ticker=FixedTicker(ticks=[0, 100]),
            formatter=NumeralTickFormatter(format="0"),
            width=6,
            height=self.height - 6,
            padding=3,
            label_standoff=2,
            background_fill_color=None,
            major_tick_line_color=None,
            border_line_color=None,
        )
        self.root.add_layout(self.scale, "right")
        self.hover = hover_tool(self.image.renderer)
        self.root.add_tools(self.hover)

    def update(self, used, bins, per_lane=1):
        """Show the first part of `derive.occupancy`."""
        lanes = len(used)
        self.image.update(np.rint(used[::-1] * 100).astype(np.uint8), bins, lanes)
        self.y_range.end = lanes
        self.named = {lanes - 0.5 - lane: lane * per_lane for lane in (0, lanes - 1)}
        self.axis.ticker.ticks = sorted(self.named)
        self._name_lanes()

    def _name_lanes(self):
        name = self.frame.labels["lane"]
        self.axis.major_label_overrides = {
            y: name.format(worker=worker) for y, worker in self.named.items()
        }

    def rows(self):
        labels = self.frame.labels
        return (labels["hover_time"], f"$x{{{CLOCK}}}"), (labels["occupancy"], "@image{0} %")

    def restyle(self):
        colors = self.frame.colors
        self.mapper.palette = list(colors.heat)
        self.scale.update(
            major_label_text_color=colors.muted,
            major_label_text_font=FONT,
            major_label_text_font_size="11px",
        )

    def relabel(self):
        super().relabel()
        self._name_lanes()


class Oversubscription(Chart):
    """KV that the agents in flight want over the KV there is, with the line of 100 %."""

    name = "oversubscription"

    def build(self):
        self.frame.y_axis(self.root, few_ticks(), percent())
        self.source.data = nothing("x", "y", "zero")
        self.bins = self.frame.source({"left": [], "right": [], "want": []})
        self.area = VAreaStep(x="x", y1="zero", y2="y", step_mode="after", fill_alpha=0.14)
        self.line = Step(x="x", y="y", mode="after", line_width=1.5)
        self.frame.glyph(self.root, self.source, self.area)
        self.frame.glyph(self.root, self.source, self.line)
        self.full = Span(location=1, dimension="width", line_width=1)
        self.root.add_layout(self.full)
        self.probe(self.bins)

    def update(self, oversubscription, bins, top):
        """Show `derive.oversubscription`; `top` is the greatest of the whole run."""
        y = np.append(oversubscription, oversubscription[-1:])
        x = np.append(bins.lefts, bins.rights[-1:])
        self.source.data = {"x": x, "y": y, "zero": np.zeros_like(y)}
        self.bins.data = {"left": bins.lefts, "right": bins.rights, "want": oversubscription}
        self.y_range.end = max(1.2, top * 1.1)

    def rows(self):
        return self.time_row(), (self.frame.labels["oversubscription"], "@want{0%}")

    def restyle(self):
        colors = self.frame.colors
        self.area.fill_color = colors.accent
        self.line.line_color = colors.accent
        self.full.line_color = colors.alert
