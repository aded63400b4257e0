"""Both languages say everything, and the views themselves say nothing."""

import ast
import pathlib
import re
import string

import pytest

from app.derive import SHADES, STAGES
from app.figures import LABELS
from app.texts import LANGUAGES, Texts, preferred
from app.views.numbers import CARDS
from app.views.picture import labels
from sim.presets import PRESETS
from sim.result import EVENT_KINDS
from sim.scenario import GROUPS, UNITS, Scenario, field_names

APP = pathlib.Path(__file__).parents[2] / "app"


def flat(texts, above=""):
    for key, value in texts.items():
        if isinstance(value, dict):
            yield from flat(value, f"{above}{key}.")
        else:
            yield above + key, value


def holes(value):
    parts = [value] if isinstance(value, str) else value
    return sorted({h for text in parts for _, h, _, _ in string.Formatter().parse(text) if h})


ALL = {language: dict(flat(texts)) for language, texts in LANGUAGES.items()}


def test_languages_have_the_same_keys():
    assert set(ALL["en"]) == set(ALL["zh"])


@pytest.mark.parametrize("key", ALL["en"])
def test_languages_fill_in_the_same_values(key):
    assert holes(ALL["en"][key]) == holes(ALL["zh"][key])
    assert isinstance(ALL["zh"][key], type(ALL["en"][key]))
    assert ALL["en"][key]
    assert ALL["zh"][key]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_of_the_model_has_a_text(language):
    texts = Texts(language)
    for name in (*field_names(), "gpus", "gpus_per_worker"):
        if name != "table":
            assert texts(f"fields.{name}.label")
            assert texts(f"fields.{name}.help")
    for name in field_names():
        for value in getattr(Scenario.param[name], "objects", ()):
            assert texts(f"options.{name}.{value}.label")
            assert texts(f"options.{name}.{value}.help")
    for unit in UNITS.values():
        assert texts(f"units.{unit}")
    for group in GROUPS:
        assert texts(f"controls.groups.{group}")
    for preset in PRESETS:
        assert texts(f"presets.{preset}.title")
        assert texts(f"presets.{preset}.look")
    for state in SHADES:
        assert texts(f"states.{state}")
    for kind in EVENT_KINDS:
        assert texts(f"events.{kind}")
        assert texts(f"happened.{kind}")
    for stage in STAGES:
        assert texts(f"why.request_{stage}")
    for card in CARDS:
        assert texts(f"numbers.{card}.label")
    assert set(labels(texts)) == set(LABELS)


@pytest.mark.parametrize("path", sorted((APP / "views").glob("*.py")), ids=lambda p: p.name)
def test_views_hold_no_texts(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    docs |= {
        id(keyword.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "doc"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            words = re.sub(r"<[^>]*>?", "", node.value)
            assert not re.search(r"[A-Z][a-z]+ [a-z]+|[a-z]+ [a-z]+ [a-z]+|[一-鿿]", words), words


@pytest.mark.parametrize("path", sorted((APP / "static").glob("*.js")), ids=lambda p: p.name)
def test_scripts_hold_no_texts(path):
    code = re.sub(r"//.*|<svg.*?</svg>", "", path.read_text(encoding="utf-8"))
    for text in re.findall(r'"([^"\n]*)"', code):
        assert not re.search(r"[A-Z][a-z]+ [a-z]+|[一-鿿]", text), text


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-GB,en;q=0.9,zh;q=0.1", "en"),
        ("fr,de;q=0.5", "en"),
        ("fr,zh;q=0.5", "zh"),
        ("", "en"),
        ("zh;q=broken", "en"),
    ],
)
def test_preferred_language(header, language):
    assert preferred(header) == language


def test_unknown_key_is_an_error():
    with pytest.raises(KeyError):
        Texts("en")("no.such.text")
