"""The picture of an exported page: hover, pin, zoom, wheel and finger; phones and long runs."""

import pytest

from app import derive
from app.describe import happened, hover
from app.texts import Texts
from tests.browser.conftest import QUICK
from tests.browser.export.reader import PHONE, SLOW, cards, recorded


def test_hover_says_what_the_dashboard_says(page):
    recording = recorded().recording
    x, y = page.spot(0.3, 0.5)
    page.page.mouse.move(x, y)
    tip = page.page.locator(".tip")
    tip.wait_for()
    seconds, lane = page.page.evaluate(
        """([x, y]) => {
          const figure = Bokeh.documents[0].get_model_by_name("timeline")
          const view = Bokeh.index.find_one_by_id(figure.id)
          const around = view.canvas_view.el.getBoundingClientRect()
          const {x_scale, y_scale} = view.frame
          return [x_scale.invert(x - around.left), y_scale.invert(y - around.top)]
        }""",
        [x, y],
    )
    tick = recording.tick_at(seconds)
    worker = recording.workers - 1 - int(lane)
    wanted = hover(derive.worker_at(recording, worker, tick), Texts("en"), recording.tick_s, tick)
    assert tip.inner_text().split("\n") == [wanted["title"], wanted["label"], *wanted["lines"]]


def test_the_pinned_moment_is_looked_into(page):
    recording, texts = recorded().recording, Texts("en")
    page.page.mouse.click(*page.spot(0.4, 0.7))
    page.rest()
    pin = int(dict(pair.split("=") for pair in page.settings().split("&"))["pin"])
    rows = page.page.locator("#workers tr")
    moments = derive.at(recording, pin)
    assert rows.count() == len(moments)
    for row, moment in zip(rows.all(), moments, strict=True):
        assert texts(f"states.{derive.SHADES[moment.state]}") in row.inner_text()
    page.page.keyboard.press("ArrowRight")
    assert f"tick {pin + 1:,}" in page.page.locator("#moment h2").inner_text()
    page.page.get_by_label(texts("moment.next")).click()
    row = derive.next_event(recording, pin + 1)
    event = {name: int(column[row]) for name, column in recording.result.events.items()}
    assert f"tick {event['tick']:,}" in page.page.locator("#moment h2").inner_text()
    assert happened(event, texts) in page.page.locator(".happened").inner_text()
    page.page.keyboard.press("Escape")
    page.rest()
    assert not page.page.locator("#moment").is_visible()
    assert page.complaints == []


def test_zoom_keeps_when_settings_change(page):
    page.page.mouse.move(*page.spot())
    for _ in range(3):
        page.page.keyboard.press("w")
    page.rest()
    start, end = page.view()
    assert end - start < 0.4 * recorded().result.ticks * 0.25
    with page.changing():
        page.control("routing").select_option("random")
    assert page.view() == pytest.approx([start, end])
    page.page.keyboard.press("0")
    page.rest()
    assert page.view()[0] == 0


def test_wheel_scrolls_the_page_until_the_picture_is_clicked(page):
    where = page.spot()
    page.page.mouse.move(*where)
    before = page.view()
    page.page.mouse.wheel(0, 120)
    page.page.wait_for_timeout(250)
    assert page.page.evaluate("scrollY") > 60
    assert page.view() == before
    page.page.evaluate("scrollTo(0, 0)")
    page.page.mouse.click(*page.spot())
    page.page.keyboard.press("Escape")  # unpins, and gives the wheel back
    page.page.mouse.click(*page.spot())
    page.page.mouse.wheel(0, -240)
    page.page.wait_for_timeout(250)
    assert page.page.evaluate("scrollY") == 0
    start, end = page.view()
    assert end - start < before[1] - before[0]
    page.page.mouse.move(4, 300)
    page.page.mouse.move(*page.spot(0.4))
    page.page.mouse.wheel(0, 120)
    page.page.wait_for_timeout(250)
    assert page.page.evaluate("scrollY") > 60
    assert page.view() == [start, end]


def test_all_figures_are_aligned(phone):
    frames = phone.page.evaluate(
        """Bokeh.documents[0].roots().flatMap(({id, name}) => {
          const view = Bokeh.index.find_one_by_id(id)
          return !view || name === "kv" ? [] : [[view.frame.bbox.left, view.frame.bbox.width]]
        })"""
    )
    assert len(frames) == 8
    assert frames == frames[:1] * 8


# --- small and large ---


def test_a_phone_needs_no_scrolling_sideways(phone):
    long = "document.querySelector('h1').textContent = 'A title of many words '.repeat(6)"
    phone.page.evaluate(long)
    for asked in (QUICK, f"{QUICK}&lang=zh&pin=300", "preset=dpa_8xb200", "agnets=3&routing=x"):
        phone.show(asked)
        phone.page.locator("#more > summary").click()
        width = phone.page.evaluate("document.documentElement.scrollWidth")
        assert width == PHONE["viewport"]["width"], asked
    assert phone.complaints == []


def test_a_finger_scrolls_the_page_up_and_down_and_the_picture_across(phone):
    page = phone
    page.show(QUICK)
    show = "document.querySelector('[data-figure=timeline]').scrollIntoView()"
    page.page.evaluate(show)
    page.page.keyboard.press("w")
    page.rest()
    before, view = page.page.evaluate("scrollY"), page.view()
    page.swipe(page.spot(0.5, 0.4), (0, -200))
    assert page.page.evaluate("scrollY") > before + 100
    assert page.view() == pytest.approx(view)
    page.page.evaluate(show)
    before = page.page.evaluate("scrollY")
    page.swipe(page.spot(0.3, 0.4), (120, 0))
    assert page.page.evaluate("scrollY") == before
    assert page.view()[0] < view[0] - 1


def test_a_long_run_goes_on_in_a_worker_and_the_newest_wins(page):
    page.show(SLOW)
    for agents in (200, 220, 240):
        page.page.evaluate(f"location.hash = '{SLOW}&agents={agents}'")
        page.page.wait_for_timeout(30)
    wanted = cards(f"{SLOW}&agents=240")
    page.until(lambda: page.numbers() == wanted)
    assert len(page.page.workers) == 1
    page.rest()
    assert page.numbers() == wanted
    assert page.complaints == []
