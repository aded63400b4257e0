"""Exported pages under policies, and inside of other pages."""

import re

import PIL.Image

from app.export import snippet
from app.export.snippet import HEIGHT, SCRIPT
from app.state import AppState
from tests.browser.conftest import QUICK
from tests.browser.export.post import SCENARIOS, WINDOW, photograph, write_post
from tests.browser.export.reader import SLOW, cards, serving

# --- policies ---

BLOG = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; worker-src blob:"
)
"""What a blog's server sends at the least for posts and pages, as the README says."""


def policy_of(files):
    """Return the policy that the file has of itself."""
    text = (files / "page.html").read_text("utf-8")
    return re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]


def test_works_under_a_policy_without_eval(reader, files):
    policy = policy_of(files)
    assert "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    with serving(files, policy) as server:
        page = reader(offline=False).open(f"{server}/page.html#{QUICK}")
        page.enter("agents", "7")
        assert page.numbers() == cards(page.settings())
        page.show(SLOW)
        assert page.numbers() == cards(SLOW)
        assert len(page.page.workers) == 1
        page.page.mouse.click(*page.spot(0.4, 0.7))
        page.rest()
        assert page.page.locator("#workers tr").count() == 16
        assert page.complaints == []


def test_works_where_workers_are_forbidden(reader, files):
    policy = policy_of(files).replace("worker-src blob:", "worker-src 'none'")
    with serving(files, policy) as server:
        page = reader(offline=False).open(f"{server}/page.html#{SLOW}")
        assert page.numbers() == cards(SLOW)
        assert page.page.workers == []


def test_a_figure_in_a_post_under_the_policy_of_a_blog(reader, files):
    """In a sandbox, simulating in a worker, entered into, copied from, as high as its content."""
    assert "unsafe-eval" not in BLOG
    post(files, f"page.html#{SLOW}&lang=en")
    with serving(files, BLOG) as server:
        visitor = reader(offline=False, viewport=NARROW)
        visitor.page.goto(f"{server}/post.html")
        (frame,) = shown(visitor)
        visitor.until(lambda: heights(visitor.page) != [HEIGHT])
        assert frame.evaluate("self.origin") == "null"
        card = frame.locator('.card[data-name="makespan"] dd').first
        assert card.inner_text() == cards(SLOW)["makespan"]
        box = frame.locator('.control[data-name="agents"] .value')
        box.fill("200")
        box.press("Enter")
        wanted = cards(f"{SLOW}&agents=200")["makespan"]
        visitor.until(lambda: card.inner_text() == wanted)
        visitor.until(lambda: "agents=200" in frame.evaluate("location.hash"))
        frame.get_by_text("Copy link").click()
        frame.get_by_text("Link copied").wait_for()
        assert len(visitor.page.workers) == 1
        assert visitor.outside == []
        assert visitor.complaints == []


# --- in a post ---

NARROW = {"width": 820, "height": 900}


def post(folder, *sources, before=""):
    """Write a page with a frame for each source and return its address."""
    frames = [
        snippet(source, f"Figure {i}").replace(SCRIPT, "") for i, source in enumerate(sources)
    ]
    filler = "<p style='height: 900px'>Text.</p>"
    path = folder / "post.html"
    head = '<!DOCTYPE html><title>Post</title><link rel="icon" href="data:,">'
    text = f"{head}<body>{before}{filler.join(frames)}{filler}{SCRIPT}"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def heights(page):
    return page.evaluate(
        "[...document.querySelectorAll('iframe')].map(frame => frame.clientHeight)"
    )


def shown(visitor):
    """Return the frames of a post once all of them have shown their pictures."""
    frames = []
    for frame in visitor.page.locator("iframe").all():
        frame.scroll_into_view_if_needed()
        frames.append(frame.element_handle().content_frame())
        frames[-1].wait_for_selector("html[data-complete]", state="attached")
    return frames


def test_three_frames_of_one_file_keep_stable_heights(reader, files):
    visitor = reader(viewport=NARROW)
    page = visitor.page
    sources = [
        f"page.html#{QUICK}&lang=en",
        f"few.html#{QUICK}&agents=4&charts=none&theme=dark",
        f"page.html#{QUICK}&agents=5&lang=zh&controls=agents,kv_capacity,routing",
    ]
    page.goto(post(files, *sources))
    frames = shown(visitor)
    page.wait_for_timeout(300)
    before = heights(page)
    assert len(set(before)) == 3
    for _ in range(4):
        page.wait_for_timeout(150)
        assert heights(page) == before
    for frame, height in zip(frames, before, strict=True):
        assert frame.evaluate("document.documentElement.scrollHeight") <= height
        assert frame.evaluate("document.documentElement.clientWidth") > 700
        bottom = "document.querySelector('.page-main').getBoundingClientRect().bottom"
        assert height - 4 <= frame.evaluate(bottom) <= height
        assert frame.evaluate("self.origin") == "null"
    controls = frames[2].locator(".control").evaluate_all("all => all.map(o => o.dataset.name)")
    assert controls == ["agents", "kv_capacity", "routing"]
    more = frames[0].locator("#more > summary")
    more.click()
    visitor.until(lambda: heights(page)[0] > before[0] + 200)
    more.click()
    visitor.until(lambda: heights(page) == before)
    assert visitor.outside == []
    assert visitor.complaints == []


def test_a_frame_out_of_sight_has_its_height_before_it_is_seen(reader, files):
    above = "<p style='height: 1500px'></p>"
    visitor = reader(viewport=NARROW)
    visitor.page.goto(post(files, f"page.html#{QUICK}", before=above))
    frame = visitor.page.locator("iframe").element_handle().content_frame()
    frame.wait_for_selector("html[data-complete]", state="attached")
    visitor.until(lambda: heights(visitor.page) != [HEIGHT])
    before = heights(visitor.page)
    visitor.page.evaluate("scrollTo(0, 1500)")
    visitor.page.wait_for_timeout(500)
    assert heights(visitor.page) == before


def test_frames_load_when_they_come_near(reader, files):
    post(files, "page.html", before="<p style='height: 9000px'>Text.</p>")
    with serving(files) as server:
        visitor = reader(offline=False, viewport=NARROW)
        visitor.page.goto(f"{server}/post.html")
        visitor.page.wait_for_timeout(300)
        assert not any("page.html" in url for url in visitor.requests)
        visitor.page.evaluate("scrollTo(0, 9000)")
        visitor.until(lambda: any("page.html" in url for url in visitor.requests))


def test_the_post_of_the_readme(reader, tmp_path):
    visitor = reader(viewport=WINDOW)
    photograph(visitor.page, write_post(tmp_path), tmp_path / "post.png")
    assert PIL.Image.open(tmp_path / "post.png").width == WINDOW["width"]
    for frame, scenario in zip(shown(visitor), SCENARIOS, strict=True):
        wanted = cards(AppState(scenario=scenario).query())["utilization"]
        assert frame.locator('.card[data-name="utilization"] dd').first.inner_text() == wanted
    assert visitor.complaints == []
