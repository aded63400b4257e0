"""Pinning a baseline as a reader meets it: the button, the cards, and the tab Compare."""

from app.state import read_query
from tests.browser.conftest import QUICK

NAMES = ("versus_a", "versus_b", "versus_difference")


def column(page, name, column):
    """Return a column of a figure's first source that has it."""
    return page.page.evaluate(
        """([name, column]) => {
            const figure = Bokeh.documents[0].get_model_by_name(name)
            const sources = figure.renderers.map(r => r.data_source.data)
            return Array.from(sources.find(data => data[column])[column])
        }""",
        [name, column],
    )


def windows(page):
    return [(f["start"], f["end"]) for f in map(page.frame, NAMES)]


def test_pin_change_compare_swap(visit):
    page = visit()
    keyboard, button = page.page.keyboard, page.page.get_by_role
    assert page.page.locator(".card .change").count() == 0
    keyboard.press("b")
    page.wait_for_query("baseline=")
    page.page.get_by_text("same as the baseline").first.wait_for()
    assert page.page.locator(".card .change").count() == 10
    with page.changing():
        page.page.get_by_label("Phase policy", exact=True).select_option("majority")
    page.page.get_by_text("Baseline: Phase policy Prefill first").wait_for()
    makespan = page.page.locator('.card[data-name="makespan"] .change')
    assert "was" in makespan.inner_text()
    assert page.page.locator(".card .change :is(.better, .worse)").count() > 2

    # the tab: both runs on one axis, with bands once the seeds are there
    button("tab", name="Compare").click()
    page.wait_for_query("tab=compare")
    page.page.locator("tr[data-name=makespan] small").first.wait_for()
    page.frames(4)
    assert (
        page.page.locator(".versus .settings").inner_text()
        == "Phase policy Prefill first → Majority"
    )
    frames = [page.frame(name) for name in NAMES]
    assert {round(frame["left"]) for frame in frames} == {round(frames[0]["left"])}
    assert min(frame["width"] for frame in frames) > 800
    assert len(set(windows(page))) == 1
    labels = page.page.locator('[role=img][aria-label*="every worker of"]')
    assert labels.count() == 2

    # a zoom moves all and bins them anew
    whole, before = windows(page)[0], column(page, "versus_difference", "left")
    page.page.mouse.move(0, 0)
    keyboard.press("w")
    page.until(lambda: column(page, "versus_difference", "left") != before, "for finer spans")
    assert len(set(windows(page))) == 1
    assert windows(page)[0][1] - windows(page)[0][0] < whole[1] - whole[0]

    # hover and click
    page.page.evaluate("document.querySelector('.page-versus').scrollIntoView()")
    page.page.mouse.wheel(0, 300)
    page.frames(4)
    start, end = windows(page)[0]
    low, high = (page.frame("versus_difference")[key] for key in ("low", "high"))
    spot = page.spot(start + 0.3 * (end - start), 0.2 * low + 0.8 * high, "versus_difference")
    page.page.mouse.move(*spot)
    page.page.locator(".bk-Tooltip").get_by_text("→").first.wait_for()
    page.page.mouse.click(*spot)
    page.wait_for_query("pin=")
    page.page.locator(".versus .moment").get_by_text("A: ").wait_for()
    keyboard.press("Escape")
    page.page.wait_for_function("!location.search.includes('pin=')")

    # the link keeps the baseline; swapping loads it
    pinned = read_query(page.query())[0].baseline
    assert pinned == read_query(f"{QUICK}&baseline={pinned.written()}")[0].baseline
    with page.changing():
        button("button", name="Swap").click()
    page.wait_for_query("phase_policy=prefill_first")
    assert read_query(page.query())[0].baseline.scenario.phase_policy == "majority"

    page.page.set_viewport_size({"width": 390, "height": 844})
    page.frames(4)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 390
    button("button", name="Unpin").click()
    page.page.get_by_text("Or begin with one of these:").wait_for()
    assert page.outside == []
    assert page.complaints == []
