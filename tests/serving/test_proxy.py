"""Behind nginx, below a path, and in a frame of another site."""

import urllib.parse

from tests.browser.conftest import PATIENCE, QUICK, browser, browsers, free_port  # noqa: F401
from tests.serving import nginx
from tests.serving.server import answered, serving

PREFIX = "/tools/dpascope"
POST = """<!DOCTYPE html><title>A post</title><link rel="icon" href="data:,">
<iframe src="http://localhost:{port}{prefix}/app?{query}" width=1400 height=800></iframe>"""
SHOWN = """seen => Number(document.documentElement.dataset.pictures ?? 0) > seen
    && !document.documentElement.hasAttribute("data-busy")"""
DRAWN = """() => {
    const figure = Bokeh.documents[0].get_model_by_name("heatmap")
    return figure != null && Bokeh.index.find_one_by_id(figure.id)?.frame?.bbox.width > 0
}"""


def test_the_page_works_below_a_path_behind_nginx_in_a_frame(browser, tmp_path):  # noqa: F811
    nginx.require()
    port = free_port()
    options = ("--prefix", PREFIX, "--trust-proxy", "--origin", f"localhost:{port}")
    post = POST.format(port=port, prefix=PREFIX, query=f"{QUICK}&amp;tab=explore")
    (tmp_path / "post.html").write_text(post)
    with (
        serving(*options, prefix=PREFIX) as server,
        nginx.proxying(tmp_path, server.port, port) as address,
    ):
        _has_headers(f"{address}{PREFIX}/app")
        assert answered(f"{address}{PREFIX}/").url == f"{address}{PREFIX}/app"
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        asked, wrong = _watched(page)
        page.goto(f"{address.replace('localhost', '127.0.0.1')}/post.html")  # another site
        _works(next(frame for frame in page.frames if "/app" in frame.url))
        context.close()
    assert wrong == []
    paths = [urllib.parse.urlsplit(url).path for url in asked if url.startswith(("http", "ws"))]
    assert all(path.startswith(f"{PREFIX}/") for path in paths if path != "/post.html"), paths
    assert f"{PREFIX}/app/ws" in paths


def _has_headers(page):
    headers = answered(page).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors *" in headers["Content-Security-Policy"]


def _watched(page):
    """Return lists of what a page asks for, and of what goes wrong."""
    asked, wrong = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.on("response", lambda answer: answer.status >= 400 and wrong.append(answer.url))
    page.on("console", lambda m: m.type in ("error", "warning") and wrong.append(m.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    return asked, wrong


def _works(frame):
    frame.wait_for_function(SHOWN, arg=0, timeout=PATIENCE)
    frame.get_by_role("slider", name="Agents", exact=True).fill("9")
    frame.wait_for_function(SHOWN, arg=1, timeout=PATIENCE)
    frame.wait_for_function("location.search.includes('agents=9')", timeout=PATIENCE)
    frame.wait_for_function(DRAWN, timeout=PATIENCE)  # its figure runs a script of its own
