"""The agents' tab as a reader meets it: lanes under the timeline, the list, the matrix."""

from tests.browser.conftest import QUICK

PLACES = """() => {
  const found = name => Bokeh.documents[0].get_model_by_name(name)
  const pairs = found("evictors").renderers.map(r => r.data_source).find(s => "victim" in s.data)
  const {x, y, victim, evictor} = pairs.data
  return {x: x[0], y: y[0], victim: victim[0], evictor: evictor[0],
    visits: found("timeline").renderers.find(r => r.name === "visits")
      .data_source.data.left.length}
}"""


def test_lanes_list_and_matrix_work_together(visit):
    page = visit(f"{QUICK}&tab=agents", viewport={"width": 1440, "height": 2400})
    page.page.locator(".agents-list tbody tr").first.wait_for()
    page.until(lambda: page.frame("agent_lanes")["end"] == page.frame("timeline")["end"])
    page.frames(4)
    lanes, timeline = page.frame("agent_lanes"), page.frame("timeline")
    assert (lanes["left"], lanes["width"]) == (timeline["left"], timeline["width"])
    assert lanes["high"] == 6
    assert page.page.evaluate(PLACES)["visits"] == 0

    page.page.mouse.move(*page.spot(3, 4.5, "agent_lanes"))
    page.page.mouse.move(*page.spot(3.1, 4.5, "agent_lanes"))
    page.page.locator(".tip strong").get_by_text("Agent 1").wait_for()
    page.page.mouse.click(*page.spot(3, 4.5, "agent_lanes"))
    page.wait_for_query("agent=1")
    page.page.get_by_role("button", name="agent 1: No longer look at this agent").wait_for()
    page.until(lambda: page.page.evaluate(PLACES)["visits"] > 1)

    row = page.page.get_by_role("button", name="Look at agent 1").first
    row.focus()
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("Enter")
    page.wait_for_query("agent=2")
    page.page.get_by_role("button", name="Pin the admission of turn 1").click()
    page.wait_for_query("pin=")
    page.page.locator(".page-moment table").wait_for()
    page.page.keyboard.press("Escape")
    assert page.frame("context")["height"] == 120
    page.page.get_by_role("button", name="No longer look at this agent").last.press("Enter")
    page.page.locator('.agents-list [data-agent="2"] button:focus').wait_for()
    page.until(lambda: page.page.evaluate(PLACES)["visits"] == 0)

    page.page.locator(".agents-list thead").get_by_role("button", name="Hit rate").click()
    page.wait_for_query("order=hit_rate")
    page.page.locator('.agents-list th[aria-sort="ascending"]').get_by_text("Hit rate").wait_for()
    page.page.locator('.agents-list th[data-metric="hit_rate"] button:focus').wait_for()

    cell = page.page.evaluate(PLACES)
    page.page.mouse.move(*page.spot(cell["x"], cell["y"], "evictors"))
    said = f"agent {cell['evictor']} evicted agent {cell['victim']}"
    page.page.locator(".bk-Tooltip").get_by_text(said).wait_for()
    page.page.mouse.click(*page.spot(cell["x"], cell["y"], "evictors"))
    page.wait_for_query(f"agent={cell['victim']}")
    page.page.get_by_role("tab", name="This run").click()
    page.until(lambda: page.frame("occupancy")["height"] > 50, "for the charts")
    assert page.complaints == []
    assert page.outside == []


def test_many_agents_scroll_and_fit_a_dark_phone(visit):
    page = visit(
        "agents=90&workers=8&turns=2,3&kv_capacity=20000&input_tokens=2000,6000"
        "&tab=agents&agent=80&lang=zh",
        viewport={"width": 390, "height": 844},
        color_scheme="dark",
    )
    page.page.locator('.agents-list tr[aria-current="true"]').wait_for()
    page.until(lambda: page.frame("agent_lanes")["height"] == 540, "for all lanes")
    seen = """() => {
        const model = Bokeh.documents[0].get_model_by_name("agent_lanes")
        const {el} = Bokeh.index.find_one_by_id(model.id)
        const box = el.parentElement ?? el.getRootNode().host
        return box.clientHeight < 500 && box.scrollTop > 0
    }"""
    page.until(lambda: page.page.evaluate(seen), "for the chosen lane")
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.complaints == []
