"""What a page says, its form and its addresses are those of the dashboard."""

import math
import random

import pytest

from app import fields
from app.export.facts import CHARTS
from app.format import count, duration, percent, span, tokens
from app.problems import link_problem, problem
from app.runs import Run
from app.state import AppState, read_query
from app.texts import LANGUAGES, Texts
from app.views.numbers import card_values
from sim import Scenario
from tests.export.compare import compare, recordings

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
        "isolate": [],
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


def test_sessions_in_an_address_are_read(ask):
    scenario = Scenario(draws="table", table=[[[0, 900, 80], [500, 300, 60, 700]], []])
    text = AppState(scenario=scenario).query()
    own = own_settings(Scenario(draws="table", table=[[[5, 5, 5]]]))
    there = ("address", {"text": text, "own": own, "language": "en"})
    back = ("address", {"text": "draws=paired", "own": own, "language": "en"})
    there, back = ask([there, back])
    assert (there["said"], back["said"]) == ([], [])
    assert there["changes"]["scenario"] == scenario.to_dict()
    assert back["changes"]["scenario"]["table"] is None


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
    tried.append({**own, "isolate": ["prefill_again", "waiting_phase"]})
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


def read(ask, texts, language="en"):
    """Return what the page makes of addresses."""
    own = own_settings()
    return ask([("address", {"text": text, "own": own, "language": language}) for text in texts])


def test_addresses_that_people_write_are_read_as_by_the_dashboard(ask):
    tried = ["agents=12&view=0-60&pin=0", "preset=article_fig2&agents=16&lang=zh", "turns=3,5,9"]
    for text, answer in zip(tried, read(ask, tried), strict=True):
        state, problems = read_query(text)
        found = {**own_settings(), **answer["changes"]}
        assert (answer["said"], problems) == ([], [])
        assert found["scenario"] == state.scenario.to_dict()
        assert (found["pin"], found["language"]) == (state.pin, state.language)
        assert found["view"] == (state.view and list(state.view))


BROKEN = [
    "agents=0",
    "agents=many&routing=nowhere",
    "agnets=3",
    "zzzzzzzzzz=1",
    "prefill_workers=16",
    "shared_prefix=250000",
    "turns=5,3",
    "isolate=decode,prefil",
    "view=9-3&pin=-1&clock=x&lang=de",
    "pin=" + "9" * 500,
    "preset=articel_fig1",
    "palette=colourblind",
    "turns=1,2,x",
    "release_finished=maybe",
    "kv_capacity=1e99",
    "mixed_share=1",
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_broken_addresses_are_said_as_by_the_dashboard(ask, language):
    texts = Texts(language)
    for text, answer in zip(BROKEN, read(ask, BROKEN, language), strict=True):
        state, problems = read_query(text)
        kinds = [found["kind"] for found in problems]
        if "conflict" in kinds:  # the engine's own words, each in its own language
            assert len(answer["said"]) == 1, text
        else:
            assert answer["said"] == [link_problem(found, texts) for found in problems], text
        assert answer["changes"]["scenario"] == state.scenario.to_dict(), text


def test_no_address_breaks_the_page(ask):
    tried = ["", "#", "&&", "=", "%", "%E0%A4%A", "agents", "a=b=c", "\0"]
    for text, answer in zip(tried, read(ask, tried), strict=True):
        assert answer["changes"]["scenario"] == Scenario().to_dict(), text
