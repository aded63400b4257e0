"""Runs as files."""

import collections
import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from app.derive import SHADES, Recording
from app.files import KINDS, Look, save, tables, target
from app.files.drawing import HALF, Rect, draw
from app.files.perfetto import trace_json
from app.files.picture import to_png, to_svg
from app.palette import state_colors
from sim import Scenario, simulate
from sim.traces import Source, read_sources, sessions_of

SMALL = {
    "plain": {"workers": 3, "agents": 7, "turns": [3, 6], "kv_capacity": 60_000},
    "pd": {"workers": 4, "prefill_workers": 2, "agents": 7, "turns": [3, 6]},
    "tier": {
        "workers": 2,
        "agents": 6,
        "turns": [4, 8],
        "kv_capacity": 50_000,
        "host_kv_capacity": 90_000,
        "shared_prefix": 900,
    },
}


@pytest.fixture(scope="module", params=SMALL)
def recording(request):
    return Recording(simulate(Scenario(**SMALL[request.param])))


@pytest.fixture(scope="module")
def default():
    return Recording(simulate(Scenario()))


def trace_of(recording):
    return json.loads(trace_json(recording))["traceEvents"]


def spans_by_thread(events):
    threads = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append(event)
    return threads


def test_perfetto_spans_nest(recording):
    for spans in spans_by_thread(trace_of(recording)).values():
        spans.sort(key=lambda e: (e["ts"], -e["dur"]))
        open_until = []
        for span in spans:
            while open_until and open_until[-1] <= span["ts"]:
                open_until.pop()
            end = span["ts"] + span["dur"]
            assert span["dur"] > 0
            assert not open_until or end <= open_until[-1]
            open_until.append(end)


def test_perfetto_times_are_microseconds_of_the_run(recording):
    events = trace_of(recording)
    states = [e for e in events if e.get("cat") == "state"]
    length = recording.ticks * recording.scenario.tick_ms * 1000
    for worker in range(recording.workers):
        mine = [e for e in states if e["pid"] == worker + 1]
        assert sum(e["dur"] for e in mine) == length
        assert {e["tid"] for e in mine} == {1}
    spent = collections.Counter()
    for event in states:
        spent[event["name"]] += event["dur"] // (recording.scenario.tick_ms * 1000)
    assert [spent[name] for name in SHADES] == recording.shade_ticks.tolist()


def test_perfetto_has_every_request_with_its_stages(recording):
    events, r = trace_of(recording), recording.result.requests
    requests = [e for e in events if e.get("cat") == "request"]
    parts = 2 if recording.scenario.prefill_workers else 1
    assert len(requests) == parts * r["agent"].size
    assert sum(e["args"]["output"] for e in requests) == parts * r["output"].sum()
    stages = [e for e in events if e.get("cat") == "stage"]
    prefill = sum(e["dur"] for e in stages if e["name"] == "prefill")
    assert prefill == np.diff(recording.stages)[:, 2].sum() * recording.scenario.tick_ms * 1000
    for name in ("queued", "prefill", "decode"):
        assert any(e["name"] == name for e in stages) or name == "queued"


def test_perfetto_names_processes_and_threads(recording):
    events = trace_of(recording)
    names = {
        (e["name"], e["pid"], e["tid"]): e["args"].get("name") for e in events if e["ph"] == "M"
    }
    for event in events:
        if event["ph"] in "Xi":
            assert ("process_name", event["pid"], 0) in names
        if event["ph"] == "X":
            assert names["thread_name", event["pid"], event["tid"]]
    assert names["process_name", 1, 0].startswith("worker 0")
    assert names["thread_name", 1, 1] == "state"


def test_perfetto_counters_stay_within_the_cache(recording):
    counters = [e for e in trace_of(recording) if e["ph"] == "C"]
    room = recording.scenario.kv_capacity - recording.shared
    assert {e["name"] for e in counters} == {"KV tokens", "requests"}
    for event in counters:
        assert all(value >= 0 for value in event["args"].values())
        if event["name"] == "KV tokens":
            assert sum(event["args"].values()) <= room
    last = {(e["name"], e["pid"]): e["args"] for e in counters}
    assert all(v == {"queued": 0, "running": 0} for (n, _), v in last.items() if n == "requests")


def test_perfetto_has_every_event(recording):
    marks = [e for e in trace_of(recording) if e["ph"] == "i"]
    assert len(marks) == recording.result.events["tick"].size


def test_perfetto_of_the_default_scenario_is_small(default):
    assert len(trace_json(default)) < 10_000_000


def test_requests_table(recording):
    text = tables.to_csv(tables.requests(recording))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert text.startswith("request_id,session_id,turn_index,dp_rank,arrival_s,")
    assert text.count("\r\n") == len(rows) + 1
    assert list(rows[0]) == list(tables.REQUESTS)
    summary = recording.result.summary()
    mean = np.mean([float(row["ttft_ms"]) for row in rows]) / 1000
    assert mean == pytest.approx(summary["mean_ttft_s"])
    asked = sum(int(row["input_tokens"]) for row in rows)
    found = sum(int(row["cached_tokens"]) for row in rows)
    assert found / asked == pytest.approx(summary["prefix_cache_hit_rate"])
    for row in rows:
        parts = ("cached_tokens", "new_tokens", "recomputed_tokens")
        assert sum(int(row[name]) for name in parts) == int(row["input_tokens"])
        times = ("arrival_s", "prefill_start_s", "first_token_s", "end_s")
        moments = [float(row[name]) for name in times]
        assert moments == sorted(moments)


