"""Figures are built once, stay aligned, and show what was derived."""

import functools

import numpy as np
import pytest
from bokeh.core.properties import NumberSpec
from bokeh.document import Document
from bokeh.layouts import column
from bokeh.models import GlyphRenderer, Plot, VAreaStep, WheelZoomTool

from app import derive
from app.derive import EMPTY, SHADES, STACK, Bins, Recording
from app.figures import LABELS, Board
from app.figures.inspector import MOST_BARS
from app.figures.timeline import HEIGHT, lane_layout
from app.palette import PALETTES, THEMES, event_colors, faded_colors, state_colors
from sim import Scenario, simulate
from sim.result import EVENT_KINDS

ENGLISH = {key: key for key in LABELS} | {"lane": "DP {worker}"}
OTHER = {key: f"其 {key}" for key in LABELS} | {"lane": "卡 {worker}"}


@functools.cache
def recording(**changes):
    return Recording(
        simulate(
            Scenario(workers=4, agents=12, kv_capacity=90_000, turns=[4, 12]).replace(**changes)
        )
    )


@pytest.fixture
def board():
    board = Board(ENGLISH)
    board.show(recording())
    return board


def models(board):
    return {model.id for figure in board.figures for model in figure.root.references()}


def onset(result):
    tick = result.avalanche_onset_tick()
    return None if tick is None else tick * result.tick_s


