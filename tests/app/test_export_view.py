"""The export menu makes files of the run that is shown."""

import json
import threading

import pytest

from app.files import KINDS
from app.runs import run
from app.state import AppState
from app.texts import LANGUAGES, Texts
from app.views import export
from app.views.export import SHOWN, Export
from sim import Scenario

SECONDS = 30


@pytest.fixture
def menu(monkeypatch):
    """Return a menu, what it sends to the browser, and an event that is set when it does."""
    made = Export(AppState(language="zh", palette="colorblind"), lambda callback: callback())
    sent, there = [], threading.Event()

    def send(said):
        sent.append(said)
        if "part" not in said:
            there.set()

    monkeypatch.setattr(made._menu, "_send_msg", send)
    made.sent, made.there = sent, there
    return made


@pytest.fixture(scope="module")
def shown():
    return run(Scenario(agents=3, workers=2, turns=[2, 3]), lambda: False)


def saved(menu, kind):
    menu.there.clear()
    menu.save_run(kind)
    assert menu.there.wait(SECONDS)
    return menu.sent.pop()


@pytest.mark.parametrize("kind", SHOWN)
def test_every_kind_is_made_of_the_run(menu, shown, kind):
    menu.run = shown
    found = saved(menu, kind)
    assert found["name"].startswith("dpascope")
    assert found["name"].endswith(KINDS[kind].suffix)
    assert found["mime"] == KINDS[kind].mime
    assert len(found["file"]) > 50
    if kind == "scenario":
        assert json.loads(found["file"]) == shown.result.scenario.to_dict()
    if kind == "svg":
        assert "#d43038" in found["file"]  # prefill in the palette of the page
        assert "预填充" in found["file"]


def test_a_large_file_is_sent_in_parts(menu, shown, monkeypatch):
    menu.run = shown
    whole = saved(menu, "perfetto")["file"]
    monkeypatch.setattr("app.views.export.PART", len(whole) // 3)
    last = saved(menu, "perfetto")
    assert {part["name"] for part in menu.sent} == {last["name"]}
    assert "".join([*(part["part"] for part in menu.sent), last["file"]]) == whole
    assert len(menu.sent) > 1


def test_without_a_run_nothing_is_made(menu, shown):
    assert not menu._menu.ready
    menu.save_run("png")
    assert menu.sent == []
    menu.run = shown
    assert menu._menu.ready
    menu.save_run("bmp")
    assert menu.sent == []


def test_what_fails_is_said(menu, shown, monkeypatch):
    def fail(recording, look):
        raise ValueError("no room")

    kinds = {**KINDS, "png": export.KINDS["png"].__class__(".png", "image/png", fail)}
    monkeypatch.setattr(export, "KINDS", kinds)
    menu.run = shown
    assert saved(menu, "png") == {"failed": Texts("zh")("files.failed", error="no room")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_has_a_text(language):
    texts = Texts(language)
    for kind in KINDS:
        assert texts(f"files.{kind}")
        assert texts(f"files.{kind}_help")
