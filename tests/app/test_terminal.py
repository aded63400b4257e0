"""What commands draw in a terminal: colours, the timeline, the progress bar."""

import io
import re

import numpy as np
import pytest

from app.derive import SHADES, Recording
from app.terminal.bar import Bar, seconds
from app.terminal.colors import painter
from app.terminal.summary import spent, summary
from app.terminal.timeline import LETTERS, timeline
from app.texts import Texts
from sim import Scenario, simulate
from sim.sweep import Progress

ANSI = re.compile(r"\x1b\[[0-9;]*m")
BUSY = Scenario(
    workers=3,
    agents=6,
    turns=[2, 4],
    lock="step",
    kv_capacity=40_000,
    context_limit=40_000,
    routing="random",
)


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture(scope="module")
def recording():
    """Return a run with many states."""
    return Recording(simulate(BUSY))


def plain(text, color):
    """Paint nothing."""
    return text


@pytest.mark.parametrize(
    ("stream", "mode", "environment", "colored"),
    [
        (Terminal(), "auto", {}, True),
        (Terminal(), "auto", {"NO_COLOR": "1"}, False),
        (Terminal(), "auto", {"NO_COLOR": ""}, True),
        (Terminal(), "auto", {"TERM": "dumb"}, False),
        (io.StringIO(), "auto", {}, False),
        (io.StringIO(), "always", {"NO_COLOR": "1"}, True),
        (Terminal(), "never", {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(stream, mode, environment, colored):
    painted = painter(stream, mode, environment)("D", "#2f9e8f")
    assert ANSI.sub("", painted) == "D"
    assert (painted != "D") is colored


def test_colours_are_full_where_the_terminal_has_them():
    full = painter(Terminal(), environment={"COLORTERM": "truecolor"})
    assert full("D", "#2f9e8f") == "\x1b[38;2;255;255;255;48;2;47;158;143mD\x1b[0m"
    assert "38;2;0;0;0;" in full("·", "#d5d8de")
    assert painter(Terminal(), environment={})("D", "#5fafff") == "\x1b[38;5;16;48;5;75mD\x1b[0m"


@pytest.mark.parametrize("width", [20, 80, 200])
def test_a_timeline_fits_and_shows_each_state_as_often_as_it_is(recording, width):
    lines = timeline(recording, width, plain, Texts("en"))
    assert max(map(len, lines)) <= width
    lanes = [line.split(" ", 1)[1] for line in lines[: BUSY.workers]]
    assert len({len(lane) for lane in lanes}) == 1
    shown = np.array([sum(lane.count(LETTERS[state]) for lane in lanes) for state in SHADES])
    spent = recording.shade_ticks
    np.testing.assert_allclose(shown / shown.sum(), spent / spent.sum(), atol=2 / len(lanes[0]))
    legend = " ".join(lines[BUSY.workers + 1 :])
    for state, ticks in zip(SHADES, spent, strict=True):
        assert (f"{LETTERS[state]}  {Texts('en')(f'states.{state}')}" in legend) == (ticks > 0)


def test_colours_only_add_to_the_letters(recording):
    paint = painter(Terminal(), environment={})
    painted = timeline(recording, 80, paint, Texts("en"))
    letters = timeline(recording, 80, plain, Texts("en"))
    assert [ANSI.sub("", line) for line in painted] == letters != painted
    assert len(set(LETTERS.values())) == len(SHADES) == len(LETTERS)


def test_the_axis_has_times_below_their_columns(recording):
    axis = timeline(recording, 80, plain, Texts("en"))[BUSY.workers]
    assert axis.startswith("  |0:00:00")
    assert axis.count("|") > 2


def test_many_workers_share_lanes():
    run = simulate(Scenario(workers=200, agents=4, turns=[1, 1]))
    lines = timeline(Recording(run), 60, plain, Texts("zh"))
    assert [lines[0].split()[0], lines[49].split()[0]] == ["0-3", "196-199"]
    assert "解码" in lines[-1]


def test_a_summary_lines_up_in_every_language(recording):
    english = summary(recording, Texts("en"))
    ends = {re.match(r"\S.*?  +\S.*?(?=  |$)", line).end() for line in english[:5]}
    assert len(ends) == 1
    assert len(summary(recording, Texts("zh"))) == len(english)


def test_a_bar_is_drawn_over_itself_and_taken_away(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    stream = Terminal()
    bar = Bar(stream)
    bar(Progress(0, 40, 0, 0, 0.0, None))
    bar(Progress(10, 40, 0, 2, 1.0, 10.0))
    drawn = stream.getvalue().split("\r")
    assert drawn[1] == "░" * 24 + " 0 of 40 runs"
    assert drawn[2].startswith("█" * 6 + "░" * 18 + " 10 of 40 runs, 10/s, 3.0 s left, 2 could not")
    bar.clear()
    assert stream.getvalue().endswith("\r" + " " * len(drawn[2]) + "\r")


@pytest.mark.parametrize(("columns", "bar"), [(80, 24), (52, 16), (40, 0), (20, 0)])
def test_a_bar_leaves_room_for_words(columns, bar, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = Terminal()
    Bar(stream)(Progress(500, 1000, 0, 0, 1.0, 10.0))
    line = stream.getvalue().removeprefix("\r")
    assert len(line) < columns
    assert line.count("█") + line.count("░") == bar
    assert "500 of 1,000 runs"[: columns - 1] in line


def test_without_a_terminal_lines_are_few():
    stream = io.StringIO()
    bar = Bar(stream)
    for done in range(40):
        bar(Progress(done, 40, 0, 0, 1.0, 10.0))
    bar.clear()
    assert stream.getvalue() == ""
    bar._said -= 100
    bar(Progress(39, 40, 0, 0, 1.0, 250.0))
    assert stream.getvalue() == "39 of 40 runs, 250/s, 0.0 s left\n"


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.04, "0.0 s"), (9.9, "9.9 s"), (9.97, "10 s"), (125, "2 min 5 s"), (12_000, "3 h 20 min")],
)
def test_times_are_in_words(number, text):
    assert seconds(number) == text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_spent_time_is_in_lines_that_add_up(recording, language):
    texts = Texts(language)
    title, *lines, said = spent(recording, texts)
    assert title == texts("tax.title_workers")
    shares = [float(re.search(r"([\d.]+) %", line)[1]) for line in lines]
    assert sum(shares) == pytest.approx(100, abs=0.05 * len(shares) + 1e-6)
    assert all(shares)
    assert "%" in said
