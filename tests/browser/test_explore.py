"""The tabs below the numbers as a reader meets them: what would fix it, and Explore."""

import pytest

from app.state import read_query
from tests.browser.conftest import QUICK
from tests.browser.test_page import check_numbers

GRID = f"{QUICK}&tab=explore&explore=lock,eviction,makespan"


def source(page, column):
    """Return a column of the heatmap's source."""
    return page.page.evaluate(
        """column => {
            const figure = Bokeh.documents[0].get_model_by_name("heatmap")
            const cells = figure?.renderers[0].data_source
            return Array.from(cells?.data[column] ?? [])
        }""",
        column,
    )


def wait_for_grid(page):
    page.page.get_by_text("18 runs", exact=True).wait_for()
    page.frames(4)


def sits_in_its_panel(page, name, panel):
    """Return whether a figure has been laid out over the width of its panel."""
    frame = page.frame(name)
    box = page.page.locator(f"#panel-{panel}").bounding_box()
    return frame["height"] > 50 and 0.8 * box["width"] < frame["width"] < box["width"]


def test_explore_fills_in_and_opens_cells(visit):
    page = visit(GRID)
    wait_for_grid(page)
    assert sits_in_its_panel(page, "heatmap", "explore")
    assert page.page.locator("#panel-run").is_hidden()
    fill = source(page, "fill")
    edges = [page.spot(column + 0.12, row + 0.2, "heatmap") for column, row in ((1, 1), (2, 0))]
    assert page.colors(*edges) == [fill[3].lower(), fill[4].lower()]
    page.page.mouse.move(*page.spot(2.5, 1.5, "heatmap"))
    page.page.locator(".bk-Tooltip").get_by_text(source(page, "value")[5]).wait_for()

    with page.changing():
        page.page.mouse.click(*page.spot(2.5, 1.5, "heatmap"))
    page.wait_for_query("lock=none")
    scenario = read_query(page.query())[0].scenario
    assert (scenario.lock, scenario.eviction) == ("none", "tail")
    check_numbers(page)
    assert page.page.get_by_role("tab", name="This run").get_attribute("aria-selected") == "true"
    assert sits_in_its_panel(page, "timeline", "run")

    page.page.get_by_role("tab", name="Explore").click()
    page.page.get_by_role("application").focus()
    page.page.keyboard.press("ArrowLeft")
    page.page.get_by_text("Lock Step, Eviction Tail").wait_for()
    with page.changing():
        page.page.keyboard.press("Enter")
    page.wait_for_query("lock=step")
    assert page.complaints == []
    assert page.outside == []


def test_what_would_fix_it_ranks_and_loads(visit):
    page = visit(f"{QUICK}&tab=fixes")
    page.page.locator(".fixes .said").wait_for()
    rows = page.page.locator(".fixes tbody tr")
    names = rows.evaluate_all("rows => rows.map(row => row.dataset.name)")
    assert "now" in names
    assert len(names) > 8
    assert page.page.locator("tr.now").get_by_role("button").count() == 0

    with page.changing():
        page.page.get_by_role("button", name="this change: Twice the KV capacity").press("Enter")
    page.wait_for_query("kv_capacity=40000")
    assert sits_in_its_panel(page, "timeline", "run")  # it was hidden when it was made
    held = page.page.evaluate("document.activeElement.shadowRoot.activeElement.textContent")
    assert held == "This run"
    page.page.keyboard.press("ArrowRight")
    page.wait_for_query("tab=agents")
    page.page.keyboard.press("ArrowRight")
    page.wait_for_query("tab=fixes")
    assert page.page.locator("#panel-run").is_hidden()
    assert page.complaints == []


@pytest.mark.parametrize("tab", ["fixes", "explore"])
def test_on_a_dark_phone_nothing_is_wider_than_the_screen(visit, tab):
    page = visit(
        f"{QUICK}&lang=zh&explore=lock,eviction,hit_rate&tab={tab}",
        viewport={"width": 390, "height": 844},
        color_scheme="dark",
    )
    wait = {"fixes": ".fixes .said", "explore": ".explore .about"}[tab]
    page.page.locator(wait).wait_for()
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.complaints == []
