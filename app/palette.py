"""Colours of states, events and pages, for light and dark.

The default palette is the article's: its text says green for decode and yellow for waiting. The
second one keeps those families but separates them by lightness, so that they stay apart for
readers with deuteranopia or protanopia too. Idle follows the theme and recedes in both. What is
worth less than it costs is a pale shade of its kind: prefill again of prefill, dragged of decode.
"""

import dataclasses

from app.derive import SHADES
from app.derive.lives import AGENT_STATES

DEFAULT = {
    "waiting_phase": "#c8892c",
    "waiting_kv": "#8f4a1d",
    "prefill": "#d94683",
    "prefill_again": "#f29bc0",
    "decode": "#2f9e8f",
    "transfer": "#4f7cc4",
    "mixed": "#7d5ba6",
    "dragged": "#a5d6c9",
}
COLORBLIND = {
    "waiting_phase": "#e8c517",
    "waiting_kv": "#592001",
    "prefill": "#d43038",
    "prefill_again": "#e0847c",
    "decode": "#007c84",
    "transfer": "#5c7af4",
    "mixed": "#35206f",
    "dragged": "#6eb2cc",
}
PALETTES = {"default": DEFAULT, "colorblind": COLORBLIND}
"""Colours of the states but idle, by the palette's name."""

CONTEXTS = (
    "#4e79a7",
    "#f28e2b",
    "#59a14f",
    "#b07aa1",
    "#edc948",
    "#e15759",
    "#76b7b2",
    "#9c755f",
    "#ff9da7",
)
"""Hues in which the contexts of agents take turns; grey is for those of agents that have ended."""

TRANSPARENT = "#00000000"


@dataclasses.dataclass(frozen=True)
class Theme:
    """Colours of a page.

    Attributes
    ----------
    page, surface : str
        Behind everything; behind a figure.
    text, muted : str
        Text that is read; text that only helps.
    axis, grid : str
        Axis lines and ticks; grid lines.
    accent : str
        Pinned tick, focus, links.
    alert : str
        Avalanche onset, kills, errors.
    idle, locked, resting, ended : str
        Idle workers; KV that is locked, idle, or left over by an ended agent.
    killed : str
        The time after an agent has been killed.
    series : str
        A single line or bar.
    heat : tuple of str
        From an empty to a full KV cache.
    """

    page: str
    surface: str
    text: str
    muted: str
    axis: str
    grid: str
    accent: str
    alert: str
    idle: str
    locked: str
    resting: str
    ended: str
    killed: str
    series: str
    heat: tuple


def _ramp(low, high, steps=16):
    """Return `steps` colours from `low` to `high`, straight through RGB."""
    ends = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in (low, high)]
    mixed = (
        [round(a + (b - a) * step / (steps - 1)) for a, b in zip(*ends, strict=True)]
        for step in range(steps)
    )
    return tuple("#{:02x}{:02x}{:02x}".format(*rgb) for rgb in mixed)


THEMES = {
    "light": Theme(
        page="#f6f7f9",
        surface="#ffffff",
        text="#1f2530",
        muted="#596378",
        axis="#c9ced6",
        grid="#eceef2",
        accent="#2457d6",
        alert="#c0263b",
        idle="#d5d8de",
        locked="#44546a",
        resting="#a9b8cb",
        ended="#dde2e9",
        killed="#f6d5d9",
        series="#8f4a1d",
        heat=_ramp("#eef1f5", "#1f3a5f"),
    ),
    "dark": Theme(
        page="#14171c",
        surface="#1b1f26",
        text="#e6e9ee",
        muted="#a3adbd",
        axis="#475061",
        grid="#2a303a",
        accent="#7aa2ff",
        alert="#ff6b7d",
        idle="#3a3f49",
        locked="#a9bdd8",
        resting="#55677f",
        ended="#333c49",
        killed="#4a2128",
        series="#d08a55",
        heat=_ramp("#232933", "#9cc4f2"),
    ),
}


def state_colors(palette="default", theme="light"):
    """Return the colours of the states as they are drawn, a list as long as `SHADES`."""
    colors = {**PALETTES[palette], "idle": THEMES[theme].idle}
    return [colors[state] for state in SHADES]


def agent_colors(palette="default", theme="light"):
    """Return the colours of what agents do, a list as long as `AGENT_STATES`.

    What agents share with workers has the workers' colours: to be queued is to wait for KV.
    """
    states, page = PALETTES[palette], THEMES[theme]
    colors = {
        **states,
        "again": states["prefill_again"],
        "queued": states["waiting_kv"],
        "thinking": page.idle,
        "not_started": page.grid,
        "done": TRANSPARENT,
        "killed": page.killed,
    }
    return [colors[state] for state in AGENT_STATES]


def faded_colors(palette="default", theme="light"):
    """Return the colours of the states where others are shown alone."""
    surface = THEMES[theme].surface
    return [_ramp(surface, color, 8)[1] for color in state_colors(palette, theme)]


def event_colors(palette="default", theme="light"):
    """Return the colour of each kind of event, a dict by its name."""
    states, page = PALETTES[palette], THEMES[theme]
    return {
        "evict": page.series,
        "reclaim": page.muted,
        "kill": page.alert,
        "compact": states["transfer"],
        "miss": states["prefill"],
    }


def context_colors(theme="light"):
    """Return the colours of the codes in `app.derive.composition`; idle contexts are lighter."""
    page = THEMES[theme]
    tones = [tone for hue in CONTEXTS for tone in (hue, _ramp(page.surface, hue, 8)[3])]
    return [TRANSPARENT, page.axis, page.ended, page.surface, *tones]
