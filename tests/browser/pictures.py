"""Makes the dashboard's pictures for the README: ``python -m tests.browser.pictures``."""

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM, ROOT, Visit, serving

RUN = ROOT / "assets" / "screenshot.png"
EXPLORE = ROOT / "assets" / "explore.png"
LONGEST = 300_000
"""Milliseconds that the grid may take."""


def run(browser, address):
    """Save what the dashboard shows first."""
    visit = _open(browser, address, "theme=light", 1180)
    RUN.write_bytes(visit.picture())


def explore(browser, address):
    """Run the default grid and save what is seen."""
    visit = _open(browser, address, "tab=explore&theme=light", 1000)
    visit.page.get_by_text("396 runs", exact=True).wait_for(timeout=LONGEST)
    EXPLORE.write_bytes(visit.picture())


def _open(browser, address, query, height):
    window = {"width": 1440, "height": height}
    context = browser.new_context(viewport=window, locale="en-US")
    return Visit(context, address).open(query)


def main():
    """Serve the app and make the pictures."""
    with sync_playwright() as playwright, serving() as address:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        run(browser, address)
        explore(browser, address)
        browser.close()


if __name__ == "__main__":
    main()
