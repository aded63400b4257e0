"""What a post needs to show an exported page: an address, and a frame as high as its content."""

import functools
import html
import urllib.parse

from app.export import options
from app.state import AppState, preset_values

DASHBOARD = (
    "v",
    "lang",
    "deployment",
    "story",
    "tab",
    "explore",
    "span",
    "agent",
    "order",
    "baseline",
)
"""Keys of the dashboard's address that an exported page has no use for, or are given anew."""

HEIGHT = 1500
"""Pixels of a frame until the page inside has said how high it is."""

SCRIPT = """\
<script>
addEventListener("message", ({source, data}) => {
  if (data?.dpascope !== "height") return;
  for (const frame of document.querySelectorAll("iframe[data-dpascope]")) {
    if (frame.contentWindow !== source) continue;
    frame.style.height = `${data.height}px`;
    source.postMessage({dpascope: "fitted"}, "*");
  }
});
</script>
"""
"""Once a page: gives every frame the height of its content. What is in a sandbox has no origin to
check, so frames are known by their windows."""


def snippet(src, title, height=HEIGHT):
    """Return the HTML that shows an exported page in another page.

    Parameters
    ----------
    src : str
        Address of the file, with settings behind a ``#`` if need be.
    title : str
        What the frame shows, for screen readers.
    height : int
        Pixels until the content has said its own.

    Returns
    -------
    str
    """
    return (
        f'<iframe data-dpascope src="{html.escape(src)}"\n'
        f'  title="{html.escape(title)}" loading="lazy" sandbox="allow-scripts"\n'
        f'  style="width: 100%; height: {height}px; border: 0"></iframe>\n{SCRIPT}'
    )


def address(state, language=None, controls=None, charts=None):
    """Return what stands behind the ``#`` of an exported page to show this state.

    Parameters
    ----------
    state : AppState
        Its language is left to `language`.
    language : str, optional
        "en" or "zh"; the reader's own unless given.
    controls, charts : sequence of str, optional
        As for `page_html`.

    Returns
    -------
    str
        A preset, and what differs from it: it means the same in every exported page.
    """
    preset = state.preset or "default"
    usual = _preset_pairs(preset)
    kept = {k: v for k, v in _pairs(state).items() if k not in DASHBOARD and usual.get(k) != v}
    asked = {"preset": preset, **kept}
    if language is not None:
        asked["lang"] = options.check_language(language)
    if controls is not None:
        asked["controls"] = _listed(options.check_controls(controls))
    if charts is not None:
        asked["charts"] = _listed(options.check_charts(charts))
    return urllib.parse.urlencode(asked, safe=",-")


@functools.cache
def _preset_pairs(name):
    return _pairs(AppState(**preset_values(name)))


def _pairs(state):
    return dict(urllib.parse.parse_qsl(state.query(), keep_blank_values=True))


def _listed(names):
    return ",".join(names) or "none"
