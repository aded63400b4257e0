"""The dashboard's export menu gives the present scenario as a file, a snippet and a link."""

import html
import json
import re

from app.state import read_query
from tests.browser.conftest import QUICK


def choose(page, text):
    """Choose an item of the menu and return what is on the clipboard then."""
    page.page.get_by_text(text, exact=True).click()
    page.page.get_by_text("Copied", exact=True).wait_for()
    copied = page.page.evaluate("navigator.clipboard.readText()")
    page.page.get_by_text("Copied", exact=True).wait_for(state="detached")
    return copied


def check_settings(page, asked):
    """Assert that settings behind a # are those of the page."""
    found, problems = read_query(asked)
    wanted, _ = read_query(page.query())
    assert problems == []
    assert found.scenario.to_dict() == wanted.scenario.to_dict()
    assert (found.theme, found.gpus_per_worker) == (wanted.theme, wanted.gpus_per_worker)


def test_the_menu_gives_a_link_a_snippet_and_a_file(visit):
    page = visit(f"{QUICK}&seed=7&theme=dark", permissions=["clipboard-read", "clipboard-write"])
    page.page.locator(".header-export summary").click()
    name, _, asked = choose(page, "Link into the exported file").partition("#")
    assert name == "dpascope.html"
    check_settings(page, asked)
    text = choose(page, "Snippet for a post")
    assert "addEventListener" in text
    src = html.unescape(re.search('src="([^"]*)"', text)[1])
    check_settings(page, src.partition("#")[2])
    with page.page.expect_download() as download:
        page.page.get_by_text("Page as one file").click()
    assert download.value.suggested_filename == "dpascope.html"
    text = download.value.path().read_text("utf-8")
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', text)[1])
    wanted, _ = read_query(page.query())
    assert facts["scenario"] == wanted.scenario.to_dict()
    assert facts["theme"] == "dark"
    page.page.locator(".header-export .sheet").wait_for(state="hidden")
    assert page.complaints == []
