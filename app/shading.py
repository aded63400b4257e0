"""A grid as it is drawn: colours, texts and a scale. Brighter is better, in either palette."""

import dataclasses
import math

import numpy as np
from bokeh.palettes import Cividis256, Viridis256

from app.exploring import METRICS
from app.format import count, duration, percent

RAMPS = {"default": Viridis256, "colorblind": Cividis256}
"""From dark to bright, by the name of the page's palette. Both rise evenly in lightness."""

INKS = ("#ffffff", "#000000")
"""Text on dark and on bright colours."""
BRIGHT = 0.179
"""Luminance at which both can be read as well, at a contrast of 4.58."""

MINUTE, HOUR, DAY = 60, 3600, 86_400
TIMES = (
    *(1, 2, 5, 10, 20, 30),
    *(MINUTE * n for n in (1, 2, 5, 10, 20, 30)),
    *(HOUR * n for n in (1, 2, 5, 10, 24)),
    *(DAY * n for n in (2, 5, 10, 20, 50)),
)
"""Seconds at which a scale of times has marks."""

FULL = ("hit_rate", "recomputed")
"""Shares that are always shown from 0 to 1."""


@dataclasses.dataclass(frozen=True)
class Scale:
    """From values to places on a bar, 0 at its start and 1 at its end.

    Attributes
    ----------
    low, high : float
        Ends; logarithms of seconds for times.
    marks : list of (float, str)
        Places and what is written there.
    times : bool
        Whether values are seconds.
    better : bool
        Whether more is better, which is drawn bright.
    """

    low: float
    high: float
    marks: list
    times: bool
    better: bool

    def places(self, values):
        """Return the places of values; NaN stays NaN."""
        values = np.log10(values) if self.times else np.asarray(values)
        return np.clip((values - self.low) / (self.high - self.low), 0, 1)

    def ramp(self, palette):
        """Return the colours of the bar from its start to its end."""
        colors = list(RAMPS[palette])
        return colors if self.better else colors[::-1]


def scale(metric, values, texts):
    """Return the `Scale` for the values of one of `app.exploring.METRICS`."""
    known = values[~np.isnan(values)]
    better = METRICS[metric][1]
    if metric != "makespan":
        high = 1 if metric in FULL else max(0.1, math.ceil(10 * known.max(initial=0) - 1e-9) / 10)
        steps = 5 if high > 0.5 else round(10 * high)
        marks = [(n / steps, f"{100 * high * n / steps:.0f} %") for n in range(steps + 1)]
        return Scale(0, high, marks, False, better)
    known = known[known > 0]
    low, high = (known.min(), known.max()) if known.size else (HOUR, HOUR)
    if high < 1.2 * low:
        low, high = low / 1.2, high * 1.2
    ends = math.log10(low), math.log10(high)
    marks = [
        ((math.log10(t) - ends[0]) / (ends[1] - ends[0]), short(t, texts))
        for t in TIMES
        if low <= t <= high
    ]
    return Scale(*ends, marks, True, better)


def colors(places, ramp):
    """Return for each place on a bar its colour and that of text upon it; NaN: neither.

    Returns
    -------
    colors, inks : ndarray of object
    """
    known = ~np.isnan(places)
    index = np.round(np.where(known, places, 0) * (len(ramp) - 1)).astype(int)
    bright = np.array([_lightness(color) > BRIGHT for color in ramp])
    return (
        np.where(known, np.array(ramp, object)[index], None),
        np.where(known, np.array(INKS, object)[bright[index].astype(int)], None),
    )


def ink_on(color):
    """Return the colour of text that can be read on this one."""
    return INKS[_lightness(color) > BRIGHT]


def _lightness(color):
    """Return the relative luminance of a colour, as WCAG has it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def short(seconds, texts):
    """Return a time in its largest unit, such as "4.9 h"; NaN as an empty text."""
    if math.isnan(seconds):
        return ""
    if seconds < MINUTE:
        return texts("explore.short.s", s=f"{seconds:.0f}")
    if seconds < HOUR:
        return texts("explore.short.m", m=f"{seconds / MINUTE:.0f}")
    hours = seconds / HOUR
    digits = 0 if hours >= 10 or hours == int(hours) else 1
    return texts("explore.short.h", h=f"{hours:.{digits}f}")


def brief(metric, value, texts):
    """Return a value as it stands in a cell, where there is little room."""
    if math.isnan(value):
        return ""
    return short(value, texts) if metric == "makespan" else percent(value, texts, 0)


FAINT = 0.4
"""Opacity of a cell that is still to be run and has the colour of the nearest one."""


def columns(found, metric, bar, palette, axes, texts):
    """Return the columns of the heatmap's source, for cell after cell of each column.

    Parameters
    ----------
    found : app.exploring.Cells
    metric : str
    bar : Scale
    palette : str
        A key of `RAMPS`.
    axes : (list of str, list of str)
        What is written at each value across and up.
    texts : Texts

    Returns
    -------
    dict of str to list
        `app.figures.heatmap.COLUMNS`.
    """
    places = [(int(c), int(r)) for c, r in np.ndindex(found.value.shape)]
    fill, ink = colors(bar.places(found.near), bar.ramp(palette))
    made = {
        "left": [c for c, _ in places],
        "right": [c + 1 for c, _ in places],
        "bottom": [r for _, r in places],
        "top": [r + 1 for _, r in places],
        "x": [c + 0.5 for c, _ in places],
        "y": [r + 0.5 for _, r in places],
        "fill": fill.ravel().tolist(),
        "ink": [ink[place] or INKS[1] for place in places],
        "alpha": np.where(found.pending, FAINT, 1.0).ravel().tolist(),
        "hatch": ["x" if place in found.errors else " " for place in places],
        "text": [brief(metric, found.value[place], texts) for place in places],
        "across": [axes[0][c] for c, _ in places],
        "up": [axes[1][r] for _, r in places],
    }
    for name, values in (("evictions", found.evictions), ("killed", found.kills)):
        made[name] = [_counted(values[place], texts) for place in places]
    made["value"] = [_value(found, metric, place, texts) for place in places]
    made["avalanche"] = [_seeds(found.avalanche[place], texts) for place in places]
    return made


def _counted(value, texts):
    return texts("numbers.none") if math.isnan(value) else count(round(value))


def _value(found, metric, place, texts):
    if place in found.errors:
        return texts("explore.impossible", why=found.errors[place])
    if found.pending[place]:
        return texts("explore.pending")
    value = float(found.value[place])
    value = None if math.isnan(value) else value
    return duration(value, texts) if metric == "makespan" else percent(value, texts)


def _seeds(share, texts):
    if math.isnan(share):
        return texts("numbers.none")
    return texts("explore.seeds", share=f"{100 * share:.0f} %")
