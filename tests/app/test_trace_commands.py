"""The commands that take traces in, and runs of them out."""

import json

import pytest

from app.cli import main
from tests.sim.traces.made import CLAUDE, TRACELAB, lines


@pytest.fixture
def log(tmp_path):
    """Return the path of a log."""
    path = tmp_path / "log"
    path.write_bytes(lines(CLAUDE))
    return path


def test_import_prints_the_report_and_writes_sessions(log, tmp_path, capsys):
    table, out = tmp_path / "table", tmp_path / "sessions.json"
    table.write_bytes(TRACELAB)
    assert main(["import", str(log), str(table), "--out", str(out), "--quiet"]) == 0
    said = capsys.readouterr()
    assert "2 of 2 files used: 5 requests in 3 sessions from 9 lines; 1 repeat dropped" in said.out
    assert "prefix cache hit rate with room for everything" in said.out
    assert said.err == ""
    assert len(json.loads(out.read_text())["sessions"]) == 3


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv"])
def test_what_import_writes_it_reads(log, tmp_path, capsys, suffix):
    out = tmp_path / f"sessions{suffix}"
    main(["import", str(log), "--out", str(out)])
    assert main(["import", str(out)]) == 0
    assert "2 requests in 1 session" in capsys.readouterr().out


def test_import_says_in_lines_what_is_wrong(tmp_path, capsys):
    empty = tmp_path / "empty"
    empty.touch()
    assert main(["import", str(empty)]) == 2
    assert f"dpascope import: nothing could be used\n{empty}: an empty file" in (
        capsys.readouterr().err
    )
    assert main(["import", str(empty), "--out", "x.txt"]) == 2
    assert "x.txt must end in one of .json, .jsonl, .csv" in capsys.readouterr().err


def ran(arguments, capsys):
    assert main(["run", "--json", *map(str, arguments)]) == 0
    said = capsys.readouterr()
    return json.loads(said.out), said.err


def test_run_takes_a_workload_from_a_log(log, capsys):
    found, err = ran(["--workload", log, "--agents", 3, "--workers", 2], capsys)
    scenario = found["scenario"]
    assert (scenario["draws"], scenario["agents"], scenario["workers"]) == ("table", 3, 2)
    assert scenario["table"] == [[[0, 910, 120], [2000, 70, 80]]] * 3
    assert found["metrics"]["requests_finished"] == 6
    assert err == ""


def test_run_chooses_waits_starts_and_sizes(log, capsys):
    asked = ["--workload", log, "--agents", 2, "--wait-cap", 0.5, "--scale", 2]
    asked += ["--stagger-ms", 9000, "--compaction", "none", "--shared-prefix", 300]
    scenario = ran(asked, capsys)[0]["scenario"]
    assert scenario["table"] == [
        [[0, 1520, 240], [500, 140, 160]],
        [[9000, 1520, 240], [500, 140, 160]],
    ]
    assert (scenario["overflow"], scenario["shared_prefix"]) == ("kill", 300)


def test_run_takes_a_named_workload(capsys):
    asked = ["--workload", "realistic", "--wait-cap", 10, "--agents", 2, "--turns", "2-3"]
    scenario = ran(asked, capsys)[0]["scenario"]
    assert (scenario["agents"], scenario["turns"]) == (2, [2, 3])
    assert (max(scenario["think_ms"]), scenario["overflow"]) == (10_000, "compact")


def test_run_warns_of_prompts_for_which_there_is_no_room(log, capsys):
    asked = ["--workload", log, "--kv-capacity", 1000, "--compaction", "none"]
    found, err = ran(asked, capsys)
    assert "1 of 1 agents outgrow the context limit or the KV cache" in err
    assert "the largest needs 1,180 tokens) and are killed" in err
    assert found["metrics"]["kills"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--workload", "realistc"], "unknown workload 'realistc': did you mean 'realistic'"),
        (
            ["--workload", "realistic", "--start", "recorded"],
            "start = 'recorded' is for recorded sessions",
        ),
        (["--start", "recorded"], "--start needs --workload"),
        (["--workload", "LOG", "--start", "now"], "start = 'now' must be one of together"),
        (["--workload", "LOG", "--scale", "x"], "--scale x must be a number"),
        (["--workload", "LOG", "--wait-cap", "-1"], "--wait-cap -1 must be a number of seconds"),
        (["--save", "run.bmp"], "run.bmp must end in one of"),
    ],
)
def test_run_says_what_is_wrong(log, arguments, said, capsys):
    arguments = [str(log) if word == "LOG" else word for word in arguments]
    assert main(["run", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_run_saves_files(log, tmp_path, capsys):
    names = ["run.svg", "requests.csv", "trace.json", "events:events.csv", "mooncake:again.jsonl"]
    saves = []
    for name in names:
        kind, colon, path = name.rpartition(":")
        saves += ["--save", f"{kind}{colon}{tmp_path / path}"]
    assert main(["run", "--workload", str(log), *saves]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "log",
        *(name.rpartition(":")[2] for name in names),
    }
    assert main(["run", "--workload", str(tmp_path / "again.jsonl")]) == 0
    capsys.readouterr()
