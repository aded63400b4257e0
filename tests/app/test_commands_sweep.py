"""`dpascope sweep`: grids from flags and files, tables, files, and what is left after Ctrl-C."""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from app.cli import main
from sim import Scenario
from sim.sweep import Sweep, grid
from tests.app.test_commands import failed

SMALL = ["--turns", "1-2", "--dp-ranks", "2", "--workers", "1"]
BASE = Scenario(turns=[1, 2], workers=2)
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS = 60
"""Longest wait for a process."""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Run in a folder of its own, on a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def rows(path):
    """Return the rows of a file of JSON lines."""
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def swept(points):
    """Return the rows of a sweep in this process."""
    return [row for rows in Sweep(points).stream() for row in rows]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "nothing varies"),
        ("--agents 4", "nothing varies"),
        ("--agents 4,4", "agents = 4 is given twice"),
        ("--agents 4,x", "agents = 'x' must be a whole number"),
        ("--agnets 4,8", "unknown argument --agnets: did you mean --agents?"),
        ("--agents 4,8 --seeds 0", "seeds = 0 must be a whole number from 1"),
        ("--agents 4,8 --seeds x", "seed = 'x' must be a whole number"),
        ("--agents 4,8 --prefill-workers 16", "prefill_workers = 16 must be below workers = 16"),
        ("--agents 4,8 --workers 0", "workers = 0 must be a whole number from 1 to 1,024"),
        ("--agents 4,8 --workers x", "argument --workers: invalid int value: 'x'"),
        ("--agents 4,8 --workers 2 --cluster tcp://a:1", "--cluster names another one"),
        ("--agents 4,8 --out x.txt", "x.txt must end in one of .csv, .jsonl, .parquet"),
        ("--agents 4,8 --out none/x.csv", "none/x.csv.part: No such file or directory"),
        ("--agents 1:200 --quantum 1:200", "40,000 runs are too many for a table"),
        ("--agents 4,8 --preset artcle_fig1", "did you mean 'article_fig1'?"),
        ("grid.json", "unknown part of grid.json: 'gird': did you mean 'grid'?"),
        ("names.json", "unknown parameter 'agnets': did you mean 'agents'?"),
        ("shape.json", "grid of shape.json must map parameters to their values"),
        ("list.json", "scenario 1: agents = 0 must be a whole number"),
        ("list.json --agents 4", "list.json is a list of scenarios, which takes no other fields"),
        ("one.json", "nothing varies"),
    ],
)
def test_what_is_wrong_is_one_line(command, message, here, capsys):
    texts = {
        "grid": '{"grid": {"agents": [4, 8]}, "gird": {}}',
        "names": '{"grid": {"agnets": "4:8"}}',
        "shape": '{"grid": [4, 8]}',
        "list": '[{"agents": 1}, {"agents": 0}]',
        "one": '{"agents": 8}',
    }
    for name, text in texts.items():
        (here / f"{name}.json").write_text(text)
    said = failed(f"sweep {command}", capsys)
    assert message in said
    assert said.startswith("dpascope sweep: ")
    assert len(list(here.iterdir())) == len(texts)


def test_a_grid_of_flags_becomes_a_file(here, capsys):
    command = ["sweep", *SMALL, "--agents", "2:6:2", "--routing", "random,pinned", "--seeds", "2"]
    assert main([*command, "--out", "x.jsonl"]) == 0
    axes = {"agents": [2, 4, 6], "routing": ["random", "pinned"]}
    assert rows("x.jsonl") == swept(grid(BASE, axes, seeds=2))
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("dpascope sweep: 12 runs in ")
    assert printed.err.endswith(", in x.jsonl\n")
    assert [path.name for path in here.iterdir()] == ["x.jsonl"]


def test_axes_stand_in_the_order_of_the_command_line():
    for names in (("agents", "quantum"), ("quantum", "agents")):
        flags = [part for name in names for part in (f"--{name}", "1,2")]
        assert main(["sweep", *SMALL, *flags, "--out", "x.csv"]) == 0
        with open("x.csv", newline="") as file:
            assert tuple(next(csv.reader(file))[1:3]) == names


