"""Scenarios: fields, bounds, contradictions, and their way to plain data and back."""

import copy
import json
import math
import pickle

import numpy as np
import param
import pytest
from hypothesis import given

from sim.presets import PRESETS
from sim.scenario import (
    DISTRIBUTIONS,
    GROUPS,
    MAX_AGENTS,
    MAX_MS,
    MAX_TOKENS,
    UNITS,
    Scenario,
    field_names,
)
from tests.cases import golden, scenarios

NUMBERS = [
    name
    for name in field_names()
    if isinstance(Scenario.param[name], param.Number)
    and not isinstance(Scenario.param[name], param.Integer)
]
INTEGERS = [name for name in field_names() if isinstance(Scenario.param[name], param.Integer)]
SWITCHES = [name for name in field_names() if isinstance(Scenario.param[name], param.Boolean)]
CHOICES = [name for name in field_names() if isinstance(Scenario.param[name], param.Selector)]

TABLE = [[[0, 10, 20], [500, 30, 40, 7]], [], [[250, 1, 1]]]


def refused(*parts, **fields):
    """Assert that the fields are refused with a message that holds all parts."""
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the parts are looked for below
        Scenario(**fields)
    for part in parts:
        assert part in str(error.value)


# Fields


def test_every_field_has_a_meaning_and_a_place():
    placed = [name for names in GROUPS.values() for name in names]
    assert sorted([*placed, "table"]) == sorted(field_names())
    assert all(Scenario.param[name].doc for name in field_names())
    assert set(UNITS) <= set(field_names())


def test_every_kind_of_field_is_tested_here():
    known = {*NUMBERS, *INTEGERS, *SWITCHES, *CHOICES, *DISTRIBUTIONS, "table"}
    assert known == set(field_names())


@pytest.mark.parametrize("name", NUMBERS + INTEGERS)
def test_what_a_slider_shows_is_allowed(name):
    kind = Scenario.param[name]
    low, high = kind.bounds
    soft_low, soft_high = kind.softbounds or kind.bounds
    assert low <= soft_low <= kind.default <= soft_high <= high


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("kv_capcity", "kv_capacity"),
        ("kvcapacity", "kv_capacity"),
        ("Workers", "workers"),
        ("phase_polcy", "phase_policy"),
        ("prefill_worker", "prefill_workers"),
    ],
)
def test_an_unknown_field_names_the_nearest(wrong, right):
    refused(f"unknown field {wrong!r}", f"did you mean {right!r}?", **{wrong: 1})


@pytest.mark.parametrize("name", ["zzz", "name"])
def test_a_field_like_no_other_lists_all(name):
    refused(f"unknown field {name!r}", "known: workers, ", "table", **{name: 1})


# Values


@pytest.mark.parametrize("name", INTEGERS)
def test_bounds_of_integers(name):
    low, high = Scenario.param[name].bounds
    for value in (low - 1, high + 1, low + 0.5, math.nan, math.inf, -math.inf, 10**400):
        refused(f"{name} = ", f"must be a whole number from {low:,} to {high:,}", **{name: value})
    for value in ("3", None, True, [3], 3j):
        refused(f"{name} = {value!r} must be a whole number", **{name: value})


@pytest.mark.parametrize("name", NUMBERS)
def test_bounds_of_numbers(name):
    kind = Scenario.param[name]
    low, high = kind.bounds
    below = np.nextafter(low, -1) if kind.inclusive_bounds[0] else low
    above = np.nextafter(high, math.inf) if kind.inclusive_bounds[1] else high
    for value in (below, above, -1, math.nan, math.inf, -math.inf, 10**400):
        refused(f"{name} = ", "must be a number", f"{low:,}", f"{high:,}", **{name: value})
    for value in ("3", None, True, [3], 3j):
        refused(f"{name} = {value!r} must be a number", **{name: value})


