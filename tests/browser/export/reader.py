"""An exported page in the browser, opened from a disk or a server, with what it complained of."""

import contextlib
import functools
import http.server
import threading

from app.runs import run
from app.state import read_query
from app.texts import Texts
from app.views.numbers import card_values
from tests.browser.conftest import QUICK

PATIENCE = 60_000
"""Milliseconds until a page that does not do what it should has failed."""

WINDOW = {"width": 1440, "height": 900}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
SLOW = "agents=256&turns=60,90"
"""A run that takes longer than a frame on any machine."""

START = """settings => {
  let focus = document.activeElement
  while (focus?.shadowRoot?.activeElement) focus = focus.shadowRoot.activeElement
  focus?.blur()
  for (const more of document.querySelectorAll("#more, #settings")) more.open = more.id !== "more"
  scrollTo(0, 0)
  location.hash = settings
}"""
"""As a page is when it has been opened with these settings."""

VIEW = """() => {
  const {start, end} = Bokeh.documents[0].get_model_by_name("timeline").x_range
  return [start, end]
}"""


class Reader:
    """A page in a context without a network.

    Parameters
    ----------
    context : BrowserContext
    """

    def __init__(self, context):
        self.complaints = []
        self.requests = []
        context.on("request", lambda request: self.requests.append(request.url))
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _heard(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    @property
    def outside(self):
        """Addresses asked for that are not of this machine."""
        here = ("file:", "data:", "blob:", "about:", "http://localhost:")
        return [url for url in self.requests if not url.startswith(here)]

    def open(self, address):
        """Open a page and wait for its picture."""
        self.page.goto("about:blank")
        self.page.goto(address)
        self.page.wait_for_selector("html[data-complete]", state="attached")
        return self

    def show(self, settings):
        """Ask an opened page for settings by its address, and wait for what follows."""
        self.page.mouse.move(2, 2)
        self.page.evaluate(START, settings)
        self.rest()
        self.complaints.clear()

    @property
    def pictures(self):
        """How many runs the page has shown."""
        return int(self.page.evaluate("document.documentElement.dataset.pictures"))

    @contextlib.contextmanager
    def changing(self):
        """Wait, after what is done inside, for the picture that it leads to."""
        seen = self.pictures
        yield
        self.until(lambda: self.pictures > seen)
        self.rest()

    def until(self, condition):
        """Wait until a condition holds; the page's policy forbids to wait in the page."""
        for _ in range(PATIENCE // 50):
            if condition():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("what was waited for did not come")

    def rest(self):
        """Wait until all charts are up to date and the address is written."""
        self.page.wait_for_timeout(120)  # a page looks up so long after its window has moved
        settled = "html[data-complete]:not([data-due], [data-busy])"
        self.page.wait_for_selector(settled, state="attached")

    def control(self, name):
        """Return the input or select of a control, in the form or in the drawer."""
        inside = f'.control[data-name="{name}"]'
        return self.page.locator(inside).locator("select, .value, input[type=checkbox]").first

    def enter(self, name, text):
        """Type a value into a control."""
        with self.changing():
            box = self.control(name)
            box.fill(str(text))
            box.press("Enter")

    def choose(self, name, value):
        """Choose one of a row of choices."""
        self.page.locator(f'input[name="{name}"][value="{value}"]').check()

    def numbers(self):
        """Return what the cards say, by their names."""
        return self.page.locator(".card").evaluate_all(
            "cards => Object.fromEntries(cards.map("
            "card => [card.dataset.name, card.querySelector('dd').textContent]))"
        )

    def settings(self):
        """Return what stands in the address behind the #."""
        return self.page.evaluate("location.hash.slice(1)")

    def swipe(self, start, by):
        """Draw a finger over the screen, from a place by so many pixels."""
        session = self.page.context.new_cdp_session(self.page)

        def touch(kind, *points):
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        steps = [[a + b * i / 10 for a, b in zip(start, by, strict=True)] for i in range(11)]
        first, *rest = [{"x": x, "y": y} for x, y in steps]
        touch("touchStart", first)
        for point in rest:
            touch("touchMove", point)
            self.page.wait_for_timeout(16)
        touch("touchEnd")
        self.page.wait_for_timeout(300)

    def view(self):
        """Return the seconds in sight."""
        return self.page.evaluate(VIEW)

    def box(self, figure):
        """Return the place of a figure in the window: x, y, width, height."""
        return self.page.locator(f'[data-figure="{figure}"]').bounding_box()

    def spot(self, across=0.5, up=0.5):
        """Return a place in the timeline, as shares of its frame, in pixels of the window."""
        return self.page.evaluate(
            """([across, up]) => {
              const {id} = Bokeh.documents[0].get_model_by_name("timeline")
              const view = Bokeh.index.find_one_by_id(id)
              const {left, top, width, height} = view.frame.bbox
              const around = view.canvas_view.el.getBoundingClientRect()
              return [around.left + left + across * width, around.top + top + (1 - up) * height]
            }""",
            [across, up],
        )


@contextlib.contextmanager
def serving(folder, policy=None):
    """Serve a folder, every file under a Content-Security-Policy; yield its address."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(folder))

        def end_headers(self):
            if policy:
                self.send_header("Content-Security-Policy", policy)
            super().end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("localhost", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


def address(files, settings="", name="page.html"):
    """Return the address of a page with settings."""
    return f"{(files / name).as_uri()}#{settings}"


@functools.cache
def recorded(settings=QUICK):
    """Return the `Run` of the scenario in an address."""
    return run(read_query(settings)[0].scenario, lambda: False)


@functools.cache
def cards(settings, language="en"):
    """Return what the numbers must say."""
    values = card_values(recorded(settings), Texts(language))
    return {name: value for name, (value, _) in values.items()}
