"""Recorded sessions in the dashboard: uploads, what is shown of them, and runs of them."""

import threading
import time
import zipfile

import pytest

from app import importing, receiving
from app.limits import Limits
from app.state import AppState
from app.texts import LANGUAGES, Texts
from app.uploads import MOST_FILES, Upload, UploadError
from app.views.traces import Traces
from sim import Scenario, simulate
from sim.scenario import DISTRIBUTIONS
from sim.traces import read_sources
from sim.workloads import WORKLOADS
from tests.sim.traces.made import CLAUDE, TRACELAB, WEKA, imported, lines

LOG = lines(CLAUDE)
SECONDS = 30


@pytest.fixture
def found():
    return imported(LOG, TRACELAB, lines([WEKA]), b"")


class Loop:
    """Stands for a session's event loop: what is posted waits until it is run."""

    def __init__(self):
        self._due, self._more = [], threading.Semaphore(0)

    def post(self, callback):
        self._due.append(callback)
        self._more.release()

    def run_until(self, holds):
        while not holds():
            assert self._more.acquire(timeout=SECONDS), "nothing more came"
            self._due.pop(0)()


@pytest.fixture
def view(monkeypatch):
    """Return a view whose browser sends the next bytes whenever it is asked to."""
    loop = Loop()
    made = Traces(AppState(scenario=Scenario(workers=2), tab="traces"), loop.post)
    made.loop, made.asked = loop, []
    monkeypatch.setattr(made._sheet, "_send_msg", made.asked.append)
    return made


def send(view, *files, chunk=100):
    """Send files as a browser does."""
    view.begin([[f"f{k}", len(data)] for k, data in enumerate(files)])
    data = b"".join(files)
    while data and view.asked:
        view.asked.clear()
        view.arrived(data[:chunk])
        data = data[chunk:]
    view.loop.run_until(lambda: not view._sheet.busy)


def test_an_upload_holds_files_of_a_kind_as_they_were():
    upload = Upload([["a", 3], ["b", 0], ["c", 4]])
    for part in (b"ab", b"cdef", b"g"):
        assert not upload.complete
        upload.add(part)
    assert upload.complete
    assert [source.open_raw().read() for source in upload.sources()] == [b"abc", b"", b"defg"]
    assert upload.sources()[2].open_raw().read() == b"defg"
    upload.close()
    with pytest.raises(ValueError, match="closed"):
        upload.sources()[0].open_raw().read(1)


def test_an_upload_of_an_archive(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("log", LOG)
    data = path.read_bytes()
    upload = Upload([["before", 5], ["a.zip", len(data)]])
    upload.add(b"12345" + data)
    assert read_sources(upload.sources()[1:]).report.total.requests == 2
    upload.close()


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ([["x", 1]] * (MOST_FILES + 1), "files"),
        ([["x", Limits().upload + 1]], "bytes"),
        ([["x", -1]], "bytes"),
    ],
)
def test_what_is_too_much_is_not_begun(files, kind, view):
    with pytest.raises(UploadError) as raised:
        Upload(files)
    assert raised.value.kind == kind
    view.begin(files)
    assert view.asked == []
    assert "at a time; at most" in view._sheet.failed


def test_more_than_announced_is_refused():
    upload = Upload([["x", 3]])
    with pytest.raises(UploadError):
        upload.add(b"1234")
    upload.close()


def test_files_become_sessions_and_a_report(view):
    send(view, LOG, b"# Notes\n", TRACELAB)
    assert [len(session.turns) for session in view.sessions] == [2, 2, 1]
    sheet = view._sheet
    assert sheet.failed == ""
    assert "5 requests in 3 sessions" in sheet.found
    assert [row["file"] for row in sheet.report] == ["f0", "f2", "f1", "2 of 3 files used"]
    assert sheet.report[2]["error"] == "neither JSON nor a known table"
    assert not view._receiver.busy


def test_progress_is_shown(view, monkeypatch):
    seen = []
    view._sheet.param.watch(lambda event: seen.append(event.new), "done")
    send(view, LOG * 3)
    assert seen == [*sorted(seen[:-1]), 0]
    assert max(seen) == 1


def test_nothing_usable_says_why_and_keeps_what_was_there(view):
    send(view, LOG)
    send(view, b"", b"# Notes\n")
    assert view._sheet.failed.splitlines() == [
        "Nothing could be used.",
        "f0: an empty file",
        "f1: neither JSON nor a known table",
    ]
    assert len(view.sessions) == 1
    view.app.language = "zh"
    assert "空文件" in view._sheet.failed