@pytest.mark.parametrize("name", NUMBERS)
def test_values_at_the_bounds_are_allowed(name):
    kind = Scenario.param[name]
    low, high = kind.bounds
    low = low if kind.inclusive_bounds[0] else np.nextafter(low, 1)
    high = high if kind.inclusive_bounds[1] else np.nextafter(high, 0)
    assert getattr(Scenario(**{name: low}), name) == low
    assert getattr(Scenario(**{name: high}), name) == high


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("value", [1, 0, "true", None])
def test_switches_are_true_or_false(name, value):
    refused(f"{name} = {value!r} must be true or false", **{name: value})


@pytest.mark.parametrize("name", CHOICES)
def test_choices_name_the_nearest(name):
    known = Scenario.param[name].objects
    for choice in known:
        typo = choice[:-1] + "x"
        refused(f"{name} = {typo!r} must be one of {', '.join(known)}", **{name: typo})
    refused(f"did you mean {known[0]!r}?", **{name: known[0].upper()[0] + known[0][1:]})
    refused(f"{name} = None must be one of", **{name: None})


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name):
    least = DISTRIBUTIONS[name]
    most = MAX_MS if name == "think_ms" else MAX_TOKENS
    for value in ([5], [], 5, "5-9", None, {"low": 1}):
        refused(f"{name} = {value!r} must be a range [low, high]", **{name: value})
    refused(f"{name}[0] = {least - 1} must be a whole number", **{name: [least - 1, 9]})
    refused(f"{name}[1] = {most + 1} must be a whole number", **{name: [9, most + 1]})
    refused(f"{name}[2] = 9.5", **{name: [8, 9, 9.5]})
    refused(f"{name}[0] = nan", **{name: [math.nan, 9]})
    refused(f"{name} = [3, 9, 8] must never fall", "8 at position 2 follows 9", **{name: [3, 9, 8]})
    for value in ([least, most], [7, 7], [7, 7, 9, 9, 9], (7, 8)):
        assert getattr(Scenario(**{name: value}), name) == list(value)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([], "table = [] must be a list with one list of turns for each agent"),
        ({}, "table = {} must be a list"),
        ("abc", "table = 'abc' must be a list"),
        ([[], []], "table holds no turn"),
        ([5], "table[0] = 5 must be a list of turns"),
        ([[], [5]], "table[1][0] = 5 must be [wait_ms, input, output]"),
        ([[[0, 1]]], "table[0][0] = [0, 1] must be [wait_ms, input, output]"),
        ([[[0, 1, 1, 1, 1]]], "table[0][0] = [0, 1, 1, 1, 1] must be"),
        ([[[0, 1, 1], [-1, 1, 1]]], "table[0][1][0] = -1 must be a whole number from 0"),
        ([[[0, 0, 1]]], "table[0][0][1] = 0 must be a whole number from 1"),
        ([[[0, 1, 0]]], "table[0][0][2] = 0 must be a whole number from 1"),
        ([[[0, 1, 1, -1]]], "table[0][0][3] = -1 must be a whole number from 0"),
        ([[[0, 1, 1.5]]], "table[0][0][2] = 1.5"),
        ([[["0", 1, 1]]], "table[0][0][0] = '0'"),
        ([[[0, 1, MAX_TOKENS + 1]]], "table[0][0][2] ="),
        ([[[0, 1, 1]]] * (MAX_AGENTS + 1), "table has 65,537 agents, at most 65,536"),
    ],
)
def test_wrong_tables(table, message):
    refused(message, draws="table", table=table)


def test_a_long_value_is_shown_short():
    refused("table = 'xxx", "...", draws="table", table="x" * 1000)


def test_numpy_numbers_become_plain():
    scenario = Scenario(
        workers=np.int64(3),
        prefill_rate=np.float64(3.5),
        prefill_sharing=np.bool_(True),
        turns=[np.int32(1), 2.0],
    )
    scenario.agents = np.int64(5)
    fields = scenario.to_dict()
    assert json.loads(json.dumps(fields)) == fields
    assert [type(fields[f]) for f in ("workers", "agents", "prefill_rate")] == [int, int, float]
    assert fields["turns"] == [1, 2]
    assert fields["prefill_sharing"] is True


# Fields together


def test_somebody_has_to_decode():
    refused("prefill_workers = 4 must be below workers = 4", workers=4, prefill_workers=4)
    assert Scenario(workers=4, prefill_workers=3).prefill_workers == 3


