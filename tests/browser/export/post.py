"""A post with two figures of one page; its picture: python -m tests.browser.export.post."""

import pathlib
import string

from app.export import address, export_html, snippet
from app.state import AppState
from sim import Scenario
from tests.browser.conftest import ARGUMENTS, CHROMIUM, ROOT

PICTURE = ROOT / "assets" / "post.png"
SCENARIOS = (Scenario(), Scenario(phase_policy="majority"))
CAPTIONS = ("Prefill first, the default of the engines", "The majority decides")
WINDOW = {"width": 900, "height": 2300}


def write_post(folder):
    """Write a page and a post that shows it twice; return the path of the post."""
    export_html(folder / "page.html", controls=["agents", "phase_policy"], charts=[])
    figures = [
        f"<figure>\n{frame}<figcaption>{caption}</figcaption>\n</figure>"
        for frame, caption in zip(map(_frame, SCENARIOS), CAPTIONS, strict=True)
    ]
    text = pathlib.Path(__file__).with_name("post.html").read_text(encoding="utf-8")
    text = string.Template(text).substitute(first=figures[0], second=figures[1])
    path = folder / "post.html"
    path.write_text(text, encoding="utf-8")
    return path


def _frame(scenario):
    settings = address(AppState(scenario=scenario, theme="light"), "en")
    return snippet(f"page.html#{settings}", f"{scenario.phase_policy}, {scenario.agents} agents")


def photograph(page, post, picture):
    """Open a post in a page without a network and save a picture of it."""
    page.goto(post.as_uri())
    for frame in page.frames[1:]:
        frame.wait_for_selector("html[data-complete]:not([data-due])", state="attached")
    page.wait_for_timeout(300)
    page.set_viewport_size({**WINDOW, "height": page.evaluate("document.body.scrollHeight")})
    page.wait_for_timeout(500)
    page.screenshot(path=picture)


def main():
    """Make the picture of the README."""
    import tempfile

    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(viewport=WINDOW)
        context.set_offline(True)
        photograph(context.new_page(), write_post(pathlib.Path(folder)), PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
