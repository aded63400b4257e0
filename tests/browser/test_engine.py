"""The JavaScript engine in a page and in a worker, as others may use it."""

from sim import Scenario, simulate
from tests.browser.conftest import PATIENCE, ROOT

TEMPLATE = ROOT / "tests" / "js" / "page.html"
ENGINE = ROOT / "assets" / "engine.js"


def test_loads_in_page_and_worker_under_a_policy_without_eval(browser, tmp_path):
    file = tmp_path / "page.html"
    text = TEMPLATE.read_text("utf-8").replace("/* ENGINE */", ENGINE.read_text("utf-8"))
    file.write_text(text, "utf-8")
    context = browser.new_context()
    page = context.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    # not wait_for_function, which asks the page to evaluate text once it has to wait
    page.wait_for_selector("html[data-answered]", state="attached", timeout=PATIENCE)
    answers = page.evaluate("window.answers")
    context.close()
    wanted = simulate(Scenario(agents=6, turns=[2, 4], kv_capacity=40_000)).to_dict()
    assert complaints == []
    assert answers == {"page": wanted, "worker": wanted}
