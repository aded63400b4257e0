"""All figures of one run, built once and kept in step."""

import functools
import math

from app import derive
from app.derive.sessions import visits
from app.figures.charts import Evictions, HitRate, Occupancy, Oversubscription, Shares
from app.figures.events import EventTrack
from app.figures.frame import Frame
from app.figures.inspector import MOST_BARS, KvBars
from app.figures.timeline import Minimap, Timeline, lane_layout

COLUMNS = 1200
"""Columns of the image of the whole run."""

BARS = 120
"""Bars or points in a window of a chart that counts rather than averages."""


class Board:
    """Every figure of one run on one time axis.

    Parameters
    ----------
    labels : mapping of str to str
        Texts by the keys of `app.figures.LABELS`.
    theme, palette : str
        Names in `app.palette.THEMES` and `PALETTES`.
    wheel : bool
        Whether the wheel zooms at once; otherwise it scrolls the page until `frame.set_wheel`.

    Attributes
    ----------
    frame : Frame
        The shared axis and lines.
    minimap, timeline, events, shares, evictions, hit_rate, occupancy, oversubscription
        The figures; each has a `root`.
    recording : derive.Recording or None
        What is shown.
    followers : list of callable
        Called whenever the window, the run or the width may have changed.
    columns : int
        Pixel columns of the figures' frames, as `refine` was told last.
    """

    def __init__(self, labels, theme="light", palette="default", wheel=True):
        self.frame = Frame(labels, theme, palette, wheel)
        self.minimap = Minimap(self.frame)
        self.timeline = Timeline(self.frame)
        self.events = EventTrack(self.frame)
        self.shares = Shares(self.frame)
        self.evictions = Evictions(self.frame)
        self.hit_rate = HitRate(self.frame)
        self.oversubscription = Oversubscription(self.frame)
        self.occupancy = Occupancy(self.frame, times=True)
        self.recording = None
        self.followers = []
        self.columns = COLUMNS
        self._agent = None
        self.restyle(theme, palette)
        self.relabel(labels)

    @functools.cached_property
    def kv(self):
        """The caches at the pinned tick, a figure that is made when it is first asked for."""
        made = KvBars(self.frame)
        self.frame.restyle(self.frame.theme, self.frame.palette)
        made.relabel()
        made.restyle()
        return made

    @property
    def charts(self):
        """The charts from top to bottom; the last one writes the times."""
        return (
            self.shares,
            self.evictions,
            self.hit_rate,
            self.oversubscription,
            self.occupancy,
        )

    @property
    def figures(self):
        """All figures that have been made."""
        kv = (self.kv,) if "kv" in vars(self) else ()
        return (self.minimap, self.timeline, self.events, *self.charts, *kv)

    def show(self, recording, keep=True, columns=COLUMNS):
        """Show another run.

        Parameters
        ----------
        recording : derive.Recording
        keep : bool
            Keep the window (see `Frame.set_run`).
        columns : int
            Pixel columns of the figures' frames.
        """
        self.recording = recording
        self.frame.set_run(recording.ticks, recording.tick_s, keep)
        self.timeline.set_workers(recording.workers)
        whole = derive.Bins.fit((0, recording.ticks), columns, recording.ticks, recording.tick_s)
        self._whole = derive.lanes(recording, whole, **lane_layout(recording.workers))
        self.timeline.update(self._whole)
        self.minimap.update(derive.together(self._whole, Minimap.HEIGHT))
        onset = recording.result.avalanche_onset_tick()
        self._onset = None if onset is None else onset * recording.tick_s
        self.frame.set_onset(self._onset)
        self._peak = derive.oversubscription(recording, whole).max(initial=0)
        self._evictions = recording.result.of_kind("evict")["tick"].size
        self.refine(columns)

    def refine(self, columns=COLUMNS):
        """Bin the present window anew, after a zoom, a pan or a change of width.

        Parameters
        ----------
        columns : int
            Pixel columns of the figures' frames.

        Returns
        -------
        derive.Bins
            The columns shown, for the caption: a pixel column spans `size` ticks.
        """
        recording = self.recording
        self.columns = columns
        window = self.window
        bins = self.bins(window, columns)
        coarse = self.bins(window, BARS)
        minute = max(1, round(60 / recording.tick_s))
        minutes = self.bins(window, BARS, minute)
        if bins == self._whole.bins:
            lanes = self._whole
            self.timeline.refine(None)
        else:
            lanes = derive.lanes(recording, bins, **lane_layout(recording.workers))
            self.timeline.refine(lanes)
        self.timeline.set_onset(self._onset)
        self.events.update(derive.marks(recording, bins), bins)
        self.shares.update(derive.shares(lanes), bins)
        self.evictions.update(derive.evictions(recording, minutes), minutes, self._evictions)
        self.hit_rate.update(derive.hit_rate(recording, coarse), coarse)
        self.oversubscription.update(derive.oversubscription(recording, bins), bins, self._peak)
        together = -(-recording.workers // Occupancy.height)
        used, _ = derive.occupancy(recording, bins, together)
        self.occupancy.update(used, bins, together)
        self._outline_visits()
        for follow in self.followers:
            follow()
        return bins

    def outline(self, agent):
        """Outline an agent's requests on the timeline; None: nobody's."""
        self._agent = agent
        if self.recording is not None:
            self._outline_visits()

    def _outline_visits(self):
        agent, recording = self._agent, self.recording
        if agent is None or agent >= recording.agents:
            self.timeline.set_visits((), (), ())
            return
        worker, start, stop = visits(recording, agent, self.window)
        self.timeline.set_visits(worker, start * recording.tick_s, stop * recording.tick_s)

    @property
    def window(self):
        """First tick of the present window and the tick after its last."""
        tick_s, x_range = self.recording.tick_s, self.frame.x_range
        start = math.floor(x_range.start / tick_s + 1e-6)
        stop = math.ceil(x_range.end / tick_s - 1e-6)
        return max(0, start), min(self.recording.ticks, max(start + 1, stop))

    def bins(self, window, columns, least=1):
        """Return the bins of a window of ticks."""
        return derive.Bins.fit(window, columns, self.recording.ticks, self.recording.tick_s, least)

    def pin(self, tick, workers=None):
        """Pin a tick and show its caches; None: unpin.

        Parameters
        ----------
        tick : int or None
        workers : range, optional
            Whose caches; all by default, of which the first `MOST_BARS` are shown.

        Returns
        -------
        list of derive.WorkerMoment
            What is known of the workers then; empty when unpinned.
        """
        if tick is None:
            self.frame.set_pin(None)
            return []
        moments = derive.at(self.recording, tick, workers)
        self.frame.set_pin((tick + 0.5) * self.recording.tick_s)
        self.kv.update(moments[:MOST_BARS])
        return moments

    def restyle(self, theme, palette):
        """Change theme and palette in place."""
        self.frame.restyle(theme, palette)
        for shown in self.figures:
            shown.restyle()

    def relabel(self, labels):
        """Change the language in place."""
        self.frame.labels = labels
        for shown in self.figures:
            shown.relabel()
