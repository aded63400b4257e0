"""Imported sessions as one looks at them: their shape against the article's, and their report."""

import functools

import numpy as np

from app.format import count, percent, tokens
from sim import Scenario
from sim.traces import ideal_hit_rate, oversized, reported_hit_rate, told_prefix
from sim.workload import Workload

TOKEN_EDGES = (0, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
EDGES = {
    "turns": (0, 1, 2, 5, 10, 20, 30, 50, 80, 120, 200, 400, 1000),
    "input": TOKEN_EDGES,
    "output": TOKEN_EDGES[:-2],
    "wait": (0, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200),
    "context": (
        0,
        5000,
        10_000,
        20_000,
        50_000,
        100_000,
        150_000,
        200_000,
        350_000,
        500_000,
        10**6,
    ),
}
"""Borders of the bars, in turns, tokens and seconds; what is larger counts in the last bar."""
POINTS = 80
"""Turns of the growth of contexts that are drawn, at most."""
LEAST_SESSIONS = 0.1
"""Share of the sessions that must be that long for a point."""
LISTED = 200
"""Files that are listed one by one."""


def measured(sessions):
    """Return what the sessions are like.

    Returns
    -------
    dict of str to ndarray
        turns and context (largest prompt, tokens) of each session; input and output tokens of
        each turn; wait (s) before each turn but a session's first.
    """
    turns = [turn for session in sessions for turn in session.turns]
    waits = [turn.wait_ms for session in sessions for turn in session.turns[1:]]
    return {
        "turns": np.array([len(session.turns) for session in sessions]),
        "input": np.array([turn.input for turn in turns]),
        "output": np.array([turn.output for turn in turns]),
        "wait": np.array(waits, float) / 1000,
        "context": np.array([max(session.prompts) for session in sessions]),
    }


@functools.cache
def article():
    """Return the article's agents: ranges as `measured` has them, and prompts by turn."""
    scenario = Scenario(agents=256)
    work = Workload(scenario)
    grown = np.cumsum(work.inputs + work.outputs)
    first = work.offset[work.agent_of]
    before = np.where(first > 0, grown[first - 1], 0)
    prompts = grown - before - work.outputs
    peaks = prompts[work.offset + work.turns - 1]
    ranges = {
        "turns": scenario.turns,
        "input": scenario.input_tokens,
        "output": scenario.output_tokens,
        "wait": [ms / 1000 for ms in scenario.think_ms],
        "context": np.percentile(peaks, (5, 95)).tolist(),
    }
    return ranges, _by_turn(work.turn_of, prompts, scenario.agents)


def histograms(sessions, texts):
    """Return the bars of each quantity, the article's range, and what stands below.

    Returns
    -------
    list of dict
        name, title, bars (shares of all), marks (names of the borders), band (the article's
        range, in bars from the left), said.
    """
    ranges, _ = article()
    found = []
    for name, values in measured(sessions).items():
        edges = np.array(EDGES[name], float)
        place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, edges.size - 1)
        bars = np.bincount(place, minlength=edges.size) / max(1, values.size)
        found.append(
            {
                "name": name,
                "title": texts(f"traces.quantities.{name}"),
                "bars": bars.round(4).tolist(),
                "marks": [_short(edge) if name != "wait" else f"{edge:g}" for edge in edges],
                "band": [_place(edges, value) for value in ranges[name]],
                "said": _said(values, texts),
            }
        )
    return found


def _place(edges, value):
    """Return where a value lies on an axis on which all bars are equally wide."""
    return round(float(np.interp(value, edges, np.arange(edges.size))), 3)


def _said(values, texts):
    if not values.size:
        return texts("traces.no_values")
    middle, high, top = np.percentile(values, (50, 90, 99))
    return texts("traces.spread", p50=_short(middle), p90=_short(high), p99=_short(top))


def _short(value):
    return tokens(round(float(value))) if value >= 10 else f"{value:.2g}"


