"""The timeline of all workers, and the minimap of the whole run."""

import numpy as np
from bokeh.models import (
    BoxAnnotation,
    FixedTicker,
    Label,
    Quad,
    Range1d,
    RangeTool,
)

from app.derive import EMPTY
from app.figures.frame import FONT
from app.figures.images import BinnedImage

HEIGHT = 352
"""Pixels of the timeline, shared by the lanes; more only where lanes would get too thin."""

THINNEST, TALLEST, MOST_LANES = 9, 88, 240
FEW = 3
"""Up to so many workers the timeline is only as high as their lanes."""

HEAD = 18
"""Pixels above the lanes, for the name of the onset's line."""

BOX = ("left", "right", "bottom", "top")

LABEL_PITCH = 15
"""Least pixels between two lanes' names."""


def lane_layout(workers, height=HEIGHT, thinnest=THINNEST, most=MOST_LANES):
    """Return how many pixels each lane of the timeline gets.

    Parameters
    ----------
    workers : int
    height : int
        Pixels that the lanes share.
    thinnest : int
        Least pixels of a lane; with more than 80 lanes it may be thinner.
    most : int
        Lanes at most; more workers share theirs.

    Returns
    -------
    dict
        `rows` and `gap` pixel rows and `per_lane` workers of a lane, as `derive.lanes` takes
        them.
    """
    per_lane = -(-workers // most)
    lanes = -(-workers // per_lane)
    pitch = min(TALLEST, max(thinnest if lanes <= 80 else 3, height // lanes))
    gap = 1 if pitch < 16 else 2 if pitch < 40 else 4
    return {"rows": pitch - gap, "gap": gap, "per_lane": per_lane}


class Timeline:
    """Worker × time in state colours.

    Two images: a coarse one of the whole run, and above it a fine one of the window, so that a
    gesture never shows an empty place.

    Attributes
    ----------
    root : bokeh.models.Plot
    coarse, fine : BinnedImage
    """

    height = HEIGHT

    def __init__(self, frame, times=True):
        self.frame = frame
        self.y_range = Range1d(0, 1)
        self.root = frame.figure(self.height, self.y_range, times=times)
        self.axis = self.frame.y_axis(self.root, FixedTicker(ticks=[]), grid=False)
        self.coarse = BinnedImage(self.frame, self.root, frame.states, EMPTY)
        self.fine = BinnedImage(self.frame, self.root, frame.states, EMPTY)
        self.visits = self.frame.source({side: [] for side in BOX})
        self.visit = Quad(**{side: side for side in BOX}, fill_color=None, line_width=2)
        self.frame.glyph(self.root, self.visits, self.visit, name="visits")
        self.cell = BoxAnnotation(visible=False, fill_alpha=0, line_width=1.5, level="overlay")
        self.onset = Label(
            x=0,
            y=0,
            y_offset=4,
            text="",
            visible=False,
            text_font=FONT,
            text_font_size="12px",
        )
        self.root.add_layout(self.cell)
        self.root.add_layout(self.onset)
        self.workers, self.per_lane, self.lanes = 1, 1, 1

    layout = staticmethod(lane_layout)

    def set_workers(self, workers):
        """Lay the lanes out for so many workers."""
        layout = self.layout(workers)
        pitch = layout["rows"] + layout["gap"]
        self.workers, self.per_lane = workers, layout["per_lane"]
        self.lanes = -(-workers // self.per_lane)
        height = pitch * self.lanes if workers <= FEW else max(self.height, pitch * self.lanes)
        head = HEAD / pitch
        self.y_range.update(start=self.lanes - height / pitch, end=self.lanes + head)
        self.root.frame_height = height + HEAD
        self._name_lanes(pitch)

    def _name_lanes(self, pitch):
        every = next(n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n * pitch >= LABEL_PITCH)
        named = range(0, self.lanes, every)
        middle = {lane: self.lanes - lane - 0.5 for lane in named}
        self.axis.ticker.ticks = list(middle.values())
        self.axis.major_label_overrides = {
            y: self.frame.labels["lane"].format(worker=lane * self.per_lane)
            for lane, y in middle.items()
        }

    def update(self, lanes):
        """Show the whole run, a `derive.Lanes`, in the coarse image."""
        self.coarse.update(lanes.image, lanes.bins, lanes.lanes)

    def refine(self, lanes):
        """Show a window in the fine image; None: the coarse one is fine enough."""
        if lanes is None:
            self.fine.clear()
        else:
            self.fine.update(lanes.image, lanes.bins, lanes.lanes)

    def worker_at(self, y):
        """Return the worker whose lane holds this y (the first of several), or None."""
        lane = self.lanes - 1 - int(y // 1)
        return lane * self.per_lane if 0 <= lane < self.lanes else None

    def mark_cell(self, worker, left, right):
        """Outline a worker's lane between two times in seconds; None: nothing."""
        if worker is None:
            self.cell.visible = False
            return
        bottom = self.lanes - 1 - worker // self.per_lane
        self.cell.update(left=left, right=right, bottom=bottom, top=bottom + 1, visible=True)

    def set_visits(self, worker, start, stop):
        """Outline lanes of workers between times in seconds: the requests of one agent."""
        bottom = self.lanes - 1 - np.asarray(worker, np.int64) // self.per_lane
        self.visits.data = {"left": start, "right": stop, "bottom": bottom, "top": bottom + 1}

    def set_onset(self, seconds):
        """Name the onset's line above the lanes, to its left in the right half; None:
        there is none."""
        start, end = self.frame.x_range.start, self.frame.x_range.end
        late = seconds is not None and seconds - start > 0.5 * (end - start)
        self.onset.update(
            x=seconds or 0,
            y=self.lanes,
            visible=seconds is not None,
            text_align="right" if late else "left",
            x_offset=-5 if late else 5,
        )

    def restyle(self):
        colors = self.frame.colors
        self.cell.line_color = colors.text
        self.onset.text_color = colors.text
        self.visit.line_color = colors.accent

    def relabel(self):
        self.onset.text = self.frame.labels["onset"]
        self.set_workers(self.workers)


class Minimap:
    """The whole run with all workers together, and the window as a box to drag.

    Dragging outside the box draws a new one.

    Attributes
    ----------
    root : bokeh.models.Plot
    image : BinnedImage
    x_range : Range1d
        The whole run in seconds.
    """

    HEIGHT = 36

    def __init__(self, frame):
        self.frame = frame
        self.x_range = Range1d(0, 1)
        self.root = frame.figure(
            self.HEIGHT,
            Range1d(0, 1),
            x_range=self.x_range,
            tools=False,
        )
        self.image = BinnedImage(self.frame, self.root, frame.states, EMPTY)
        self.tool = RangeTool(x_range=frame.x_range, start_gesture="pan")
        self.tool.overlay.update(line_width=1.5, line_dash=[], border_radius=3)
        self.root.add_tools(self.tool)

    def update(self, lanes):
        """Show the whole run, a `derive.Lanes` of one lane."""
        self.x_range.update(start=0, end=max(1, lanes.bins.ticks) * lanes.bins.tick_s)
        self.image.update(lanes.image, lanes.bins, lanes.lanes)

    def restyle(self):
        colors = self.frame.colors
        self.tool.overlay.update(
            fill_color=colors.text,
            fill_alpha=0.08,
            line_color=colors.text,
            line_alpha=0.8,
        )

    def relabel(self):
        pass
