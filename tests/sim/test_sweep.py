"""Grids, lists, their order, and the tables that come of them."""

import itertools
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies

from sim import Scenario, simulate
from sim.sweep import Sweep, Table, grid, listed
from sim.sweep.batch import metrics
from sim.sweep.points import MAX_RUNS
from sim.sweep.table import metric_types

SMALL = Scenario(workers=2, agents=2, turns=[1, 3], kv_capacity=30_000, context_limit=25_000)
AXES = {"agents": [2, 3, 5], "routing": ["pinned", "random"]}


@pytest.fixture(scope="module")
def swept():
    """Return a sweep that has run, with two seeds."""
    return Sweep(grid(SMALL, AXES, seeds=2)).run()


def columns_equal(found, expected):
    """Return whether two dicts of columns hold the same, NaN being equal to itself."""
    assert list(found) == list(expected)
    for name, column in found.items():
        assert column.dtype == expected[name].dtype, name
        assert repr(column.tolist()) == repr(expected[name].tolist()), name
    return True


def test_a_grid_holds_every_combination_the_last_varying_fastest():
    points = grid(SMALL, AXES, seeds=2)
    wanted = [
        {"agents": agents, "routing": routing, "seed": SMALL.seed + i}
        for agents, routing, i in itertools.product([2, 3, 5], ["pinned", "random"], range(2))
    ]
    assert [points.varied(i) for i in range(len(points))] == wanted
    assert points.shape == (3, 2)
    assert points.cells.tolist() == [i // 2 for i in range(12)]
    for scenario, fields in zip(points, wanted, strict=True):
        assert scenario.to_dict() == SMALL.replace(**fields).to_dict()


def test_seeds_are_a_number_or_the_seeds_themselves_and_wrap():
    last = SMALL.replace(seed=2**32 - 1)
    assert grid(last, {}, seeds=2).axes == {"seed": [2**32 - 1, 0]}
    assert grid(SMALL, {"seed": range(3), "agents": [1, 2]}).axes == {
        "agents": [1, 2],
        "seed": [0, 1, 2],
    }
    assert grid({"agents": 4}, {}, seeds=[7, 5]).shape == ()


@pytest.mark.parametrize(
    ("axes", "seeds", "message"),
    [
        ({"agnets": [1]}, None, "unknown parameter 'agnets': did you mean 'agents'?"),
        ({"agents": [4, 0]}, None, "agents = 0 must be a whole number from 1"),
        ({"agents": [4, 8, 4]}, None, "agents = 4 is given twice"),
        ({"turns": [[1, 2], [1, 2]]}, None, "turns = [1, 2] is given twice"),
        ({"agents": []}, None, "agents has no values"),
        ({"agents": 4}, None, "agents = 4 must be a list of values"),
        ({"routing": "pinned"}, None, "routing = 'pinned' must be a list of values"),
        ({"routing": ["pined"]}, None, "did you mean 'pinned'?"),
        ({"table": [[]]}, None, "table cannot vary in a grid"),
        ({}, None, "nothing varies"),
        ({}, 0, "seeds = 0 must be a whole number from 1"),
        ({"seed": [1, 2]}, 2, "seed varies twice"),
        ({"agents": range(1, 5000), "quantum": range(1, 5000)}, None, "24,990,001 runs, at most"),
        ({"seed": range(2**32)}, None, "seed has more than 10,000,000 values"),
    ],
)
def test_what_is_wrong_with_a_grid_is_one_line(axes, seeds, message):
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        grid(SMALL, axes, seeds)
    assert "\n" not in str(raised.value)


def test_agents_cannot_vary_with_a_table():
    sessions = SMALL.replace(draws="table", table=[[[0, 10, 10]]])
    with pytest.raises(ValueError, match="agents cannot vary"):
        grid(sessions, {"agents": [1, 2]})


def test_a_long_grid_takes_no_memory_for_its_scenarios():
    points = grid(SMALL, {"agents": range(1, 1001), "quantum": range(1, 1001)}, seeds=10)
    assert len(points) == MAX_RUNS
    assert points.varied(MAX_RUNS - 1)["agents"] == 1000
    with pytest.raises(IndexError):
        points[MAX_RUNS]


@settings(max_examples=50)
@given(
    strategies.lists(strategies.integers(1, 9), min_size=1, max_size=3), strategies.integers(1, 3)
)
def test_coarse_first_is_an_order_that_begins_with_the_corners(sizes, seeds):
    names = ("agents", "quantum", "max_delay")
    axes = {name: range(1, n + 1) for name, n in zip(names, sizes, strict=False)}
    points = grid(SMALL, axes, seeds=seeds)
    order = points.coarse_first()
    assert sorted(order.tolist()) == list(range(len(points)))
    corners = set(itertools.product(*({0, n - 1} for n in sizes)))
    first = {np.unravel_index(points.cells[i], points.shape) for i in order[: len(corners) * seeds]}
    assert {tuple(map(int, place)) for place in first} == corners


def test_coarse_first_halves_the_steps():
    order = grid(SMALL, {"agents": range(1, 10)}).coarse_first()
    assert order.tolist() == [0, 8, 4, 2, 6, 1, 3, 5, 7]


def test_a_row_is_the_summary_of_its_run(swept):
    rows = [row for rows in Sweep(swept.points).stream() for row in rows]
    assert [row["index"] for row in rows] == list(range(12))
    for row, scenario in zip(rows, swept.points, strict=True):
        found = metrics(simulate(scenario))
        assert {name: row[name] for name in found} == found
        assert row["error"] is None
    assert sum(row["ticks_prefill"] for row in rows) > 0
    assert list(rows[0])[:5] == ["index", "agents", "routing", "seed", "error"]


@pytest.mark.parametrize("batch", [(1, 1), (3, 5), (64, 256)])
def test_batches_do_not_change_the_rows(swept, batch):
    other = Sweep(swept.points, batch=batch).run()
    assert columns_equal(other.table(pandas=False), swept.table(pandas=False))


def test_rows_come_in_the_order_that_was_chosen(swept):
    order = swept.points.coarse_first()
    coarse = Sweep(swept.points, order="coarse", batch=(2, 2))
    rows = [row for rows in coarse.stream() for row in rows]
    assert [row["index"] for row in rows] == order.tolist() != sorted(order.tolist())
    backwards = Sweep(swept.points, order=range(11, -1, -1)).run()
    assert columns_equal(backwards.table(pandas=False), swept.table(pandas=False))
    for wrong in ([0, 0], range(11)):
        with pytest.raises(ValueError, match="order must hold each run"):
            Sweep(swept.points, order=wrong)
    with pytest.raises(ValueError, match="did you mean 'coarse'"):
        Sweep(swept.points, order="corse")


def test_what_cannot_be_run_has_a_row_that_says_why():
    axes = {"prefill_workers": [0, 1, 2], "agents": [2, 3]}
    rows = [row for rows in Sweep(grid(SMALL, axes), max_ticks=300).stream() for row in rows]
    assert "prefill_workers = 2 must be below workers = 2" in rows[4]["error"]
    assert set(rows[4]) == set(rows[0])
    assert {rows[4][name] for name in metric_types()} == {None}
    short = Sweep(grid(SMALL, axes), max_ticks=rows[0]["ticks"]).run().table(pandas=False)
    long = [row["index"] for row in rows if row["error"] or row["ticks"] > rows[0]["ticks"]]
    assert long
    assert short["index"][short["error"] != None].tolist() == long  # noqa: E711
    assert "has not ended after" in short["error"][long[0]]


def test_columns_are_arrays_of_the_types_of_their_values(swept):
    columns = swept.table(pandas=False)
    assert columns["agents"].tolist() == [2] * 4 + [3] * 4 + [5] * 4
    assert columns["evictions"].dtype == np.int64
    assert columns["makespan_s"].dtype == np.float64
    assert np.isnan(columns["avalanche_onset_s"]).any()
    lists = Sweep(grid(SMALL, {"turns": [[1, 1], [1, 2]]})).run().table(pandas=False)
    assert lists["turns"].tolist() == [[1, 1], [1, 2]]


def test_a_data_frame_holds_the_same(swept):
    pytest.importorskip("pandas")
    frame, columns = swept.table(), swept.table(pandas=False)
    assert list(frame.columns) == list(columns)
    assert frame["utilization"].tolist() == columns["utilization"].tolist()
    assert frame.loc[0, "routing"] == "pinned"


def test_bands_are_percentiles_over_the_seeds(swept):
    columns = swept.table(pandas=False)
    bands = swept.bands("utilization")
    assert bands.shape == (3, 3, 2)
    wanted = np.percentile(columns["utilization"].reshape(3, 2, 2), (10, 50, 90), axis=2)
    np.testing.assert_allclose(bands, wanted)


def test_bands_leave_out_what_is_not_there():
    table = Table(grid(SMALL, {"agents": [1, 2, 3]}, seeds=5))
    empty = dict.fromkeys(metric_types())
    values = {0: 4.0, 1: None, 2: 1.0, 4: 2.0, 7: None, 10: 5.0}
    table.add(
        {"index": i, "error": None, **empty, "ticks": 1, "p50_ttft_s": v} for i, v in values.items()
    )
    table.add([{"index": 11, "error": "too large", **empty}])
    assert len(table) == 7
    wanted = np.percentile([1, 2, 4], (10, 50, 90))
    np.testing.assert_allclose(table.bands("p50_ttft_s")[:, 0], wanted)
    assert np.isnan(table.bands("p50_ttft_s")[:, 1]).all()
    assert table.bands("p50_ttft_s")[:, 2].tolist() == [5, 5, 5]
    assert table.share_with("p50_ttft_s").tolist() == [0.75, 0, 1]
    assert np.isnan(Table(table.points).share_with("p50_ttft_s")).all()
    assert table.errors == {11: "too large"}


def test_a_list_is_labelled_by_what_differs_or_as_one_likes():
    scenarios = [SMALL, SMALL.replace(agents=4), SMALL.replace(lock="none", seed=3)]
    points = listed(scenarios)
    assert points.names == ("lock", "agents", "seed")
    assert points.varied(2) == {"lock": "none", "agents": 2, "seed": 3}
    assert [s.to_dict() for s in points] == [s.to_dict() for s in scenarios]
    labels = [{"fix": name, "seed": seed} for seed in (0, 1) for name in ("none", "more")]
    runs = [SMALL.replace(seed=label["seed"]) for label in labels]
    swept = Sweep(listed(runs, labels)).run()
    assert swept.points.shape == (2,)
    assert swept.points.cells.tolist() == [0, 1, 0, 1]
    assert swept.table(pandas=False)["fix"].tolist() == ["none", "more"] * 2
    pairs = swept.table(pandas=False)["makespan_s"].reshape(2, 2)
    np.testing.assert_allclose(swept.bands("makespan_s")[1], np.median(pairs, axis=0))
    assert len(Sweep(iter(runs)).run().table(pandas=False)["index"]) == 4


@pytest.mark.parametrize(
    ("runs", "labels", "message"),
    [
        (0, None, "the list of scenarios is empty"),
        (2, [{"a": 1}], "1 labels are given for 2 scenarios"),
        (2, [{"a": 1}, {"b": 1}], "the same names"),
    ],
)
def test_what_is_wrong_with_a_list(runs, labels, message):
    with pytest.raises(ValueError, match=message):
        listed([SMALL] * runs, labels)


def test_progress_counts_up_and_knows_the_time_left(swept):
    seen = []
    Sweep(swept.points, batch=(4, 4)).run(report=seen.append)
    assert [p.done for p in seen] == [0, 4, 8, 12]
    assert seen[0].rate is None
    assert seen[0].left_s is None
    assert seen[1].left_s == pytest.approx(8 / seen[1].rate)
    assert seen[-1].left_s == 0
    assert (seen[-1].total, seen[-1].failed, seen[-1].resumed) == (12, 0, 0)


def test_a_cancel_ends_the_rows_and_leaves_those_that_are_finished(swept):
    seen = []
    sweep = Sweep(swept.points, batch=(4, 4))
    sweep.run(report=seen.append, cancel=lambda: seen[-1].done >= 4)
    assert sweep.table(pandas=False)["index"].tolist() == [0, 1, 2, 3]
    assert np.isnan(sweep.bands("utilization")[1, 1:]).all()


def test_a_cancel_ends_a_run_under_way():
    asked = []
    long = Sweep([Scenario()] * 2)
    assert list(long.stream(cancel=lambda: asked.append(1) or len(asked) > 2)) == []
    assert 2 < len(asked) < 6


def test_rows_are_ready_for_json(swept):
    rows = next(Sweep(swept.points).stream())
    assert json.loads(json.dumps(rows)) == rows


@pytest.mark.parametrize("workers", [0, 1.5, True])
def test_workers_are_a_whole_number(swept, workers):
    with pytest.raises(ValueError, match=r"workers = .* must be a whole number from 1"):
        next(Sweep(swept.points).stream(workers=workers))
