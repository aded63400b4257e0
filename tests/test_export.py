"""What an exported page works out in JavaScript is what the dashboard works out in Python."""

import dataclasses
import functools
import json
import math
import os
import pathlib
import random
import shutil
import subprocess

import numpy as np
import pytest

from app import derive, describe, fields
from app.derive import Bins, Recording
from app.export.facts import CHARTS, page_facts
from app.export.figures import PageFigures
from app.export.page import library_script
from app.format import count, duration, percent, span, tokens
from app.problems import link_problem, problem
from app.runs import Run
from app.state import AppState, read_query
from app.texts import LANGUAGES, Texts
from app.views.numbers import card_values
from sim import Scenario, simulate_many
from sim.presets import PRESETS
from tests.cases import random_scenario

HERE = pathlib.Path(__file__).parent
SCENARIOS = 60


def missing(what):
    """Skip the test because `what` is missing, or fail if the environment forbids that."""
    if os.environ.get("DPASCOPE_REQUIRE_BROWSER") == "1":
        pytest.fail(f"{what} is missing and DPASCOPE_REQUIRE_BROWSER=1")
    pytest.skip(f"{what} is missing")


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Return a function that asks the page's scripts questions, (name, dict) each."""
    node = shutil.which("node")
    if node is None:
        missing("node")
    library = tmp_path_factory.mktemp("export") / "library.cjs"
    facts = page_facts(PageFigures())
    engine = HERE.parent / "assets" / "engine.js"
    library.write_text(library_script(facts, engine), encoding="utf-8")

    def call(questions):
        lines = [json.dumps({"name": name, **question}) for name, question in questions]
        done = subprocess.run(
            [node, HERE / "js" / "export.js", library],
            input="\n".join(lines) + "\n",
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(answers) == len(lines)
        for answer in answers:
            assert not (isinstance(answer, dict) and "error" in answer), answer["error"]
        return answers

    return call


@functools.cache
def recordings():
    """Runs of random scenarios over all fields, and of the presets."""
    rng = random.Random(20_260_707)
    scenarios = [Scenario.from_dict(random_scenario(rng)) for _ in range(SCENARIOS)]
    scenarios += [Scenario(**changes) for changes in PRESETS.values()]
    return [Recording(result) for result in simulate_many(scenarios)]


def plain(value):
    """Return what JSON makes of arrays, tuples, dataclasses and NaN."""
    if dataclasses.is_dataclass(value):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, range):
        return [value.start, value.stop]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    return None if isinstance(value, float) and math.isnan(value) else value


def first_difference(found, wanted, path=""):
    """Return where two plain values differ first, None if nowhere."""
    if isinstance(wanted, dict) and isinstance(found, dict) and found.keys() == wanted.keys():
        pairs = [(key, found[key], wanted[key]) for key in wanted]
    elif isinstance(wanted, list) and isinstance(found, list) and len(found) == len(wanted):
        pairs = [(i, *both) for i, both in enumerate(zip(found, wanted, strict=True))]
    else:
        return None if found == wanted else (path, found, wanted)
    differing = (first_difference(a, b, f"{path}.{key}") for key, a, b in pairs if a != b)
    return next(filter(None, differing), None)


def compare(answers, wanted):
    """Assert that answers are what Python says."""
    for i, (answer, value) in enumerate(zip(answers, wanted, strict=True)):
        difference = first_difference(answer, plain(value))
        assert difference is None, (i, *difference)


# --- pictures and series ---


def windows():
    """Return questions about windows of the recordings, whole and cut, coarse and fine."""
    rng = random.Random(7)
    asked = []
    for recording in recordings():
        first, last = sorted(rng.sample(range(recording.ticks + 3), 2))
        for window in ((0, recording.ticks), (first, last)):
            layout = {"rows": rng.randint(1, 12), "gap": rng.randint(0, 2)}
            layout["per_lane"] = rng.choice([1, 1, 2, 3])
            asked.append((recording, window, rng.choice([1, 7, 40, 300]), layout))
    return asked


def pictured(recording, window, columns, layout):
    """Return what Python draws of a window, as the page's script answers."""
    bins = Bins.fit(window, columns, recording.ticks, recording.tick_s)
    lanes = derive.lanes(recording, bins, **layout)
    rate, total = derive.evictions(recording, bins)
    hits, requests = derive.hit_rate(recording, bins)
    used, locked = derive.occupancy(recording, bins, layout["per_lane"])
    return {
        "bins": [bins.start, bins.size, bins.count],
        "lefts": bins.lefts,
        "rights": bins.rights,
        "spent": lanes.spent.ravel(),
        "image": lanes.image.ravel(),
        "together": derive.together(lanes, layout["rows"]).image.ravel(),
        "shares": derive.shares(lanes),
        "marks": derive.marks(recording, bins),
        "evictions": {"rate": rate, "total": total},
        "hit_rate": {"rate": hits, "requests": requests},
        "occupancy": {"used": used.ravel(), "locked": locked.ravel(), "lanes": len(used)},
        "oversubscription": derive.oversubscription(recording, bins),
    }


