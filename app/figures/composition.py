"""Whose contexts fill a worker's KV cache over time, on the axis of the timeline."""

from typing import NamedTuple

import numpy as np
from bokeh.models import (
    LinearColorMapper,
    NumeralTickFormatter,
    Range1d,
)

from app.derive.composition import CODES, EMPTY, band_tops, composition, composition_image
from app.figures.charts import few_ticks
from app.figures.images import BinnedImage
from app.figures.lettering import text_glyph
from app.palette import TRANSPARENT, context_colors

HEIGHT = 132
"""Pixels of the cache from empty to full: rows of the image."""

NAME_ROWS, NAME_COLUMNS, NUMBER_COLUMNS = 14, 76, 26
"""Least height and length of a context with its agent's name, or only its number, in pixels."""


class NamePlace(NamedTuple):
    """Where an agent's name stands: seconds, tokens, and whether there is room for all of it."""

    agent: int
    x: float
    y: float
    long: bool


class KvOverTime:
    """A band for each agent, from the lowest id at the bottom; free room is empty, on top.

    Attributes
    ----------
    root : bokeh.models.Plot
    source : ColumnDataSource
        The image, as that of `BinnedImage`.
    shown : derive.composition.Composition or None
    """

    def __init__(self, frame, label):
        self.frame, self.label = frame, label
        self.shown = None
        self.y_range = Range1d(0, 1)
        self.root = frame.figure(HEIGHT, self.y_range, times=True)
        self.root.name = "composition"
        self.root.toolbar.active_scroll = None  # there the wheel scrolls the page
        self.frame.y_axis(self.root, few_ticks(), NumeralTickFormatter(format="0a"), grid=False)
        self.mapper = LinearColorMapper(palette=[TRANSPARENT] * CODES, low=-0.5, high=CODES - 0.5)
        self.image = BinnedImage(self.frame, self.root, self.mapper, EMPTY)
        self.source = self.image.source
        self.names = self.frame.source({"x": [], "y": [], "text": []})
        self.name = text_glyph(
            text_align="center",
            text_baseline="middle",
            background_fill_alpha=0.8,
            padding=2,
            border_radius=3,
        )
        self.frame.glyph(self.root, self.names, self.name)
        self.restyle()

    def update(self, recording, worker, bins):
        """Show a worker's cache in some bins."""
        self.shown = composition(recording, worker, bins)
        tops = band_tops(self.shown, HEIGHT)
        capacity = self.shown.capacity
        self.y_range.end = capacity
        self.image.update(composition_image(self.shown, tops, HEIGHT), bins, capacity)
        self._show_names(tops)

    def _show_names(self, tops):
        found = name_places(self.shown, tops)
        self.names.data = {
            "x": [place.x for place in found],
            "y": [place.y for place in found],
            "text": [
                self.label.format(agent=place.agent) if place.long else str(place.agent)
                for place in found
            ],
        }

    def relabel(self, label):
        """Change the language in place."""
        self.label = label
        if self.shown is not None:
            self._show_names(band_tops(self.shown, HEIGHT))

    def restyle(self):
        """Take the colours of the frame's theme."""
        self.mapper.palette = context_colors(self.frame.theme)
        colors = self.frame.colors
        self.name.update(text_color=colors.text, background_fill_color=colors.surface)


def name_places(composition, tops):
    """Return where agents' names stand: in the longest stretch in which each is high enough.

    Parameters
    ----------
    composition : app.derive.composition.Composition
    tops : ndarray
        Of its `band_tops` in `HEIGHT` rows.

    Returns
    -------
    list of NamePlace
    """
    bins, found = composition.bins, []
    top = tops[:, -1]
    base = round(composition.shared * HEIGHT / composition.capacity)
    below = np.vstack((np.full((1, bins.count), base), top))[:-1]
    for place in np.flatnonzero((top - below >= NAME_ROWS).sum(axis=1) >= NUMBER_COLUMNS).tolist():
        high = np.concatenate(([False], top[place] - below[place] >= NAME_ROWS, [False]))
        starts, stops = np.flatnonzero(high[1:] & ~high[:-1]), np.flatnonzero(~high[1:] & high[:-1])
        longest = int((stops - starts).argmax())
        start, stop = int(starts[longest]), int(stops[longest])
        if stop - start < NUMBER_COLUMNS:
            continue
        middle = (start + stop) // 2
        rows = (below[place, middle] + top[place, middle]) / 2
        x = (bins.start + bins.size * (start + stop) / 2) * bins.tick_s
        agent = int(composition.agents[place])
        y = float(rows) * composition.capacity / HEIGHT
        found.append(NamePlace(agent, x, y, stop - start >= NAME_COLUMNS))
    return found
