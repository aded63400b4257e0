"""A served app on a free port, one browser for all tests, and pages without a network."""

import asyncio
import contextlib
import io
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import PIL.Image
import pytest

ROOT = pathlib.Path(__file__).parents[2]
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60_000
"""Milliseconds until a page that does not do what it should has failed."""

LIMIT = 150
"""Seconds after which the browser of a test that hangs is killed, so that the test fails."""

QUICK = "agents=6&workers=4&turns=4,6&tick_ms=250&kv_capacity=20000&input_tokens=2000,6000"
"""A run of a few hundred requests at most, with evictions."""


class Browsers:
    """One browser for all tests, and a new one after a test that hung.

    Parameters
    ----------
    playwright : Playwright
    """

    MARK = f"--started-by-tests={os.getpid()}"
    """A switch that Chromium does not know, by which its processes are found."""

    def __init__(self, playwright):
        self._launcher = playwright.chromium
        self._launch()

    def _launch(self):
        self._browser = self._launcher.launch(
            executable_path=CHROMIUM, args=[*ARGUMENTS, self.MARK]
        )

    def get(self):
        """Return a browser that works."""
        if not self._browser.is_connected():
            self._launch()
        return self._browser

    def kill(self):
        """End the browser from another thread; what waits for it fails then."""
        subprocess.run(["pkill", "-KILL", "-f", "--", self.MARK], check=False)


@pytest.fixture(scope="session")
def browsers():
    reason = _why_no_browser()
    if reason and os.environ.get("DPASCOPE_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    # A server that other tests had in this process may have left its event loop behind as the
    # running one, inside of which Playwright would not start.
    asyncio._set_running_loop(None)
    with sync_playwright() as playwright:
        browsers = Browsers(playwright)
        yield browsers
        browsers.get().close()


@pytest.fixture
def browser(browsers):
    """The browser; what a page is asked to evaluate has no time limit, so this sets one."""
    limit = threading.Timer(LIMIT, browsers.kill)
    limit.start()
    yield browsers.get()
    limit.cancel()


def _why_no_browser():
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return None if CHROMIUM else "there is no Chromium on the path"


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def serving(*options, folder=ROOT, **environment):
    """Serve the app as the README says; yield its address."""
    port = free_port()
    command = [sys.executable, "-m", "panel", "serve", "app", "--port", str(port)]
    command += list(options)
    server = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://localhost:{port}"
        for _ in range(600):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/static/js/bokeh.min.js", timeout=5).close()
                break
            time.sleep(0.1)
        yield f"{address}/app"
    finally:
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()


@pytest.fixture(scope="session")
def address(browsers):
    with serving() as address:
        yield address


class Visit:
    """A page of the app in the browser, with what it complained of."""

    def __init__(self, context, address):
        self.address = address
        self.complaints = []
        self.outside = []
        context.route("**/*", self._route)
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _route(self, route):
        if route.request.url.startswith(("http://localhost:", "data:", "blob:")):
            route.continue_()
        else:
            self.outside.append(route.request.url)
            route.abort()

    def _heard(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def open(self, query=QUICK):
        """Open the app and wait for its first picture."""
        self.page.goto(f"{self.address}?{query}")
        self.next_picture(0)
        return self

    @property
    def pictures(self):
        """How many runs the page has shown."""
        return int(self.page.evaluate("document.documentElement.dataset.pictures ?? 0"))

    def next_picture(self, seen):
        """Wait until the page has shown more runs than `seen` and is at rest."""
        self.page.wait_for_function(
            """seen => Number(document.documentElement.dataset.pictures ?? 0) > seen
                && !document.documentElement.hasAttribute("data-busy")""",
            arg=seen,
        )
        self.frames()

    @contextlib.contextmanager
    def changing(self):
        """Wait, after what is done inside, for the picture that it leads to."""
        seen = self.pictures
        yield
        self.next_picture(seen)

    def frames(self, count=3):
        """Wait for so many frames, so that what is due is drawn."""
        self.page.evaluate(
            """async n => {
                for (let i = 0; i < n; i++) await new Promise(resolve => {
                    requestAnimationFrame(resolve)
                    setTimeout(resolve, 1000) // a page out of sight has no frames
                })
            }""",
            count,
        )

    def until(self, holds, what=""):
        """Wait until a function of no arguments returns true."""
        for _ in range(PATIENCE // 100):
            if holds():
                return
            self.page.wait_for_timeout(100)
        pytest.fail(f"waited in vain {what}")

    def number(self, card):
        """Return what a card of the numbers says."""
        return self.page.locator(f'.card[data-name="{card}"] dd').first.inner_text()

    def numbers(self):
        """Return what all cards of the numbers say."""
        return self.page.locator(".card").evaluate_all(
            "cards => Object.fromEntries(cards.map("
            "card => [card.dataset.name, card.querySelector('dd').textContent]))"
        )

    def open_groups(self):
        """Open all groups of settings."""
        for group in self.page.locator("details.group").all():
            group.evaluate("node => { node.open = true }")

    def frame(self, name="timeline"):
        """Return where a figure's frame is, in pixels of the page, and what its axes span."""
        return self.page.evaluate(
            """name => {
                const figure = Bokeh.documents[0].get_model_by_name(name)
                const view = Bokeh.index.find_one_by_id(figure.id)
                const around = view.canvas_view.el.getBoundingClientRect()
                const {left, top, width, height} = view.frame.bbox
                return {left: around.left + left, top: around.top + top, width, height,
                    start: figure.x_range.start, end: figure.x_range.end,
                    low: figure.y_range.start, high: figure.y_range.end}
            }""",
            name,
        )

    def spot(self, x, y, name="timeline"):
        """Return the pixel of the page at a place in a figure."""
        return self.spots([(x, y)], name)[0]

    def spots(self, places, name="timeline"):
        """Return the pixels of the page at places in a figure."""
        f = self.frame(name)
        across, up = f["width"] / (f["end"] - f["start"]), f["height"] / (f["high"] - f["low"])
        return [
            (f["left"] + (x - f["start"]) * across, f["top"] + (f["high"] - y) * up)
            for x, y in places
        ]

    def picture(self):
        """Return the page as a PNG, once nothing moves in it any more."""
        shot, before = self.page.screenshot(), None
        for _ in range(40):
            if shot == before:
                break
            self.page.wait_for_timeout(150)
            shot, before = self.page.screenshot(), shot
        return shot

    def colors(self, *spots):
        """Return the colours on screen at pixels of the page, as #rrggbb."""
        picture = PIL.Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        return ["#{:02x}{:02x}{:02x}".format(*picture.getpixel(spot)) for spot in spots]

    def query(self):
        """Return the query of the page's address."""
        return self.page.evaluate("location.search.slice(1)")

    def wait_for_query(self, part):
        """Wait until the query of the page's address holds this."""
        self.page.wait_for_function("part => location.search.includes(part)", arg=part)


@pytest.fixture
def visit(browser, address):
    """Open a page; further keywords are those of a browser context."""
    contexts = []

    def make(query=QUICK, **options):
        options = {"viewport": {"width": 1440, "height": 900}, "locale": "en-US", **options}
        context = browser.new_context(**options)
        contexts.append(context)
        return Visit(context, address).open(query)

    yield make
    for context in contexts:
        context.close()
