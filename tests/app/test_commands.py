"""`dpascope run` and `dpascope check`, and what all commands share."""

import json
import pathlib
import re
import shlex

import pytest

from app.cli import main
from app.commands import arguments
from app.commands.parser import parsed
from app.format import percent
from app.texts import Texts
from sim import Scenario, simulate
from sim.scenario import GROUPS
from tests.cases import GOLDEN

README = pathlib.Path(__file__).resolve().parent.parent.parent / "README.md"
SMALL = ["--agents", "4", "--turns", "1-3", "--dp-ranks", "3"]
SCENARIO = Scenario(agents=4, turns=[1, 3], workers=3)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Run in a folder of its own, on a terminal of 80 columns without colours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


def failed(command, capsys):
    """Run a command that has to fail; return its one line of error."""
    try:
        status = main(command.split())
    except SystemExit as left:  # as argparse does
        status = left.code
    printed = capsys.readouterr()
    assert status == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "dpascope: the following arguments are required: command"),
        ("rum", "invalid choice: 'rum'"),
        ("run --agnets 8", "dpascope run: unknown argument --agnets: did you mean --agents?"),
        ("run --kv_capacity=8", "unknown argument --kv_capacity: did you mean --kv-capacity?"),
        ("run --agent 8", "unknown argument --agent: did you mean --agents?"),
        ("run --agents", "argument --agents: expected one argument"),
        ("run --agents many", "agents = 'many' must be a whole number from 1 to 65,536"),
        ("run --agents 0", "agents = 0 must be a whole number from 1"),
        ("run --agents 1e999999", "agents = '1e999999' must be a whole number"),
        ("run --routing pined", "did you mean 'pinned'?"),
        ("run --turns 8", "turns = [8] must be a range [low, high]"),
        ("run --turns 8-x", "turns = '8-x' must be a range [low, high]"),
        ("run --turns 8-4", "turns = [8, 4] must never fall"),
        ("run --prefill-sharing maybe", "prefill_sharing = 'maybe' must be true or false"),
        ("run --mixed-share 1", "mixed_share = 1 must be a number above 0 and below 1"),
        ("run --prefill-workers 16", "prefill_workers = 16 must be below workers = 16"),
        ("run --preset artcle_fig1", "unknown preset 'artcle_fig1': did you mean 'article_fig1'?"),
        ("run --preset tp24", "GLM-5.2 cannot run as TP24"),
        ("run none.json", "cannot read none.json: No such file"),
        ("run bad.json", "bad.json is no JSON: "),
        ("run list.json", "a scenario must be a mapping"),
        ("run wrong.json", "unknown field 'agnets': did you mean 'agents'?"),
        ("run --color blue", "argument --color: invalid choice: 'blue'"),
        ("check none.json", "dpascope check: cannot read none.json"),
        ("check wrong.json", "golden cases must be a list of cases"),
        ("check list.json", "case 0 must have name, scenario and expect"),
        ("check fields.json", "case mine: unknown field 'agnets': did you mean 'agents'?"),
        ("check answers.json", "unknown answer 'tics': did you mean 'ticks'?"),
    ],
)
def test_what_is_wrong_is_one_line(command, message, here, capsys):
    texts = {
        "bad": "{",
        "list": "[1]",
        "wrong": '{"agnets": 8}',
        "fields": '[{"name": "mine", "scenario": {"agnets": 8}, "expect": {}}]',
        "answers": '[{"name": "mine", "scenario": {"agents": 1}, "expect": {"tics": 8}}]',
    }
    for name, text in texts.items():
        (here / f"{name}.json").write_text(text)
    assert message in failed(command, capsys)


