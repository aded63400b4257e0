"""How the states of two runs' workers differ over time."""

import numpy as np
from bokeh.models import BoxAnnotation, Label, Node, Span, VAreaStep

from app.derive import SHADES, STACK
from app.figures.charts import BEYOND, Chart, few_ticks, nothing, percent
from app.figures.frame import FONT
from app.figures.tooltips import table
from app.palette import state_colors

HEADROOM = 1.06
"""Height of the axis over the largest difference."""

LEAST = 0.05
"""The axis reaches at least that far to both sides."""


def _side(baseline):
    """Return the name of what lies above zero, or below, at the right end of the chart."""
    return Label(
        x=Node.frame.right,
        y=0,
        x_offset=-4,
        text="",
        text_font=FONT,
        text_font_size="12px",
        text_align="right",
        text_baseline=baseline,
        padding=3,
        border_radius=3,
        background_fill_alpha=0.8,
    )


def after_end():
    """Return what marks the time after a run has ended."""
    return BoxAnnotation(
        left=0,
        visible=False,
        line_color=None,
        fill_alpha=0,
        hatch_pattern="/",
        hatch_alpha=0.5,
        hatch_scale=9,
        hatch_weight=0.6,
    )


class DifferenceChart(Chart):
    """How much more of the workers B has in each state than A: above zero more, below less."""

    name = "difference"
    height = 150

    def build(self):
        self.y_range.update(start=-1, end=1)
        axis = self.frame.y_axis(self.root, few_ticks(), percent())
        axis.formatter.format = "+0%"
        axis.major_label_overrides = {0: "0"}
        self._occurs = np.zeros(len(STACK), bool)
        self.source.data = nothing("x", *(f"{end}{i}" for i in range(len(STACK)) for end in "sy"))
        self.spans = self.frame.source({"left": [], "right": []})
        self.areas = []
        for i in range(len(STACK)):
            area = VAreaStep(x="x", y1=f"s{i}", y2=f"y{i}", step_mode="after")
            self.frame.glyph(self.root, self.source, area)
            self.areas.append(area)
        self.zero = Span(location=0, dimension="width", line_width=1)
        self.root.add_layout(self.zero)
        self.over = after_end()
        self.root.add_layout(self.over)
        self.sides = [_side(baseline) for baseline in ("top", "bottom")]
        for side in self.sides:
            self.root.add_layout(side)
        self.probe(self.spans)
        self.hover.renderers[0].glyph.bottom = -BEYOND

    def update(self, found, end):
        """Show a `derive.difference.Difference`; `end` is that of the shorter run in seconds."""
        start, stop = found.stacked()
        self.over.update(left=end, right=self.frame.end, visible=end < self.frame.end)
        if not found.lefts.size:
            self.source.data = nothing(*self.source.data)
            self.spans.data = {name: [] for name in self.spans.data}
            return
        self.source.data = {
            "x": np.append(found.lefts, found.rights[-1:]),
            **{f"s{i}": _closed(area) for i, area in enumerate(start)},
            **{f"y{i}": _closed(area) for i, area in enumerate(stop)},
        }
        self.spans.data = {
            "left": found.lefts,
            "right": found.rights,
            **{
                f"{kind}{i}": values[i].astype(np.float32)
                for kind, values in (("a", found.a), ("b", found.b), ("m", found.more))
                for i in range(len(STACK))
            },
        }
        most = max(float(np.abs(stop).max()), LEAST) * HEADROOM
        self.y_range.update(start=-most, end=most)
        self.sides[0].y, self.sides[1].y = most, -most
        self._occurs = (found.a + found.b).any(axis=1)
        self.hover.tooltips = table(self.rows())

    def rows(self):
        labels, colors = self.frame.labels, state_colors(self.frame.palette, self.frame.theme)
        states = [
            (
                labels[f"state_{SHADES[code]}"],
                labels["both"].format(
                    a=f"@a{i}{{0.0%}}", b=f"@b{i}{{0.0%}}", more=f"@m{i}{{+0.0%}}"
                ),
                colors[code],
            )
            for i, (code, occurs) in enumerate(zip(STACK, self._occurs, strict=True))
            if occurs
        ]
        return self.time_row(), *reversed(states)

    def relabel(self):
        super().relabel()
        for side, name in zip(self.sides, ("more_b", "less_b"), strict=True):
            side.text = self.frame.labels[name]

    def restyle(self):
        for code, area in zip(STACK, self.areas, strict=True):
            area.fill_color = state_colors(self.frame.palette, self.frame.theme)[code]
        colors = self.frame.colors
        self.zero.line_color = colors.muted
        for side in self.sides:
            side.update(text_color=colors.text, background_fill_color=colors.surface)
        self.over.hatch_color = colors.axis
        self.hover.tooltips = table(self.rows())


def _closed(steps):
    """Return steps with their last value once more, for the end of the last span."""
    return np.append(steps, steps[-1:]).astype(np.float32)
