"""Static export: one HTML file that needs no network and still simulates.

>>> from app.export import export_html
>>> from sim import Scenario
>>> path = export_html("page.html", Scenario(agents=16))  # doctest: +SKIP
"""

import pathlib

from app.export import options
from app.export.options import ExportError
from app.export.page import render
from app.export.snippet import address, snippet
from app.state import AppState
from app.texts import DEFAULT, Texts
from sim import Scenario, simulate
from sim.whole import whole

__all__ = [
    "ExportError",
    "address",
    "default_title",
    "export_html",
    "page_html",
    "snippet",
]


def export_html(path, scenario=None, **choices):
    """Write a page that shows a scenario and simulates anew for every change of a setting.

    Parameters
    ----------
    path : str or path-like
        Where to write; a file there is replaced.
    scenario : Scenario, optional
        What the page shows first; the defaults unless given.
    **choices
        As for `page_html`.

    Returns
    -------
    pathlib.Path
        What was written.

    Raises
    ------
    ExportError
        If a choice is not allowed, or the file cannot be written.
    """
    text = page_html(scenario, **choices)
    path = pathlib.Path(path)
    try:
        with whole(path) as half:
            half.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ExportError(f"cannot write {path}: {error.strerror}") from error
    return path


def page_html(
    scenario=None,
    *,
    gpus_per_worker=1,
    controls=None,
    charts=None,
    snapshot=False,
    theme="auto",
    transparent=False,
    language=None,
    title=None,
):
    """Return the text of a page.

    Parameters
    ----------
    scenario : Scenario, optional
        What the page shows first; the defaults unless given.
    gpus_per_worker : int
        GPUs that one worker spans; it only sets how GPUs are counted.
    controls : sequence of str, optional
        Names of the controls that a reader sees, "preset" among them; all unless given.
    charts : sequence of str, optional
        Names of the charts below the timeline; all unless given.
    snapshot : bool
        Whether the page only holds the one result, without the engine.
    theme : str
        "auto", "light" or "dark".
    transparent : bool
        Whether the page has no background of its own.
    language : str, optional
        "en" or "zh"; the reader's own unless given.
    title : str, optional

    Returns
    -------
    str

    Raises
    ------
    ExportError
        If a choice is not allowed.
    """
    scenario = Scenario() if scenario is None else scenario
    language = options.check_language(language)
    facts = {
        "scenario": scenario.to_dict(),
        "gpusPerWorker": gpus_per_worker,
        "snapshot": _snapshot(scenario) if snapshot else None,
        "shown": options.check_controls(controls),
        "charts": options.check_charts(charts),
        "theme": options.check_theme(theme),
        "language": language,
        "title": title,
    }
    return render(
        facts,
        title=title or Texts(language or DEFAULT)("app.title"),
        theme=theme,
        engine=not snapshot,
        language=language or DEFAULT,
        transparent=transparent,
    )


def default_title(scenario, language=None):
    """Return what a frame that shows this scenario is called."""
    texts = Texts(language or DEFAULT)
    name = AppState(scenario=scenario).preset
    told = texts(f"presets.{name}.title") if name else texts("app.tagline")
    return f"{texts('app.title')}: {told}"


def _snapshot(scenario):
    """Return a finished run as the page's script takes it from the engine."""
    result = simulate(scenario)
    return {**result.to_dict(), "summary": result.summary()}
