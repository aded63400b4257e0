"""What axe-core finds on the page: no serious violation, in every tab, light and dark."""

import pytest

from app.state import TABS

Axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe

GRAVE = ("serious", "critical")


ALL = {"resultTypes": ["violations"]}
CONTRAST = {**ALL, "runOnly": ["color-contrast"]}
"""What a theme can change."""


def violations(page, options):
    """Return the grave violations, each as its rule, where it is, and what to do."""
    found = Axe().run(page, options=options).response["violations"]
    return [
        (violation["id"], node["target"], node["failureSummary"])
        for violation in found
        if violation["impact"] in GRAVE
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize(
    ("look", "options"), [("theme=light&lang=en", ALL), ("theme=dark&lang=zh", CONTRAST)]
)
def test_no_grave_violation(visit, look, options):
    opened = visit(f"agents=6&workers=4&turns=4,6&kv_capacity=20000&input_tokens=2000,6000&{look}")
    page = opened.page
    found = {}
    opened.open_groups()
    frame = opened.frame()
    page.mouse.click(frame["left"] + frame["width"] / 2, frame["top"] + 40)
    page.locator(".page-moment table").wait_for()
    found["pinned"] = violations(page, options)
    page.keyboard.press("Escape")
    page.keyboard.press("b")  # a baseline to compare with
    for tab in TABS:
        page.locator(f'[role=tab][data-tab="{tab}"]').click()
        page.locator(f"#panel-{tab} > *").first.wait_for(state="attached")
        page.wait_for_timeout(700)  # what a tab shows is made when it is first opened
        found[tab] = violations(page, options)
    for name, keys in (("help", "?"), ("commands", "Control+k")):
        page.keyboard.press(keys)
        page.locator("dialog[open]").wait_for()
        found[name] = violations(page, options)
        page.keyboard.press("Escape")
    page.locator(".menu > summary").last.click()
    found["export"] = violations(page, options)
    assert {name: grave for name, grave in found.items() if grave} == {}
