"""An exported page: the file, what it draws, its settings, and what its author chose."""

import gzip
import math
import re

import numpy as np
import pytest

from app import derive
from app.figures import Board
from app.palette import THEMES, faded_colors, state_colors
from app.state import read_query
from app.texts import Texts
from app.views.picture import labels
from tests.browser.conftest import QUICK
from tests.browser.export.reader import address, cards, recorded

LARGEST, LARGEST_GZIPPED = 2_500_000, 800_000

# --- the file ---


def test_opens_from_a_disk_without_a_network(reader, files):
    page = reader().open(address(files))
    assert page.numbers() == cards("")
    page.enter("agents", "31")
    assert page.requests == [(files / "page.html").as_uri()]
    assert page.complaints == []


def test_is_small_and_names_nothing_to_load(files):
    text = (files / "page.html").read_bytes()
    assert len(text) <= LARGEST
    assert len(gzip.compress(text)) <= LARGEST_GZIPPED
    assert not re.search(rb"<(script|img|iframe|link)[^>]*(src|href)=\"(?!data:)", text)


# --- the same as the dashboard ---


SOURCES = """([names]) => {
  const document = Bokeh.documents[0]
  const text = new TextDecoder()
  const plain = column => column instanceof Uint8Array ? text.decode(column)
    : ArrayBuffer.isView(column) ? [...column] : column
  return Object.fromEntries(names.map(name => {
    const {renderers} = document.get_model_by_name(name)
    return [name, renderers.map(({data_source: {data}}) => Object.fromEntries(
      Object.entries(data).map(([key, column]) => [key, plain(column).map(plain)])))]
  }))
}"""
FIGURES = ("minimap", "timeline", "events", "shares", "evictions", "hit_rate", "oversubscription",
           "occupancy", "kv")  # fmt: skip


def drawn(board):
    """Return the data of every renderer of a board's figures as plain lists, images as text."""

    def plain(column):
        if isinstance(column, np.ndarray):
            return column.tolist()
        return [
            item.tobytes().decode("ascii") if isinstance(item, np.ndarray) else item
            for item in column
        ]

    return {
        name: [
            {key: plain(column) for key, column in renderer.data_source.data.items()}
            for renderer in getattr(board, name).root.renderers
        ]
        for name in FIGURES
    }


def alike(found, wanted):
    """Return whether two plain columns are equal, numbers up to single precision."""
    if isinstance(wanted, list):
        pairs = zip(found, wanted, strict=False)
        return len(found) == len(wanted) and all(alike(*pair) for pair in pairs)
    if isinstance(wanted, (int, float)):
        return math.isclose(found, wanted, rel_tol=1e-6, abs_tol=1e-6)
    return found == wanted


@pytest.mark.parametrize(
    "settings",
    [
        QUICK,
        f"{QUICK}&view=20-60&pin=200&worker=1",
        "agents=9&workers=3&prefill_workers=1&turns=3,5&shared_prefix=900&lock=step&pin=99",
        "preset=article_fig2&pin=5000&theme=dark&palette=colorblind",
        "agents=2&workers=1&turns=1,1&kv_capacity=9000&overflow=compact",
    ],
)
def test_draws_what_the_dashboard_draws(page, settings):
    page.show(settings)
    state, problems = read_query(settings)
    assert problems == []
    columns = page.page.evaluate(
        """() => {
          const {id} = Bokeh.documents[0].get_model_by_name("timeline")
          return Math.round(Bokeh.index.find_one_by_id(id).frame.bbox.width)
        }"""
    )
    theme = "dark" if state.theme == "dark" else "light"
    board = Board(labels(Texts("en")), theme, state.palette)
    board.show(recorded(settings).recording, columns=columns)
    if state.view:
        board.frame.set_window(*state.view)
        board.refine(columns)
    names = [name for name in FIGURES if name != "kv" or state.pin is not None]
    if state.pin is not None:
        board.pin(state.pin)
    found = page.page.evaluate(SOURCES, [names])
    wanted = drawn(board)
    for name in names:
        for place, (have, want) in enumerate(zip(found[name], wanted[name], strict=True)):
            assert have.keys() == want.keys(), (name, place)
            for key in want:
                assert alike(have[key], want[key]), (name, place, key)


PALETTE = """() =>
  Bokeh.documents[0].get_model_by_name("timeline").renderers[0].glyph.color_mapper.palette"""


