"""The file: the page's skeleton with styles, scripts and facts filled in."""

import base64
import functools
import hashlib
import json
import re
import string
import urllib.parse

from bokeh.resources import Resources

from app.assets import asset, shared, theme_css
from app.export.facts import page_facts
from app.export.figures import PageFigures

DASHBOARD = {
    "renderHeader": ("header.js",),
    "renderNotices": ("notices.js",),
    "renderForm": ("form.js",),
    "renderLens": ("tip.js", "window.js", "player.js", "legend.js", "lens.js"),
    "renderMoment": ("moment.js",),
}
"""The dashboard's own scripts that the page uses, by the name of what they offer."""

DERIVE = (
    "arrays.js",
    "bins.js",
    "recording.js",
    "again.js",
    "progress.js",
    "kv.js",
    "instant.js",
    "stack.js",
    "series.js",
    "events.js",
)
"""From a run to arrays, as `app.derive`; these need nothing of a page."""

WORDS = ("format.js", "describe.js", "fields.js", "address.js")
"""From arrays to sentences, and the settings; these need nothing of a page either."""

RUNS = ("numbers.js", "runner.js")
"""The numbers above the picture, and runs; on a page also what draws and starts them."""

PAGE = (
    "due.js",
    "moment.js",
    "charts.js",
    "board.js",
    "component.js",
    "height.js",
    "stage.js",
    "settings.js",
    "panels.js",
    "picture.js",
    "page.js",
)
"""What draws and listens."""

STYLES = ("base", "header", "notices", "form", "numbers", "lens", "moment", "workers")
OWN_STYLES = ("header", "form", "lens", "numbers")


def render(facts, title, theme, engine, language, transparent):
    """Return the text of a page.

    Parameters
    ----------
    facts : dict
        What is exported.
    title : str
    theme : str
        One of `app.state.THEMES`.
    engine : bool
        Whether the page simulates.
    language : str
    transparent : bool
        Whether the page has no background of its own.
    """
    known = {**_common_facts(), **facts}
    scripts = {
        "theme": shared("export/theme.js"),
        "bokeh": bokeh_script(),
        "engine": shared("engine.js") if engine else "",
        "page": page_script(),
    }
    filled = {f"{name}_script": text for name, text in scripts.items()}
    return string.Template(shared("export/page.html")).substitute(
        filled,
        policy=policy(scripts.values()),
        icon=urllib.parse.quote(asset("icon.svg")),
        mark=asset("icon.svg"),
        title=_escaped(title),
        theme=theme,
        language=language,
        transparent="data-transparent" if transparent else "",
        page_css="".join(
            (theme_css(), asset("page.css"), shared("export/page.css"), known["tooltipStyle"])
        ),
        facts=_json(known),
    )


@functools.cache
def _common_facts():
    """Return the facts that all pages share; the figures are built once."""
    styles = {name: asset(f"{name}.css") for name in STYLES}
    styles |= {f"export-{name}": shared(f"export/{name}.css") for name in OWN_STYLES}
    return {**page_facts(PageFigures()), "styles": styles}


@functools.cache
def bokeh_script():
    """Return Bokeh alone: no widgets, no WebGL, no formulas."""
    (text, *_) = Resources(mode="inline", components=["bokeh"], minified=True).js_raw
    return _script(text)


@functools.cache
def page_script():
    """Return the page's script: everything in one function, so that nothing is global."""
    parts = [asset("dom.js"), asset("figures.js"), library()]
    parts += [_component(name, files) for name, files in DASHBOARD.items()]
    parts += [shared(f"export/{name}") for name in PAGE]
    facts = 'const FACTS = JSON.parse(document.getElementById("facts").textContent)'
    return _script("\n".join(["(() => {", '"use strict"', facts, *parts, "})()"]))


def library():
    """Return the scripts that need no page."""
    return "\n".join(shared(f"export/{name}") for name in (*DERIVE, *WORDS, *RUNS))


def library_script(facts, engine):
    """Return a module for Node that offers all that the page's scripts do without a page.

    Parameters
    ----------
    facts : dict
        As from `page_facts`.
    engine : path-like
        Of engine.js.
    """
    scripts = asset("figures.js") + library()
    names = sorted(set(re.findall(r"^(?:function|class|const) (\w+)", scripts, re.MULTILINE)))
    return "\n".join(
        [
            f"const FACTS = {_json(facts)}",
            f"globalThis.dpascope = require({json.dumps(str(engine))})",
            scripts,
            f"module.exports = {{dpascope, {', '.join(names)}}}",
        ]
    )


def _component(name, files):
    """Wrap scripts of the dashboard, the last of which exports `render`."""
    text = "\n".join(asset(file) for file in files)
    inside = text.replace("export function render(", "function render(")
    return f"const {name} = (() => {{\n{inside}\nreturn render\n}})()"


def _script(text):
    """Return a script as it stands inline; its hash is that of this text."""
    if "</script" in text.lower() or "<!--" in text:
        raise ValueError("a script must not hold what would end it in a page")
    return text


def policy(scripts):
    """Return the page's own Content-Security-Policy: these scripts, and nothing from anywhere."""
    hashes = " ".join(f"'sha256-{_digest(text)}'" for text in scripts)
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {hashes}",
            "worker-src blob:",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "font-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _digest(text):
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _json(value):
    """Return JSON that may stand inside of a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
