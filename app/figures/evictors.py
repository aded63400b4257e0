"""Who evicts whom: a cell for each pair of agents."""

import numpy as np
from bokeh.models import (
    FixedTicker,
    LinearAxis,
    LinearColorMapper,
    NoOverlap,
    Quad,
    Range1d,
    Rect,
    Segment,
)

from app.derive import Bins
from app.figures.images import BinnedImage
from app.figures.lettering import style_title
from app.figures.tooltips import hover_tool
from app.format import tokens as short
from app.palette import TRANSPARENT

SIDE, HIGHEST = 400, 40
"""Pixels of the cells' height, about; of one cell, at most."""
MOST_CELLS = 200
"""Cells a side, at most; beyond, neighbours are taken together."""
MOST_NAMED = 20_000
"""Cells that a hover can name, those with the most tokens."""
ROOM = {"left": 15, "below": 34}
"""Pixels from one name at an axis to the next, at least."""
LETTER, BETWEEN = 7, 12
"""Pixels of a letter, and between two names below the cells."""
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
"""Every how manieth is named."""
LEAST_GROUP = 8
"""Pixels of a group from which on it has a border."""
MARGIN = 0.16
"""Room for the sums beside the cells, as a share of their side."""
GAP = 0.015
"""The part of it that stays empty."""
FAINTEST = 5
"""Step of the heat ramp for the fewest tokens; the ones below it look like nothing."""

BOX = ("left", "right", "bottom", "top")


