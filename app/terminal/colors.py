"""Colours of a terminal, where there are any."""

import os

MODES = ("auto", "always", "never")
RESET = "\x1b[0m"
_LEVELS = (0, 95, 135, 175, 215, 255)
"""Brightness of the steps of the 256-colour cube."""


def painter(stream, mode="auto", environment=os.environ):
    """Return a function that paints text for a stream.

    Parameters
    ----------
    stream : file
    mode : str
        One of `MODES`; auto: colours on a terminal, unless NO_COLOR is set or it is a dumb one.
    environment : mapping

    Returns
    -------
    callable
        ``paint(text, color)`` returns the text on a ground of that colour (``#rrggbb``), dark
        or light as is easier to read on it; the text alone where there are no colours.
    """
    if not _wanted(stream, mode, environment):
        return lambda text, color: text
    full = environment.get("COLORTERM") in ("truecolor", "24bit")

    def paint(text, color):
        rgb = _rgb(color)
        ink = "#000000" if _bright(rgb) else "#ffffff"
        return f"\x1b[{_code(38, _rgb(ink), full)};{_code(48, rgb, full)}m{text}{RESET}"

    return paint


def _wanted(stream, mode, environment):
    if mode != "auto":
        return mode == "always"
    if environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
        return False
    return stream.isatty()


def _rgb(color):
    return tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))


def _bright(rgb):
    return sum(part * weight for part, weight in zip(rgb, (299, 587, 114), strict=True)) > 127_500


def _code(kind, rgb, full):
    if full:
        return f"{kind};2;" + ";".join(map(str, rgb))
    steps = [min(range(6), key=lambda i, part=part: abs(_LEVELS[i] - part)) for part in rgb]
    return f"{kind};5;{16 + 36 * steps[0] + 6 * steps[1] + steps[2]}"
