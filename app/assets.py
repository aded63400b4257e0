"""The page's own files: styles, scripts and the skeleton."""

import functools
import pathlib

from app.palette import THEMES

HERE = pathlib.Path(__file__).parent
STATIC = HERE / "static"


@functools.cache
def asset(name):
    """Return the text of a file in `static`."""
    return (STATIC / name).read_text(encoding="utf-8")


@functools.cache
def shared(name):
    """Return the text of a file in `assets`, which an installation carries inside of `app`."""
    installed = HERE / "_assets"
    folder = installed if installed.is_dir() else HERE.parent / "assets"
    return (folder / name).read_text(encoding="utf-8")


def script(*names):
    """Return a component's script: `names` after what all of them share."""
    return "\n".join(asset(name) for name in ("dom.js", *names))


def styles(*names):
    """Return a component's style sheets, those that all of them share first."""
    return [asset("base.css"), *map(asset, names)]


def theme_css():
    """Return the colours that page and figures share, as variables for each theme."""
    names = {"page": "page", "card": "surface", "ink": "text", "muted": "muted", "bad": "alert"}
    blocks = []
    for name, theme in THEMES.items():
        values = "".join(f"--{key}:{getattr(theme, color)};" for key, color in names.items())
        blocks.append(f':root[data-theme="{name}"]{{color-scheme:{name};{values}}}\n')
    return "".join(blocks)