def test_a_grid_from_a_file_gives_way_to_flags(here):
    given = {
        "preset": "article_fig2",
        "base": {"turns": [1, 1], "workers": 2},
        "grid": {"agents": "1:3", "lock": ["none", "phase"]},
        "seeds": 2,
    }
    (here / "grid.json").write_text(json.dumps(given))
    assert main(["sweep", "grid.json", "--workers", "1", "--out", "x.jsonl"]) == 0
    base = Scenario.preset("article_fig2", turns=[1, 1], workers=2)
    assert rows("x.jsonl") == swept(
        grid(base, {"agents": [1, 2, 3], "lock": ["none", "phase"]}, seeds=2)
    )
    flags = ["--lock", "step", "--kv-capacity", "1M,2M", "--seeds", "7,9"]
    assert main(["sweep", "grid.json", *flags, "--workers", "1", "--out", "y.jsonl"]) == 0
    axes = {"agents": [1, 2, 3], "kv_capacity": [10**6, 2 * 10**6]}
    assert rows("y.jsonl") == swept(grid(base.replace(lock="step"), axes, seeds=[7, 9]))


def test_a_list_of_scenarios_is_swept(here):
    given = [{"agents": 2, "turns": [1, 1]}, {"agents": 3, "turns": [1, 1], "lock": "none"}]
    (here / "list.json").write_text(json.dumps(given))
    assert main(["sweep", "list.json", "--workers", "1", "--out", "x.jsonl"]) == 0
    assert [(row["agents"], row["lock"]) for row in rows("x.jsonl")] == [(2, "phase"), (3, "none")]


def test_a_table_is_printed_with_bands_where_they_fit(monkeypatch, capsys):
    command = ["sweep", *SMALL, "--agents", "2,4", "--seeds", "3", "--quiet"]
    assert main(command) == 0
    narrow = capsys.readouterr().out.splitlines()
    assert narrow[0].split()[:3] == ["agents", "utilization", "makespan"]
    assert [line.split()[0] for line in narrow[1:3]] == ["2", "4"]
    assert narrow[3] == "Medians over 3 seeds."
    monkeypatch.setenv("COLUMNS", "300")
    assert main(command) == 0
    wide = capsys.readouterr().out.splitlines()
    assert "[" in wide[1]
    assert "10th to 90th percentile" in wide[3]


def test_runs_that_cannot_be_made_are_told(capsys):
    command = ["sweep", *SMALL, "--agents", "2"]
    assert main([*command, "--prefill-workers", "1,2"]) == 0
    told = capsys.readouterr().err
    assert "1 of 2 runs could not be made, such as: prefill_workers = 2 must be below" in told
    assert main([*command, "--prefill-workers", "2,3"]) == 2


def test_progress_is_drawn_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(["sweep", *SMALL, "--agents", "2,4"]) == 0
    assert " 2 of 2 runs" in capsys.readouterr().err
    assert main(["sweep", *SMALL, "--agents", "2,4", "--quiet"]) == 0
    assert "\r" not in capsys.readouterr().err


LONG = ["--agents", "2:8", "--turns", "3-9", "--seeds", "200"]


def test_ctrl_c_leaves_what_is_finished(here):
    command = [sys.executable, "-m", "app.cli", "sweep", *LONG, "--workers", "2", "--out", "x.csv"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        part = here / "x.csv.part"
        wait_until(lambda: part.exists() and part.read_bytes().count(b"\n") > 20)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=SECONDS)[1]
    assert process.returncode == 130, told
    assert told.endswith(" of 1,400 runs are in x.csv; the same command goes on from there\n")
    assert told.count("\n") == 1
    with open("x.csv", newline="") as file:
        found = list(csv.DictReader(file))
    kept = part.read_bytes().count(b"\n") - 1
    assert 20 <= len(found) == kept < 1400
    assert f"{kept:,} of 1,400" in told
    points = grid(Scenario(turns=[3, 9]), {"agents": range(2, 9)}, seeds=200)
    first = next(Sweep(points, batch=(5, 5)).stream())
    assert [row["makespan_s"] for row in found[:5]] == [str(row["makespan_s"]) for row in first]


def wait_until(true):
    """Wait for something to be true, but not for ever."""
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_command_goes_on_or_begins_anew(here, capsys):
    command = ["sweep", *SMALL, "--agents", "2,3,4", "--out", "x.jsonl"]
    points = grid(BASE, {"agents": [2, 3, 4]})
    for rows_ in Sweep(points, keep="x.jsonl.part", batch=(1, 1)).stream():
        kept = (here / "x.jsonl.part").read_bytes()
        if rows_[0]["index"] == 1:
            break
    assert main(command) == 0
    assert "1 runs in " in (told := capsys.readouterr().err)
    assert ", 2 had been finished before, in x.jsonl" in told
    assert rows("x.jsonl") == swept(points)
    (here / "x.jsonl.part").write_bytes(kept)
    assert main([*command, "--seeds", "2"]) == 2
    assert "x.jsonl.part belongs to another sweep: remove it" in capsys.readouterr().err
    assert main([*command, "--seeds", "2", "--restart"]) == 0
    assert len(rows("x.jsonl")) == 6
    assert not (here / "x.jsonl.part").exists()
