"""A run as a file: tables, traces, workloads and pictures, by kind."""

import dataclasses
import json
import pathlib
from collections.abc import Callable

from app.files import perfetto, tables
from app.files.drawing import draw
from app.files.picture import to_png, to_svg, writes
from app.texts import DEFAULT
from sim.checks import unknown_name
from sim.traces import sessions_of, to_mooncake, to_tracelab
from sim.whole import whole


@dataclasses.dataclass(frozen=True)
class Look:
    """How a picture looks.

    Attributes
    ----------
    theme : str
        "light" or "dark".
    palette : str
    language : str
    """

    theme: str = "light"
    palette: str = "default"
    language: str = DEFAULT


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes
    ----------
    suffix : str
    mime : str
    make : callable
        ``make(recording, look)`` returns str or bytes.
    """

    suffix: str
    mime: str
    make: Callable


def _png(recording, look):
    language = look.language if writes(look.language) else DEFAULT
    return to_png(draw(recording, look.theme, look.palette, language))


KINDS = {
    "png": Kind(".png", "image/png", _png),
    "svg": Kind(
        ".svg",
        "image/svg+xml",
        lambda rec, look: to_svg(draw(rec, look.theme, look.palette, look.language)),
    ),
    "requests": Kind(".csv", "text/csv", lambda rec, _: tables.to_csv(tables.requests(rec))),
    "events": Kind(".csv", "text/csv", lambda rec, _: tables.to_csv(tables.events(rec))),
    "agents": Kind(".csv", "text/csv", lambda rec, _: tables.to_csv(tables.agents(rec))),
    "requests-parquet": Kind(
        ".parquet",
        "application/vnd.apache.parquet",
        lambda rec, _: tables.to_parquet(tables.requests(rec), tables.REQUESTS),
    ),
    "events-parquet": Kind(
        ".parquet",
        "application/vnd.apache.parquet",
        lambda rec, _: tables.to_parquet(tables.events(rec), tables.EVENTS),
    ),
    "agents-parquet": Kind(
        ".parquet",
        "application/vnd.apache.parquet",
        lambda rec, _: tables.to_parquet(tables.agents(rec), tables.AGENTS),
    ),
    "perfetto": Kind(".json", "application/json", lambda rec, _: perfetto.trace_json(rec)),
    "scenario": Kind(
        ".json",
        "application/json",
        lambda rec, _: json.dumps(rec.scenario.to_dict(), indent=2) + "\n",
    ),
    "mooncake": Kind(
        ".jsonl", "application/jsonl", lambda rec, _: to_mooncake(sessions_of(rec.result))
    ),
    "tracelab": Kind(".csv", "text/csv", lambda rec, _: to_tracelab(sessions_of(rec.result))),
}
"""What a run can be saved as."""

BY_SUFFIX = {
    ".csv": "requests",
    ".parquet": "requests-parquet",
    ".json": "perfetto",
    ".jsonl": "mooncake",
    ".png": "png",
    ".svg": "svg",
}
"""The kind that a name without one means."""


def target(text):
    """Return the kind and the path of ``KIND:FILE`` or ``FILE``.

    Raises
    ------
    ValueError
        If the kind, or a file's ending without a kind, is not known.
    """
    kind, colon, rest = text.partition(":")
    # A single letter is a drive.
    if colon and len(kind) > 1:
        if kind not in KINDS:
            raise ValueError(unknown_name("kind of file", kind, KINDS))
        if not rest:
            raise ValueError(f"{text!r} names no file")
        if f"{kind}-parquet" in KINDS and rest.lower().endswith(".parquet"):
            kind += "-parquet"
        return kind, pathlib.Path(rest)
    suffix = pathlib.Path(text).suffix.lower()
    if suffix not in BY_SUFFIX:
        raise ValueError(
            f"{text} must end in one of {', '.join(BY_SUFFIX)}, or begin with a kind and a colon: "
            + ", ".join(KINDS)
        )
    return BY_SUFFIX[suffix], pathlib.Path(text)


def save(recording, kind, path, look=None):
    """Write a run to a file.

    Parameters
    ----------
    recording : app.derive.Recording
    kind : str
        A key of `KINDS`.
    path : str or Path
    look : Look, optional

    Raises
    ------
    OSError
        If the file cannot be written.
    ValueError
        If a package that the kind needs is not installed.
    """
    made = KINDS[kind].make(recording, look or Look())
    data = made.encode("utf-8") if isinstance(made, str) else made
    with whole(path) as half:
        half.write_bytes(data)
