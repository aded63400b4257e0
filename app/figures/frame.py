"""What all figures of a page share: the time axis, its lines, the crosshair, the style."""

from bokeh.models import (
    AdaptiveTicker,
    AllIndices,
    AllLabels,
    BoxAnnotation,
    CDSView,
    ColumnDataSource,
    CrosshairTool,
    Grid,
    LinearAxis,
    LinearColorMapper,
    LinearScale,
    NoOverlap,
    NumeralTickFormatter,
    PanTool,
    Plot,
    Range1d,
    Span,
    UnionRenderers,
    WheelZoomTool,
)

from app.derive import SHADES
from app.palette import THEMES, TRANSPARENT, faded_colors, state_colors

FONT = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", '
    '"PingFang SC", "Microsoft YaHei", sans-serif'
)
LEFT, RIGHT = 86, 40
"""Pixels left and right of every figure's frame, so that all frames are aligned."""

CLOCK = "00:00:00"
"""Bokeh's format of seconds as h:mm:ss."""

UNCLEARED = ":host { clip-path: inset(1px 0 0 1px); }"
"""Bokeh shifts its canvas by half a pixel before it clears it, which can leave something of an
earlier painting in the first row and column."""

LEAST_TICKS = 20
"""A window shows at least that many ticks."""


class Frame:
    """The time axis that several figures share, and their common look.

    Parameters
    ----------
    labels : mapping of str to str
        Texts by the keys of `app.figures.LABELS`.
    theme, palette : str
        Names in `app.palette.THEMES` and `PALETTES`.
    wheel : bool
        Whether the wheel zooms at once; otherwise it scrolls the page until `set_wheel`.

    Attributes
    ----------
    x_range : Range1d
        Window in seconds, bound to the run.
    end : float
        End of the run in seconds.
    lines : dict of str to Span
        Lines through all figures: "onset" and "pin".
    interval : BoxAnnotation
        The marked interval in all figures.
    states : LinearColorMapper
        From state codes, and the code of no state, to colours.
    """

    def __init__(self, labels, theme="light", palette="default", wheel=True):
        self.labels = labels
        self.theme = theme
        self.palette = palette
        self.x_range = Range1d(0, 1, bounds=(0, 1))
        self.end = 1.0
        self.isolated = ()
        # codes lie in the middle of their colour, as Bokeh's quotients fall short of some borders
        self.states = LinearColorMapper(
            palette=[TRANSPARENT] * (len(SHADES) + 1), low=-0.5, high=len(SHADES) + 0.5
        )
        self._wheel = wheel
        self._figures = []
        # Bokeh would make each figure, axis, source and glyph one of its own of these, which
        # have no state: a third of the models of a page, and of the time to make it.
        self._scale, self._labels = LinearScale(), AllLabels()
        self._all, self._policy = AllIndices(), UnionRenderers()
        self.lines = {
            "onset": Span(dimension="height", visible=False, line_dash=[5, 4], line_width=1.5),
            "pin": Span(dimension="height", visible=False, line_width=1.5),
        }
        self.interval = BoxAnnotation(
            name="marked_interval", visible=False, fill_alpha=0.14, line_width=1.5, level="overlay"
        )
        self._cross = Span(dimension="height", line_width=1)
        self.lines["pin"].level = "overlay"

    @property
    def colors(self):
        """The colours of the theme."""
        return THEMES[self.theme]

    def figure(self, height, y_range, *, x_range=None, times=False, lines=True, tools=True):
        """Make a styled figure, on the shared axis unless `x_range` is given.

        Parameters
        ----------
        height : int
            Pixels of the frame, without title and axis.
        y_range : Range
        x_range : Range or None
        times : bool
            Whether to write times below.
        lines : bool
            Whether onset, pin and marked interval are drawn through it.
        tools : bool
            Whether it pans and zooms with the others and has the crosshair.

        Returns
        -------
        bokeh.models.Plot
        """
        made = Plot(
            x_range=x_range or self.x_range,
            y_range=y_range,
            x_scale=self._scale,
            y_scale=self._scale,
            title=None,
            frame_height=height,
            sizing_mode="stretch_width",
            toolbar_location=None,
            background_fill_color=None,
            border_fill_color=None,
            outline_line_color=None,
            stylesheets=[UNCLEARED],
            min_border_left=LEFT,
            min_border_right=RIGHT,
            min_border_top=4,
            min_border_bottom=26 if times else 6,
        )
        made.toolbar.logo = None
        if times:
            made.add_layout(_time_axis(), "below")
        if lines:
            for line in self.lines.values():
                made.add_layout(line)
            made.add_layout(self.interval)
        if tools:
            self._add_tools(made)
        self._figures.append(made)
        return made

    def _add_tools(self, made):
        pan = PanTool(dimensions="width")
        wheel = WheelZoomTool(dimensions="width", maintain_focus=False)
        made.add_tools(pan, wheel, CrosshairTool(overlay=self._cross))
        made.toolbar.active_drag = pan
        made.toolbar.active_scroll = wheel if self._wheel else None

    def source(self, data=None):
        """Return a source of columns."""
        return ColumnDataSource(data or {}, selection_policy=self._policy)

    def glyph(self, figure, source, glyph, **options):
        """Draw the rows of a source in a figure.

        Parameters
        ----------
        figure : Plot
        source : ColumnDataSource
        glyph : Glyph
        **options
            Of the renderer.

        Returns
        -------
        GlyphRenderer
        """
        return figure.add_glyph(source, glyph, view=CDSView(filter=self._all), **options)

    def y_axis(self, figure, ticker, formatter=None, grid=True):
        """Give a figure a y axis to the left, and grid lines.

        Parameters
        ----------
        figure : Plot
        ticker : Ticker
        formatter : TickFormatter or None
        grid : bool
            Whether to draw grid lines at the ticks.

        Returns
        -------
        LinearAxis
        """
        axis = LinearAxis(ticker=ticker, major_label_policy=self._labels)
        if formatter is not None:
            axis.formatter = formatter
        figure.add_layout(axis, "left")
        if grid:
            figure.add_layout(Grid(axis=axis, dimension=1))
        return axis

    def set_wheel(self, active):
        """Let the wheel zoom the figures, or scroll the page."""
        self._wheel = active
        for made in self._figures:
            wheel = next((t for t in made.tools if isinstance(t, WheelZoomTool)), None)
            made.toolbar.active_scroll = wheel if active else None

    def set_run(self, ticks, tick_s, keep):
        """Bind the axis to a run.

        Parameters
        ----------
        ticks : int
            Length of the run.
        tick_s : float
            Seconds in a tick.
        keep : bool
            Keep the window as far as the run reaches; a window that showed the whole of the
            last run shows the whole of this one.
        """
        before, self.end = self.end, max(ticks, 1) * tick_s
        start, end = self.x_range.start, self.x_range.end
        least = min(LEAST_TICKS * tick_s, self.end)
        if not keep or (start <= 0 and end >= before):
            start, end = 0, self.end
        elif end > self.end:
            start, end = max(0, self.end - (end - start)), self.end
        # bounds first: the browser cuts what is set after them to the bounds that it knows
        self.x_range.update(
            bounds=(0, self.end),
            min_interval=least,
            start=start,
            end=end,
        )

    def set_window(self, start, end):
        """Show these seconds, cut to the run and no less than a few ticks."""
        least = self.x_range.min_interval or 0
        width = min(max(end - start, least), self.end)
        start = min(max(0, start + (end - start - width) / 2), self.end - width)
        self.x_range.update(start=start, end=start + width)

    def set_onset(self, seconds):
        """Draw the avalanche's onset through all figures; None: there is none."""
        self.lines["onset"].update(location=seconds or 0, visible=seconds is not None)

    def set_pin(self, seconds):
        """Draw the pinned moment through all figures; None: nothing is pinned."""
        self.lines["pin"].update(location=seconds or 0, visible=seconds is not None)

    def set_interval(self, span):
        """Shade an interval, two numbers of seconds, in all figures; None: there is none."""
        if span is None:
            self.interval.visible = False
        else:
            self.interval.update(left=span[0], right=span[1], visible=True)

    def isolate(self, names):
        """Show only the states of these names in full colour, all if there are none."""
        self.isolated = tuple(names)
        self._color_states()

    def _color_states(self):
        full = state_colors(self.palette, self.theme)
        faded = faded_colors(self.palette, self.theme) if self.isolated else full
        self.states.palette = [
            *(full[i] if name in self.isolated else faded[i] for i, name in enumerate(SHADES)),
            TRANSPARENT,
        ]

    def restyle(self, theme, palette):
        """Set the colours of axes, grids and lines; figures set those of their glyphs."""
        self.theme, self.palette = theme, palette
        colors = self.colors
        self._color_states()
        for made in self._figures:
            _style(made, colors)
        self.lines["onset"].line_color = colors.text
        self.lines["pin"].line_color = colors.accent
        self._cross.line_color = colors.muted
        self.interval.update(fill_color=colors.accent, line_color=colors.accent)


def _time_axis():
    """Return an axis of seconds written as h:mm:ss."""
    ticker = AdaptiveTicker(
        base=60,
        mantissas=[1, 2, 5, 10, 15, 30],
        min_interval=1,
        desired_num_ticks=8,
        num_minor_ticks=0,
    )
    return LinearAxis(
        ticker=ticker,
        formatter=NumeralTickFormatter(format=CLOCK),
        major_label_policy=NoOverlap(min_distance=12),
    )


def _style(made, colors):
    if made.title is not None:
        made.title.update(text_color=colors.text)
    for axis in made.axis:
        axis.update(
            axis_line_color=None,
            major_tick_line_color=None,
            minor_tick_line_color=None,
            major_tick_in=0,
            major_tick_out=0,
            major_label_standoff=8,
            major_label_text_color=colors.muted,
            major_label_text_font=FONT,
            major_label_text_font_size="12px",
        )
    for axis in made.xaxis:
        axis.update(major_tick_line_color=colors.axis, major_tick_out=4, major_label_standoff=4)
    for grid in made.grid:
        grid.update(grid_line_color=colors.grid, grid_line_width=1)
