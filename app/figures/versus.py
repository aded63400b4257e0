"""Two runs below each other on one time axis, and how their workers differ over time."""

import functools
import math

import numpy as np
from bokeh.models import Label, Quad, Span, Title

from app import derive
from app.derive import SHADES, STACK
from app.derive.difference import difference
from app.figures.charts import BEYOND
from app.figures.difference import DifferenceChart, after_end
from app.figures.frame import CLOCK, FONT, Frame
from app.figures.timeline import Timeline, lane_layout
from app.figures.tooltips import hover_tool, table
from app.format import clock
from app.palette import state_colors

HEIGHT = 208
"""Pixels of the lanes of one run."""

SPANS = 400
"""Spans in sight of the difference, and of what a hover speaks of."""

COLUMNS = 1200
"""Columns of the image of the longer run."""

LABELS = ("side_a", "side_b", "difference", "more_b", "less_b", "end", "both")
"""Keys of the texts besides those of `app.figures.LABELS`: names of the sides and of the chart,
``end`` with ``{name}`` and ``{time}``, ``both`` with ``{a}``, ``{b}`` and ``{more}``."""


class Side(Timeline):
    """The timeline of one of the two runs; where it has ended, that is marked.

    Attributes
    ----------
    recording : derive.Recording or None
    """

    height = HEIGHT
    layout = staticmethod(functools.partial(lane_layout, height=HEIGHT, thinnest=4, most=52))

    def __init__(self, frame, name):
        super().__init__(frame)
        self.name = name
        self.recording = None
        self.root.title = Title(
            text=" ", text_font=FONT, text_font_size="13px", text_font_style="bold", standoff=2
        )
        self.onset_line = Span(
            dimension="height", visible=False, line_dash=[5, 4], line_width=1.5, location=0
        )
        self.over = after_end()
        self.end_line = Span(dimension="height", visible=False, line_width=2, location=0)
        self.end_label = Label(
            x=0,
            y=0,
            text="",
            visible=False,
            text_font=FONT,
            text_font_size="12px",
            text_baseline="middle",
            padding=3,
            border_radius=3,
        )
        for mark in (self.onset_line, self.over, self.end_line, self.end_label):
            self.root.add_layout(mark)
        self._occurs = np.zeros(len(STACK), bool)
        self.bins = self.frame.source({name: [] for name in ("left", "right", *SHADES)})
        probe = Quad(
            left="left", right="right", bottom=0, top=BEYOND, fill_color=None, line_color=None
        )
        self.hover = hover_tool(self.frame.glyph(self.root, self.bins, probe))
        self.root.add_tools(self.hover)

    @property
    def end(self):
        """End of the run in seconds."""
        return self.recording.ticks * self.recording.tick_s

    def show(self, recording):
        """Show another run; the frame already knows how long the longer of both is."""
        self.recording = recording
        self.set_workers(recording.workers)
        onset = recording.result.avalanche_onset_tick()
        self._onset = None if onset is None else onset * recording.tick_s
        self.onset_line.update(location=self._onset or 0, visible=onset is not None)
        shorter = self.end < self.frame.end
        self.over.update(left=self.end, right=self.frame.end, visible=shorter)
        self.end_line.update(location=self.end, visible=shorter)
        self.end_label.y = self.lanes / 2
        self.update(self._lanes(self._fit((0, self.frame.end), COLUMNS)))
        self._name()

    def look(self, window, columns):
        """Bin a window in seconds anew, for figures of so many pixel columns."""
        whole = window[0] <= 0 and window[1] >= self.frame.end and columns <= COLUMNS
        self.refine(None if whole else self._lanes(self._fit(window, columns)))
        self.set_onset(self._onset)
        self._put_end(window)
        bins = self._fit(window, SPANS)
        spent = derive.state_ticks(self.recording, bins, self.recording.workers)[:, 0]
        shares = spent / spent.sum(axis=0)
        self.bins.data = {
            "left": bins.lefts,
            "right": bins.rights,
            **{SHADES[code]: shares[i].astype(np.float32) for i, code in enumerate(STACK)},
        }
        self._occurs = shares.any(axis=1)
        self.hover.tooltips = table(self.rows())

    def _lanes(self, bins):
        return derive.lanes(self.recording, bins, **self.layout(self.recording.workers))

    def _fit(self, window, columns):
        """Return bins as wide as if the run filled the window, though it may end before."""
        recording, tick_s = self.recording, self.recording.tick_s
        start = math.floor(window[0] / tick_s + 1e-6)
        stop = max(start + 1, math.ceil(window[1] / tick_s - 1e-6))
        least = -(-(stop - start) // columns)
        return derive.Bins.fit((start, stop), columns, recording.ticks, tick_s, least)

    def _put_end(self, window):
        """Have the name of the end stand to its right, or to its left where there is no room, and
        at the left where only what comes after it is in sight."""
        late = self.end - window[0] > 0.6 * (window[1] - window[0])
        side = (
            {"text_align": "right", "x_offset": -6}
            if late
            else {"text_align": "left", "x_offset": 6}
        )
        place = {
            "x": max(self.end, window[0]),
            "visible": self.end < min(window[1], self.frame.end),
        }
        self.end_label.update(**place, **side)

    def rows(self):
        """Return the rows of the tooltip: the states in sight, the top one first."""
        labels, colors = self.frame.labels, _colors(self.frame)
        states = [
            (labels[f"state_{SHADES[code]}"], f"@{SHADES[code]}{{0.0%}}", colors[code])
            for code, occurs in zip(STACK, self._occurs, strict=True)
            if occurs
        ]
        return ((labels["hover_time"], f"@left{{{CLOCK}}} – @right{{{CLOCK}}}"), *reversed(states))

    def restyle(self):
        super().restyle()
        colors = self.frame.colors
        self.onset_line.line_color = colors.text
        self.end_line.line_color = colors.muted
        self.end_label.update(text_color=colors.muted, background_fill_color=colors.surface)
        self.over.hatch_color = colors.axis
        self.hover.tooltips = table(self.rows())

    def relabel(self):
        super().relabel()
        self.hover.tooltips = table(self.rows())
        self._name()

    def _name(self):
        labels = self.frame.labels
        self.root.title.text = labels[f"side_{self.name}"]
        if self.recording is not None:
            name, time = self.name.upper(), clock(round(self.end))
            self.end_label.text = labels["end"].format(name=name, time=time)


def _colors(frame):
    return state_colors(frame.palette, frame.theme)


class Versus:
    """Both timelines and their difference, kept in step.

    Parameters
    ----------
    labels : mapping of str to str
        Texts by the keys of `app.figures.LABELS` and of `LABELS` here.
    theme, palette : str
        Names in `app.palette.THEMES` and `PALETTES`.

    Attributes
    ----------
    frame : Frame
        The shared axis, as long as the longer run.
    a, b : Side
    difference : DifferenceChart
    """

    def __init__(self, labels, theme, palette):
        self.frame = Frame(labels, theme, palette)
        self.a, self.b = Side(self.frame, "a"), Side(self.frame, "b")
        self.difference = DifferenceChart(self.frame, times=True)
        self.restyle(theme, palette)
        self.relabel(labels)

    @property
    def figures(self):
        """All figures from top to bottom."""
        return self.a, self.b, self.difference

    def show(self, a, b, columns):
        """Show two recordings; the window stays as far as it can."""
        longer = max(a, b, key=lambda r: r.ticks * r.tick_s)
        self.frame.set_run(longer.ticks, longer.tick_s, keep=self.a.recording is not None)
        self.a.show(a)
        self.b.show(b)
        self.look(columns)

    def look(self, columns):
        """Bin the window in sight anew for figures of so many pixel columns."""
        window = self.frame.x_range.start, self.frame.x_range.end
        a, b = self.a, self.b
        for side in (a, b):
            side.look(window, columns)
        found = difference(a.recording, b.recording, window, SPANS)
        self.difference.update(found, min(a.end, b.end))

    def restyle(self, theme, palette):
        """Change theme and palette in place."""
        self.frame.restyle(theme, palette)
        for figure in self.figures:
            figure.restyle()

    def relabel(self, labels):
        """Change the language in place."""
        self.frame.labels = labels
        for figure in self.figures:
            figure.relabel()
