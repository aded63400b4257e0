"""Each worker's KV cache at one tick as a bar of contexts."""

from bokeh.models import (
    AdaptiveTicker,
    FixedTicker,
    LinearAxis,
    NumeralTickFormatter,
    Quad,
    Range1d,
    Span,
)

from app.figures.lettering import text_glyph
from app.figures.tooltips import hover_tool, table
from app.palette import state_colors

PITCH, THIN_PITCH, MANY = 22, 12, 32
"""Pixels of a worker's bar with the space around it; of one of more than `MANY`."""

MOST_BARS = 64
"""Workers shown at most."""

BOX = ("left", "right", "bottom", "top")


class KvBars:
    """KV caches of workers at one tick.

    A bar is the cache from empty to full: the shared prefix, contexts that running requests
    lock, idle ones, what ended agents left. A dashed box after it is what the head of the queue
    needs: it does not fit, so it reaches beyond the cache's end. The square at the left has the
    colour of the worker's state.

    Attributes
    ----------
    root : bokeh.models.Plot
    source : ColumnDataSource
        A row for each context: left, right (tokens), bottom, top, color, agent, tokens, kind,
        worker.
    """

    def __init__(self, frame):
        self.frame = frame
        self.moments = []
        self.x_range = Range1d(0, 1)
        self.y_range = Range1d(0, 1)
        self.root = frame.figure(
            PITCH, self.y_range, x_range=self.x_range, lines=False, tools=False
        )
        tokens = LinearAxis(
            ticker=AdaptiveTicker(
                base=10, mantissas=[1, 2, 5], desired_num_ticks=6, num_minor_ticks=0
            ),
            formatter=NumeralTickFormatter(format="0a"),
        )
        self.root.add_layout(tokens, "below")
        self.axis = self.frame.y_axis(self.root, FixedTicker(ticks=[]), grid=False)
        self._add_glyphs()

    def _add_glyphs(self):
        self.source = self._empty(*BOX, "color", "agent", "tokens", "kind", "worker")
        self.tracks = self._empty(*BOX, "color")
        self.needs = self._empty(*BOX, "agent", "need", "free")
        self.names = self._empty("x", "y", "text", "color")
        box = {side: side for side in BOX}
        track = Quad(**box, fill_color="color", line_color=None)
        self.context = Quad(**box, fill_color="color", line_width=1)
        self.need = Quad(**box, fill_color=None, line_dash=[4, 3], line_width=1.5)
        name = text_glyph(text_color="color", text_baseline="middle", x_offset=5)
        self.frame.glyph(self.root, self.tracks, track)
        contexts = self.frame.glyph(self.root, self.source, self.context)
        self.frame.glyph(self.root, self.needs, self.need)
        self.frame.glyph(self.root, self.names, name)
        self.end = Span(dimension="height", line_width=1)
        self.root.add_layout(self.end)
        self.hover = hover_tool(contexts)
        self.root.add_tools(self.hover)

    def _empty(self, *names):
        return self.frame.source({name: [] for name in names})

    def update(self, moments):
        """Show `derive.at`, or some of it, from the top down; at most `MOST_BARS`.

        Parameters
        ----------
        moments : list of derive.WorkerMoment
        """
        self.moments = moments
        if not moments:
            return
        workers, capacity = len(moments), moments[0].capacity
        reach = max(capacity, *(_need_end(moment) for moment in moments))
        self.x_range.update(start=-0.018 * reach, end=reach * 1.01)
        self.y_range.update(start=0, end=workers)
        self.root.frame_height = (THIN_PITCH if workers > MANY else PITCH) * workers
        self.end.location = capacity
        middle = {workers - 0.5 - i: m.worker for i, m in enumerate(moments)}
        every = 2 if workers > MANY else 1
        self.axis.ticker.ticks = list(middle)[::every]
        self.axis.major_label_overrides = {
            y: self.frame.labels["lane"].format(worker=worker) for y, worker in middle.items()
        }
        _fill(self.tracks, self._track_rows(capacity, reach))
        _fill(self.source, self._context_rows())
        _fill(self.needs, self._need_rows())
        _fill(self.names, self._name_rows(0.035 * reach if workers <= MANY else reach))

    def _lines(self):
        """Each moment with the borders of its bar."""
        for i, moment in enumerate(self.moments):
            bottom = len(self.moments) - 1 - i
            yield moment, bottom + 0.16, bottom + 0.84

    def _track_rows(self, capacity, reach):
        states = state_colors(self.frame.palette, self.frame.theme)
        for moment, low, high in self._lines():
            yield 0, capacity, low, high, self.frame.colors.grid
            yield -0.014 * reach, -0.004 * reach, low, high, states[moment.state]

    def _contexts(self):
        """Each context with its place: moment, kind, agent, tokens, left, bottom, top."""
        for moment, low, high in self._lines():
            left = moment.shared
            if left:
                yield moment, "shared", "–", left, 0, low, high
            for entry in moment.entries:
                kind = "locked" if entry.locked else "ended" if entry.ended else "idle"
                yield moment, kind, str(entry.agent), entry.tokens, left, low, high
                left += entry.tokens

    def _context_rows(self):
        colors = self.frame.colors
        fill = {
            "shared": colors.axis,
            "locked": colors.locked,
            "idle": colors.resting,
            "ended": colors.ended,
        }
        for moment, kind, agent, tokens, left, low, high in self._contexts():
            name = self.frame.labels[f"kv_{kind}"]
            yield left, left + tokens, low, high, fill[kind], agent, tokens, name, moment.worker

    def _need_rows(self):
        for moment, low, high in self._lines():
            if moment.blocked:
                head = moment.blocked
                right = _need_end(moment)
                yield right - head.need, right, low, high, head.agent, head.need, head.free

    def _name_rows(self, least):
        colors = self.frame.colors
        ink = {"locked": colors.surface, "idle": colors.text, "ended": colors.muted}
        for _, kind, agent, tokens, left, low, high in self._contexts():
            if kind in ink and tokens > least:
                yield left, (low + high) / 2, agent, ink[kind]

    def restyle(self):
        """Take the colours of the frame's theme and palette."""
        colors = self.frame.colors
        self.context.line_color = colors.surface
        self.need.line_color = colors.alert
        self.end.line_color = colors.muted
        self.update(self.moments)

    def relabel(self):
        """Take the frame's labels."""
        labels = self.frame.labels
        self.hover.tooltips = table(
            (
                (labels["hover_worker"], "@worker"),
                (labels["hover_agent"], "@agent"),
                (labels["hover_tokens"], "@tokens{0,0}"),
                (labels["hover_kind"], "@kind"),
            )
        )
        self.update(self.moments)


def _fill(source, rows):
    columns = list(zip(*rows, strict=True)) or [()] * len(source.data)
    source.data = dict(zip(source.data, map(list, columns), strict=True))


def _need_end(moment):
    """Where in the bar the need of the queue's head would end; 0 without one."""
    return moment.shared + moment.used + moment.blocked.need if moment.blocked else 0