def test_colours_and_texts_are_those_of_the_dashboard(page):
    board = Board(labels(Texts("zh")), "dark", "colorblind")
    page.choose("language", "zh")
    page.page.get_by_text("显示").first.click()
    page.choose("theme", "dark")
    page.choose("palette", "colorblind")
    page.page.get_by_role("button", name="重新预填充").click()
    page.rest()
    assert "isolate=prefill_again" in page.settings()
    faded = page.page.evaluate(PALETTE)
    page.page.keyboard.press("Escape")
    page.rest()
    found = page.page.evaluate(
        """() => {
          const find = name => Bokeh.documents[0].get_model_by_name(name)
          return {
            colors: find("timeline").renderers[0].glyph.color_mapper.palette,
            title: find("hit_rate").title.text,
            ink: find("hit_rate").title.text_color.value ?? find("hit_rate").title.text_color,
            kinds: [...find("events").left[0].major_label_overrides],
            areas: find("shares").renderers.slice(0, 9).map(({glyph}) =>
              glyph.fill_color.value ?? glyph.fill_color),
          }
        }"""
    )
    colors = state_colors("colorblind", "dark")
    assert found["colors"][:-1] == colors
    alone = derive.SHADES.index("prefill_again")
    assert faded[alone] == colors[alone]
    faint = faded_colors("colorblind", "dark")
    assert faded[:alone] == faint[:alone]
    assert found["title"] == board.hit_rate.root.title.text == Texts("zh")("figures.hit_rate")
    assert found["ink"] == THEMES["dark"].text
    kinds = [[y, text] for y, text in board.events.axis.major_label_overrides.items()]
    assert found["kinds"] == kinds
    assert found["areas"] == [colors[code] for code in derive.STACK]
    assert page.numbers() == cards(QUICK, "zh")
    assert {"lang=zh", "theme=dark", "palette=colorblind"} <= set(page.settings().split("&"))
    assert page.complaints == []


# --- settings ---


def test_every_number_is_simulated_anew(page):
    page.page.locator("#more > summary").click()
    asked = {"agents": "9", "gpus": "7", "kv_capacity": "33k", "seed": "5", "decode_rate": "20"}
    for name, text in asked.items():
        page.enter(name, text)
        assert f"{'workers' if name == 'gpus' else name}=" in page.settings()
        assert page.numbers() == cards(page.settings())
    assert page.complaints == []


def test_choices_and_presets_are_simulated_anew(page):
    with page.changing():
        page.control("routing").select_option("round_robin")
    assert page.numbers() == cards(page.settings())
    with page.changing():
        page.choose("control-lock", "none")
    assert page.numbers() == cards(page.settings())
    with page.changing():
        page.page.locator("#preset").select_option("article_fig2")
    assert page.settings() == "preset=article_fig2"
    assert page.numbers() == cards("preset=article_fig2")


def test_a_drag_is_followed_and_ends_at_its_last_place(page):
    slider = page.page.locator("#control-agents-slider")
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    seen = page.pictures
    page.page.mouse.move(box["x"] + 12, middle)
    page.page.mouse.down()
    for step in range(12):
        page.page.mouse.move(box["x"] + 12 + 2 * step, middle)
        page.page.wait_for_timeout(60)
    page.page.mouse.up()
    page.rest()
    assert page.pictures > seen + 2
    agents = int(page.control("agents").input_value())
    assert f"agents={agents}" in page.settings()
    assert page.numbers() == cards(page.settings())


def test_the_address_brings_the_page_back(page, reader, files):
    page.enter("agents", "8")
    page.page.mouse.click(*page.spot(0.25, 0.6))
    page.rest()
    settings = page.settings()
    assert "pin=" in settings
    other = reader().open(address(files, settings))
    assert other.numbers() == page.numbers()
    assert other.settings() == settings
    assert other.page.locator("h2", has_text="tick").inner_text() == (
        page.page.locator("h2", has_text="tick").inner_text()
    )


def test_a_changed_address_is_followed_and_what_is_broken_in_it_said(page):
    page.show("agents=5&lang=zh")
    assert page.numbers() == cards("agents=5", "zh")
    page.page.evaluate("for (const n of [3, 4, 5, 6, 7]) location.hash = `agents=${n}`")
    page.rest()
    assert (page.settings(), page.numbers()) == ("agents=7", cards("agents=7"))
    page.show("preset=article_fig2&view=60-300&pin=500&speed=10")
    assert page.view() == [60, 300]
    assert "tick 500" in page.page.locator("#moment h2").inner_text()
    page.show("agents=8&agnets=3")
    assert not page.page.locator("#moment").is_visible()
    assert "did you mean agents?" in page.page.locator(".banner").inner_text()
    assert page.numbers() == cards("agents=8")
    page.show(QUICK)
    assert page.page.locator(".banner").count() == 0


