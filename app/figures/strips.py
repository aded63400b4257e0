"""Small multiples: the lanes of several runs, one below the other on one time axis."""

from bokeh.models import FixedTicker, Range1d

from app import derive
from app.figures.frame import Frame
from app.figures.images import BinnedImage

HEIGHT = 112
"""Pixels of a strip's lanes."""

THINNEST = 3
COLUMNS = 1200
"""Columns of the longest run."""


class Strip:
    """The lanes of one run.

    Attributes
    ----------
    root : bokeh.models.Plot
    """

    def __init__(self, frame, recording, longest):
        self.frame = frame
        self.per_lane = -(-recording.workers // (HEIGHT // THINNEST))
        self.lanes = -(-recording.workers // self.per_lane)
        pitch = HEIGHT // self.lanes
        gap = 0 if pitch < 6 else 1
        self.root = frame.figure(
            pitch * self.lanes, Range1d(0, self.lanes), times=True, lines=False, tools=False
        )
        self.axis = self.frame.y_axis(self.root, FixedTicker(ticks=[]), grid=False)
        columns = max(1, round(COLUMNS * recording.ticks * recording.tick_s / longest))
        whole = (0, recording.ticks)
        bins = derive.Bins.fit(whole, columns, recording.ticks, recording.tick_s)
        lanes = derive.lanes(recording, bins, pitch - gap, gap, self.per_lane)
        image = BinnedImage(self.frame, self.root, frame.states, derive.EMPTY)
        image.update(lanes.image, bins, lanes.lanes)
        self.relabel()

    def relabel(self):
        """Name the first and the last lane."""
        middle = {lane: self.lanes - lane - 0.5 for lane in {0, self.lanes - 1}}
        self.axis.ticker.ticks = list(middle.values())
        self.axis.major_label_overrides = {
            y: self.frame.labels["lane"].format(worker=lane * self.per_lane)
            for lane, y in middle.items()
        }


class Strips:
    """Strips of several runs.

    Parameters
    ----------
    recordings : list of derive.Recording
        All with ticks of the same length.
    labels, theme, palette
        As for `app.figures.Board`.

    Attributes
    ----------
    strips : list of Strip
        In the order of the recordings.
    """

    def __init__(self, recordings, labels, theme, palette):
        self.frame = Frame(labels, theme, palette, wheel=False)
        longest = max(recordings, key=lambda r: r.ticks, default=None)
        if longest is not None:
            self.frame.set_run(longest.ticks, longest.tick_s, keep=False)
        self.strips = [Strip(self.frame, r, self.frame.end) for r in recordings]
        self.frame.restyle(theme, palette)
