"""Marking an interval, and the KV cache of a worker over time, as a reader does it."""

import csv
import io

from app.derive.interval import interval
from app.palette import context_colors
from app.runs import run
from app.state import read_query
from tests.browser.conftest import QUICK


def window(page):
    f = page.frame()
    return f["start"], f["end"]


def box(page):
    return page.page.evaluate(
        """() => {
            const {left, right, visible} = Bokeh.documents[0].get_model_by_name("marked_interval")
            return visible ? [left, right] : null
        }"""
    )


def drag(page, name, start, end):
    """Drag over a figure from one time to another."""
    f = page.frame(name)
    page.page.evaluate("y => scrollTo(0, scrollY + y)", f["top"] - 260)
    page.frames()
    middle = (f["low"] + f["high"]) / 2
    (left, y), (right, _) = page.spots([(start, middle), (end, middle)], name)
    page.page.mouse.move(left, y)
    page.page.mouse.down()
    page.page.mouse.move((left + right) / 2, y, steps=3)
    page.page.mouse.move(right, y, steps=3)
    page.page.mouse.up()


def marked(page):
    return read_query(page.query())[0].span


def test_an_interval_is_marked_read_and_cleared(visit):
    page = visit(f"{QUICK}&view=4-46")
    recording = run(read_query(QUICK)[0].scenario, lambda: False).recording
    whole = window(page)
    page.page.keyboard.down("Shift")
    drag(page, "timeline", 10, 30)
    page.wait_for_query("span=")
    start, end = marked(page)
    assert abs(start - 10) < 1
    assert abs(end - 30) < 1
    assert window(page) == whole
    assert "pin=" not in page.query()
    assert box(page) == [start, end]

    sheet = page.page.locator(".page-moment")
    sheet.get_by_text("Time by state").wait_for()
    ticks = [round(seconds / recording.tick_s) for seconds in (start, end)]
    part = interval(recording, *ticks)
    row = sheet.locator("tr", has=page.page.get_by_role("rowheader", name="admitted", exact=True))
    assert row.locator("td").first.inner_text() == str(part.requests["admitted"])
    page.page.evaluate(
        "() => { navigator.clipboard.writeText = async text => { window.kept = text } }"
    )
    sheet.get_by_role("button", name="Copy CSV").click()
    page.until(lambda: page.page.evaluate("window.kept") is not None)
    rows = list(csv.reader(io.StringIO(page.page.evaluate("window.kept"))))
    assert rows[1][2:] == [f"{start:g}", "0"]
    assert ["decoded", "tokens", str(part.decoded)] in [row[:3] for row in rows]

    drag(page, "evictions", 40, 20)
    page.until(lambda: abs(marked(page)[1] - 40) < 1)
    page.page.keyboard.up("Shift")
    assert window(page) == whole
    sheet.get_by_role("button", name="Zoom to it").click()
    page.until(lambda: window(page) == tuple(box(page)))
    page.page.keyboard.press("Escape")
    page.page.wait_for_function("() => !location.search.includes('span=')")
    sheet.wait_for(state="hidden")
    assert box(page) is None
    page.page.get_by_role("button", name="Mark an interval").click()
    drag(page, "shares", 25, 35)
    page.wait_for_query("span=")
    zoomed, span = window(page), marked(page)
    assert abs(span[0] - 25) < 1
    drag(page, "shares", 30, 35)  # a plain drag again
    page.until(lambda: window(page) != zoomed)
    assert marked(page) == span
    assert page.complaints == []


def test_a_finger_marks_and_a_pinned_moment_shows_the_cache(visit):
    page = visit(
        f"{QUICK}&pin=80&worker=1&view=19-26",
        viewport={"width": 390, "height": 844},
        has_touch=True,
    )
    recording = run(read_query(QUICK)[0].scenario, lambda: False).recording
    page.page.get_by_role("heading", name="KV cache over time").wait_for()
    chooser = page.page.get_by_label("Worker", exact=True)
    chooser.select_option("2")
    page.wait_for_query("worker=2")
    chooser.evaluate("node => node.blur()")

    # what is drawn at a tick is what the cache holds then
    tick, colors = 80, context_colors("light")
    table = recording.kv.at(tick)
    here = table["worker"] == 2
    known = recording.kv.agent[recording.kv.worker == 2]
    agents = sorted(set(known.tolist()))
    low, spots, wanted = 0, [], []
    for i in here.nonzero()[0]:
        size, hue = table["tokens"][i], 2 * agents.index(table["agent"][i])
        spots.append(((tick + 0.2) * recording.tick_s, low + size / 2))
        wanted.append(colors[4 + hue + (not table["locked"][i])])
        low += size
    assert wanted
    page.until(lambda: page.colors(*page.spots(spots, "composition")) == wanted, wanted)

    page.page.keyboard.press(".")
    page.wait_for_query("pin=81&")
    page.page.keyboard.press(",")
    page.wait_for_query("pin=80&")
    page.page.keyboard.press("n")
    page.page.wait_for_function("() => !location.search.includes('pin=80&')")
    assert read_query(page.query())[0].pin in recording.result.events["tick"]
    page.page.keyboard.press("[")
    page.wait_for_query("span=")
    assert marked(page)[1] == recording.ticks * recording.tick_s
    page.page.keyboard.press("Escape")
    page.page.wait_for_function("() => !location.search.includes('span=')")
    assert "pin=" in page.query()

    page.page.evaluate("() => scrollTo(0, 0)")
    page.page.get_by_role("button", name="Mark an interval").tap()
    f = page.frame()
    page.page.evaluate("y => scrollTo(0, scrollY + y)", f["top"] - 60)
    page.frames()
    start, end = (f["start"] + share * (f["end"] - f["start"]) for share in (0.2, 0.7))
    (left, y), (right, _) = page.spots([(start, 2), (end, 2)])
    touch = page.page.context.new_cdp_session(page.page)
    for kind, x in (("touchStart", left), ("touchMove", (left + right) / 2), ("touchMove", right)):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_query("span=")
    assert abs(marked(page)[0] - start) < 0.5
    assert abs(marked(page)[1] - end) < 0.5
    assert window(page) == (f["start"], f["end"])
    assert page.complaints == []