def growth(sessions):
    """Return how contexts grow, turn by turn, here and in the article.

    Returns
    -------
    dict
        `own` and `article`, each turns, low, middle, high (10th, 50th and 90th percentile of the
        prompts, tokens).
    """
    turn = np.concatenate([np.arange(len(session.turns)) for session in sessions])
    prompts = np.concatenate([session.prompts for session in sessions])
    return {"own": _by_turn(turn, prompts, len(sessions)), "article": article()[1]}


def growth_said(grown, texts):
    """Say how far contexts have grown at the last turn that is drawn."""
    own, other = grown["own"], grown["article"]
    there = np.interp(own["turns"][-1], other["turns"], other["middle"])
    return texts(
        "traces.growth_said",
        turns=own["turns"][-1],
        middle=_short(own["middle"][-1]),
        article=_short(there),
    )


def _by_turn(turn, prompts, sessions):
    sizes = np.bincount(turn)
    last = int(np.flatnonzero(sizes >= max(1, LEAST_SESSIONS * sessions))[-1])
    chosen = np.unique(np.linspace(0, last, min(last + 1, POINTS)).round().astype(int))
    order = np.argsort(turn, kind="stable")
    parts = np.split(prompts[order], np.cumsum(sizes)[:-1])
    spread = [np.percentile(parts[k], (10, 50, 90)).round().tolist() for k in chosen]
    low, middle, high = map(list, zip(*spread, strict=True))
    return {"turns": (chosen + 1).tolist(), "low": low, "middle": middle, "high": high}


def report_rows(report, texts):
    """Return the report: a row of cells for each file and one for all of them.

    Returns
    -------
    list of dict
        file, format, cells (numbers as text, in the order of `CELLS`), notes (list of str),
        error.
    """
    shown = sorted(report.files, key=lambda file: bool(file.error))[:LISTED]
    rows = [_row(file, texts) for file in shown]
    if len(report.files) > 1:
        used = sum(not file.error for file in report.files)
        name = texts("traces.all_files", used=used, count=len(report.files))
        rows.append({**_row(report.total, texts), "file": name, "notes": [], "total": True})
    return rows


CELLS = ("requests", "sessions", "lines", "repeats", "estimated", "skipped", "compactions")
"""Numbers of a row of the report; the largest prompt follows."""


def _row(file, texts):
    numbers = [file.skipped.total() if name == "skipped" else getattr(file, name) for name in CELLS]
    reasons = texts.section("traces.reasons")
    notes = [f"{count(k)} {reasons.get(why, why)}" for why, k in file.skipped.most_common()]
    if file.out_of_order:
        notes.append(texts("traces.out_of_order", count=count(file.out_of_order)))
    return {
        "file": file.name,
        "format": file.format,
        "cells": [] if file.error else [*map(count, numbers), tokens(file.largest_prompt)],
        "notes": [*notes, *(_known(note, texts.section("traces.notes")) for note in file.notes)],
        "error": said_error(file.error, texts),
        "total": False,
    }


def said_error(error, texts):
    """Return why a file could not be used, in the user's language as far as it is known."""
    return _known(error, texts.section("traces.errors"))


def _known(said, known):
    """Return the text whose key is the beginning of what is said, or what is said itself."""
    start = max((words for words in known if said.startswith(words)), key=len, default=None)
    return said if start is None else known[start]


def summary(sessions, texts):
    """Say how many sessions there are, and what a cache could find of their prompts."""
    told = reported_hit_rate(sessions)
    said = texts(
        "traces.found",
        sessions=count(len(sessions)),
        requests=count(sum(len(session.turns) for session in sessions)),
        ideal=percent(ideal_hit_rate(sessions, told_prefix(sessions)), texts),
    )
    return said if told is None else said + texts("traces.told", told=percent(told, texts))


def preview(scenario, texts):
    """Say what a scenario with recorded sessions asks for, and who does not fit."""
    turns = sum(map(len, scenario.table))
    said = texts(
        "traces.preview",
        agents=count(scenario.agents),
        turns=count(turns),
        prefix=tokens(scenario.shared_prefix),
    )
    agents, need = oversized(scenario)
    if agents:
        end = "compact" if scenario.overflow == "compact" else "kill"
        said += " " + texts(f"traces.oversized_{end}", agents=count(agents), need=tokens(need))
    return said