class EvictorMap:
    """Victims from the top down, evictors from left to right, and the sums of both.

    Attributes
    ----------
    root : bokeh.models.Plot
    order : ndarray
        Agents in the order of rows and columns.
    per_cell : int
        Neighbours in that order that a row or column stands for.
    """

    def __init__(self, frame, labels):
        self.frame = frame
        self.order, self.per_cell, self._chosen = np.arange(0), 1, None
        self.x_range, self.y_range = Range1d(0, 1), Range1d(0, 1)
        self.root = frame.figure(SIDE, self.y_range, x_range=self.x_range, lines=False, tools=False)
        self.root.update(min_border_left=76, min_border_right=8, min_border_bottom=50)
        self.axes = {place: self._axis(place) for place in ROOM}
        self.mapper = LinearColorMapper(palette=[TRANSPARENT] * 2, low=0, high=2)
        self.field, self._field = self._add(Quad, BOX)
        self.root.renderers[-1].level = "image"  # below what follows
        self.image = BinnedImage(self.frame, self.root, self.mapper, 0)
        self.borders, self._border = self._add(Segment, ("x0", "y0", "x1", "y1"))
        self.sums, self._sum = self._add(Quad, BOX, "agent", "tokens", "role", line_color=None)
        sums = self.root.renderers[-1]
        hidden = {"fill_color": None, "line_color": None}
        more = ("victim", "evictor", "times", "tokens")
        self.pairs, _ = self._add(Rect, ("x", "y"), *more, width=1, height=1, **hidden)
        self.hover = hover_tool(self.root.renderers[-1])
        self.sum_hover = hover_tool(sums)
        self.root.add_tools(self.hover, self.sum_hover)
        self.chosen, self._box = self._add(Quad, BOX, fill_color=None, line_width=1.5)
        self.relabel(labels)
        self.restyle()

    def _axis(self, place):
        axis = LinearAxis(ticker=FixedTicker(ticks=[]))
        if place == "below":
            axis.major_label_policy = NoOverlap()
        self.root.add_layout(axis, place)
        return axis

    def _add(self, kind, places, *more, **look):
        source = self.frame.source({name: [] for name in (*places, *more)})
        glyph = kind(**{name: name for name in places}, **look)
        self.frame.glyph(self.root, source, glyph)
        return source, glyph

    @property
    def cells(self):
        """Cells a side."""
        return max(1, -(-self.order.size // self.per_cell))

    def show(self, evictions, order, groups):
        """Show the evictions of a run.

        Parameters
        ----------
        evictions : app.derive.evictors.Evictions
        order : ndarray
            Agents in the order of rows and columns.
        groups : list of (int, str)
            Number of agents that belong together, one group after another in this order, and the
            group's name; empty: the agents themselves are named.
        """
        self.order, self.per_cell = order, max(1, -(-order.size // MOST_CELLS))
        cells = self.cells
        matrix = evictions.matrix(order, self.per_cell)
        steps = len(self.frame.colors.heat) - FAINTEST
        level = (np.sqrt(matrix / max(1, matrix.max(initial=0))) * steps).astype(np.int64)
        image = np.where(matrix > 0, 1 + np.minimum(steps - 1, level), 0)
        self.image.update(image[::-1].astype(np.uint8), Bins(0, 1, cells, cells), cells)
        pitch = min(HIGHEST, SIDE / cells)
        self.root.frame_height = round(pitch * cells * (1 + MARGIN))
        for scale in (self.x_range, self.y_range):
            scale.end = cells * (1 + MARGIN)
        self.field.data = {"left": [0], "right": [cells], "bottom": [0], "top": [cells]}
        self._show_pairs(evictions, matrix)
        self._show_sums(matrix)
        self._name_axes(groups, pitch)
        self.choose(self._chosen)

    def _named(self, cell):
        """Name the agents of a row or column."""
        first = cell * self.per_cell
        agents = self.order[first : first + self.per_cell].tolist()
        return ", ".join(map(str, agents[:3])) + ("…" if len(agents) > 3 else "")

    def _show_pairs(self, evictions, tokens):
        cells = self.cells
        times = np.zeros_like(tokens)
        place = np.empty(self.order.size, np.int64)
        place[self.order] = np.arange(self.order.size) // self.per_cell
        np.add.at(times, (place[evictions.victim], place[evictions.evictor]), evictions.times)
        rows, columns = np.nonzero(tokens)
        most = np.argsort(-tokens[rows, columns], kind="stable")[:MOST_NAMED]
        rows, columns = rows[most], columns[most]
        names = [self._named(cell) for cell in range(cells)]
        self.pairs.data = {
            "x": columns + 0.5,
            "y": cells - rows - 0.5,
            "victim": [names[row] for row in rows.tolist()],
            "evictor": [names[column] for column in columns.tolist()],
            "times": times[rows, columns],
            "tokens": list(map(short, tokens[rows, columns].tolist())),
        }

    def _show_sums(self, tokens):
        """Bars: of what each lost to the right, of what each took away on top."""
        cells = self.cells
        lost, taken = tokens.sum(axis=1), tokens.sum(axis=0)
        scale = cells * (MARGIN - GAP) / max(1, lost.max(initial=0), taken.max(initial=0))
        at, base = np.arange(cells), np.full(cells, cells * (1 + GAP))
        rows = {
            "left": np.concatenate((base, at + 0.1)),
            "right": np.concatenate((base + lost * scale, at + 0.9)),
            "bottom": np.concatenate((cells - at - 0.9, base)),
            "top": np.concatenate((cells - at - 0.1, base + taken * scale)),
            "tokens": list(map(short, np.concatenate((lost, taken)).tolist())),
        }
        names = [self._named(cell) for cell in at.tolist()]
        roles = [self._labels[role] for role in ("lost", "took") for _ in names]
        self.sums.data = {**rows, "agent": names * 2, "role": roles}

    def _name_axes(self, groups, pitch):
        cells, per_cell = self.cells, self.per_cell
        if groups:
            sizes = np.array([size for size, _ in groups])
            ends = sizes.cumsum() / per_cell
            middles = (ends - sizes / per_cell / 2).tolist()
            names = [name for _, name in groups]
            pitch *= cells / len(groups)
            edges = ends[:-1] if pitch >= LEAST_GROUP else np.zeros(0)
        else:
            middles = [cell + 0.5 for cell in range(cells)]
            names = [str(agent) for agent in self.order[::per_cell].tolist()]
            edges = np.zeros(0)
        longest = max(map(len, names), default=0)
        room = {**ROOM, "below": max(ROOM["below"], LETTER * longest + BETWEEN)}
        for place, axis in self.axes.items():
            every = next(n for n in STEPS if n * pitch >= room[place])
            shown = dict(zip(middles[::every], names[::every], strict=True))
            if place == "left":
                shown = {cells - middle: name for middle, name in shown.items()}
            axis.ticker.ticks = list(shown)
            axis.major_label_overrides = shown
        zero, whole = np.zeros(edges.size), np.full(edges.size, cells)
        self.borders.data = {
            "x0": np.concatenate((edges, zero)),
            "x1": np.concatenate((edges, whole)),
            "y0": np.concatenate((zero, cells - edges)),
            "y1": np.concatenate((whole, cells - edges)),
        }

    def victim_at(self, y):
        """Return the agent whose row holds this y (the first of several), or None."""
        place = (self.cells - 1 - int(y // 1)) * self.per_cell
        return int(self.order[place]) if y >= 0 and 0 <= place < self.order.size else None

    def choose(self, agent):
        """Outline the row of an agent as a victim and its column as an evictor; None: nothing."""
        self._chosen = agent
        at = np.flatnonzero(self.order == agent)
        if agent is None or not at.size:
            self.chosen.data = {side: [] for side in BOX}
            return
        cell, cells = int(at[0]) // self.per_cell, self.cells
        row, end = cells - 1 - cell, cells * (1 + MARGIN)
        self.chosen.data = {
            "left": [0, cell],
            "right": [end, cell + 1],
            "bottom": [row, 0],
            "top": [row + 1, end],
        }

    def restyle(self):
        colors = self.frame.colors
        self.mapper.update(
            palette=[TRANSPARENT, *colors.heat[FAINTEST:]],
            low=0,
            high=1 + len(colors.heat) - FAINTEST,
        )
        self._field.update(fill_color=colors.page, line_color=colors.axis)
        self._border.line_color = colors.axis
        self._sum.fill_color = colors.series
        self._box.line_color = colors.accent
        for axis in self.axes.values():
            style_title(axis, colors, standoff=6)

    def relabel(self, labels):
        """Take texts: `victim`, `evictor`, `lost`, `took`, and `pair` and `sum`, which are in
        Bokeh's notation and name the columns of `pairs` and `sums`."""
        self._labels = labels
        self.axes["left"].axis_label = labels["victim"]
        self.axes["below"].axis_label = labels["evictor"]
        self.hover.tooltips = f"<div>{labels['pair']}</div>"
        self.sum_hover.tooltips = f"<div>{labels['sum']}</div>"
