"""The metrics of a run in lines."""

import unicodedata

from app.cards import CARDS, card_values
from app.runs import Run
from app.spending import spending


def summary(recording, texts):
    """Return the metrics of a run, the ones that the page shows, a line each.

    Parameters
    ----------
    recording : Recording
    texts : Texts

    Returns
    -------
    list of str
    """
    values = card_values(Run(recording, recording.result.summary()), texts)
    rows = [(texts(f"numbers.{name}.label"), *values[name]) for name in CARDS]
    wide = [max(_width(row[i]) for row in rows) for i in range(2)]
    return [
        f"{_padded(label, wide[0])}  {_right(value, wide[1])}  {detail}".rstrip()
        for label, value, detail in rows
    ]


def spent(recording, texts):
    """Return where the workers' time went: a heading, a line for each part, and a sentence.

    Parameters
    ----------
    recording : Recording
    texts : Texts

    Returns
    -------
    list of str
        Parts that took no time are left out.
    """
    found = spending(recording, None, texts)
    rows = [
        (texts(f"tax.parts.{part.name}.label"), part.percent, part.time)
        for part in found.parts
        if part.share
    ]
    wide = [max(_width(row[i]) for row in rows) for i in range(3)]
    lines = [
        f"{_padded(label, wide[0])}  {_right(share, wide[1])}  {_right(time, wide[2])}"
        for label, share, time in rows
    ]
    return [texts("tax.title_workers"), *lines, found.said]


def _right(text, width):
    return " " * (width - _width(text)) + text


def _padded(text, width):
    return text + " " * (width - _width(text))


def _width(text):
    """Return the columns that a text takes: two for each wide character."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
