"""What each agent does over time, a lane each."""

import numpy as np
from bokeh.models import BoxAnnotation, FixedTicker, LinearColorMapper, Range1d

from app import derive
from app.derive.agents import agent_lanes
from app.derive.lives import NOTHING
from app.figures.images import BinnedImage
from app.figures.timeline import LABEL_PITCH
from app.palette import TRANSPARENT, agent_colors

HEIGHT = 352
"""Pixels of all lanes; more only where lanes would get too thin."""

THINNEST, TALLEST, MOST_LANES = 6, 26, 480


def lane_layout(agents):
    """Return how many pixels each agent's lane gets.

    Returns
    -------
    dict
        `rows` and `gap` pixel rows and `per_lane` agents of a lane, as `agent_lanes` takes them.
    """
    per_lane = max(1, -(-agents // MOST_LANES))
    lanes = max(1, -(-agents // per_lane))
    pitch = min(TALLEST, max(THINNEST, HEIGHT // lanes))
    gap = 1 if pitch < 16 else 2
    return {"rows": pitch - gap, "gap": gap, "per_lane": per_lane}


class AgentLanes:
    """Agent × time in the colours of `agent_colors`.

    Attributes
    ----------
    root : bokeh.models.Plot
    order : ndarray
        Agents from the top lane down.
    occurs : ndarray
        Whether each of the states occurs in the run.
    """

    def __init__(self, frame, label):
        self.frame, self.label = frame, label
        self.y_range = Range1d(0, 1)
        self.root = frame.figure(HEIGHT, self.y_range)
        self.root.toolbar.active_scroll = None  # there the wheel scrolls the lanes
        self.axis = self.frame.y_axis(self.root, FixedTicker(ticks=[]), grid=False)
        self.mapper = LinearColorMapper(
            palette=[TRANSPARENT] * (NOTHING + 1), low=-0.5, high=NOTHING + 0.5
        )
        self.coarse = BinnedImage(self.frame, self.root, self.mapper, NOTHING)
        self.fine = BinnedImage(self.frame, self.root, self.mapper, NOTHING)
        look = {"visible": False, "fill_alpha": 0, "line_alpha": 1, "level": "overlay"}
        self.lane = BoxAnnotation(**look, line_width=2.5)
        self.cell = BoxAnnotation(**look, line_width=1.5)
        for box in (self.lane, self.cell):
            self.root.add_layout(box)
        self.order, self._place, self._chosen = np.arange(0), np.arange(0), None
        self.recording, self.occurs = None, np.ones(NOTHING, bool)
        self.restyle()

    @property
    def per_lane(self):
        """Agents in a lane, 1 unless there are very many."""
        return lane_layout(self.order.size)["per_lane"]

    @property
    def lanes(self):
        """Number of lanes."""
        return max(1, -(-self.order.size // self.per_lane))

    def show(self, recording, order, columns):
        """Show a run with the agents in an order.

        Parameters
        ----------
        recording : derive.Recording
        order : ndarray
            Agents from the top lane down.
        columns : int
            Pixel columns of the figure's frame.
        """
        self.recording, self.order = recording, order
        self._place = np.empty(order.size, np.int64)
        self._place[order] = np.arange(order.size)
        layout = lane_layout(order.size)
        pitch = layout["rows"] + layout["gap"]
        self.y_range.update(start=0, end=self.lanes)
        self.root.frame_height = pitch * self.lanes
        self._whole = derive.Bins.fit(
            (0, recording.ticks), columns, recording.ticks, recording.tick_s
        )
        self.occurs = self._draw(self.coarse, self._whole).spent.any(axis=(1, 2))
        self._name_lanes()
        self.choose(self._chosen)

    def refine(self, bins):
        """Show a window in the fine image."""
        if bins == self._whole:
            self.fine.clear()
        else:
            self._draw(self.fine, bins)

    def _draw(self, image, bins):
        layout = lane_layout(self.order.size)
        lanes = agent_lanes(self.recording, bins, self.order, **layout)
        image.update(lanes.image, bins, lanes.lanes)
        return lanes

    def _name_lanes(self):
        pitch = self.root.frame_height / self.lanes
        every = next(n for n in (1, 2, 5, 10, 20) if n * pitch >= LABEL_PITCH)
        middle = {self.lanes - lane - 0.5: lane for lane in range(0, self.lanes, every)}
        self.axis.ticker.ticks = list(middle)
        self.axis.major_label_overrides = {
            y: self.label.format(agent=self.order[lane * self.per_lane])
            for y, lane in middle.items()
            if self.order.size
        }

    def agent_at(self, y):
        """Return the agent whose lane holds this y (the first of several), or None."""
        lane = self.lanes - 1 - int(y // 1)
        place = lane * self.per_lane
        return int(self.order[place]) if lane >= 0 and place < self.order.size else None

    def place_of(self, agent):
        """Return where the middle of an agent's lane is, from 0 at the top to 1, or None."""
        if agent is None or agent >= self._place.size:
            return None
        return (int(self._place[agent]) // self.per_lane + 0.5) / self.lanes

    def mark_cell(self, agent, left, right):
        """Outline an agent's lane between two times in seconds; None: nothing."""
        self._outline(self.cell, agent, left=left, right=right)

    def choose(self, agent):
        """Outline the lane of an agent; None: of none."""
        self._chosen = agent
        self._outline(self.lane, agent)

    def _outline(self, box, agent, **ends):
        if agent is None or agent >= self._place.size:
            box.visible = False
            return
        bottom = self.lanes - 1 - int(self._place[agent]) // self.per_lane
        box.update(bottom=bottom, top=bottom + 1, visible=True, **ends)

    def restyle(self):
        colors = self.frame.colors
        self.mapper.palette = [*agent_colors(self.frame.palette, self.frame.theme), TRANSPARENT]
        self.cell.line_color = colors.text
        self.lane.line_color = colors.accent

    def relabel(self, label):
        """Take the text that names a lane; it holds ``{agent}``."""
        self.label = label
        self._name_lanes()
