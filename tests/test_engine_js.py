"""The engine in JavaScript gives what the engine in Python gives."""

import json
import math
import os
import pathlib
import random
import shutil
import subprocess

import pytest

from sim import Scenario, simulate, simulate_many
from sim.presets import PRESETS
from sim.result import EVENT_FIELDS, REQUEST_FIELDS
from sim.runs import MAX_TICKS
from sim.scenario import DISTRIBUTIONS, GROUPS, STATES
from tests.cases import check, golden, random_scenario

HERE = pathlib.Path(__file__).parent
ENGINE = HERE.parent / "assets" / "engine.js"
RANDOM_SCENARIOS = 400
FLOAT_DIGITS = 1e-12
"""Relative difference allowed between metrics: the engines add floats in different orders."""


def missing(what):
    """Skip the test because `what` is missing, or fail if the environment forbids that."""
    if os.environ.get("DPASCOPE_REQUIRE_BROWSER") == "1":
        pytest.fail(f"{what} is missing and DPASCOPE_REQUIRE_BROWSER=1")
    pytest.skip(f"{what} is missing")


@pytest.fixture(scope="module")
def node():
    """Return a function that runs Node with arguments and returns its standard output."""
    executable = shutil.which("node")
    if executable is None:
        missing("node")

    def run(*arguments, text=""):
        done = subprocess.run(
            [executable, *map(str, arguments)],
            input=text,
            capture_output=True,
            encoding="utf-8",
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def call(node):
    """Return a function that calls the engine for many scenarios (plain dicts)."""

    def run(name, scenarios):
        lines = "".join(json.dumps(scenario) + "\n" for scenario in scenarios)
        answers = node(HERE / "js" / "run.js", name, text=lines).splitlines()
        assert len(answers) == len(scenarios)
        return [json.loads(answer) for answer in answers]

    return run


class Answer:
    """A result of the engine, asked like a `Result`."""

    def __init__(self, answer):
        assert "error" not in answer, answer["error"]
        self._summary = answer.pop("summary")
        self._dict = answer

    def to_dict(self):
        return self._dict

    def summary(self):
        return self._summary


@pytest.fixture(scope="module")
def golden_answers(call):
    """Return the engine's answers to all golden cases by name."""
    scenarios = [scenario for scenario, _ in golden().values()]
    return dict(zip(golden(), call("simulate", scenarios), strict=True))


@pytest.mark.parametrize("name", golden())
def test_golden_case(golden_answers, name):
    _, expect = golden()[name]
    check(Answer(golden_answers[name]), expect)


def differences(answer, result):
    """Return what differs between an answer of the engine and a `Result`, empty if nothing."""
    if "error" in answer:
        return [answer["error"]]
    found, wanted = Answer(answer), result.to_dict()
    parts = [name for name in wanted if found.to_dict()[name] != wanted[name]]
    summary, expected = found.summary(), result.summary()
    if list(summary) != list(expected):
        return [*parts, "names in the summary"]
    return parts + [name for name in expected if not same(summary[name], expected[name])]


def same(found, wanted):
    """Return whether two values of a summary are equal, floats up to their last digits."""
    if isinstance(wanted, float) and isinstance(found, (int, float)):
        return math.isclose(found, wanted, rel_tol=FLOAT_DIGITS)
    return found == wanted and (found is None) == (wanted is None)


def compare(call, scenarios):
    """Run scenarios in both engines and assert that nothing differs."""
    answers = call("simulate", [scenario.to_dict() for scenario in scenarios])
    results = simulate_many(scenarios)
    differing = [
        (parts, scenario.changed())
        for answer, result, scenario in zip(answers, results, scenarios, strict=True)
        if (parts := differences(answer, result))
    ]
    assert not differing, f"{len(differing)} differ, the first: {differing[0]}"


def test_random_scenarios(call):
    rng = random.Random(20_260_707)
    compare(call, [Scenario.from_dict(random_scenario(rng)) for _ in range(RANDOM_SCENARIOS)])


def test_waits_of_article_draws_under_pd(call):
    """Only the lower bound shows them: a result holds no waits, `summary` replays the stream."""
    rng = random.Random(20_260_707)
    drawn = [random_scenario(rng) for _ in range(RANDOM_SCENARIOS)]
    changes = {
        "draws": "article",
        "workers": 4,
        "prefill_workers": 2,
        "tick_ms": 5000,
        "think_ms": [0, 60_000],
    }
    fields = [{**scenario, **changes} for scenario in drawn if scenario["draws"] != "table"]
    compare(call, [Scenario.from_dict(scenario) for scenario in fields])


def test_random_scenarios_vary_every_field():
    rng = random.Random(20_260_707)
    drawn = [random_scenario(rng) for _ in range(RANDOM_SCENARIOS)]
    for name in Scenario().to_dict():
        values = {json.dumps(scenario.get(name)) for scenario in drawn}
        assert len(values) > 1, f"{name} is always {values}"


@pytest.mark.parametrize("name", PRESETS)
def test_preset(call, name):
    (answer,) = call("simulate", [PRESETS[name]])
    assert not differences(answer, simulate(Scenario.preset(name)))


def test_names_and_defaults_are_those_of_the_package(node):
    source = f"console.log(JSON.stringify(require({json.dumps(str(ENGINE))})))"
    exported = json.loads(node("-e", source))
    assert exported["DEFAULTS"] == Scenario().to_dict()
    assert exported["STATES"] == list(STATES)
    assert exported["REQUEST_FIELDS"] == list(REQUEST_FIELDS)
    assert exported["EVENT_FIELDS"] == list(EVENT_FIELDS)


def fields_to_try():
    """Return scenarios, each with one field at or beyond a bound or of another type."""
    odd = ["x", "", None, True, False, 0.5, [], {}, [1], -1, 0, 1, 2, 1e300]
    tried = []
    for name in [name for names in GROUPS.values() for name in names]:
        tried += [{name: value} for value in [*odd, *values_to_try(name)]]
    return tried


def values_to_try(name):
    """Return values of a field at its bounds and just beyond them, or its choices."""
    if name in DISTRIBUTIONS:
        return [[1, 2], [2, 1], [1, 1, 5], [1, 5, 4], [0, 3], [-1, 3], [1, 2**26], [1, 2**31], "12"]
    kind = Scenario.param[name]
    if hasattr(kind, "objects"):
        return [*kind.objects, kind.objects[0].upper()]
    low, high = getattr(kind, "bounds", None) or (0, 1)
    return [low, high, low - 1, high + 1, low + 0.5, high - 0.25]


TOGETHER = [
    {"workers": 4, "prefill_workers": 4},
    {"workers": 4, "prefill_workers": 3},
    {"kv_capacity": 5000, "shared_prefix": 5000},
    {"context_limit": 5000, "shared_prefix": 4999},
    {"draws": "table"},
    {"table": [[[0, 1, 1]]]},
    {"draws": "table", "table": []},
    {"draws": "table", "table": [[], []]},
    {"draws": "table", "table": [[], [[0, 1, 1], [5, 1, 1, 0]]]},
    {"draws": "table", "table": [[[0, 1]]]},
    {"draws": "table", "table": [[[0, 1, 1, 1, 1]]]},
    {"draws": "table", "table": [[[0, 0, 1]]]},
    {"draws": "table", "table": [[[0, 1, 0]]]},
    {"draws": "table", "table": [[[-1, 1, 1]]]},
    {"draws": "table", "table": [[[0.5, 1, 1]]]},
    {"draws": "table", "table": [[[0, 1, 1, -1]]]},
    {"draws": "table", "table": [[["0", 1, 1]]]},
    {"draws": "table", "table": "x"},
    {"draws": "table", "table": [1]},
    {"draws": "table", "table": [[1]]},
]
"""Scenarios whose fields fit each other or not."""


def validated(fields):
    """Return all fields of a scenario and None, or None and what is wrong with it."""
    try:
        return Scenario.from_dict(fields).to_dict(), None
    except ValueError as error:
        return None, str(error)


def test_both_engines_accept_the_same_scenarios(call):
    scenarios = fields_to_try() + TOGETHER
    for fields, answer in zip(scenarios, call("validate", scenarios), strict=True):
        wanted, error = validated(fields)
        if error is None:
            assert answer == wanted, fields
        else:
            assert "error" in answer, f"{fields} is accepted, but: {error}"
            assert any(name in answer["error"] for name in fields), (fields, answer)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"agnets": 3}, 'unknown field "agnets": did you mean "agents"?'),
        ({"prefil_rate": 3}, 'unknown field "prefil_rate": did you mean "prefill_rate"?'),
        ({"toString": 3}, 'unknown field "toString"'),
        ({"x": 3}, 'unknown field "x": known: workers, prefill_workers, '),
        ({"agents": 0}, "agents = 0 must be a whole number from 1 to 65,536"),
        ({"agents": "8"}, 'agents = "8" must be a whole number from 1 to 65,536'),
        ({"mixed_share": 1}, "mixed_share = 1 must be a number above 0 and below 1"),
        ({"prefill_rate": 0}, "prefill_rate = 0 must be a number above 0 and at most 100,000,000"),
        ({"release_finished": 1}, "release_finished = 1 must be true or false"),
        ({"routing": "round-robin"}, 'round-robin" must be one of pinned, round_robin, '),
        ({"routing": "round-robin"}, '; did you mean "round_robin"?'),
        ({"turns": [3]}, "turns = [3] must be a range [low, high] or a list of three or more"),
        ({"turns": [1, 5, 4]}, "must be a list that never falls, but 4 at position 2 follows 5"),
        ({"think_ms": [0, -1]}, "think_ms[1] = -1 must be a whole number from 0 to 2,147,483,647"),
        (
            {"draws": "table", "table": [[[0, 5, 0]]]},
            "table[0][0][2] = 0 must be a whole number from 1 to 67,108,864",
        ),
        ({"draws": "table"}, 'draws = "table" needs a table'),
        ({"workers": 2, "prefill_workers": 2}, "prefill_workers = 2 must be below workers = 2"),
        ([], "a scenario must be an object of fields to values, not []"),
    ],
)
def test_error_says_what_is_wrong(call, fields, message):
    (answer,) = call("validate", [fields])
    assert message in answer["error"]
    assert "\n" not in answer["error"]


