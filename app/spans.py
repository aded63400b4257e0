"""What happens in an interval, in the tables of its sheet."""

from app.derive import SHADES, STACK
from app.derive.interval import TIMES
from app.format import clock, count, duration, percent, tokens
from app.palette import state_colors
from sim.result import PERCENTILES

EVENTS = ("evict", "reclaim", "miss", "kill", "compact")
SIZED = ("evict", "reclaim")
"""Kinds of events whose tokens are told, too."""


def tables(part, whole, tick_s, texts, look):
    """Return what the sheet shows.

    Parameters
    ----------
    part, whole : app.derive.interval.Interval
        The marked one, and that of the whole run.
    tick_s : float
        Length of a tick in seconds.
    texts : Texts
    look : (str, str)
        Palette and theme.

    Returns
    -------
    dict
        `title`, `length`; `tables`, each a dict of `title`, `head` (texts above the columns but
        the first) and `rows`, of `label`, `color` (or ""), `cells` and `level` (1: part of the row
        above); `cells`, the rows of all tables as plain numbers, to be copied.
    """
    ends = [clock(tick * tick_s) for tick in (part.first, part.stop)]
    empty = part.stop <= part.first
    made = () if empty else (_time, _tokens, _events, _requests, _latency)
    own = texts.section("interval")
    seconds = (part.stop - part.first) * tick_s
    return {
        "title": texts("interval.title", start=ends[0], end=ends[1]),
        "length": own["beyond"] if empty else duration(seconds, texts),
        "tables": [make(part, whole, tick_s, texts, look) for make in made],
        "cells": [] if empty else cells(part, whole, tick_s, texts),
    }


def _row(label, cells, color="", level=0):
    return {"label": label, "cells": cells, "color": color, "level": level}


def _time(part, whole, tick_s, texts, look):
    colors = state_colors(*look)
    rows = []
    for code in STACK:
        spent, in_all = int(part.state_ticks[code]), int(whole.state_ticks[code])
        if not in_all:
            continue
        shares = [percent(_share(i, code), texts) for i in (part, whole)]
        name = texts(f"states.{SHADES[code]}")
        rows.append(_row(name, [duration(spent * tick_s, texts), *shares], colors[code]))
    busy = [percent(i.utilization, texts) for i in (part, whole)]
    rows.append(_row(texts("numbers.utilization.label"), ["", *busy]))
    own = texts.section("interval")
    return {"title": own["time"], "head": [own["spent"], own["share"], own["run"]], "rows": rows}


def _share(interval, code):
    worker_ticks = (interval.stop - interval.first) * interval.workers
    return int(interval.state_ticks[code]) / worker_ticks


def _tokens(part, whole, tick_s, texts, look):
    own = texts.section("interval")
    rows = [
        _row(own[name], [tokens(value(i)) for i in (part, whole)], level=level)
        for name, value, level in _amounts(whole)
    ]
    rates = [percent(i.hit_rate, texts) for i in (part, whole)]
    rows.append(_row(texts("numbers.hit_rate.label"), rates))
    return {"title": own["tokens"], "head": [own["here"], own["run"]], "rows": rows}


def _amounts(whole):
    """Yield the names of amounts of tokens, how to get one from an interval, and their level."""
    yield "prefilled", lambda i: sum(i.prefilled.values()), 0
    yield "again_evicted", lambda i: i.prefilled["evicted"], 1
    yield "again_routed", lambda i: i.prefilled["routed"], 1
    if whole.prefilled["shared"]:
        yield "cold_start", lambda i: i.prefilled["shared"], 1
    yield "new", lambda i: i.prefilled["new"], 1
    yield "decoded", lambda i: i.decoded, 0
    yield "cached", lambda i: i.cached, 0
    if whole.loaded:
        yield "loaded", lambda i: i.loaded, 1


def _events(part, whole, tick_s, texts, look):
    own = texts.section("interval")
    rows = []
    for kind in EVENTS:
        numbers = [count(i.events[kind][0]) for i in (part, whole)]
        rows.append(_row(texts(f"events.{kind}"), numbers))
        if kind in SIZED and whole.events[kind][0]:
            sizes = [tokens(i.events[kind][1]) for i in (part, whole)]
            rows.append(_row(own["lost"], sizes, level=1))
    return {"title": own["events"], "head": [own["here"], own["run"]], "rows": rows}


def _requests(part, whole, tick_s, texts, look):
    own = texts.section("interval")
    rows = [
        _row(own[name], [count(i.requests[name]) for i in (part, whole)])
        for name in ("created", "admitted", "finished")
    ]
    return {"title": own["requests"], "head": [own["here"], own["run"]], "rows": rows}


def _latency(part, whole, tick_s, texts, look):
    own, rows = texts.section("interval"), []
    for name in TIMES:
        for interval, label, level in ((part, own[name], 0), (whole, own["run"], 1)):
            found = [duration(value, texts) for value in interval.percentiles(name)]
            rows.append(_row(label, found, level=level))
    title = texts("interval.latency", requests=count(part.requests["finished"]))
    return {"title": title, "head": [f"p{p}" for p in PERCENTILES], "rows": rows}


def _rounded(value):
    """Return a number without the noise of its calculation, which nobody wants to copy."""
    return round(float(value), 6) if isinstance(value, float) else value


def cells(part, whole, tick_s, texts):
    """Return the rows of all tables as plain numbers: metric, unit, interval, whole run."""
    own = texts.section("interval")
    rows = [[own["metric"], own["unit"], own["here"], own["run"]]]

    def add(name, unit, value):
        rows.append([name, own[f"unit_{unit}"], *(_rounded(value(i)) for i in (part, whole))])

    add(own["start"], "s", lambda i: i.first * tick_s)
    add(own["end"], "s", lambda i: i.stop * tick_s)
    for code in STACK:
        name = texts(f"states.{SHADES[code]}")
        add(name, "worker_s", lambda i, code=code: int(i.state_ticks[code]) * tick_s)
        add(name, "share", lambda i, code=code: _share(i, code))
    add(texts("numbers.utilization.label"), "share", lambda i: i.utilization)
    for name, value, _ in _amounts(whole):
        add(own[name], "tokens", value)
    add(texts("numbers.hit_rate.label"), "share", lambda i: i.hit_rate)
    for kind in EVENTS:
        add(texts(f"events.{kind}"), "number", lambda i, kind=kind: i.events[kind][0])
        if kind in SIZED:
            add(texts(f"events.{kind}"), "tokens", lambda i, kind=kind: i.events[kind][1])
    for name in part.requests:
        add(own[name], "number", lambda i, name=name: i.requests[name])
    for name in TIMES:
        for place, p in enumerate(PERCENTILES):
            time = f"{own[name]} p{p}"
            add(time, "s", lambda i, name=name, place=place: i.percentiles(name)[place])
    return rows