def test_an_upload_can_be_cancelled(view):
    view.begin([["a", 500]])
    view.arrived(b"x" * 100)
    assert view._sheet.busy
    view.cancel()
    assert (view._sheet.busy, view._sheet.failed) == ("", "Cancelled.")
    view.arrived(b"x" * 100)  # was under way
    assert view.sessions == []


def test_reading_can_be_cancelled(view, monkeypatch):
    going, told = threading.Event(), threading.Event()

    def read(sources, progress, limits):
        going.set()
        told.wait(SECONDS)
        progress(1, 2, "a")
        raise AssertionError("went on")

    monkeypatch.setattr(receiving, "read_sources", read)
    view.begin([["a", 5]])
    view.arrived(b"12345")
    assert going.wait(SECONDS)
    upload = view._receiver._upload
    view.cancel()
    told.set()
    for _ in range(100 * SECONDS):
        if upload._held.closed:
            break
        time.sleep(0.01)
    assert upload._held.closed
    assert view._sheet.busy == ""


def test_nothing_is_left_when_the_page_is_closed(view):
    send(view, LOG)
    view.begin([["a", 500]])
    held = view._receiver._upload._held
    view.close()
    assert held.closed
    assert view.sessions == []


def test_choices_are_previewed_and_simulated(view):
    send(view, LOG, TRACELAB)
    view.choose(agents=5, wait="10", scale=2, start="staggered", stagger=1.5, max_turns=1)
    assert "5 agents with 5 turns" in view._sheet.preview
    view.use()
    scenario = view.app.scenario
    assert (scenario.draws, scenario.agents, scenario.workers) == ("table", 5, 2)
    assert [turns[0][0] for turns in scenario.table] == [0, 1500, 3000, 4500, 6000]
    assert view.app.tab == "run"
    assert simulate(scenario).summary()["requests_finished"] == 5


@pytest.mark.parametrize(
    "choices",
    [
        {"agents": 0},
        {"agents": None, "scale": 0},
        {"scale": None},
        {"stagger": -1},
        {"agents": 2**40},
    ],
)
def test_choices_that_are_not_allowed_say_so(view, choices):
    send(view, LOG)
    before = view.app.scenario
    view.choose(**choices)
    assert view._sheet.refused.startswith("This cannot be simulated: ")
    view.use()
    assert view.app.scenario is before
    view.choose(agents=2, scale=1, stagger=30)
    assert view._sheet.refused == ""


def test_agents_that_do_not_fit_are_told(view):
    send(view, LOG)
    view.app.scenario = view.app.scenario.replace(kv_capacity=1000)
    assert "32 of them outgrow the context limit or the KV cache (up to 1.18k tokens)" in (
        view._sheet.preview
    )
    assert "and compact." in view._sheet.preview


def test_named_workloads_take_the_place_of_recorded_ones(view):
    send(view, LOG)
    view.use()
    view.choose(wait="10")
    view.use_named("realistic")
    realistic = view.app.scenario
    assert (realistic.draws, realistic.table, realistic.shared_prefix) == ("paired", None, 15_000)
    assert (max(realistic.think_ms), realistic.workers) == (10_000, 2)
    view.use_named("article")
    article = view.app.scenario
    assert {name: getattr(article, name) for name in DISTRIBUTIONS} == WORKLOADS["article"]
    assert (article.shared_prefix, article.overflow) == (0, "kill")


def test_histograms_are_shares_with_the_articles_range(found):
    bars = importing.histograms(found.sessions, Texts("en"))
    assert [one["name"] for one in bars] == ["turns", "input", "output", "wait", "context"]
    for one in bars:
        assert len(one["bars"]) == len(one["marks"])
        assert sum(one["bars"]) == pytest.approx(1, abs=0.001)
        assert 0 <= one["band"][0] < one["band"][1] <= len(one["bars"])
    turns = bars[0]
    assert turns["marks"][int(turns["band"][0])] == "30"
    assert turns["marks"][int(turns["band"][1])] == "80"


def test_the_growth_of_contexts(found):
    grown = importing.growth(found.sessions)
    own = grown["own"]
    assert own["turns"] == [1, 2]
    for low, middle, high in zip(own["low"], own["middle"], own["high"], strict=True):
        assert low <= middle <= high
    theirs = grown["article"]
    assert theirs["turns"][-1] >= 75
    assert 5000 < theirs["middle"][0] < 6500
    assert 6000 < theirs["middle"][1] - theirs["middle"][0] < 7500


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_and_error_has_a_text(found, language):
    texts = Texts(language)
    assert importing.said_error("an empty file", texts) == texts("traces.errors.an empty file")
    assert importing.said_error("something else", texts) == "something else"
    rows = importing.report_rows(found.report, texts)
    assert len(rows) == 5
    assert rows[-1]["cells"][0] == "7"
