"""Stories, the deployment panel and the comparison as a reader meets them."""

import pytest

from app.state import read_query
from sim.hardware import plan
from sim.stories import STORIES
from tests.browser.conftest import QUICK
from tests.browser.test_page import check_numbers

STORY = "hot_rank"
"""The story whose runs are the quickest."""

ROW = 'tr[data-name="makespan"]'


def marks(page):
    """Return the boxes of the marks in sight, by their numbers, in pixels of the window."""
    page.frames(30)
    return page.page.evaluate(
        """() => {
            const layer = document.querySelector(".story-marks").shadowRoot
            const all = [...layer.querySelectorAll(".mark")]
            const shown = all.filter(mark => mark.style.display !== "none")
            return Object.fromEntries(shown.map(m => {
                const {left, top, width, height} = m.getBoundingClientRect()
                return [m.textContent, {left, top, width, height}]
            }))
        }"""
    )


def begin(page, story=STORY):
    with page.changing():
        page.page.get_by_label("Story", exact=True).select_option(story)
    page.page.get_by_role("group", name="Where to look").get_by_role("button").first.wait_for()


def test_a_story_sets_the_controls_and_points_at_the_picture(visit):
    page = visit()
    begin(page)
    step = STORIES[STORY].steps[0]
    page.wait_for_query(f"story={STORY}.{step.id}")
    assert read_query(page.query())[0].scenario.to_dict() == step.scenario().to_dict()
    check_numbers(page)
    assert page.page.get_by_role("heading", name="All on one rank").is_visible()
    found = marks(page)
    assert sorted(found) == ["1", "2", "3", "4"]
    frame, shares = page.frame(), page.frame("shares")
    assert found["1"]["top"] == pytest.approx(shares["top"], abs=1)
    assert found["1"]["width"] == pytest.approx(shares["width"], abs=4)
    middle = found["2"]["left"] + found["2"]["width"] / 2
    assert middle == pytest.approx(frame["left"] + frame["width"] / 2, abs=4)
    x, y = page.spot((frame["start"] + frame["end"]) / 2, 3.5)  # the first of four lanes
    assert found["2"]["top"] < y < found["2"]["top"] + found["2"]["height"]
    assert found["2"]["left"] < x < found["2"]["left"] + found["2"]["width"]
    assert found["3"]["top"] > found["2"]["top"] + found["2"]["height"]
    card = page.page.locator('.card[data-name="makespan"]').bounding_box()
    assert found["4"]["top"] == pytest.approx(card["y"], abs=4)
    assert page.complaints == []
    assert page.outside == []


def test_marks_follow_the_window(visit):
    page = visit()
    begin(page)
    before = marks(page)
    page.page.evaluate("document.activeElement.blur()")
    for _ in range(2):  # the marks in the timeline stand in the middle of the run
        page.page.keyboard.press("d")
        page.page.keyboard.press("w")
    page.page.wait_for_timeout(300)
    zoomed = marks(page)
    assert zoomed["1"] == before["1"]
    assert zoomed.get("2") != before["2"]
    page.page.keyboard.press("0")
    page.page.wait_for_timeout(300)
    assert marks(page) == before


def test_steps_by_button_and_by_key(visit):
    page = visit()
    begin(page)
    names = [step.id for step in STORIES[STORY].steps]
    assert page.page.get_by_role("button", name="← Previous").is_disabled()
    with page.changing():
        page.page.get_by_role("button", name="Next →").click()
    page.wait_for_query(f"story={STORY}.{names[1]}")
    with page.changing():
        page.page.keyboard.press("n")
    page.wait_for_query(f"story={STORY}.{names[2]}")
    assert page.page.get_by_text("Step 3 of 3").is_visible()
    assert page.page.get_by_role("button", name="Next →").is_disabled()
    with page.changing():
        page.page.keyboard.press("p")
    page.wait_for_query(f"story={STORY}.{names[1]}")
    page.page.get_by_role("button", name="Leave the story").click()
    page.page.wait_for_function("!location.search.includes('story=')")
    assert marks(page) == {}
    assert page.complaints == []