def run_json(*given, capsys):
    """Return what `dpascope run --json` prints."""
    assert main(["run", "--json", *given]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_run_prints_the_metrics_for_machines(capsys):
    found = run_json(*SMALL, capsys=capsys)
    assert found["scenario"] == SCENARIO.to_dict()
    assert found["metrics"] == simulate(SCENARIO).summary()


def test_a_run_prints_the_metrics_for_people(capsys):
    assert main(["run", *SMALL]) == 0
    english = capsys.readouterr().out.splitlines()
    texts, summary = Texts("en"), simulate(SCENARIO).summary()
    assert english[10:12] == ["", texts("tax.title_workers")]
    assert english[0].startswith(texts("numbers.utilization.label"))
    assert percent(summary["utilization"], texts) in english[0]
    assert main(["run", *SMALL, "--lang", "zh"]) == 0
    assert "有效利用率" in capsys.readouterr().out


def test_flags_stand_over_the_file_and_the_file_over_the_preset(here, capsys):
    (here / "mine.json").write_text('{"agents": 3, "kv_capacity": 300000, "turns": [1, 1]}')
    given = ["mine.json", "--preset", "article_fig2", "--kv-capacity", "0.4M"]
    found = run_json(*given, capsys=capsys)["scenario"]
    assert found["agents"] == 3
    assert found["kv_capacity"] == 400_000
    assert found["decode_rate"] == 150


def test_a_scenario_is_read_from_the_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin.read", lambda: '{"agents": 2, "turns": [1, 1]}', raising=False)
    assert run_json("-", capsys=capsys)["scenario"]["agents"] == 2


def test_every_field_has_a_flag_that_takes_it(capsys):
    changed = {
        "lock": "none",
        "routing": "random",
        "phase_policy": "mixed",
        "eviction": "tail",
        "overflow": "compact",
        "draws": "article",
        "turns": [1, 2, 3],
        "think_ms": [5, 5],
        "kv_capacity": 123_000,
        "context_limit": 99_000,
        "mixed_share": 0.25,
        "decode_slowdown": 0.5,
        "cache_threshold": 0.5,
        "workers": 4,
        "input_tokens": [10, 20],
        "output_tokens": [1, 2],
        "prefill_sharing": True,
        "release_finished": False,
        "seed": 1,
    }
    names = [name for group in GROUPS.values() for name in group]
    changed.update((name, 3) for name in names if name not in changed)
    given = []
    for name, value in changed.items():
        text = "-".join(map(str, value)) if isinstance(value, list) else str(value)
        text = {"True": "on", "False": "off"}.get(text, text)
        flag = arguments.FLAGS.get(name, f"--{name.replace('_', '-')}")
        given += [flag, text]
    assert run_json(*given, capsys=capsys)["scenario"] == Scenario(**changed).to_dict()


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("agents", "8", [8]),
        ("agents", "4, 8,16", [4, 8, 16]),
        ("agents", "4:10:3", [4, 7, 10]),
        ("agents", "1:3,8", [1, 2, 3, 8]),
        ("kv_capacity", "100k:0.3M:100k", [100_000, 200_000, 300_000]),
        ("kv_capacity", "250_000", [250_000]),
        ("mixed_share", "0.1:0.3:0.1", [0.1, 0.2, 0.3]),
        ("routing", "pinned,random", ["pinned", "random"]),
        ("turns", "1-2,3-4-5", [[1, 2], [3, 4, 5]]),
        ("prefill_sharing", "on,off,TRUE,no", [True, False, True, False]),
    ],
)
def test_values_are_read_from_text(name, text, values):
    found = arguments.values(name, text)
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4:8:", "must be a range low:high"),
        ("4:x", "must be a range low:high"),
        ("1:2:3:4", "must be a range low:high"),
        ("8:4", "must rise from low to high"),
        ("4:8:0", "by a step above 0"),
        ("1:1e9", "1,000,000,000 values, at most 100,000"),
        ("4,,8", "agents = '' must be a whole number"),
        ("4:5:0.5", "agents = 4.5 must be a whole number"),
    ],
)
def test_what_is_wrong_with_values(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        arguments.values("agents", text)


@pytest.mark.parametrize("batch", [[], ["--batch"]], ids=["alone", "batch"])
def test_a_golden_file_is_checked(batch, here, capsys):
    chosen = [case for case in json.loads(GOLDEN.read_text()) if case["name"].startswith("tiny")]
    assert len(chosen) > 2
    file = here / "golden.json"
    file.write_text(json.dumps(chosen))
    assert main(["check", "golden.json", *batch]) == 0
    assert re.match(rf"{len(chosen)} of {len(chosen)} cases equal \(", capsys.readouterr().out)
    expect = chosen[0]["expect"]
    expect["evictions"] += 1
    expect["requests"][1][3] += 1
    expect["metrics"]["utilization"] *= 1 + 1e-8
    chosen[1]["expect"]["events_sha256"] = "0"
    del chosen[1]["expect"]["events"]
    file.write_text(json.dumps(chosen))
    assert main(["check", "golden.json", *batch]) == 1
    lines = capsys.readouterr().out.splitlines()
    first, second = chosen[0]["name"], chosen[1]["name"]
    assert lines[0] == f"{first}: evictions = 0, expected 1"
    assert lines[1].startswith(f"{first}: requests[1] = [")
    assert lines[2].startswith(f"{first}: utilization = ")
    assert lines[3] == f"{second}: events differ"
    assert lines[4].startswith(f"{len(chosen) - 2} of {len(chosen)} cases equal")


def test_the_commands_of_the_readme_can_be_read():
    pages = "".join(re.findall(r"```sh\n(.*?)```", README.read_text("utf-8"), re.DOTALL))
    found = re.findall(r"^(?:\S*/)?dpascope (.*)$", pages, re.MULTILINE)
    assert found
    for command in found:
        options = parsed(shlex.split(command))
        for name, text in getattr(options, "fields", {}).items():
            assert arguments.values(name, text)


def test_ctrl_c_ends_a_command_quietly(monkeypatch, capsys):
    def interrupt(scenario):
        raise KeyboardInterrupt

    monkeypatch.setattr("app.commands.run.simulate", interrupt)
    assert main(["run"]) == 130
    assert capsys.readouterr().err == "dpascope: interrupted\n"
