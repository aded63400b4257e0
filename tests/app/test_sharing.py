"""A scenario as text means the same scenario where it is pasted."""

import json
import shlex

import pytest
from hypothesis import given, settings

from app import sharing
from app.commands.arguments import value
from app.commands.parser import parsed
from sim import PRESETS, Scenario
from tests.cases import scenarios


def from_python(text):
    """Return the scenario that a program makes, without running the simulation."""
    made = {}
    program = text.partition("result = ")[0]
    exec(compile(program, "pasted", "exec"), made)
    return made["scenario"].to_dict()


def from_command(text):
    options = parsed(shlex.split(text)[1:])
    if options.preset:
        return Scenario.preset(options.preset).to_dict()
    return Scenario(**{name: value(name, t) for name, t in options.fields.items()}).to_dict()


@settings(max_examples=40, deadline=None)
@given(scenarios())
def test_what_is_pasted_is_the_same_scenario(scenario):
    wanted = scenario.to_dict()
    assert Scenario.from_dict(json.loads(sharing.as_json(scenario))).to_dict() == wanted
    assert from_python(sharing.as_python(scenario)) == wanted
    if scenario.table is None:
        assert from_command(sharing.as_command(scenario)) == wanted


@pytest.mark.parametrize("name", PRESETS)
def test_presets_go_by_their_names(name):
    scenario = Scenario.preset(name)
    assert f'Scenario.preset("{name}")' in sharing.as_python(scenario, name)
    assert from_python(sharing.as_python(scenario, name)) == scenario.to_dict()
    assert from_command(sharing.as_command(scenario, name)) == scenario.to_dict()
    assert from_command(sharing.as_command(scenario)) == scenario.to_dict()


def test_the_defaults_need_no_fields():
    assert "scenario = Scenario()\n" in sharing.as_python(Scenario())
    assert sharing.as_command(Scenario()) == "dpascope run\n"


def test_long_sessions_are_read_from_a_file(tmp_path, monkeypatch):
    table = [[[0, 1000 + i, 100]] for i in range(2000)]
    scenario = Scenario(draws="table", table=table)
    monkeypatch.chdir(tmp_path)
    (tmp_path / sharing.FILE).write_text(sharing.as_json(scenario), "utf-8")
    text = sharing.as_python(scenario)
    assert len(text) < 500
    assert from_python(text) == scenario.to_dict()
    assert shlex.split(sharing.as_command(scenario)) == ["dpascope", "run", sharing.FILE]