def test_pictures_and_series(ask):
    asked = windows()
    questions = [
        (
            "window",
            {"scenario": r.scenario.to_dict(), "window": window, "columns": columns, **layout},
        )
        for r, window, columns, layout in asked
    ]
    compare(ask(questions), [pictured(*question) for question in asked])


# --- moments ---


def known(recording, tick):
    """Return what Python knows and says of a tick, as the page's script answers."""
    moments = derive.at(recording, tick)
    return {
        "moments": moments,
        "said": [
            [sentences(recording, moment, tick, Texts(language)) for language in LANGUAGES]
            for moment in moments
        ],
        "events": derive.events_at(recording, tick),
        "next": derive.next_event(recording, tick),
        "before": derive.next_event(recording, tick, ("evict", "miss"), -1),
    }


def sentences(recording, moment, tick, texts):
    return {
        "hover": describe.hover(moment, texts, recording.tick_s, tick),
        "blocked": describe.blocked(moment, texts),
        "queue": describe.queue(moment, texts),
        "running": [describe.request(request, texts) for request in moment.running],
    }


def test_moments_and_what_is_said_of_them(ask):
    rng = random.Random(11)
    ticks = [
        [rng.randrange(recording.ticks) for _ in range(3)] + [0, recording.ticks - 1]
        for recording in recordings()
    ]
    questions = [
        ("moments", {"scenario": r.scenario.to_dict(), "ticks": at, "languages": list(LANGUAGES)})
        for r, at in zip(recordings(), ticks, strict=True)
    ]
    wanted = [
        [known(recording, tick) for tick in at]
        for recording, at in zip(recordings(), ticks, strict=True)
    ]
    compare(ask(questions), wanted)


# --- texts ---


def test_numbers(ask):
    languages = list(LANGUAGES)
    questions = [
        ("cards", {"scenario": r.scenario.to_dict(), "languages": languages}) for r in recordings()
    ]
    runs = [Run(recording, recording.result.summary()) for recording in recordings()]
    wanted = [[card_values(run, Texts(language)) for language in languages] for run in runs]
    compare(ask(questions), wanted)


def test_formats_round_as_python_does(ask):
    rng = random.Random(3)
    values = [rng.random() ** rng.randint(1, 9) for _ in range(2000)]
    values += [k / 2**bits for bits in range(1, 12) for k in range(0, 2**bits, 3)]
    for language in LANGUAGES:
        texts = Texts(language)
        (found,) = ask([("format", {"values": values, "language": language})])
        wanted = [
            [
                percent(value, texts),
                tokens(math.floor(value * 1e6 + 0.5)),
                duration(value * 1e4, texts),
                span(value * 80, texts),
                count(math.floor(value * 1e7 + 0.5)),
            ]
            for value in values
        ]
        compare(found, wanted)


# --- settings ---


def states():
    rng = random.Random(5)
    return [
        AppState(scenario=recording.scenario, gpus_per_worker=rng.choice([1, 1, 2, 8]))
        for recording in recordings()
    ]


def unmarked(state, texts):
    """Return the form without what only a deployment says of it; an export has none."""
    groups = fields.controls(state, texts)
    for group in groups:
        for control in group["controls"]:
            assert control.pop("mark") == ""
    return groups


def test_form(ask):
    for language in LANGUAGES:
        questions = [
            (
                "form",
                {
                    "scenario": state.scenario.to_dict(),
                    "gpus_per_worker": state.gpus_per_worker,
                    "layout": fields.LAYOUT,
                    "language": language,
                },
            )
            for state in states()
        ]
        compare(ask(questions), [unmarked(state, Texts(language)) for state in states()])


def changes_to_try():
    """Return changes of one setting: allowed, not allowed, and not allowed with the others."""
    odd = ["x", "", 0, -1, 0.5, 10**12, [3], [5, 1], [1, 2, 3], [3, 2, 1], 7, 64, 300_000]
    names = [name for names in fields.LAYOUT.values() for name in names]
    tried = [(name, value) for name in names for value in odd]
    return [*tried, ("draws", "paired"), ("routing", "random"), ("lock", "none"), ("gpus", 32)]


def changed(state, name, value, language):
    try:
        found = fields.change(state, name, value)
    except ValueError as error:
        return {"refused": problem(name, value, error, state, Texts(language))}
    return {
        key: item.to_dict() if isinstance(item, Scenario) else item for key, item in found.items()
    }


