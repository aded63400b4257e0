"""Two parameters against each other: a cell for each pair of values."""

from bokeh.models import (
    ColorBar,
    CustomJS,
    FixedTicker,
    LinearAxis,
    LinearColorMapper,
    MultiLine,
    NoOverlap,
    Quad,
    Range1d,
)

from app.figures.frame import FONT, Frame
from app.figures.lettering import style_title, text_glyph
from app.figures.tooltips import hover_tool, table

HEIGHT = 410
"""Pixels of the cells."""
LOWEST, HIGHEST = 28, 60
"""Pixels of one cell."""
LEFT, RIGHT = 40, 20
GAP = 8
"""Pixels between the cells and the bar above them."""
ROOM = 46
"""Pixels of a cell's width from which on its value is written into it."""

COLUMNS = (
    *("left", "right", "bottom", "top", "x", "y"),
    *("fill", "alpha", "hatch", "text", "ink"),
    *("across", "up", "value", "avalanche", "evictions", "killed"),
)
"""Of the source of the cells."""

FIT = """
const room = figure.inner_width / Math.max(1, figure.x_range.end)
texts.visible = room >= least
"""


class Heatmap:
    """The figure, built once.

    Parameters
    ----------
    theme, palette : str
        Names in `app.palette.THEMES` and `PALETTES`.

    Attributes
    ----------
    root : bokeh.models.Plot
    cells : ColumnDataSource
        A row for each cell, with `COLUMNS`.
    """

    def __init__(self, theme="light", palette="default"):
        self.frame = Frame({}, theme, palette, wheel=False)
        self.root = self.frame.figure(
            HEIGHT, Range1d(0, 1), x_range=Range1d(0, 1), lines=False, tools=False
        )
        self.root.update(min_border_left=LEFT, min_border_right=RIGHT)
        self.axes = tuple(self._axis(place) for place in ("below", "left"))
        self._add_bar()
        self._add_cells()
        self._border, self._border_glyphs = self._outlines(MultiLine, ("xs", "ys"))
        self._present, self._present_glyphs = self._outlines(Quad, COLUMNS[:4])
        self._cursor, self._cursor_glyphs = self._outlines(Quad, COLUMNS[:4])
        self._cursor_glyphs[1].line_dash = [4, 3]
        self.restyle(theme, palette)

    def _axis(self, place):
        axis = LinearAxis(ticker=FixedTicker(ticks=[]), major_label_policy=NoOverlap())
        self.root.add_layout(axis, place)
        return axis

    def _add_bar(self):
        self._mapper = LinearColorMapper(palette=["#000000"], low=0, high=1)
        self.bar = ColorBar(
            color_mapper=self._mapper,
            ticker=FixedTicker(ticks=[]),
            orientation="horizontal",
            width="auto",
            height=12,
            padding=0,
            margin=4,
            background_fill_color=None,
            major_label_text_font=FONT,
            major_label_text_font_size="12px",
            major_tick_line_color=None,
            bar_line_color=None,
        )
        self.root.add_layout(self.bar, "above")

    def _add_cells(self):
        self.cells = self.frame.source({name: [] for name in COLUMNS})
        quad = Quad(
            **{name: name for name in COLUMNS[:4]},
            fill_color="fill",
            fill_alpha="alpha",
            hatch_pattern="hatch",
            hatch_alpha=0.6,
            line_width=1,
        )
        self._quad = quad
        renderer = self.frame.glyph(self.root, self.cells, quad)
        self._hover = hover_tool(renderer)
        self.root.add_tools(self._hover)
        text = text_glyph("12px", text_color="ink", text_align="center", text_baseline="middle")
        texts = self.frame.glyph(self.root, self.cells, text)
        fit = CustomJS(args={"figure": self.root, "texts": texts, "least": ROOM}, code=FIT)
        self.root.js_on_change("inner_width", fit)
        self.root.x_range.js_on_change("end", fit)

    def _outlines(self, kind, columns):
        """Add lines with a rim around them, so that they stand out from any colour."""
        source = self.frame.source({name: [] for name in columns})
        names = {name: name for name in columns}
        plain = (
            {"fill_color": None} if kind is Quad else {"line_join": "round", "line_cap": "round"}
        )
        glyphs = [kind(**names, **plain, line_width=width) for width in (6, 3)]
        for glyph in glyphs:
            self.frame.glyph(self.root, source, glyph, level="overlay")
        return source, glyphs

    def show(self, cells, across, up):
        """Show cells.

        Parameters
        ----------
        cells : dict of str to sequence
            `COLUMNS`.
        across, up : (str, list of str)
            Of the axes: what stands there, and each value.
        """
        for axis, scale, (title, values) in zip(
            self.axes, (self.root.x_range, self.root.y_range), (across, up), strict=True
        ):
            scale.end = len(values)
            axis.axis_label = title
            middle = [place + 0.5 for place in range(len(values))]
            axis.ticker.ticks = middle
            axis.major_label_overrides = dict(zip(middle, values, strict=True))
        pitch = min(max(HEIGHT / len(up[1]), LOWEST), HIGHEST)
        self.root.frame_height = round(pitch * len(up[1])) + GAP
        self.root.y_range.end += GAP / pitch
        self.cells.data = cells

    def set_scale(self, ramp, marks):
        """Set the bar: its colours, and the places and texts of its marks."""
        self._mapper.palette = ramp
        self.bar.ticker.ticks = [place for place, _ in marks]
        self.bar.major_label_overrides = dict(marks)

    def set_border(self, paths):
        """Draw the border of the avalanche along paths of corners."""
        self._border.data = {
            "xs": [[x for x, _ in path] for path in paths],
            "ys": [[y for _, y in path] for path in paths],
        }

    def set_present(self, cell):
        """Outline the present scenario's cell, a column and a row; None: it has none."""
        self._outline(self._present, cell)

    def set_cursor(self, cell):
        """Outline the cell at which the keyboard stands; None: it stands nowhere."""
        self._outline(self._cursor, cell)

    def _outline(self, source, cell):
        edges = [] if cell is None else [[cell[0]], [cell[0] + 1], [cell[1]], [cell[1] + 1]]
        source.data = dict(zip(COLUMNS[:4], edges or [[]] * 4, strict=True))

    def name(self, rows):
        """Set what a hover says: pairs of a label and a value in Bokeh's notation."""
        self._hover.tooltips = table(rows)

    def restyle(self, theme, palette):
        """Set the colours of everything but the cells."""
        self.frame.restyle(theme, palette)
        colors = self.frame.colors
        for axis in self.axes:
            style_title(axis, colors, standoff=8)
        self._quad.update(line_color=colors.surface, hatch_color=colors.muted)
        self.bar.major_label_text_color = colors.muted
        rims = ((self._border_glyphs, colors.text), (self._present_glyphs, colors.alert))
        for glyphs, color in (*rims, (self._cursor_glyphs, colors.accent)):
            glyphs[0].line_color = colors.surface
            glyphs[1].line_color = color
