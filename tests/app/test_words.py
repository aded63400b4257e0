"""The picture in words says what the numbers say, in every language and for every window."""

import re

import pytest

from app.runs import run
from app.texts import LANGUAGES, Texts
from app.words import in_words
from sim import Scenario

SMALL = Scenario(
    agents=6, workers=3, turns=[3, 6], kv_capacity=20_000, input_tokens=[2000, 6000], seed=3
)


@pytest.fixture(scope="module")
def small():
    return run(SMALL, lambda: False)


def states(said, texts):
    """Return the shares of the states that a text names, by name."""
    found = {}
    for name in texts.section("states"):
        match = re.search(re.escape(texts(f"states.{name}")) + r" ([\d.]+)\s?%", said)
        if match:
            found[name] = float(match[1])
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_run(small, language):
    texts = Texts(language)
    said = in_words(small, (0, small.recording.ticks), texts)
    shares = states(said, texts)
    for name in ("decode", "waiting_phase", "waiting_kv", "idle"):
        wanted = 100 * small.summary[f"share_{name}"]
        assert shares.get(name, 0) == pytest.approx(wanted, abs=0.06), name
    both = shares["prefill"] + shares["prefill_again"]
    assert both == pytest.approx(100 * small.summary["share_prefill"], abs=0.11)
    assert texts("words.evicted", count=small.summary["evictions"]) in said
    assert "{" not in said


def test_a_window_tells_of_itself(small):
    texts, ticks = Texts("en"), small.recording.ticks
    first, last = ticks // 3, ticks // 2
    said = in_words(small, (first, last), texts)
    spent = [0] * 8
    for starts, codes in small.result.states:
        ends = [*starts[1:], ticks]
        for start, end, code in zip(starts, ends, codes, strict=True):
            spent[code] += max(0, min(end, last) - max(start, first))
    assert states(said, texts)["decode"] == pytest.approx(
        100 * spent[4] / (3 * (last - first)), abs=0.06
    )
    tick = small.result.events["tick"][small.result.events["kind"] == 1]
    inside = int(((tick >= first) & (tick < last)).sum())
    assert f"evicted in that time: {inside}." in said or not inside


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(draws="table", table=[[[0, 10, 10]]], workers=1),
        Scenario(draws="table", table=[[[0, 300_000, 10]]], workers=2),
        Scenario(agents=2, workers=3, prefill_workers=1, turns=[2, 2]),
    ],
    ids=["one worker", "killed at once", "PD"],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_runs_with_little_in_them(scenario, language):
    found = run(scenario, lambda: False)
    for window in ((0, found.recording.ticks), (0, 1)):
        assert "{" not in in_words(found, window, Texts(language))