def test_changes_and_refusals(ask):
    for language, state in zip(LANGUAGES, (AppState(), AppState(gpus_per_worker=2)), strict=True):
        tried = changes_to_try()
        questions = [
            (
                "change",
                {
                    "scenario": state.scenario.to_dict(),
                    "gpus_per_worker": state.gpus_per_worker,
                    "field": name,
                    "value": value,
                    "language": language,
                },
            )
            for name, value in tried
        ]
        compare(ask(questions), [changed(state, *change, language) for change in tried])


# --- addresses ---


def own_settings(scenario=None):
    """Return a file's own settings as the page's script holds them."""
    return {
        "scenario": (scenario or Scenario()).to_dict(),
        "gpus_per_worker": 1,
        "view": None,
        "pin": None,
        "worker": None,
        "clock": None,
        "speed": 100,
        "language": "en",
        "theme": "auto",
        "palette": "default",
        "controls": None,
        "charts": list(CHARTS),
    }


def test_addresses_of_the_dashboard_are_read_alike(ask):
    """What the dashboard writes behind the question mark the page reads behind the #."""
    asked = [state for state in states() if state.scenario.draws != "table"]
    questions = [
        ("address", {"text": state.query(), "own": own_settings(), "language": "en"})
        for state in asked
    ]
    for state, answer in zip(asked, ask(questions), strict=True):
        assert answer["said"] == []
        assert answer["changes"]["scenario"] == state.scenario.to_dict()
        assert answer["changes"]["gpus_per_worker"] == state.gpus_per_worker
        assert (answer["changes"]["speed"], answer["changes"]["theme"]) == (100, "auto")


def test_addresses_survive_the_way_there_and_back(ask):
    own = own_settings(Scenario(agents=5))
    tried = [
        {**own, "scenario": state.scenario.to_dict(), "gpus_per_worker": state.gpus_per_worker}
        for state in states()
        if state.scenario.draws != "table"
    ]
    tried.append({**own, "view": [10, 99.5], "pin": 7, "clock": 3.25, "speed": 30})
    tried.append({**own, "language": "zh", "theme": "dark", "palette": "colorblind"})
    tried.append({**own, "controls": ["preset", "agents"], "charts": []})
    written = ask([("address", {"state": state, "own": own}) for state in tried])
    read = ask([("address", {"text": text, "own": own, "language": "en"}) for text in written])
    for state, text, answer in zip(tried, written, read, strict=True):
        assert answer["said"] == [], text
        assert {**own, **answer["changes"]} == state, text


def test_address_says_only_what_differs(ask):
    own = own_settings()
    state = {**own, "scenario": Scenario(agents=48, routing="random").to_dict(), "language": "zh"}
    preset = {**own, "scenario": Scenario.preset("article_fig2").to_dict()}
    asked = [("address", {"state": wanted, "own": own}) for wanted in (own, state, preset)]
    assert ask(asked) == ["", "routing=random&agents=48&lang=zh", "preset=article_fig2"]


@pytest.mark.parametrize(
    "text", ["agents=12&view=0-60&pin=0", "preset=article_fig2&agents=16&lang=zh", "turns=3,5,9"]
)
def test_addresses_that_people_write_are_read_as_by_the_dashboard(ask, text):
    state, problems = read_query(text)
    (answer,) = ask([("address", {"text": text, "own": own_settings(), "language": "en"})])
    found = {**own_settings(), **answer["changes"]}
    assert (answer["said"], problems) == ([], [])
    assert found["scenario"] == state.scenario.to_dict()
    assert (found["pin"], found["language"]) == (state.pin, state.language)
    assert found["view"] == (state.view and list(state.view))


@pytest.mark.parametrize(
    "text",
    [
        "agents=0",
        "agents=many&routing=nowhere",
        "agnets=3",
        "zzzzzzzzzz=1",
        "prefill_workers=16",
        "shared_prefix=250000",
        "turns=5,3",
        "turns=1,2,x",
        "release_finished=maybe",
        "kv_capacity=1e99",
        "mixed_share=1",
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_broken_addresses_are_said_as_by_the_dashboard(ask, text, language):
    state, problems = read_query(text)
    (answer,) = ask([("address", {"text": text, "own": own_settings(), "language": language})])
    kinds = [found["kind"] for found in problems]
    texts = Texts(language)
    if "conflict" in kinds:  # the engine's own words, each in its own language
        assert len(answer["said"]) == 1
    else:
        assert answer["said"] == [link_problem(found, texts) for found in problems]
    assert answer["changes"]["scenario"] == state.scenario.to_dict()


@pytest.mark.parametrize("text", ["", "#", "&&", "=", "%", "%E0%A4%A", "agents", "a=b=c", "\0"])
def test_no_address_breaks_the_page(ask, text):
    (answer,) = ask([("address", {"text": text, "own": own_settings(), "language": "en"})])
    assert answer["changes"]["scenario"] == Scenario().to_dict()