def test_events_table(recording):
    rows = list(csv.DictReader(io.StringIO(tables.to_csv(tables.events(recording)))))
    assert list(rows[0]) == list(tables.EVENTS)
    evictions = sum(row["kind"] == "evict" for row in rows)
    assert evictions == recording.result.totals()["evictions"]


def test_parquet_holds_the_same(recording, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow, of the extra parquet")
    for name, columns in (("requests", tables.requests), ("events", tables.events)):
        path = tmp_path / f"{name}.parquet"
        save(recording, *target(f"{name}:{path}"))
        assert parquet.read_table(path).to_pydict() == columns(recording)


def test_parquet_without_its_package(default, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ValueError, match="pip install pyarrow"):
        tables.to_parquet(tables.events(default), tables.EVENTS)


@pytest.mark.parametrize("kind", ["mooncake", "tracelab"])
def test_workloads_round_trip(recording, tmp_path, kind):
    path = tmp_path / "workload"
    save(recording, kind, path)
    again = read_sources([Source.of_path(path)]).sessions
    kept = sessions_of(recording.result)
    assert [session.prompts for session in again] == [session.prompts for session in kept]
    assert [[t.output for t in s.turns] for s in again] == [
        [t.output for t in s.turns] for s in kept
    ]


def test_the_scenario_round_trips(recording, tmp_path):
    path = tmp_path / "scenario.json"
    save(recording, "scenario", path)
    assert (
        Scenario.from_dict(json.loads(path.read_text())).to_dict() == recording.scenario.to_dict()
    )


def areas(drawing, colors):
    """Return the area of each state's rectangles within the lanes."""
    found = collections.Counter()
    key = min(s.y for s in drawing.shapes if isinstance(s, Rect) and s.color in colors)
    for shape in drawing.shapes:
        if isinstance(shape, Rect) and shape.color in colors and shape.y > key + 12:
            found[shape.color] += shape.width * shape.height
    return found


def test_lanes_show_the_states_shares():
    recording = Recording(simulate(Scenario(workers=2, agents=4, turns=[4, 6])))
    colors = state_colors()
    found = areas(draw(recording), colors)
    whole = sum(found.values())
    shares = recording.shade_ticks / recording.shade_ticks.sum()
    for code, share in enumerate(shares):
        assert found[colors[code]] / whole == pytest.approx(share, abs=0.02)


def test_lanes_have_no_gaps(default):
    colors = state_colors()
    rects = [s for s in draw(default).shapes if isinstance(s, Rect) and s.color in colors]
    assert all(edge * HALF % 1 == 0 for r in rects for edge in (r.x, r.x + r.width))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_svg_is_well_formed_and_says_what_it_shows(default, language):
    svg = to_svg(draw(default, "dark", "colorblind", language))
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert ("解码" if language == "zh" else "decode") in texts
    assert "0:30:00" in texts
    assert "http" not in re.sub(r'xmlns="[^"]*"', "", svg)
    assert len(svg) < 1_000_000


def test_png_has_the_colours_and_the_size(default):
    image = pytest.importorskip("PIL.Image")
    drawing = draw(default)
    picture = image.open(io.BytesIO(to_png(drawing)))
    assert picture.size == (2 * drawing.width, 2 * drawing.height)
    seen = {"#{:02x}{:02x}{:02x}".format(*rgb) for _, rgb in picture.getcolors(1 << 24)}
    used = {c for c, n in zip(state_colors(), default.shade_ticks, strict=True) if n}
    assert used <= seen


def test_agents_table_has_a_value_for_every_column(recording):
    columns = tables.agents(recording)
    assert list(columns) == list(tables.AGENTS)
    assert {len(values) for values in columns.values()} == {recording.agents}
    for name, kind in tables.AGENTS.items():
        assert all(value is None or isinstance(value, kind) for value in columns[name]), name
    turns = np.bincount(recording.result.requests["agent"], minlength=recording.agents)
    assert columns["turns"] == turns.tolist()
    ttft = [ms * n for ms, n in zip(columns["mean_ttft_ms"], turns, strict=True) if n]
    assert sum(ttft) == pytest.approx(1000 * recording.result.times()["ttft"].sum(), rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_made(kind, tmp_path):
    recording = Recording(simulate(Scenario(**SMALL["pd"])))
    if kind.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / f"file{KINDS[kind].suffix}"
    save(recording, kind, path, Look(language="zh"))
    assert path.stat().st_size > 100


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("a.PNG", "png", "a.PNG"),
        ("requests.csv", "requests", "requests.csv"),
        ("events:e.csv", "events", "e.csv"),
        ("events:e.parquet", "events-parquet", "e.parquet"),
        ("agents:a.parquet", "agents-parquet", "a.parquet"),
        ("scenario:s", "scenario", "s"),
        ("C:\\run.svg", "svg", "C:\\run.svg"),
    ],
)
def test_targets(text, kind, name):
    found, path = target(text)
    assert (found, str(path)) == (kind, name)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run.bmp", "must end in one of .csv, .parquet"),
        ("event:x.csv", "unknown kind of file 'event': did you mean 'events'"),
        ("events:", "names no file"),
    ],
)
def test_wrong_targets(text, said):
    with pytest.raises(ValueError, match=said):
        target(text)