@pytest.mark.parametrize("smaller", ["kv_capacity", "context_limit"])
def test_the_shared_prefix_leaves_room(smaller):
    refused("shared_prefix = 90 must be below", "90", **{smaller: 90, "shared_prefix": 90})
    assert Scenario(**{smaller: 91, "shared_prefix": 90}).shared_prefix == 90


def test_a_table_goes_with_its_draws():
    refused("draws = 'table' needs a table", draws="table")
    refused("table is given but draws = 'paired'", table=TABLE)
    refused("table is given but draws = 'article'", table=TABLE, draws="article")


def test_a_table_sets_the_number_of_agents():
    assert Scenario(draws="table", table=TABLE).agents == 3
    assert Scenario(draws="table", table=TABLE, agents=9).agents == 3
    assert Scenario(draws="table", table=TABLE).replace(table=TABLE[:1]).agents == 1


def test_changes_are_checked_at_once_or_by_validate():
    scenario = Scenario()
    with pytest.raises(ValueError, match="workers"):
        scenario.workers = 0
    with pytest.raises(ValueError, match="routing"):
        scenario.routing = "nearest"
    scenario.turns = [9, 3]
    with pytest.raises(ValueError, match=r"turns = \[9, 3\] must never fall"):
        scenario.validate()


# Plain data


def test_defaults_are_valid_and_unchanged():
    assert Scenario().changed() == {}
    assert set(Scenario().to_dict()) == set(field_names())


@given(scenarios())
def test_round_trip_through_json(scenario):
    fields = scenario.to_dict()
    assert Scenario.from_dict(json.loads(json.dumps(fields))).to_dict() == fields
    assert Scenario.from_dict(scenario.changed()).to_dict() == fields
    assert scenario.replace().to_dict() == fields


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_are_equal_and_apart(copied):
    scenario = Scenario(draws="table", table=TABLE, seed=5)
    twin = copied(scenario)
    assert twin.to_dict() == scenario.to_dict()
    twin.table[0][0][1] = 99
    twin.workers = 3
    assert scenario.table == TABLE
    assert scenario.workers == 16


def test_plain_data_is_apart_from_the_scenario():
    scenario = Scenario(draws="table", table=TABLE)
    scenario.to_dict()["table"][0][0][1] = 99
    scenario.to_dict()["turns"][0] = 99
    assert scenario.table == TABLE
    assert scenario.turns == Scenario().turns == [30, 80]


def test_scenarios_share_no_lists():
    one, other = Scenario(), Scenario()
    one.turns[0] = 1
    assert other.turns == [30, 80]


@pytest.mark.parametrize("fields", [[1], "agents", 5, None])
def test_from_dict_wants_a_mapping(fields):
    with pytest.raises(ValueError, match="must be a mapping of fields to values"):
        Scenario.from_dict(fields)


def test_from_dict_names_unknown_fields():
    with pytest.raises(ValueError, match="unknown field 'agent': did you mean 'agents'"):
        Scenario.from_dict({"agent": 3})
    with pytest.raises(ValueError, match="unknown field '3'"):
        Scenario.from_dict({3: 3})


def test_replace_leaves_the_original():
    scenario = Scenario(agents=3)
    assert scenario.replace(agents=4, seed=1).changed() == {"agents": 4, "seed": 1}
    assert scenario.agents == 3
    with pytest.raises(ValueError, match="unknown field 'agent'"):
        scenario.replace(agent=4)


# Presets


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name):
    assert Scenario.preset(name).changed() == PRESETS[name]
    assert Scenario.preset(name, agents=3).changed() == {**PRESETS[name], "agents": 3}


def test_the_articles_figure_is_the_known_case():
    known, _ = golden()["article_fig1_pinned_prefill_first"]
    assert Scenario.preset("article_fig1").to_dict() == Scenario.from_dict(known).to_dict()


def test_an_unknown_preset_names_the_nearest():
    with pytest.raises(ValueError, match="unknown preset 'article_fig3': did you mean 'article_"):
        Scenario.preset("article_fig3")
