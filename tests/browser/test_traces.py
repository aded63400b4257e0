"""Files dropped on the page become what is simulated, and the run becomes files."""

from app.texts import Texts
from sim.traces import read
from tests.sim.traces.made import CLAUDE, TRACELAB, WEKA, lines

DROP = """
async ([selector, files]) => {
  const find = root => {
    for (const node of root.querySelectorAll("*")) {
      if (node.matches(selector)) return node
      const inner = node.shadowRoot && find(node.shadowRoot)
      if (inner) return inner
    }
  }
  const transfer = new DataTransfer()
  for (const [name, text] of files) transfer.items.add(new File([text], name))
  find(document).dispatchEvent(new DragEvent("drop", {dataTransfer: transfer, bubbles: true}))
}
"""


def test_files_are_dropped_and_simulated(visit):
    page = visit("tab=traces&workers=2&agents=3&turns=2,3")
    sheet = page.page.locator(".traces")
    files = {"log": lines(CLAUDE), "table": TRACELAB, "trace": lines([WEKA]), "notes": b"# Notes"}
    dropped = [[name, data.decode()] for name, data in files.items()]
    page.page.evaluate(DROP, [".zone", dropped])
    sheet.locator(".found").wait_for()
    assert "7 requests in 4 sessions" in sheet.locator(".found").inner_text()
    rows = sheet.locator("tbody tr")
    assert rows.count() == 5
    assert "neither JSON nor a known table" in rows.nth(3).inner_text()
    assert sheet.locator("figure svg").count() == 6
    for figure in sheet.locator("figure").all():
        assert figure.locator("svg").get_attribute("aria-label")
        assert figure.locator(".bar, polyline").count() > 0
    agents = sheet.locator("[data-choice=agents]")
    agents.fill("6")
    agents.press("Enter")
    sheet.get_by_text("6 agents with").wait_for()
    with page.changing():
        sheet.get_by_text("Simulate these agents").click()
    assert "6" in page.page.locator('[data-name="killed"] dd').nth(1).inner_text()
    assert page.page.locator("html").get_attribute("data-tab") == "run"
    page.page.locator(".header-export summary").click()
    with page.page.expect_download() as download:
        page.page.locator('[data-kind="mooncake"]').click()
    assert download.value.suggested_filename == "dpascope-mooncake.jsonl"
    again = read([download.value.path()])
    assert len(again.sessions) == 6
    page.page.locator(".header-export .sheet").wait_for(state="hidden")
    page.page.get_by_role("tab", name=Texts("en")("tabs.traces")).click()
    with page.changing():
        sheet.get_by_text(Texts("en")("traces.named_options.realistic")).click()
    page.wait_for_query("shared_prefix=15000")
    assert page.outside == []
    assert page.complaints == []