def test_long_run_is_given_up_where_python_gives_it_up(call):
    def waits(ticks):
        return {"draws": "table", "table": [[[ticks - 2, 1, 1]]], "tick_ms": 1, **quick}

    quick = {"prefill_rate": 1e8, "decode_rate": 1e8}
    longest, too_long = call("simulate", [waits(MAX_TICKS), waits(MAX_TICKS + 1)])
    assert longest["totals"]["ticks"] == MAX_TICKS
    assert "the run has not ended after 20,000,000 ticks (1 agents still at" in too_long["error"]
    with pytest.raises(ValueError, match="20,000,000 ticks"):
        simulate(Scenario.from_dict(waits(MAX_TICKS + 1)))


OPTIONS = """
const { simulate } = require(ENGINE);
const { ticks } = simulate({ agents: 2 }).totals;
const found = [simulate({ agents: 2 }, { maxTicks: ticks }).totals.ticks === ticks];
for (const options of [{ maxTicks: ticks - 1 }, { maxTicks: 0 }, { maxTick: 5 }]) {
  try {
    simulate({ agents: 2 }, options);
  } catch (error) {
    found.push(error.message);
  }
}
console.log(JSON.stringify(found));
"""


def test_options(node):
    found = json.loads(node("-e", OPTIONS.replace("ENGINE", json.dumps(str(ENGINE)))))
    fits, ended, low, unknown = found
    assert fits is True
    assert "the run has not ended after" in ended
    assert low.startswith("maxTicks = 0 must be a whole number from 1 to")
    assert unknown == 'unknown option "maxTick": did you mean "maxTicks"?'


WAYS_TO_LOAD = {
    "require": """
        const { simulate, summary, validate, DEFAULTS } = require(ENGINE);
        console.log(simulate(DEFAULTS).totals.ticks, "dpascope" in globalThis);
    """,
    "import": """
        import { simulate, summary, validate, DEFAULTS } from ENGINE;
        console.log(simulate(DEFAULTS).totals.ticks, "dpascope" in globalThis);
    """,
    "import default": """
        import engine from ENGINE;
        console.log(engine.simulate(engine.DEFAULTS).totals.ticks, "dpascope" in globalThis);
    """,
}


@pytest.mark.parametrize("way", WAYS_TO_LOAD)
def test_loads_in_node(node, way):
    source = WAYS_TO_LOAD[way].replace("ENGINE", json.dumps(str(ENGINE)))
    kind = "commonjs" if way == "require" else "module"
    ticks = simulate(Scenario()).ticks
    assert node(f"--input-type={kind}", "-e", source).split() == [str(ticks), "false"]
