"""The timeline in letters: worker × time, each state as often as its share of the time."""

import itertools

import numpy as np

from app.derive.again import SHADES
from app.derive.bins import Bins
from app.derive.stack import STACK, state_ticks
from app.format import clock
from app.palette import state_colors

LETTERS = {
    "idle": "·",
    "waiting_phase": "w",
    "waiting_kv": "K",
    "prefill": "P",
    "prefill_again": "p",
    "decode": "D",
    "transfer": "T",
    "mixed": "M",
    "dragged": "d",
}
MOST_LANES = 64
LEAST_COLUMNS = 10
MARKS = (12, 15, 20, 30, 40, 60)
"""Columns between two times of the axis; the least that makes no more than 8 of them."""


def timeline(recording, width, paint, texts):
    """Return the timeline as lines of text.

    Parameters
    ----------
    recording : Recording
    width : int
        Columns of the terminal.
    paint : callable
        As `app.terminal.colors.painter` returns it.
    texts : Texts
        Names the states.

    Returns
    -------
    list of str
        A line for each lane, the last worker below, then the time and what the letters mean.
    """
    per_lane = -(-recording.workers // MOST_LANES)
    names = _names(recording.workers, per_lane)
    margin = max(map(len, names)) + 1
    columns = max(LEAST_COLUMNS, width - margin)
    bins = Bins.fit((0, recording.ticks), columns, recording.ticks, recording.tick_s)
    places = _spread(state_ticks(recording, bins, per_lane))
    lanes = [
        name.rjust(margin - 1) + " " + _painted([STACK[place] for place in lane], paint)
        for name, lane in zip(names, places.tolist(), strict=True)
    ]
    return [*lanes, " " * margin + _axis(bins), "", *_legend(places, width, paint, texts)]


def _spread(spent):
    """Return one state for each column of each lane, as places in `STACK`.

    A column shows one of the states that occur in it, the one that is most behind its share of
    the lane so far; so states that take little time show up as often as they should.

    Parameters
    ----------
    spent : ndarray of int64, shape (9, lanes, columns)

    Returns
    -------
    ndarray of int64, shape (lanes, columns)
    """
    shares = spent / np.maximum(spent.sum(0), 1)
    behind = np.zeros(spent.shape[:2])
    lanes = np.arange(spent.shape[1])
    places = np.empty(spent.shape[1:], np.int64)
    for column in range(spent.shape[2]):
        share = shares[:, :, column]
        behind += share
        places[:, column] = np.where(share > 0, behind, -np.inf).argmax(0)
        behind[places[:, column], lanes] -= 1
    return places


def _names(workers, per_lane):
    if per_lane == 1:
        return [str(worker) for worker in range(workers)]
    firsts = range(0, workers, per_lane)
    return [f"{first}-{min(first + per_lane, workers) - 1}" for first in firsts]


def _painted(codes, paint):
    return "".join(
        _mark(code, LETTERS[SHADES[code]] * len(list(run)), paint)
        for code, run in itertools.groupby(codes)
    )


def _mark(code, text, paint):
    """Paint a text in a state's colour; idle recedes into the ground, dark or light."""
    return text if SHADES[code] == "idle" else paint(text, state_colors()[code])


def _axis(bins):
    """Return times below their columns."""
    line = ""
    step = bins.size * bins.tick_s
    each = next((columns for columns in MARKS if bins.count <= 8 * columns), MARKS[-1])
    for column in range(0, bins.count, each):
        mark = f"|{clock(round(column * step))}"
        if column + len(mark) <= bins.count:
            line = line.ljust(column) + mark
    return line


def _legend(places, width, paint, texts):
    """Return what the letters that occur mean, in lines that fit."""
    occurring = [code for place, code in enumerate(STACK) if (places == place).any()]
    lines, length = [""], 0
    for code in occurring:
        letter, name = LETTERS[SHADES[code]], texts(f"states.{SHADES[code]}")
        size = 4 + len(name) + 2
        if length and length + size > width:
            lines.append("")
            length = 0
        lines[-1] += f"{_mark(code, f' {letter} ', paint)} {name}  "
        length += size
    return [line.rstrip() for line in lines]
