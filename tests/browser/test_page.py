"""The page as a reader meets it."""

import re

import pytest

from app.palette import THEMES
from app.runs import run
from app.state import read_query
from app.texts import Texts
from app.views.numbers import card_values
from tests.browser.conftest import QUICK, Visit, serving


def check_numbers(visit, query=None, language="en"):
    """The cards say what a run of the address's scenario says."""
    state, problems = read_query(query or visit.query())
    assert problems == []
    values = card_values(run(state.scenario, lambda: False), Texts(language))
    wanted = {card: value for card, (value, _) in values.items()}
    for _ in range(30):  # the run of an earlier of several changes may be shown first
        shown = visit.numbers()
        if shown == wanted:
            break
        visit.page.wait_for_timeout(100)
    assert shown == wanted


def test_loads_without_complaint_and_without_the_internet(visit):
    page = visit()
    check_numbers(page, QUICK)
    assert page.page.title() == "DPA Scope"
    page.page.wait_for_timeout(300)
    assert page.outside == []
    assert page.complaints == []


def test_a_session_made_as_the_browser_connects_loads_nothing_from_outside(browser):
    # Sessions expire at once, so that the one of the page is gone when the browser connects.
    options = ("--check-unused-sessions", "50", "--unused-session-lifetime", "1")
    with serving(*options) as address:
        context = browser.new_context()
        page = Visit(context, address).open()
        check_numbers(page, QUICK)
        assert page.outside == []
        context.close()


def test_an_address_brings_back_the_picture(visit):
    query = f"{QUICK}&routing=round_robin&view=20.5-60&pin=90&palette=colorblind&lang=zh&v=1"
    first = visit(query)
    check_numbers(first, language="zh")
    second = visit(first.query())
    assert second.query() == first.query()
    assert second.frame() == first.frame()
    assert second.picture() == first.picture()


def test_a_broken_address_says_what_is_broken(visit):
    page = visit(f"{QUICK}&lock=strong&agens=3")
    said = page.page.get_by_role("alert").inner_text()
    assert "lock: strong is not allowed: one of phase, step, none" in said
    assert "agens is no setting; did you mean agents?" in said
    assert read_query(page.query())[0].scenario.agents == 6
    page.page.get_by_role("button", name="Dismiss").click()
    page.page.get_by_role("alert").wait_for(state="detached")
    assert page.complaints == []


def test_a_failed_run_says_why_and_keeps_the_picture(visit):
    page = visit("agents=6&turns=4,6")
    before = page.number("makespan")
    agents = page.page.get_by_label("Agents, value")
    page.page.locator("summary", has_text="Workload").click()
    turns = page.page.get_by_label("Turns per agent, to")
    turns.fill("60000000")
    turns.press("Enter")
    agents.fill("65536")
    agents.press("Enter")
    banner = page.page.get_by_role("alert")
    banner.wait_for()
    assert "This run failed" in banner.inner_text()
    assert "last good one" in banner.inner_text()
    assert page.number("makespan") == before
    assert page.page.evaluate("document.documentElement.hasAttribute('data-stale')")
    with page.changing():
        page.page.get_by_role("button", name="Reset").click()
    assert page.page.get_by_role("alert").count() == 0
    assert not page.page.evaluate("document.documentElement.hasAttribute('data-stale')")


def test_a_lost_connection_is_said(browser):
    context = browser.new_context(locale="en-US")
    with serving() as address:
        page = Visit(context, address).open()
    page.page.get_by_text("The connection to the server is lost").wait_for()
    assert page.page.get_by_role("button", name="Reload").is_visible()
    context.close()


def test_two_sessions_do_not_touch_each_other(visit):
    one, other = visit(QUICK), visit(f"{QUICK}&lang=zh")
    before = other.query()
    with one.changing():
        one.page.get_by_label("Routing", exact=True).select_option("random")
    one.wait_for_query("routing=random")
    assert other.query() == before
    check_numbers(one)
    check_numbers(other, language="zh")


ALL_TEXTS = """() => {
    const texts = []
    const walk = node => {
        if (node.nodeType === 3) texts.push(node.textContent)
        if (/^(SCRIPT|STYLE|SVG)$/i.test(node.tagName ?? "")) return
        // sources, formulas and names of products are as they are
        if (node.lang === "en" || node.getAttribute?.("translate") === "no") return
        for (const attribute of ["aria-label", "title", "placeholder"])
            if (node.getAttribute?.(attribute)) texts.push(node.getAttribute(attribute))
        for (const child of node.childNodes) walk(child)
        if (node.shadowRoot) walk(node.shadowRoot)
    }
    walk(document.body)
    return texts.join(" ")
}"""