class TestBoard:
    def test_areas_have_a_row_before_there_is_a_run(self):
        # A browser that draws an area without rows hangs.
        drawn = [
            renderer
            for figure in Board(ENGLISH).figures
            for renderer in figure.root.select({"type": GlyphRenderer})
            if isinstance(renderer.glyph, VAreaStep)
        ]
        assert len(drawn) == len(STACK) + 1
        assert all(len(renderer.data_source.data["x"]) == 1 for renderer in drawn)

    def test_draws_what_was_derived(self, board):
        shown = recording()
        bins = Bins.fit((0, shown.ticks), 1200, shown.ticks, shown.tick_s)
        lanes = derive.lanes(shown, bins, **lane_layout(4))
        coarse = board.timeline.coarse.source.data
        assert coarse["image"][0].dtype == np.uint8
        assert (coarse["image"][0] == lanes.image).all()
        assert coarse["dw"] == [bins.size * bins.count * shown.tick_s]
        assert coarse["dh"] == [4]
        assert (board.timeline.fine.source.data["image"][0] == derive.EMPTY).all()
        (whole,) = board.minimap.image.source.data["image"]
        assert (whole == derive.together(lanes, len(whole)).image).all()
        tops = [board.shares.source.data[f"y{i}"][:-1] for i in range(len(STACK) + 1)]
        assert np.diff(tops, axis=0) == pytest.approx(derive.shares(lanes), abs=1e-6)
        marks = derive.marks(shown, bins)
        assert board.events.source.data["count"].sum() == marks["count"].sum() > 0
        used, _ = derive.occupancy(shown, bins)
        (strip,) = board.occupancy.source.data["image"]
        assert strip.dtype == np.uint8
        assert (strip[::-1] == np.rint(used * 100)).all()

    def test_builds_nothing_after_it_was_made(self, board):
        board.pin(100)
        before = models(board)
        board.show(recording(routing="round_robin"))
        board.frame.set_window(100, 300)
        board.refine(500)
        board.pin(700)
        board.pin(None)
        board.restyle("dark", "colorblind")
        board.relabel(OTHER)
        assert models(board) == before

    def test_all_time_axes_are_one_and_aligned(self, board):
        on_axis = (board.timeline, board.events, *board.charts)
        assert {figure.root.x_range for figure in on_axis} == {board.frame.x_range}
        roots = [figure.root for figure in board.figures]
        assert len({(root.min_border_left, root.min_border_right) for root in roots}) == 1
        assert all(root.sizing_mode == "stretch_width" for root in roots)
        assert all(root.toolbar_location is None for root in roots)

    def test_zoom_refines_the_window_only(self, board):
        (coarse,) = board.timeline.coarse.source.data["image"]
        board.frame.set_window(100, 160)
        bins = board.refine(1200)
        assert bins.size == 1
        assert (bins.start, bins.stop) == board.window == (400, 640)
        (fine,) = board.timeline.fine.source.data["image"]
        assert fine.shape[1] == 240
        assert board.timeline.fine.source.data["x"] == [100]
        assert board.timeline.coarse.source.data["image"][0] is coarse

    def test_keeps_the_zoom_for_another_run(self, board):
        board.frame.set_window(100, 200)
        board.show(recording(routing="round_robin"))
        assert (board.frame.x_range.start, board.frame.x_range.end) == (100, 200)
        board.show(recording(routing="round_robin"), keep=False)
        assert board.frame.x_range.start == 0
        assert board.frame.x_range.end == board.frame.end

    def test_a_whole_view_stays_whole_and_a_late_one_is_pulled_in(self, board):
        short = recording(turns=(1, 2))
        board.show(short)
        assert board.frame.x_range.end == short.ticks * short.tick_s
        board.show(recording())
        assert board.frame.x_range.end == recording().ticks * recording().tick_s
        board.frame.set_window(board.frame.end - 50, board.frame.end)
        board.show(short)
        x_range = board.frame.x_range
        assert (x_range.start, x_range.end) == (board.frame.end - 50, board.frame.end)
        assert x_range.bounds == (0, board.frame.end)

    def test_a_window_is_cut_to_the_run(self, board):
        x_range = board.frame.x_range
        board.frame.set_window(-100, 50)
        assert x_range.start == 0
        board.frame.set_window(50, 50)
        assert x_range.end - x_range.start == pytest.approx(20 * recording().tick_s)
        board.frame.set_window(-1e9, 1e9)
        assert (x_range.start, x_range.end) == (0, board.frame.end)

    def test_onset_is_named_or_absent(self, board):
        line = board.frame.lines["onset"]
        seconds = onset(recording().result)
        assert seconds is not None
        assert line.visible
        assert line.location == board.timeline.onset.x == seconds
        roomy = recording(kv_capacity=10**6)
        assert onset(roomy.result) is None
        board.show(roomy)
        assert not line.visible
        assert not board.timeline.onset.visible

    def test_pin_shows_the_caches(self, board):
        moments = board.pin(900)
        assert [moment.worker for moment in moments] == [0, 1, 2, 3]
        shown = board.kv.source.data
        tokens = [entry.tokens for moment in moments for entry in moment.entries]
        assert shown["tokens"] == tokens
        assert np.subtract(shown["right"], shown["left"]).tolist() == tokens
        assert board.frame.lines["pin"].location == 900.5 * recording().tick_s
        assert board.pin(None) == []
        assert not board.frame.lines["pin"].visible

    def test_relabels_in_place(self, board):
        board.pin(900)
        board.relabel(OTHER)
        assert board.shares.root.title.text == "其 shares"
        assert board.timeline.onset.text == "其 onset"
        assert "卡 3" in board.timeline.root.yaxis[0].major_label_overrides.values()
        assert "其 event_miss" in board.events.source.data["name"]
        assert "其 hover_agent" in board.kv.hover.tooltips

    def test_shows_every_label(self):
        read = set()

        class Labels(dict):
            def __getitem__(self, key):
                read.add(key)
                return super().__getitem__(key)

        everything(Board(Labels(ENGLISH)))
        assert read == set(LABELS)

    def test_labels_are_no_markup(self, board):
        board.relabel(ENGLISH | {"hover_time": "<b>&"})
        assert "&lt;b&gt;&amp;" in board.shares.hover.tooltips

    def test_restyles_in_place(self, board):
        board.restyle("dark", "colorblind")
        colors = state_colors("colorblind", "dark")
        assert board.frame.states.palette[:-1] == colors
        assert [area.fill_color for area in board.shares.areas] == [colors[c] for c in STACK]
        assert board.timeline.root.yaxis[0].major_label_text_color == THEMES["dark"].muted
        assert set(board.events.source.data["color"]) <= set(
            event_colors("colorblind", "dark").values()
        )

    def test_glyphs_name_columns_that_are_there(self, board):
        fields = [
            (renderer.data_source, getattr(renderer.glyph, name))
            for figure in board.figures
            for renderer in figure.root.renderers
            for name in renderer.glyph.dataspecs()
            if isinstance(renderer.glyph.lookup(name).property, NumberSpec)
        ]
        named = [(source, field) for source, field in fields if isinstance(field, str)]
        assert named
        assert all(field in source.data for source, field in named)

    def test_wheel_scrolls_the_page_until_it_is_let(self):
        board = Board(ENGLISH, wheel=False)
        assert board.timeline.root.toolbar.active_scroll is None
        board.frame.set_wheel(True)
        assert isinstance(board.timeline.root.toolbar.active_scroll, WheelZoomTool)
        board.frame.set_wheel(False)
        assert board.shares.root.toolbar.active_scroll is None

    def test_goes_into_a_document_without_complaint(self, board, caplog):
        everything(board)
        document = Document()
        document.add_root(column([figure.root for figure in board.figures]))
        document.validate()
        assert not caplog.records
        document.to_json()
        assert len(list(document.select({"type": Plot}))) == len(board.figures)


