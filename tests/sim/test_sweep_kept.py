"""Sweeps that go on where they stopped, and the files that come of them."""

import csv
import json
import sys

import pytest

from sim import Scenario
from sim.sweep import Sweep, SweepError, files, grid, listed

SMALL = Scenario(workers=2, agents=2, turns=[1, 2])
AXES = {"agents": [2, 3], "turns": [[1, 1], [1, 2]], "prefill_sharing": [False, True]}
POINTS = grid(SMALL, {**AXES, "prefill_workers": [0, 2]})


@pytest.fixture(scope="module")
def rows():
    """Return all rows of `POINTS`; half of them cannot be run."""
    return [row for rows in Sweep(POINTS).stream() for row in rows]


def streamed(sweep, **where):
    """Return the rows of a sweep as one list."""
    return [row for rows in sweep.stream(**where) for row in rows]


def interrupted(path, runs):
    """Run a sweep that keeps its rows until so many are finished."""
    for found in Sweep(POINTS, keep=path, batch=(2, 2)).stream():
        if found[-1]["index"] >= runs - 1:
            break


@pytest.mark.parametrize("torn", [b"", b"{", b'{"index": 9, "agents": 3'])
def test_a_sweep_goes_on_where_it_stopped(rows, tmp_path, torn):
    path = tmp_path / "kept"
    interrupted(path, 6)
    with path.open("ab") as file:
        file.write(torn)
    seen = []
    assert streamed(Sweep(POINTS, keep=path), report=seen.append) == rows
    assert (seen[0].done, seen[0].resumed, seen[0].failed) == (6, 6, 3)
    assert (seen[-1].done, seen[-1].failed) == (16, 8)
    assert len(path.read_bytes().splitlines()) == 17
    again = []
    assert streamed(Sweep(POINTS, keep=path), report=again.append) == rows
    assert [p.done for p in again] == [16]


def test_another_order_goes_on_from_the_same_file(rows, tmp_path):
    interrupted(tmp_path / "kept", 6)
    sweep = Sweep(POINTS, keep=tmp_path / "kept", order="coarse", batch=(3, 3))
    assert streamed(sweep) == [rows[i] for i in POINTS.coarse_first()]


def test_a_header_that_was_torn_is_written_anew(rows, tmp_path):
    path = tmp_path / "kept"
    interrupted(path, 2)
    header = path.read_bytes().splitlines()[0]
    path.write_bytes(header[:20])
    assert streamed(Sweep(POINTS, keep=path)) == rows
    assert path.read_bytes().splitlines()[0] == header


@pytest.mark.parametrize(
    "other",
    [
        Sweep(grid(SMALL, {**AXES, "prefill_workers": [0, 1]})),
        Sweep(grid(SMALL.replace(kv_capacity=10**6), {**AXES, "prefill_workers": [0, 2]})),
        Sweep(POINTS, max_ticks=1000),
        Sweep(listed(list(grid(SMALL, {"agents": range(1, 17)})))),
    ],
    ids=["axes", "base", "max_ticks", "list"],
)
def test_the_file_of_another_sweep_is_left_alone(other, tmp_path):
    path = tmp_path / "kept"
    interrupted(path, 4)
    before = path.read_bytes()
    other._keep = path
    with pytest.raises(ValueError, match="belongs to another sweep"):
        next(other.stream())
    assert path.read_bytes() == before


def test_two_sweeps_do_not_write_to_one_file(rows, tmp_path):
    pytest.importorskip("fcntl", reason="files can be locked where fcntl is")
    first = Sweep(POINTS, keep=tmp_path / "kept", batch=(4, 4)).stream()
    assert next(first) == rows[:4]
    with pytest.raises(ValueError, match="kept is in use: another sweep writes to it"):
        next(Sweep(POINTS, keep=tmp_path / "kept").stream())
    first.close()
    assert streamed(Sweep(POINTS, keep=tmp_path / "kept")) == rows


@pytest.mark.parametrize("text", ["mine", "mine\n", '{"index": 1}\n'])
def test_a_file_of_something_else_is_left_alone(text, tmp_path):
    path = tmp_path / "kept"
    path.write_text(text)
    with pytest.raises(ValueError, match="kept"):
        next(Sweep(POINTS, keep=path).stream())
    assert path.read_text() == text


@pytest.mark.parametrize("line", ["{}", "[1]", "no", '{"index": 99}', '{"index": "a"}'])
def test_a_line_that_is_damaged_is_found(line, tmp_path):
    path = tmp_path / "kept"
    interrupted(path, 2)
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(ValueError, match="is damaged at byte"):
        next(Sweep(POINTS, keep=path).stream())


@pytest.mark.parametrize("suffix", list(files.SUFFIXES))
def test_a_file_holds_the_rows_in_order_however_they_were_made(rows, suffix, tmp_path):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow, of the extra parquet, writes the file")
    kept = Sweep(POINTS, keep=tmp_path / "kept", order="coarse", batch=(3, 3))
    streamed(kept)
    kept.save(tmp_path / f"kept{suffix}")
    Sweep(POINTS).run().save(tmp_path / f"table{suffix}")
    first = read(tmp_path / f"kept{suffix}")
    assert first == read(tmp_path / f"table{suffix}")
    assert first == (in_text(rows) if suffix == ".csv" else rows)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == sorted(["", suffix, suffix])


def read(path):
    """Return the rows of a file."""
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            return list(csv.DictReader(file))
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    assert str(table.schema.field("turns").type) == "list<element: int64>"
    assert str(table.schema.field("evictions").type) == "int64"
    assert str(table.schema.field("prefill_sharing").type) == "bool"
    return table.to_pylist()


def in_text(rows):
    """Return rows as CSV has them."""
    written = {None: "", True: "true", False: "false"}

    def cell(value):
        plain = isinstance(value, (int, float)) and not isinstance(value, bool)
        return str(value) if plain or isinstance(value, (str, list)) else written[value]

    return [{name: cell(value) for name, value in row.items()} for row in rows]


def test_a_partial_file_holds_what_is_finished(rows, tmp_path):
    interrupted(tmp_path / "kept", 6)
    Sweep(POINTS, keep=tmp_path / "kept").save(tmp_path / "part.jsonl")
    assert read(tmp_path / "part.jsonl") == rows[:6]


def test_what_cannot_be_written_leaves_the_old_file(tmp_path, monkeypatch):
    sweep = Sweep(POINTS).run()
    old = tmp_path / "old.csv"
    old.write_text("old")

    def fail(path, columns, rows):
        path.write_text("half")
        raise OSError("disk full")

    monkeypatch.setitem(files.SUFFIXES, ".csv", fail)
    with pytest.raises(OSError, match="disk full"):
        sweep.save(old)
    assert [path.name for path in tmp_path.iterdir()] == ["old.csv"]
    assert old.read_text() == "old"
    with pytest.raises(ValueError, match=r"x\.txt must end in one of \.csv, \.jsonl, \.parquet"):
        sweep.save(tmp_path / "x.txt")


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SweepError, match="pip install pyarrow"):
        Sweep(POINTS).save(tmp_path / "x.parquet")
