"""What one sees as a run is held against the baseline, in sentences made from the numbers."""

import numpy as np

from app.comparison import BAND
from app.derive import SHADES, STACK, Bins, state_ticks
from app.differing import WORK, differing, settings
from app.format import clock, count, duration, percent
from app.versus import differences, middle, winner

MUCH = 0.5
"""Share from which on makespans are told apart by a ratio."""

NOTEWORTHY = 0.1
"""Points by which work done again differs that is worth a sentence."""

LESS_WORK = 0.99
"""Share of the other's turns below which a run does less work."""


def warnings(question, a, b, texts):
    """Return sentences about what makes the two runs hard to compare.

    Parameters
    ----------
    question : Question
    a, b : Baseline
        The two sides.
    texts : Texts
    """
    other = [name for name in differing(a, b) if name in WORK]
    found = []
    if other:
        labels = (setting["label"] for setting in settings(a, b, texts) if setting["name"] in other)
        found.append(texts("versus.other_work", names=texts("baseline.and").join(labels)))
    elif a.scenario.draws == "article" and differing(a, b):
        found.append(texts("versus.own_order"))
    done = [run.summary["requests_finished"] for run in (question.a, question.b)]
    if not other and min(done) < LESS_WORK * max(done):
        name = texts("versus.a" if done[0] < done[1] else "versus.b")
        values = {"less": count(min(done)), "more": count(max(done))}
        found.append(texts("versus.less_work", name=name, **values))
    return found


def said(question, sides, texts):
    """Return in sentences what is seen, from the numbers."""
    parts = [_times(sides, texts)]
    wins = winner("makespan", sides)
    if wins in ("better", "worse"):
        parts += [*_reason(question, texts), *_again(sides, texts)]
    if sides.seeds > 1 and wins != "unclear":
        parts.append(texts("versus.said.medians", seeds=sides.seeds))
    elif sides.seeds == 1 and question.runs:
        parts.append(texts("versus.said.first"))
    return (" " if texts.language == "en" else "").join(parts)


def _times(sides, texts):
    wins = winner("makespan", sides)
    a, b = (middle("makespan", side) for side in (sides.a, sides.b))
    times = {"a": duration(a, texts), "b": duration(b, texts)}
    if wins == "same":
        return texts("versus.said.alike", **times)
    found = differences("makespan", sides)
    faster = b < a
    if wins == "unclear" or faster != (wins == "better"):
        low, _, high = np.percentile(found, BAND).tolist()
        bounds = {"low": percent(1 + low, texts, 0), "high": percent(1 + high, texts, 0)}
        return texts("versus.said.unclear", seeds=sides.seeds, **bounds)
    ratio = max(a, b) / min(a, b)
    if ratio >= 1 + MUCH:
        key = "much_faster" if faster else "much_slower"
        return texts(f"versus.said.{key}", ratio=f"{ratio:.1f}", **times)
    key = "faster" if faster else "slower"
    share = abs(b / a - 1)
    return texts(f"versus.said.{key}", share=percent(share, texts, int(share < 0.1)), **times)


def _reason(question, texts):
    """Yield in which state the workers spend most of the time that they save or lose."""
    a, b = (worker_seconds(run.recording) for run in (question.a, question.b))
    more = b - a
    total = more.sum()
    state = int(np.argmax(more * np.sign(total)))
    if abs(more[state]) >= 0.5 * abs(total) > 0:
        key = "reason_less" if total < 0 else "reason_more"
        time = duration(float(abs(more[state])), texts)
        label = texts(f"states.{SHADES[state]}")
        yield texts(f"versus.said.{key}", time=time, state=label)


def worker_seconds(recording):
    """Return the seconds that all workers together spend in each of `SHADES`, float."""
    return recording.shade_ticks * recording.tick_s


def _again(sides, texts):
    """Yield how much work is done again, where that differs."""
    clear = winner("recomputed", sides) in ("better", "worse")
    if clear and abs(np.median(differences("recomputed", sides))) >= NOTEWORTHY:
        a, b = (percent(middle("recomputed", side), texts) for side in (sides.a, sides.b))
        yield texts("versus.said.again", a=a, b=b)


def moment(question, seconds, texts):
    """Say what the workers of both runs do at a time in seconds."""
    parts = [texts("versus.pinned", time=clock(round(seconds)))]
    for name, run in (("a", question.a), ("b", question.b)):
        recording = run.recording
        tick = int(seconds / recording.tick_s)
        doing = texts("versus.over")
        if tick < recording.ticks:
            bins = Bins(tick, 1, 1, recording.ticks, recording.tick_s)
            workers = state_ticks(recording, bins, recording.workers)[:, 0, 0]
            doing = texts("baseline.and").join(
                texts("versus.spread", count=number, state=texts(f"states.{SHADES[code]}"))
                for code, number in zip(STACK, workers.tolist(), strict=True)
                if number
            )
        parts.append(texts("versus.doing", name=texts(f"versus.{name}"), doing=doing))
    return " ".join(parts)
