"""The timeline as shapes on a sheet, from which every kind of picture is made."""

import dataclasses

import numpy as np

from app.cards import card_values
from app.derive.again import SHADES
from app.derive.bins import Bins
from app.derive.stack import STACK, stack_tops, state_ticks
from app.export import default_title
from app.format import clock
from app.palette import THEMES, state_colors
from app.runs import Run
from app.texts import DEFAULT, Texts

WIDTH, MARGIN, LEFT = 1280, 20, 84
COLUMNS = WIDTH - LEFT - MARGIN
LANES, LEAST_LANE, MOST_LANE = 480, 4, 64
"""Height that the lanes share, and the least and most of one, in pixels."""
MOST_WORKERS = 120
"""Lanes at most; of more workers several share one."""
HALF = 2
"""Columns lie on half pixels, so that neighbours meet in every picture."""
SIZES, CHOICES = ("workers", "agents"), ("routing", "phase_policy")
CARDS = ("utilization", "makespan", "hit_rate", "evictions", "killed")
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400)
"""Distances of marks on the time axis, in seconds."""


@dataclasses.dataclass(frozen=True)
class Rect:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    color: str


@dataclasses.dataclass(frozen=True)
class Words:
    """A line of text; `y` is its middle, `anchor` start, middle or end."""

    x: float
    y: float
    text: str
    color: str
    size: int = 12
    anchor: str = "start"
    bold: bool = False


@dataclasses.dataclass(frozen=True)
class Drawing:
    """A picture.

    Attributes
    ----------
    width, height : int
        Pixels.
    shapes : list of Rect and Words
        From the back to the front.
    title : str
    language : str
    """

    width: int
    height: int
    shapes: list
    title: str
    language: str


def draw(recording, theme="light", palette="default", language=DEFAULT):
    """Return the timeline of a whole run with its key and its numbers.

    Each lane is a worker, and each column of pixels a small stack of the states' shares in its
    span, decode at the bottom and idle on top.

    Parameters
    ----------
    recording : app.derive.Recording
    theme : str
        A key of `app.palette.THEMES`.
    palette : str
        A key of `app.palette.PALETTES`.
    language : str

    Returns
    -------
    Drawing
    """
    texts, page = Texts(language), THEMES[theme]
    colors = state_colors(palette, theme)
    title = default_title(recording.scenario, language)
    shapes = [Words(MARGIN, 26, title, page.text, 17, bold=True)]
    shapes += [Words(MARGIN, 50, _numbers(recording, texts), page.muted)]
    top = 74
    shapes += _key(top, colors, page, texts)
    top += 22
    per_lane = -(-recording.workers // MOST_WORKERS)
    lanes = -(-recording.workers // per_lane)
    pitch = min(MOST_LANE, max(LEAST_LANE, LANES // lanes))
    shapes += _lanes(recording, top, pitch, per_lane, colors)
    shapes += _names(top, pitch, lanes, per_lane, page, texts)
    bottom = top + lanes * pitch
    shapes += _axis(recording, top, bottom, page, texts)
    height = bottom + 44
    shapes.insert(0, Rect(0, 0, WIDTH, height, page.surface))
    return Drawing(WIDTH, height, shapes, title, language)


def _numbers(recording, texts):
    values = card_values(Run(recording, recording.result.summary()), texts)
    said = [f"{texts(f'numbers.{name}.label')} {values[name][0]}" for name in CARDS]
    s = recording.scenario
    sizes = [f"{texts(f'fields.{name}.label')} {getattr(s, name):,}" for name in SIZES]
    choices = [texts(f"options.{name}.{getattr(s, name)}.label") for name in CHOICES]
    return " · ".join([*sizes, *choices, *said])


def _key(y, colors, page, texts):
    x = LEFT
    for code in STACK:
        name = texts(f"states.{SHADES[code]}")
        yield Rect(x, y - 6, 12, 12, colors[code])
        yield Words(x + 17, y, name, page.text)
        x += 40 + sum(13 if ord(letter) > 0x2E80 else 7 for letter in name)


def _lanes(recording, top, pitch, per_lane, colors):
    """Yield the stacks; what is the same in neighbouring columns is one rectangle."""
    gap = 1 if pitch < 16 else 2
    bins = Bins.fit((0, recording.ticks), COLUMNS, recording.ticks, recording.tick_s)
    if not bins.count:
        return
    tops = stack_tops(state_ticks(recording, bins, per_lane), pitch - gap).astype(int)
    below = np.concatenate((np.zeros_like(tops[:1]), tops[:-1]))
    column = COLUMNS / (recording.ticks / bins.size)
    ends = np.round(np.minimum(np.arange(bins.count + 1) * column, COLUMNS) * HALF) / HALF
    for place, code in enumerate(STACK):
        for lane in range(tops.shape[1]):
            low, high = below[place, lane], tops[place, lane]
            new = np.append(True, (np.diff(low) != 0) | (np.diff(high) != 0))
            starts = np.flatnonzero(new)
            stops = np.append(starts[1:], bins.count)
            floor = top + (lane + 1) * pitch
            for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
                tall = int(high[start] - low[start])
                if tall:
                    x, wide = LEFT + float(ends[start]), float(ends[stop] - ends[start])
                    yield Rect(x, floor - int(high[start]), wide, tall, colors[code])


def _names(top, pitch, lanes, per_lane, page, texts):
    every = max(1, -(-14 // pitch))
    yield Words(LEFT - 8, top - 22, texts("fields.workers.label"), page.muted, 11, "end")
    for lane in range(0, lanes, every):
        y = top + (lane + 0.5) * pitch
        yield Words(LEFT - 8, y, str(lane * per_lane), page.muted, 11, "end")


def _axis(recording, top, bottom, page, texts):
    seconds = recording.ticks * recording.tick_s
    step = next((step for step in STEPS if seconds / step <= 12), seconds / 10)
    yield Rect(LEFT, bottom, COLUMNS, 1, page.axis)
    for mark in range(int(seconds / step) + 1):
        x = LEFT + COLUMNS * mark * step / seconds
        yield Rect(x, bottom, 1, 5, page.axis)
        # the last name must not leave the sheet
        anchor = "end" if x > WIDTH - 26 else "middle"
        yield Words(x, bottom + 16, clock(mark * step), page.muted, 11, anchor)
    onset = recording.result.avalanche_onset_tick()
    if onset is not None:
        x = LEFT + COLUMNS * onset / recording.ticks
        for y in range(int(top), int(bottom), 8):
            yield Rect(x, y, 1.5, min(5, bottom - y), page.alert)
        anchor = "end" if x > WIDTH * 0.8 else "start"
        name = texts("numbers.onset.label")
        yield Words(x, bottom + 32, name, page.alert, 11, anchor)