def test_a_broken_address_falls_back_to_the_defaults_and_says_so(reader, files):
    page = reader().open(address(files, "agents=0&agnets=3&routing=nowhere&lang=xx&view=9-3"))
    said = page.page.locator(".banner").inner_text()
    for part in ("agents: 0 is not allowed", "did you mean agents?", "nowhere", "lang", "view"):
        assert part in said
    assert page.numbers() == cards("")
    page.page.get_by_text("Dismiss").click()
    page.enter("agents", "31")
    assert page.page.locator(".banner").count() == 0
    assert page.complaints == []


def test_a_run_that_fails_shows_no_picture_and_the_next_one_does(reader, files):
    page = reader().open(address(files, "agents=1&decode_rate=0.001&tick_ms=1"))
    assert "has not ended" in page.page.locator(".banner").inner_text()
    assert not page.page.locator("#figures").is_visible()
    assert page.numbers()["makespan"] == ""
    page.show(QUICK)
    assert page.page.locator(".banner").count() == 0
    assert page.page.locator("#figures").is_visible()
    assert page.numbers() == cards(QUICK)


def test_a_refused_value_is_explained_and_changes_nothing(page):
    before = page.numbers()
    box = page.control("agents")
    box.fill("0")
    box.press("Enter")
    note = page.page.locator('.control[data-name="agents"] .note')
    assert "0 is not allowed: a whole number from 1 to 65,536" in note.inner_text()
    assert page.numbers() == before
    page.show("agents=4")
    page.until(lambda: note.inner_text() == "")
    assert box.input_value() == "4"


def test_a_link_is_copied(page):
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.page.get_by_text("Copy link").click()
    page.page.get_by_text("Link copied").wait_for()
    copied = page.page.evaluate("navigator.clipboard.readText()")
    assert read_query(copied.partition("#")[2])[0].scenario.to_dict() == (
        read_query(QUICK)[0].scenario.to_dict()
    )


# --- what the author chose ---


def test_the_author_chooses_what_a_reader_sees(reader, files):
    page = reader().open(address(files, QUICK, "few.html"))
    names = page.page.locator(".control").evaluate_all("all => all.map(one => one.dataset.name)")
    assert names == ["agents", "routing"]
    assert not page.page.locator("#more").is_visible()
    assert page.page.locator("#preset").is_visible()
    assert page.box("shares") is not None
    assert page.box("occupancy") is None
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.page.evaluate(background) == "rgba(0, 0, 0, 0)"
    page.enter("agents", "4")
    assert page.numbers() == cards(page.settings().replace("controls", "x"))
    page.open(address(files, f"{QUICK}&controls=none&charts=none", "few.html"))
    assert not page.page.locator(".page-settings").is_visible()
    assert not page.page.locator("#preset").is_visible()
    assert page.box("shares") is None


def test_a_snapshot_holds_one_run_and_no_engine(reader, files):
    text = (files / "snapshot.html").read_text("utf-8")
    assert "dpascope.simulate = " not in text
    assert 'id="engine"></script>' in text
    page = reader().open(address(files, "agents=3&theme=dark", "snapshot.html"))
    assert page.numbers() == cards(QUICK)
    assert page.page.title() == "A run & its end"
    assert "agents cannot be set" in page.page.locator(".banner").inner_text()
    assert "6 agents" in page.page.locator("#still").inner_text()
    assert page.page.locator(".control").count() == 0
    page.page.mouse.click(*page.spot(0.4, 0.7))
    page.rest()
    assert page.page.locator("#workers tr").count() == 4
    assert page.complaints == []


@pytest.mark.parametrize(("scheme", "theme"), [("dark", "auto"), ("light", "dark")])
def test_the_theme_is_there_before_anything_is_painted(reader, files, scheme, theme):
    page = reader(color_scheme=scheme)
    page.page.add_init_script(
        """new MutationObserver((_, observer) => {
          if (!document.body) return
          window.themeAtFirst = document.documentElement.dataset.theme
          observer.disconnect()
        }).observe(document, {childList: true, subtree: true})"""
    )
    page.open(address(files, f"{QUICK}&theme={theme}"))
    assert page.page.evaluate("themeAtFirst") == "dark"
    background = page.page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = (int(THEMES["dark"].page[i : i + 2], 16) for i in (1, 3, 5))
    assert background == f"rgb({red}, {green}, {blue})"


def test_speaks_the_readers_language(reader, files):
    page = reader(locale="zh-CN").open(address(files, QUICK))
    assert page.numbers() == cards(QUICK, "zh")
    assert page.page.evaluate("document.documentElement.lang") == "zh"
