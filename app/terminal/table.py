"""A sweep as a table that a person reads: a line for each cell of the grid."""

import numpy as np

from app.format import count, duration, percent
from app.texts import Texts

METRICS = (
    ("utilization", "utilization", percent),
    ("makespan", "makespan_s", duration),
    ("hit rate", "prefix_cache_hit_rate", percent),
    ("recomputed", "recomputed_share", percent),
    ("evictions", "evictions", lambda value, _: count(round(value))),
    ("TTFT p50", "p50_ttft_s", duration),
    ("E2E p50", "p50_e2e_s", duration),
    ("avalanche", "avalanche_onset_s", duration),
)
"""Columns: heading, metric, and how it is written."""


def table_lines(table, width):
    """Return a table of medians over the seeds, with their bands if they fit.

    Parameters
    ----------
    table : sim.sweep.Table
    width : int
        Columns of the terminal.

    Returns
    -------
    list of str
    """
    bands = {name: table.bands(name).reshape(3, -1) for _, name, _ in METRICS}
    seeds = int(np.bincount(table.points.cells).max())
    lines = _lines(table, bands, _banded) if seeds > 1 else []
    if not lines or max(map(len, lines)) > width:
        lines = _lines(table, bands, _median)
    if seeds > 1:
        lines.append(f"Medians over {seeds} seeds; 10th to 90th percentile in brackets.")
        if lines[0] and "[" not in "".join(lines[:-1]):
            lines[-1] = f"Medians over {seeds} seeds."
    return lines


def _lines(table, bands, written):
    points, texts = table.points, Texts("en")
    varied = [name for name in points.names if name != "seed"]
    rows = [[*varied, *(heading for heading, _, _ in METRICS)]]
    _, firsts = np.unique(points.cells, return_index=True)
    for cell, first in enumerate(firsts.tolist()):
        labels = points.varied(first)
        cells = [written(bands[name][:, cell], form, texts) for _, name, form in METRICS]
        rows.append([*(_label(labels[name]) for name in varied), *cells])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.rjust(wide) for cell, wide in zip(row, widths, strict=True)) for row in rows
    ]


def _label(value):
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return "-".join(map(str, value))
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


def _median(band, form, texts):
    return "–" if np.isnan(band[1]) else form(float(band[1]), texts)


def _banded(band, form, texts):
    median = _median(band, form, texts)
    if np.isnan(band[1]) or band[0] == band[2]:
        return median
    low, high = (form(float(value), texts) for value in (band[0], band[2]))
    return f"{median} [{low} – {high}]"
