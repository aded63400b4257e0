"""Makes the picture of Explore for the README: ``python -m tests.browser.pictures``."""

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM, ROOT, Visit, serving

EXPLORE = ROOT / "assets" / "explore.png"
WINDOW = {"width": 1440, "height": 1000}
LONGEST = 300_000
"""Milliseconds that the grid may take."""


def explore(browser, address):
    """Run the default grid and save what is seen."""
    context = browser.new_context(viewport=WINDOW, locale="en-US")
    visit = Visit(context, address).open("tab=explore&theme=light")
    visit.page.get_by_text("396 runs", exact=True).wait_for(timeout=LONGEST)
    EXPLORE.write_bytes(visit.picture())


def main():
    """Serve the app and make the picture."""
    with sync_playwright() as playwright, serving() as address:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        explore(browser, address)
        browser.close()


if __name__ == "__main__":
    main()
