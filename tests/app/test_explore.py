"""Two parameters swept: their values, the order of the runs, the border, colours and texts."""

import itertools
import math

import numpy as np
import pytest

from app.axes import AXES, title, values, written
from app.exploring import (
    METRICS,
    Question,
    begun,
    border,
    cells,
    explore,
    order,
)
from app.figures.heatmap import COLUMNS, Heatmap
from app.runs import Cancelled
from app.shading import RAMPS, brief, colors, columns, scale, short
from app.texts import LANGUAGES, Texts
from sim import Scenario, simulate
from sim.scenario import check_field
from sim.sweep import grid

SMALL = Scenario(agents=6, workers=4, turns=[3, 4], input_tokens=[2000, 6000], kv_capacity=20_000)
EN = Texts("en")


def never():
    return False


def small(scenario=SMALL):
    return Question(scenario, "agents", "kv_capacity", (2, 6, 8), (9_000, 20_000))


@pytest.fixture(scope="module")
def reports():
    return []


@pytest.fixture(scope="module")
def found(reports):
    return explore(small(), never, reports.append)


# Axes


@pytest.mark.parametrize("name", AXES)
def test_the_values_of_an_axis_are_allowed_and_hold_the_present_one(name):
    scenario = Scenario()
    found = values(name, scenario)
    assert 2 <= len(found) <= 13
    assert len(set(found)) == len(found)
    assert getattr(scenario, name) in found
    assert [check_field(name, value) for value in found] == found
    if not isinstance(found[0], str):
        assert found == sorted(found)
    for language in LANGUAGES:
        texts = Texts(language)
        assert title(name, texts)
        assert all(written(name, value, texts) for value in found)


def test_the_values_are_round():
    scenario = Scenario()
    assert values("workers", scenario) == [1, 2, 4, 8, 16, 32, 64]
    assert values("prefill_rate", scenario) == [500, 1000, 2000, 3000, 5000, 10_000, 20_000]
    assert values("decode_slowdown", scenario)[:3] == [0, 0.05, 0.1]
    assert values("kv_capacity", Scenario(kv_capacity=3_400_000))[-2:] == [1_000_000, 3_400_000]


# What is asked


def test_questions_differ_by_what_is_not_swept():
    asked = small()
    assert asked.key == small(SMALL.replace(agents=2, kv_capacity=9_000)).key
    assert asked.key != small(SMALL.replace(seed=1)).key
    assert asked.holds(SMALL.replace(agents=8))
    assert not asked.holds(SMALL.replace(agents=7))
    assert not asked.holds(SMALL.replace(seed=1))
    assert asked.place(SMALL) == (1, 1)
    assert asked.cell(2, 0).to_dict() == SMALL.replace(agents=8, kv_capacity=9_000).to_dict()


def test_the_first_seed_runs_first_and_coarse_before_fine():
    points = grid(SMALL, {"agents": range(1, 10), "kv_capacity": range(9_000, 18_000, 1000)}, 2)
    runs = order(points, 2)
    assert sorted(runs) == list(range(len(points)))
    seeds = [points.varied(int(run))["seed"] for run in runs]
    assert seeds == sorted(seeds)
    first = [points.varied(int(run)) for run in runs[:4]]
    assert {(p["agents"], p["kv_capacity"]) for p in first} == {
        (1, 9_000),
        (1, 17_000),
        (9, 9_000),
        (9, 17_000),
    }


# What came of it


def test_cells_are_medians_over_the_seeds(found, reports):
    assert found.table.done.all()
    assert [r.progress.done for r in reports] == sorted({r.progress.done for r in reports})
    runs = [SMALL.replace(agents=8, seed=SMALL.seed + i) for i in range(3)]
    for metric, (key, _) in METRICS.items():
        wanted = sorted(simulate(run).summary()[key] for run in runs)[1]
        assert cells(found, metric).value[2, 1] == wanted
    assert not cells(found, "makespan").pending.any()


def test_what_is_not_run_yet_has_the_colour_of_the_nearest():
    started = begun(small())
    assert cells(started, "utilization").pending.all()
    whole = explore(small(), never, lambda found: None).table
    started.table.add([r for r in whole.rows() if r["index"] in (0, 17)])
    drawn = cells(started, "utilization")
    assert drawn.pending.sum() == 4
    assert drawn.near[0, 1] == drawn.value[0, 0]
    assert drawn.near[1, 1] == drawn.value[2, 1]
    bar = scale("utilization", drawn.value, EN)
    labels = (["2", "6", "8"], ["9k", "20k"])
    made = columns(drawn, "utilization", bar, "default", labels, EN)
    assert made["value"][1] == "not yet run"
    assert made["text"][1] == ""
    assert made["alpha"][1] < made["alpha"][0] == 1


