"""What a page works out of a run in JavaScript is what `app.derive` does, to the last bit."""

import random

from app import derive, describe
from app.derive import Bins
from app.texts import LANGUAGES, Texts
from tests.export.compare import compare, recordings


def windows():
    """Return questions about windows of the recordings, whole and cut, coarse and fine."""
    rng = random.Random(7)
    asked = []
    for recording in recordings():
        first, last = sorted(rng.sample(range(recording.ticks + 3), 2))
        for window in ((0, recording.ticks), (first, last)):
            layout = {"rows": rng.randint(1, 12), "gap": rng.randint(0, 2)}
            layout["per_lane"] = rng.choice([1, 1, 2, 3])
            asked.append((recording, window, rng.choice([1, 7, 40, 300]), layout))
    return asked


def pictured(recording, window, columns, layout):
    """Return what Python draws of a window, as the page's script answers."""
    bins = Bins.fit(window, columns, recording.ticks, recording.tick_s)
    lanes = derive.lanes(recording, bins, **layout)
    rate, total = derive.evictions(recording, bins)
    hits, requests = derive.hit_rate(recording, bins)
    used, locked = derive.occupancy(recording, bins, layout["per_lane"])
    return {
        "bins": [bins.start, bins.size, bins.count],
        "lefts": bins.lefts,
        "rights": bins.rights,
        "spent": lanes.spent.ravel(),
        "image": lanes.image.ravel(),
        "together": derive.together(lanes, layout["rows"]).image.ravel(),
        "shares": derive.shares(lanes),
        "marks": derive.marks(recording, bins),
        "evictions": {"rate": rate, "total": total},
        "hit_rate": {"rate": hits, "requests": requests},
        "occupancy": {"used": used.ravel(), "locked": locked.ravel(), "lanes": len(used)},
        "oversubscription": derive.oversubscription(recording, bins),
    }


def test_pictures_and_series(ask):
    asked = windows()
    questions = [
        (
            "window",
            {"scenario": r.scenario.to_dict(), "window": window, "columns": columns, **layout},
        )
        for r, window, columns, layout in asked
    ]
    compare(ask(questions), [pictured(*question) for question in asked])


# --- moments ---


def known(recording, tick):
    """Return what Python knows and says of a tick, as the page's script answers."""
    moments = derive.at(recording, tick)
    return {
        "moments": moments,
        "said": [
            [sentences(recording, moment, tick, Texts(language)) for language in LANGUAGES]
            for moment in moments
        ],
        "events": derive.events_at(recording, tick),
        "next": derive.next_event(recording, tick),
        "before": derive.next_event(recording, tick, ("evict", "miss"), -1),
    }


def sentences(recording, moment, tick, texts):
    return {
        "hover": describe.hover(moment, texts, recording.tick_s, tick),
        "blocked": describe.blocked(moment, texts),
        "queue": describe.queue(moment, texts),
        "running": [describe.request(request, texts) for request in moment.running],
    }


def test_moments_and_what_is_said_of_them(ask):
    rng = random.Random(11)
    ticks = [
        [rng.randrange(recording.ticks) for _ in range(3)] + [0, recording.ticks - 1]
        for recording in recordings()
    ]
    questions = [
        ("moments", {"scenario": r.scenario.to_dict(), "ticks": at, "languages": list(LANGUAGES)})
        for r, at in zip(recordings(), ticks, strict=True)
    ]
    wanted = [
        [known(recording, tick) for tick in at]
        for recording, at in zip(recordings(), ticks, strict=True)
    ]
    compare(ask(questions), wanted)
