"""What can be chosen for an export, checked: what is wrong is one line."""

from app.export.facts import CHARTS, CONTROLS
from app.state import THEMES
from app.texts import LANGUAGES
from sim.checks import unknown_name


class ExportError(ValueError):
    """What was asked for cannot be exported; the message is one line."""


def check_controls(names):
    """Return the names of the controls that a reader sees, a tuple; None: all of them."""
    if names is None:
        return None
    return _checked("control", names, ("preset", *CONTROLS))


def check_charts(names):
    """Return the names of the charts below the timeline, a tuple; None: all of them."""
    return CHARTS if names is None else _checked("chart", names, CHARTS)


def check_theme(name):
    """Return the name of a theme."""
    return _checked("theme", [name], THEMES)[0]


def check_language(name):
    """Return a language's code; None: the reader's."""
    return None if name is None else _checked("language", [name], tuple(LANGUAGES))[0]


def _checked(kind, names, known):
    for name in names:
        if name not in known:
            raise ExportError(unknown_name(kind, name, known))
    return tuple(names)