def test_a_step_in_the_address_is_told_again(visit):
    page = visit(f"story={STORY}.by_load&lang=zh")
    assert page.page.get_by_role("heading", name="只看负载").is_visible()
    again = visit(page.query())
    assert again.query() == page.query()
    assert sorted(marks(again)) == ["1", "2", "3", "4"]


def test_a_run_longer_than_the_last_is_shown_whole(visit):
    page = visit()
    short = page.frame()["end"]
    begin(page)
    frame = page.frame()
    assert frame["end"] > short
    ticks = page.page.evaluate("Bokeh.documents[0].get_model_by_name('timeline').x_range.bounds")
    assert [frame["start"], frame["end"]] == ticks


def test_changed_settings_are_said_and_the_step_can_be_shown_again(visit):
    page = visit()
    begin(page)
    box = page.page.locator('.control[data-name="kv_capacity"] input.value')
    with page.changing():
        box.fill("900k")
        box.press("Enter")
    page.page.get_by_text("The settings are no longer those of this step.").wait_for()
    assert marks(page) == {}
    with page.changing():
        page.page.get_by_role("button", name="Show the step again").click()
    assert sorted(marks(page)) == ["1", "2", "3", "4"]


def test_what_cannot_be_is_explained_and_the_picture_stays(visit):
    page = visit(f"{QUICK}&story=article.tp16")
    before = page.number("makespan")
    page.page.get_by_role("button", name="Next →").click()
    page.wait_for_query("story=article.cards_24")
    page.page.get_by_text("This deployment cannot be").first.wait_for()
    assert page.page.get_by_text("they do not divide by 24").count() == 2
    assert page.number("makespan") == before
    assert page.complaints == []


def test_the_panel_fills_the_fields_and_marks_what_is_changed(visit):
    page = visit(QUICK)
    page.page.locator("summary", has_text="Deployment").click()
    with page.changing():
        page.page.get_by_role("button", name="Fill the cluster’s fields").click()
    cluster = plan("glm-5.2", "h100", 16, speculation=True).cluster
    fields = read_query(page.query())[0].scenario.to_dict()
    assert {name: fields[name] for name in cluster} == cluster
    assert fields["agents"] == 6
    box = page.page.locator('.control[data-name="kv_capacity"] input.value')
    with page.changing():
        box.fill("300k")
        box.press("Enter")
    page.page.get_by_text("300,000, worked out 250,548").wait_for()
    note = page.page.locator('.control[data-name="kv_capacity"] .note')
    assert note.inner_text() == "Changed by hand; worked out: 250,548"
    with page.changing():
        page.page.get_by_role("button", name="Worked-out value of KV capacity per worker").click()
    assert read_query(page.query())[0].scenario.kv_capacity == 250_548
    number = page.page.get_by_label("Number of GPUs")
    before = page.query()
    number.fill("none")
    number.press("Enter")
    page.page.get_by_text("none is not allowed: a whole number from 1 to 4,096").wait_for()
    assert page.query() == before
    assert page.complaints == []


def test_an_impossible_deployment_offers_what_works(visit):
    page = visit("deployment=model:glm-5.2,gpu:h100,gpus:24,deployment:tp&agents=4&turns=2,3")
    page.page.get_by_text("they do not divide by 24").wait_for()
    with page.changing():
        page.page.get_by_role("button", name="TP16 on 16 GPUs").click()
    state = read_query(page.query())[0]
    assert (state.scenario.workers, state.gpus_per_worker) == (1, 16)


def test_the_comparison_opens_says_what_is_seen_and_closes(visit):
    page = visit(QUICK)
    page.page.get_by_role("button", name="Compare DPA, PD and TP").click()
    page.page.locator(ROW).wait_for()
    assert "PD cannot run on these GPUs." in page.page.locator(".said").last.inner_text()
    assert "does not fit" in page.page.locator(".impossible").inner_text()
    for kind in ("dpa", "tp"):
        frame = page.frame(f"compare_{kind}")
        assert frame["width"] > 400
        assert frame["end"] == page.frame("compare_dpa")["end"]
    assert page.page.locator(f"{ROW} td.best").count() == 1
    page.page.get_by_role("button", name="Close the comparison").first.click()
    page.page.locator(ROW).wait_for(state="detached")
    assert page.complaints == []
    assert page.outside == []
