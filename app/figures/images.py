"""Images on the time axis: a column for each bin, a unit of y for each lane."""

import numpy as np
from bokeh.models import Image


class BinnedImage:
    """An image of small numbers in the colours of a mapper.

    Parameters
    ----------
    frame : Frame
    figure : Plot
    mapper : ColorMapper
    blank : int
        Number of an empty place.

    Attributes
    ----------
    source : ColumnDataSource
        One row: image (uint8), x, y, dw, dh.
    renderer : GlyphRenderer
    """

    def __init__(self, frame, figure, mapper, blank):
        self._blank = np.full((1, 1), blank, np.uint8)
        self.source = frame.source()
        self.clear()
        glyph = Image(image="image", x="x", y="y", dw="dw", dh="dh", color_mapper=mapper)
        self.renderer = frame.glyph(figure, self.source, glyph, level="image")

    def update(self, image, bins, lanes):
        """Show an image, bottom row first, whose columns are `bins`."""
        if bins.count:
            self._show(image, bins.start * bins.tick_s, bins.size * bins.count * bins.tick_s, lanes)
        else:
            self.clear()

    def clear(self):
        """Show nothing."""
        self._show(self._blank, 0, 1, 1)

    def _show(self, image, x, width, height):
        self.source.data = {"image": [image], "x": [x], "y": [0], "dw": [width], "dh": [height]}