def everything(board):
    """Show everything that a board can show."""
    for shown in (
        recording(release_finished=False, shared_prefix=2000),
        recording(phase_policy="mixed"),
        recording(lock="step"),
        recording(prefill_workers=1),
    ):
        board.show(shown)
        for tick in range(0, shown.ticks, shown.ticks // 50):
            board.pin(tick)


class TestTimeline:
    @pytest.mark.parametrize("workers", [1, 2, 3, 4, 7, 16, 33, 64, 100, 241, 4096])
    def test_a_row_of_the_image_is_a_pixel(self, workers):
        layout = lane_layout(workers)
        pitch = layout["rows"] + layout["gap"]
        board = Board(ENGLISH)
        board.timeline.set_workers(workers)
        y_range = board.timeline.y_range
        pixels = board.timeline.root.frame_height / (y_range.end - y_range.start)
        assert pixels == pytest.approx(pitch)
        assert layout["rows"] >= 2
        assert board.timeline.root.frame_height < 800
        named = board.timeline.root.yaxis[0].ticker.ticks
        assert abs(np.diff(named)).min(initial=99) * pitch >= 15
        assert y_range.end - y_range.start >= board.timeline.lanes

    @pytest.mark.parametrize("workers", [8, 16, 40])
    def test_height_does_not_jump(self, workers):
        board = Board(ENGLISH)
        heights = []
        for count in (workers, 4):
            board.timeline.set_workers(count)
            heights.append(board.timeline.root.frame_height)
        assert heights[0] == heights[1] or workers * 9 > HEIGHT

    def test_worker_at(self, board):
        timeline = board.timeline
        assert [timeline.worker_at(y) for y in (3.9, 3, 2.99, 0, -0.1, 4.1)] == [
            0, 0, 1, 3, None, None,
        ]  # fmt: skip

    def test_workers_share_lanes_when_there_are_too_many(self, board):
        board.timeline.set_workers(1000)
        assert board.timeline.per_lane == 5
        assert board.timeline.worker_at(board.timeline.lanes - 1.5) == 5

    def test_marks_a_cell(self, board):
        board.timeline.mark_cell(1, 10, 20)
        cell = board.timeline.cell
        assert (cell.bottom, cell.top, cell.left, cell.right) == (2, 3, 10, 20)
        board.timeline.mark_cell(None, 0, 0)
        assert not cell.visible


class TestKvBars:
    def test_a_head_that_does_not_fit_reaches_beyond_the_cache(self, board):
        shown = recording()
        tick = next(t for t in range(shown.ticks) if any(m.blocked for m in derive.at(shown, t)))
        board.pin(tick)
        needs = board.kv.needs.data
        assert needs["agent"]
        assert all(right > shown.scenario.kv_capacity for right in needs["right"])
        assert board.kv.x_range.end > max(needs["right"])

    def test_shows_some_of_very_many_workers(self):
        many = recording(workers=MOST_BARS + 6)
        board = Board(ENGLISH)
        board.show(many)
        assert len(board.pin(50)) == MOST_BARS + 6
        assert board.kv.y_range.end == MOST_BARS


def test_states_are_shown_alone():
    frame = Board(ENGLISH).frame
    full = state_colors()
    frame.isolate(["prefill_again"])
    alone = SHADES.index("prefill_again")
    for i, color in enumerate(frame.states.palette[:-1]):
        assert color == (full[i] if i == alone else faded_colors()[i])
        assert i == alone or contrast(color, THEMES["light"].surface) < 1.4
    frame.restyle("dark", "colorblind")
    assert frame.states.palette[alone] == state_colors("colorblind", "dark")[alone]
    assert frame.states.palette[0] == faded_colors("colorblind", "dark")[0]
    frame.isolate([])
    assert frame.states.palette[:-1] == state_colors("colorblind", "dark")


def test_an_empty_image_stays_transparent():
    board = Board(ENGLISH)
    (image,) = board.timeline.coarse.source.data["image"]
    assert image.tolist() == [[EMPTY]]
    assert board.frame.states.palette[EMPTY] == "#00000000"


VIEWS = {
    "normal": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
"""How linear RGB looks to different eyes: Machado, Oliveira and Fernandes 2009, severity 1."""


class TestPalette:
    @pytest.mark.parametrize("theme", THEMES)
    @pytest.mark.parametrize("palette", PALETTES)
    def test_names_every_state_and_kind(self, palette, theme):
        assert len(set(state_colors(palette, theme))) == len(SHADES)
        assert set(event_colors(palette, theme)) == set(EVENT_KINDS)

    @pytest.mark.parametrize("theme", THEMES)
    @pytest.mark.parametrize("eyes", ["normal", "deuteranopia", "protanopia"])
    def test_colorblind_palette_keeps_all_states_apart(self, eyes, theme):
        colors = [seen(color, eyes) for color in state_colors("colorblind", theme)]
        nearest = min(np.linalg.norm(a - b) for i, a in enumerate(colors) for b in colors[i + 1 :])
        assert nearest > 20

    @pytest.mark.parametrize("theme", THEMES)
    @pytest.mark.parametrize("palette", PALETTES)
    def test_prefill_again_is_a_shade_of_prefill_apart_from_all_others(self, palette, theme):
        colors = zip(SHADES, state_colors(palette, theme), strict=True)
        lab = {name: seen(color, "normal") for name, color in colors}
        again, prefill = lab.pop("prefill_again"), lab["prefill"]
        assert min(np.linalg.norm(again - other) for other in lab.values()) > 24
        hues = np.degrees([np.arctan2(b, a) for _, a, b in (again, prefill)])
        assert abs(hues[0] - hues[1]) < 30

    @pytest.mark.parametrize(
        ("palette", "eyes"),
        [("default", "normal"), *(("colorblind", eyes) for eyes in VIEWS)],
    )
    def test_prefill_again_is_lighter_or_darker_than_what_it_meets(self, palette, eyes):
        colors = zip(SHADES, state_colors(palette, "light"), strict=True)
        lightness = {name: seen(color, eyes)[0] for name, color in colors}
        for met in ("prefill", "mixed", "waiting_phase"):
            assert abs(lightness["prefill_again"] - lightness[met]) > 11
        assert lightness["prefill_again"] > lightness["prefill"] + 13

    @pytest.mark.parametrize("theme", THEMES)
    def test_text_is_readable(self, theme):
        colors = THEMES[theme]
        assert contrast(colors.text, colors.surface) > 10
        assert contrast(colors.muted, colors.surface) > 4.5
        assert contrast(colors.surface, colors.locked) > 4.5
        assert contrast(colors.text, colors.resting) > 4.5


def linear(color):
    """Return a colour's linear RGB."""
    part = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def seen(color, eyes):
    """Return a colour as these eyes see it, in CIE L*a*b* (D65)."""
    rgb = np.clip(VIEWS[eyes] @ linear(color), 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = to_xyz @ rgb / [0.9505, 1, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one, other):
    """Return the contrast of two colours as WCAG 2 defines it."""
    light = sorted(linear(color) @ [0.2126, 0.7152, 0.0722] for color in (one, other))
    return (light[1] + 0.05) / (light[0] + 0.05)
