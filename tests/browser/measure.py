"""Prints how long a reader waits, measured in Chromium: ``python -m tests.browser.measure``.

First paint and first picture from the start of the navigation, on a server that has just come
up and on one that has served before; and from the release of a slider to the frame in which the
new picture is on screen, at the default scenario and at the article's second one.
"""

import statistics

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM, Visit, serving

WATCH = """
window.painted = {}
new MutationObserver(() => {
    const count = document.documentElement.dataset.pictures
    requestAnimationFrame(() => requestAnimationFrame(() => {
        window.painted[count] ??= performance.now()
    }))
}).observe(document, {subtree: true, attributes: true, attributeFilter: ["data-pictures"]})
addEventListener("pointerup", () => { window.released = performance.now() }, true)
"""
RELEASES = 15


def open_page(browser, address, query=""):
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    visit = Visit(context, address)
    visit.page.add_init_script(WATCH)
    visit.open(query)
    visit.page.wait_for_function("window.painted[1]")
    paint = visit.page.evaluate(
        """performance.getEntriesByType("paint")
            .find(entry => entry.name === "first-contentful-paint").startTime"""
    )
    return visit, paint, visit.page.evaluate("window.painted[1]")


def releases(visit):
    """Return the milliseconds of several releases of the slider of agents."""
    slider = visit.page.get_by_role("slider", name="Agents", exact=True)
    box = slider.bounding_box()
    times = []
    for i in range(RELEASES):
        seen = visit.pictures
        middle = box["y"] + box["height"] / 2
        visit.page.mouse.move(box["x"] + 40 + 12 * i, middle)
        visit.page.mouse.down()
        visit.page.mouse.up()
        visit.next_picture(seen)
        visit.page.wait_for_function("n => window.painted[n]", arg=visit.pictures)
        times.append(
            visit.page.evaluate("n => window.painted[n] - window.released", visit.pictures)
        )
    return times


def main():
    with sync_playwright() as playwright, serving() as address:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name in ("first visit of the server", "second visit"):
            visit, paint, picture = open_page(browser, address)
            print(f"{name}: first paint {paint:.0f} ms, first picture {picture:.0f} ms")
        for name in ("default", "article_fig2"):
            visit, _, _ = open_page(browser, address, f"preset={name}")
            times = releases(visit)
            print(
                f"{name}, release to picture: median {statistics.median(times):.0f} ms, "
                f"{min(times):.0f} to {max(times):.0f} ms over {len(times)}"
            )
        browser.close()


if __name__ == "__main__":
    main()
