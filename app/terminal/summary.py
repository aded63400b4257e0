"""The metrics of a run in lines."""

import unicodedata

from app.cards import CARDS, card_values
from app.runs import Run


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
        f"{_padded(label, wide[0])}  {' ' * (wide[1] - _width(value))}{value}  {detail}".rstrip()
        for label, value, detail in rows
    ]


def _padded(text, width):
    return text + " " * (width - _width(text))


def _width(text):
    """Return the columns that a text takes: two for each wide character."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
