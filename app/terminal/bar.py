"""A progress bar on a terminal, or now and then a line where there is none."""

import shutil
import time

WIDTH = 24
LEAST = 5
"""Columns of a bar, at most and at least; where it has fewer there are words alone."""
EVERY_S = 10
"""Seconds between lines where nothing can be overwritten."""


class Bar:
    """Says how far something is.

    Parameters
    ----------
    stream : file
    say : callable, optional
        Returns in words how far it is; without it what is shown is a `sim.sweep.Progress`.
    """

    def __init__(self, stream, say=None):
        self._stream = stream
        self._say = say or said
        self._live = stream.isatty()
        self._said = time.monotonic()
        self._length = 0

    def __call__(self, progress):
        """Show how far it is: `done` of `total`, and what `say` knows more."""
        now = time.monotonic()
        if self._live:
            line = self._line(progress)
            self._stream.write("\r" + line.ljust(self._length))
            self._length = len(line)
        elif now - self._said >= EVERY_S:
            self._said = now
            self._stream.write(self._say(progress) + "\n")
        self._stream.flush()

    def _line(self, progress):
        """Return a bar and words that fit into a line of the terminal."""
        text, columns = self._say(progress), shutil.get_terminal_size().columns - 1
        width = min(WIDTH, columns - len(text) - 1)
        if width < LEAST:
            return text[:columns]
        return f"{_drawn(progress, width, self._stream.encoding)} {text}"

    def clear(self):
        """Take the bar away."""
        if self._length:
            self._stream.write("\r" + " " * self._length + "\r")
            self._stream.flush()
            self._length = 0


def said(progress):
    """Return how far it is, how fast it goes and how long it will take, in words."""
    parts = [f"{progress.done:,} of {progress.total:,} runs"]
    if progress.rate is not None:
        parts.append(f"{progress.rate:.3g}/s" if progress.rate < 100 else f"{progress.rate:,.0f}/s")
        if progress.done < progress.total:
            parts.append(f"{seconds(progress.left_s)} left")
    if progress.failed:
        parts.append(f"{progress.failed:,} could not be run")
    return ", ".join(parts)


def seconds(number):
    """Return a time in words: "0.8 s", "20 s", "2 min 5 s", "3 h 20 min"."""
    if number < 9.95:
        return f"{number:.1f} s"
    whole = round(number)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def _drawn(progress, width, encoding):
    full, empty = ("█", "░") if (encoding or "").lower().startswith("utf") else ("#", ".")
    filled = width * progress.done // max(1, progress.total)
    return full * filled + empty * (width - filled)