def test_what_cannot_be_says_why():
    asked = Question(SMALL, "prefill_workers", "agents", (0, 4), (2,))
    drawn = cells(explore(asked, never, lambda found: None), "makespan")
    assert list(drawn.errors) == [(1, 0)]
    bar = scale("makespan", drawn.value, EN)
    made = columns(drawn, "makespan", bar, "default", (["0", "4"], ["2"]), EN)
    assert made["value"][1].startswith("cannot be: prefill_workers = 4")
    assert made["hatch"] == [" ", "x"]
    assert made["fill"][1] is None


def test_cancelling_ends_the_runs():
    with pytest.raises(Cancelled):
        explore(small(), lambda: True, lambda found: None)


# The border


def corners(paths):
    return {frozenset(edge) for path in paths for edge in itertools.pairwise(path)}


def test_the_border_runs_between_cells_with_and_without_an_avalanche():
    shares = np.array([[0, 0, 0], [1, 0, 0], [1, 2 / 3, 1 / 3]])  # columns, from below
    paths = border(shares)
    assert paths == [[(1, 0), (1, 1), (2, 1), (2, 2), (3, 2)]]
    assert border(np.ones((2, 2))) == []


def test_the_border_leaves_out_what_is_not_known():
    assert border(np.array([[0, np.nan], [1, np.nan]])) == [[(1, 0), (1, 1)]]


def test_the_border_may_come_in_pieces():
    island = np.zeros((5, 3))
    island[1, 1] = 1
    island[4, 2] = 1
    paths = border(island)
    around = {(1, 1), (2, 1), (2, 2), (1, 2)}
    assert len(corners(paths)) == 4 + 2
    assert {corner for path in paths if len(path) == 5 for corner in path} == around


# Colours and texts


@pytest.mark.parametrize("palette", RAMPS)
@pytest.mark.parametrize("metric", METRICS)
def test_brighter_is_better(metric, palette):
    better = METRICS[metric][1]
    values = np.array([[60.0, 6000.0]]) if metric == "makespan" else np.array([[0.1, 0.9]])
    bar = scale(metric, values, EN)
    fill, ink = colors(bar.places(values), bar.ramp(palette))
    light = [sum(int(color[i : i + 2], 16) for i in (1, 3, 5)) for color in fill[0]]
    assert (light[1] > light[0]) == better
    assert {*ink[0]} == {"#ffffff", "#000000"}


def test_text_can_be_read_on_every_colour():
    for ramp in RAMPS.values():
        places = np.linspace(0, 1, 256)
        for color, ink in zip(*colors(places, list(ramp)), strict=True):
            assert contrast(color, ink) >= 4.5, (color, ink)


def contrast(one, other):
    def light(color):
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return np.dot(linear, (0.2126, 0.7152, 0.0722))

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_scales_hold_their_values_and_have_marks():
    times = np.array([[900.0, 20_000.0, np.nan]])
    bar = scale("makespan", times, EN)
    assert bar.places(times)[0, :2].tolist() == [0, 1]
    assert [text for _, text in bar.marks] == ["20 min", "30 min", "1 h", "2 h", "5 h"]
    assert all(0 <= place <= 1 for place, _ in bar.marks)
    assert scale("utilization", np.array([[0.31]]), EN).high == pytest.approx(0.4)
    assert scale("hit_rate", np.array([[0.31]]), EN).high == 1
    for metric in METRICS:  # nothing is known yet, or all is alike
        assert scale(metric, np.array([[np.nan]]), EN).marks
        assert scale(metric, np.array([[700.0 if metric == "makespan" else 0.5]]), EN)


def test_values_in_cells_are_brief():
    assert [short(s, EN) for s in (9, 600, 3600, 17_640, 90_000)] == [
        "9 s",
        "10 min",
        "1 h",
        "4.9 h",
        "25 h",
    ]
    assert brief("utilization", 0.123, EN) == "12 %"
    assert brief("makespan", math.nan, EN) == ""


def test_the_figure_shows_cells_border_and_marks(found):
    figure = Heatmap("dark", "colorblind")
    drawn = cells(found, "makespan")
    bar = scale("makespan", drawn.value, EN)
    labels = (["2", "6", "8"], ["9k", "20k"])
    made = columns(drawn, "makespan", bar, "default", labels, EN)
    assert set(made) == set(COLUMNS)
    assert {len(column) for column in made.values()} == {6}
    figure.set_scale(bar.ramp("default"), bar.marks)
    figure.show(made, ("Agents", labels[0]), ("KV", labels[1]))
    assert figure.root.x_range.end == 3
    assert figure.axes[0].major_label_overrides == {0.5: "2", 1.5: "6", 2.5: "8"}
    figure.set_border([[(1, 0), (1, 2)]])
    figure.set_present((1, 1))
    figure.set_cursor(None)
    assert figure.cells.data["text"][0].endswith(("s", "min"))