def test_the_language_switches_everything(visit):
    page = visit(f"{QUICK}&pin=90&group_size=2")
    page.open_groups()
    page.page.get_by_role("radio", name="中文").check(force=True)
    page.page.locator("dt", has_text="有效利用率").wait_for()
    page.wait_for_query("lang=zh")
    page.frames()
    assert page.page.evaluate("document.documentElement.lang") == "zh"
    known = {"DPA", "Scope", "worker", "token", "Token", "Worker", "GPU", "attention", "rank"}
    known |= {"TTFT", "Space", "Spark", "Flash"}
    known |= {"Claude", "Code", "Codex", "cache", "tester", "Mooncake", "Qwen", "Bailian"}
    known |= {"TraceLab", "trace", "TPOT", "HTML", "JSON", "Parquet", "dpascope"}
    known |= {"Perfetto", "perfetto", "chrome", "tracing", "Python", "Ctrl", "Shift"}
    for _ in range(40):
        left = set(re.findall(r"[A-Za-z]{4,}", page.page.evaluate(ALL_TEXTS))) - known
        if not left:
            break
        page.page.wait_for_timeout(100)
    assert not left, " ".join(sorted(left))
    page.page.get_by_role("radio", name="EN").check(force=True)
    page.page.locator("dt", has_text="Effective utilization").wait_for()
    assert page.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_and_can_be_chosen(visit, scheme):
    page = visit(color_scheme=scheme)
    ground = "getComputedStyle(document.body).backgroundColor"

    def shown(name):
        value = THEMES[name].page
        rgb = [int(value[i : i + 2], 16) for i in (1, 3, 5)]
        return "rgb({}, {}, {})".format(*rgb)

    assert page.page.evaluate(ground) == shown(scheme)
    other = "dark" if scheme == "light" else "light"
    page.page.locator("summary", has_text="Display").click()
    page.page.get_by_role("radio", name=other.capitalize()).check(force=True)
    page.page.wait_for_function("t => document.documentElement.dataset.figures === t", arg=other)
    assert page.page.evaluate(ground) == shown(other)
    page.wait_for_query(f"theme={other}")


def test_the_page_is_dark_before_anything_is_painted(browser, address):
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.add_init_script(
        """new PerformanceObserver(list => {
            window.atFirstPaint ??= document.documentElement.dataset.theme
        }).observe({type: "paint", buffered: true})"""
    )
    page.goto(f"{address}?{QUICK}", wait_until="commit")
    page.wait_for_function("window.atFirstPaint !== undefined")
    assert page.evaluate("window.atFirstPaint") == "dark"
    context.close()


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_nothing_jumps(browser, address, size):
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    page = Visit(context, address)
    page.page.add_init_script(
        """window.jumped = 0
        new PerformanceObserver(list => {
            for (const shift of list.getEntries()) window.jumped += shift.value
        }).observe({type: "layout-shift", buffered: true})"""
    )
    page.open(QUICK)
    page.page.wait_for_timeout(500)
    assert page.page.evaluate("window.jumped") < 0.1  # what counts as good on the web
    context.close()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_phone_needs_no_sideways_scrolling(visit, language):
    size = {"width": 390, "height": 844}
    page = visit(f"{QUICK}&lang={language}&pin=90", viewport=size, has_touch=True, is_mobile=True)
    width = "document.documentElement.scrollWidth"
    assert page.page.evaluate(width) == 390
    assert page.frame()["width"] > 220
    settings = page.page.locator(".page-settings > details")
    assert not settings.evaluate("node => node.open")
    page.page.locator("summary", has_text=Texts(language)("header.settings")).click()
    page.open_groups()
    assert page.page.evaluate(width) == 390
    assert page.complaints == []


def test_everything_that_acts_has_a_name(visit):
    page = visit(f"{QUICK}&pin=90")
    page.open_groups()
    nameless = page.page.evaluate(
        """() => {
            const found = []
            const walk = root => {
                for (const node of root.querySelectorAll("*")) {
                    if (node.shadowRoot) walk(node.shadowRoot)
                    if (!node.matches("input, select, button, summary, canvas")) continue
                    const label = node.id && root.querySelector(`label[for="${node.id}"]`)
                    const name = node.getAttribute("aria-label") || node.textContent.trim()
                        || label?.textContent || node.closest("label")?.textContent
                    let host = node.getRootNode().host
                    while (host && !host.ariaLabel) host = host.getRootNode().host
                    const spoken = name?.trim() || (node.matches("canvas") && host)
                    if (!spoken && !node.closest("[aria-hidden]")) {
                        found.push(node.outerHTML.slice(0, 120))
                    }
                }
            }
            walk(document)
            return found
        }"""
    )
    assert nameless == []


def test_the_link_is_copied(visit):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    page.page.get_by_role("button", name="Copy link").click()
    page.page.get_by_text("Link copied").wait_for()
    assert page.page.evaluate("navigator.clipboard.readText()") == page.page.url


def test_help_opens_and_closes(visit):
    page = visit()
    page.page.get_by_role("button", name="Help").click()
    dialog = page.page.get_by_role("dialog")
    assert "How to read the picture" in dialog.inner_text()
    page.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
