"""Rows to a file: CSV, JSON Lines or Parquet, a few at a time."""

import csv
import itertools
import json
import pathlib

from sim.sweep.errors import SweepError
from sim.sweep.table import metric_types
from sim.whole import whole

AT_ONCE = 4096
"""Rows of a group of a Parquet file."""


def write_rows(path, points, rows):
    """Write rows to a file, which is replaced once all of them are written.

    Parameters
    ----------
    path : str or path
        Its suffix says in which form: one of `SUFFIXES`.
    points : Points
        What the rows are of.
    rows : iterable of dict

    Raises
    ------
    ValueError
        If the suffix is not known.
    SweepError
        If pyarrow is not installed, which Parquet needs.
    OSError
        If the file cannot be written.
    """
    path = pathlib.Path(path)
    write = writer(path)
    with whole(path) as half:
        write(half, _columns(points), rows)


def writer(path):
    """Return what writes a file of that suffix; errors as for `write_rows`."""
    suffix = pathlib.Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path} must end in one of {', '.join(SUFFIXES)}")
    if suffix == ".parquet":
        _pyarrow()
    return SUFFIXES[suffix]


def _pyarrow():
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise SweepError("Parquet needs pyarrow: python -m pip install pyarrow") from error
    return pyarrow


def _columns(points):
    """Return the type of each column by its name: bool, int, float, str or list."""
    return {
        "index": int,
        **{name: _type(points.values(name)) for name in points.names},
        "error": str,
        **metric_types(),
    }


def _type(values):
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {int, float}:
        return float
    return kinds.pop() if len(kinds) == 1 else str


def _write_csv(path, columns, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        for row in rows:
            out.writerow(_cell(row[name]) for name in columns)


def _cell(value):
    """Return a value as CSV has it: None empty, lists and switches as in JSON."""
    return json.dumps(value) if isinstance(value, (bool, list)) else value


def _write_json_lines(path, columns, rows):
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps({name: row[name] for name in columns}) + "\n")


def _write_parquet(path, columns, rows):
    pyarrow = _pyarrow()
    types = {
        bool: pyarrow.bool_(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        str: pyarrow.string(),
        list: pyarrow.list_(pyarrow.int64()),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    rows = iter(rows)
    with pyarrow.parquet.ParquetWriter(path, schema) as out:
        while part := list(itertools.islice(rows, AT_ONCE)):
            out.write_table(pyarrow.Table.from_pylist(part, schema))


SUFFIXES = {
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
    ".parquet": _write_parquet,
}
"""What writes a file, by its suffix."""
