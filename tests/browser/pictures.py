"""Makes the dashboard's pictures for the README: ``python -m tests.browser.pictures``."""

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM, ROOT, Visit, serving

RUN = ROOT / "assets" / "screenshot.png"
EXPLORE = ROOT / "assets" / "explore.png"
AGENTS = ROOT / "assets" / "agents.png"
COMPARE = ROOT / "assets" / "compare.png"
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


def compare(browser, address):
    """Save the default scenario with majority against itself as it is."""
    query = "phase_policy=majority&baseline=preset:default&tab=compare&theme=light"
    visit = _open(browser, address, query, 1400)
    visit.page.locator("tr[data-name=makespan] small").first.wait_for()
    COMPARE.write_bytes(visit.picture())


def agents(browser, address):
    """Save the lanes of the agents under the timeline, with one agent chosen."""
    visit = _open(browser, address, "tab=agents&agent=7&view=0-7200&theme=light", 1330)
    visit.page.locator('.agents-list tr[aria-current="true"]').wait_for()
    visit.until(lambda: visit.frame("agent_lanes")["height"] > 300, "for the lanes")
    visit.page.evaluate("window.scrollTo(0, document.querySelector('.page-tabs').offsetTop - 62)")
    AGENTS.write_bytes(visit.picture())


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
        agents(browser, address)
        compare(browser, address)
        browser.close()


if __name__ == "__main__":
    main()
