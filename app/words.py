"""The picture in words, for readers who do not see it and for texts beside it."""

import itertools

import numpy as np

from app.derive import SHADES
from app.format import clock, count, duration, percent
from sim.result import EVENT_KINDS

PARTS = 4
"""Spans of equal length that a window is told in."""

LEAST = 0.001
"""Share of the time from which a state is named."""

BUSY = [SHADES.index(name) for name in ("prefill", "prefill_again", "decode", "mixed")]
WAITING = [SHADES.index(name) for name in ("waiting_phase", "waiting_kv")]


def in_words(run, window, texts):
    """Say what the timeline shows.

    Parameters
    ----------
    run : app.runs.Run
    window : (int, int)
        First tick in sight and the tick after the last.
    texts : Texts

    Returns
    -------
    str
        A few sentences: who is served, what the workers do in the window and how it changes
        from one quarter of it to the next, which worker waits most and least, what is evicted
        there, and when the avalanche begins.
    """
    recording = run.recording
    first, last = window
    whole = first <= 0 and last >= recording.ticks
    sentences = [
        *_who(run, texts),
        _states(recording, first, last, whole, texts),
        *_course(recording, first, last, texts),
        *_waiting(recording, first, last, texts),
        _evicted(recording, first, last, texts),
        _onset(run, texts),
    ]
    return ("" if texts.language == "zh" else " ").join(sentences)


def _who(run, texts):
    s, recording = run.summary, run.recording
    yield texts(
        "words.who",
        workers=count(recording.workers),
        agents=count(recording.agents),
        time=duration(s["makespan_s"], texts),
    )
    if s["kills"]:
        yield texts("words.killed", count=count(s["kills"]))


def _states(recording, first, last, whole, texts):
    spent = _spent(recording.shades_within(first, last))
    order = np.argsort(-spent, kind="stable")
    total = max(1, spent.sum())
    shares = [
        texts(
            "words.share",
            state=texts(f"states.{SHADES[code]}"),
            share=percent(spent[code] / total, texts),
        )
        for code in order.tolist()
        if spent[code] / total >= LEAST
    ]
    listed = texts("why.comma").join(shares)
    if whole:
        return texts("words.whole", states=listed)
    ends = (clock(tick * recording.tick_s) for tick in (first, last))
    return texts("words.window", states=listed, **dict(zip(("since", "until"), ends, strict=True)))


def _course(recording, first, last, texts):
    """Yield how busy the workers are from one part of the window to the next."""
    if last - first < PARTS:
        return
    edges = [first + (last - first) * part // PARTS for part in range(PARTS + 1)]
    busy = []
    for begin, end in itertools.pairwise(edges):
        spent = _spent(recording.shades_within(begin, end))
        busy.append(percent(spent[BUSY].sum() / spent.sum(), texts, 0))
    yield texts("words.course", shares=texts("why.comma").join(busy))


def _waiting(recording, first, last, texts):
    """Yield who waits the most and the least."""
    worker, start, stop, code = recording.shades_within(first, last)
    waits = np.isin(code, WAITING)
    spent = np.bincount(worker[waits], (stop - start)[waits], recording.workers)
    if recording.workers < 2 or spent.max() == spent.min():
        return
    most, least = int(spent.argmax()), int(spent.argmin())
    yield texts(
        "words.waiting",
        most=texts("timeline.worker", worker=most),
        most_share=percent(spent[most] / (last - first), texts, 0),
        least=texts("timeline.worker", worker=least),
        least_share=percent(spent[least] / (last - first), texts, 0),
    )


def _evicted(recording, first, last, texts):
    events = recording.result.events
    inside = (events["tick"] >= first) & (events["tick"] < last)
    evicted = np.count_nonzero(inside & (events["kind"] == EVENT_KINDS.index("evict")))
    return texts("words.evicted", count=count(evicted)) if evicted else texts("words.none_evicted")


def _onset(run, texts):
    onset = run.summary["avalanche_onset_s"]
    if onset is None:
        return texts("words.calm")
    return texts("words.onset", time=clock(onset))


def _spent(shades):
    """Return the worker-ticks of each of `SHADES` in runs of them."""
    _, start, stop, code = shades
    return np.bincount(code, stop - start, len(SHADES))
