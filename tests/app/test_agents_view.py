"""The agents' figures and view without a browser: what is drawn, and what the reader does."""

import functools

import numpy as np
import pytest

from app import sessions
from app.derive import Recording
from app.derive.evictors import evictions_between
from app.derive.lives import AGENT_STATES, NOTHING
from app.derive.sessions import METRICS, agent_table
from app.figures import LABELS, Board
from app.figures.agents import MOST_LANES, AgentLanes, lane_layout
from app.figures.context import PARTS
from app.figures.evictors import EvictorMap
from app.format import clock
from app.palette import PALETTES, THEMES, agent_colors
from app.runs import Run
from app.state import AppState, read_query
from app.texts import LANGUAGES, Texts
from app.views.agents import Agents
from app.views.picture import Picture
from sim import Scenario, simulate

FIELDS = {
    "agents": 9, "workers": 3, "turns": [3, 9], "kv_capacity": 60_000, "context_limit": 50_000,
    "input_tokens": [1000, 9000], "routing": "round_robin",
}  # fmt: skip


@functools.cache
def made(**changes):
    result = simulate(Scenario(**FIELDS).replace(**changes))
    return Run(Recording(result), result.summary())


class Shown:
    """A picture and the agents' room below it."""

    def __init__(self, **values):
        self.app = AppState(scenario=Scenario(**FIELDS), tab="agents", **values)
        self.picture = Picture(self.app)
        self.picture.run = made()
        self.room = Agents(self.app, self.picture.board)
        self.room.run = made()
        self.lanes = self.room.lanes
        self.list = self.room._list
        self.pairs = self.room.pairs
        self.recording = made().recording

    def coarse(self):
        return self.lanes.coarse.source.data["image"][0]

    def fine(self):
        return self.lanes.fine.source.data["image"][0]

    def reset(self):
        """Be as at first."""
        self.app.param.update(agent=None, order="agent", pin=None, tab="agents", language="en")
        self.app.param.update(dark=False, palette="default")
        self.picture.run = self.room.run = made()
        self.picture.board.frame.set_window(0, 1e9)
        self.picture.look(0)
        self.pairs.arrange(None)
        return self


@pytest.fixture(scope="module")
def once():
    return Shown()


@pytest.fixture
def shown(once):
    return once.reset()


@pytest.mark.parametrize("agents", [1, 7, 32, 100, 400, 480, 481, 3000])
def test_every_agent_has_room_in_a_lane(agents):
    layout = lane_layout(agents)
    assert layout["rows"] >= 5
    assert layout["gap"] >= 1
    assert -(-agents // layout["per_lane"]) <= MOST_LANES
    assert layout["per_lane"] == 1 or agents > MOST_LANES


def test_lanes_stand_in_the_order_that_is_asked_for(shown):
    board, run = shown.picture.board, made().recording
    before = shown.coarse().copy()
    order = np.arange(run.agents)[::-1]
    shown.lanes.show(run, order, board.columns)
    pitch = len(before) // run.agents
    lanes = before.reshape(run.agents, pitch, -1)
    assert (shown.coarse().reshape(lanes.shape) == lanes[::-1]).all()
    assert shown.coarse().dtype == np.uint8
    assert [shown.lanes.agent_at(y) for y in (-0.5, 0, 8.9, 9)] == [None, 0, 8, None]
    assert shown.lanes.place_of(8) == pytest.approx(0.5 / 9)


def test_no_lane_loses_an_agent_when_they_share_lanes():
    lanes = AgentLanes(Board({key: key for key in LABELS}).frame, "{agent}")
    lanes.order = np.arange(1000)
    assert lanes.per_lane == 3
    assert lanes.agent_at(lanes.lanes - 0.5) == 0
    assert lanes.agent_at(0.5) == 999


def test_sorting_sorts_lanes_and_list(shown):
    table = agent_table(shown.recording)
    shown.app.agent = 4
    for order in ("-recomputed", "e2e"):
        shown.app.order = order
        assert shown.lanes.agent_at(shown.lanes.lane.bottom) == 4
        values = table[order.strip("-")][shown.list.ranked]
        steps = np.diff(values[~np.isnan(values.astype(float))])
        assert ((steps <= 0) if order[0] == "-" else (steps >= 0)).all()
        assert shown.lanes.order.tolist() == shown.list.ranked
    assert "order=e2e" in shown.app.query()
    assert read_query(shown.app.query())[0].order == "e2e"


def test_agents_without_a_value_come_last_either_way():
    table = {"agent": np.arange(3), "ttft": np.array([np.nan, 2.0, 1.0])}
    assert sessions.sorted_agents(table, "ttft").tolist() == [2, 1, 0]
    assert sessions.sorted_agents(table, "-ttft").tolist() == [1, 2, 0]


def test_the_list_has_a_text_for_every_metric(shown):
    assert len(shown.list.rows) == shown.recording.agents
    assert all(len(row) == len(METRICS) for row in shown.list.rows)
    for language in LANGUAGES:
        texts = Texts(language).section("agents")
        assert set(texts["columns"]) == set(texts["helps"]) == set(METRICS)
        assert set(texts["states"]) == set(AGENT_STATES)
        assert set(PARTS) < set(texts["parts"])


def test_choosing_an_agent_shows_its_turns_and_outlines_its_requests(shown):
    r = shown.recording.result.requests
    visits = shown.picture.board.timeline.visits
    assert len(visits.data["left"]) == 0
    shown.app.agent = 4
    rows = np.flatnonzero(r["agent"] == 4)
    assert [turn["turn"] for turn in shown.list.turns] == r["turn"][rows].tolist()
    assert sum(turn["hop"] for turn in shown.list.turns) == (np.diff(r["worker"][rows]) != 0).sum()
    assert visits.data["left"] == pytest.approx(r["started"][rows] * shown.recording.tick_s)
    assert (visits.data["bottom"] == 2 - r["worker"][rows]).all()
    context = shown.room.context.chart.source.data
    whole = (r["prompt"] + r["output"])[rows]
    assert context[f"y{len(PARTS)}"] == pytest.approx(whole)
    assert shown.lanes.lane.visible
    assert shown.pairs.map.chosen.data["left"] == [0, 4]
    assert shown.picture._lens.chosen == "agent 4"
    evictions = evictions_between(shown.recording)
    lost = evictions.times[evictions.victim == 4].sum()
    assert sum(int(times) for _, times, _ in shown.list.evicted_by) == lost > 0

    shown.picture.board.frame.set_window(0, 30)
    shown.picture.look(900)
    seen = r["started"][rows] * shown.recording.tick_s < 30
    assert len(visits.data["left"]) == seen.sum() < rows.size

    shown.picture._lens.heard({"agent": None})
    assert len(visits.data["left"]) == 0
    assert shown.list.turns == []
    assert not shown.lanes.lane.visible
    assert shown.picture._lens.chosen == ""


def test_an_agent_that_the_run_does_not_have_is_nobody():
    shown = Shown(agent=3)
    assert shown.pairs.map.chosen.data["left"] == [0, 3]
    assert shown.list.agent == 3
    assert shown.list.missing == ""
    shown.app.agent = 70
    assert shown.list.agent is None
    assert "70" in shown.list.missing
    assert not shown.room.context.__panel__().visible
    assert shown.picture._lens.chosen == ""
    assert "agent=70" in shown.app.query()  # there may be so many again


def test_a_row_pins_its_turn_and_a_second_click_on_a_lane_its_moment(shown):
    r = shown.recording.result.requests
    shown.app.agent = 2
    shown.list.heard({"pin": 1})
    row = np.flatnonzero((r["agent"] == 2) & (r["turn"] == 1))[0]
    assert (shown.app.pin, shown.app.worker) == (r["started"][row], r["worker"][row])
    at = shown.list.contexts
    shown.room._head.heard({"spot": [40.0, 3.5]})
    assert (shown.app.agent, shown.app.pin) == (5, r["started"][row])
    shown.room._head.heard({"spot": [40.0, 3.5]})
    assert shown.app.pin == shown.recording.tick_at(40)
    assert shown.list.contexts != at
    assert "0:00:40" in shown.list.pinned
    shown.app.pin = 10**6  # beyond the end is the last tick
    last = (shown.recording.ticks - 1) * shown.recording.tick_s
    assert shown.list.pinned.endswith(clock(last))


def test_there_is_a_chart_of_the_context_only_for_an_agent_with_turns():
    shown = Shown()
    assert shown.room.context.chart is None
    assert shown.list.parts == []
    shown.app.language = "zh"
    shown.app.dark = True
    shown.app.agent = 4
    assert shown.room.context.__panel__().visible
    assert [part["name"] for part in shown.list.parts] == list(PARTS)
    assert set(shown.room._head.figures) == {"agent_lanes", "context"}
    assert "4" in shown.room.context.chart.root.title.text
    shown.app.agent = None
    assert not shown.room.context.__panel__().visible
    shown.app.agent = 5
    killed = made(context_limit=900)
    shown.picture.run = shown.room.run = killed
    assert shown.list.agent == 5
    assert not shown.room.context.__panel__().visible


def test_hover_says_what_the_agent_does(shown):
    said = shown.room.hover([1.0, 8.5])
    assert said["state"] in AGENT_STATES
    assert "Agent 0" in said["title"]
    assert shown.lanes.cell.visible
    assert shown.room.hover(None) is None
    assert not shown.lanes.cell.visible
    for language in LANGUAGES:
        shown.app.language = language
        for seconds in np.linspace(0, shown.recording.ticks * 0.25 - 1, 40):
            assert all(shown.room.hover([seconds, 4.5])["lines"])


def test_nothing_is_done_while_another_tab_is_open(shown):
    image = shown.coarse()
    shown.app.tab = "run"
    shown.picture.board.frame.set_window(10, 60)
    shown.picture.look(900)
    shown.picture.run = made(seed=4)
    assert shown.coarse() is image
    assert (shown.fine() == NOTHING).all()
    shown.app.tab = "agents"
    shown.room.run = made(seed=4)
    shown.room.ask()
    assert shown.coarse() is not image
    assert shown.fine().shape[1] > 1


def test_the_charts_make_room_for_the_lanes(shown):
    board = shown.picture.board
    assert board.timeline.root.visible
    assert not any(figure.root.visible for figure in (board.events, *board.charts))
    shown.app.tab = "run"
    assert all(figure.root.visible for figure in (board.events, *board.charts))


def test_a_run_with_fewer_agents_takes_the_place_of_one_with_more(shown):
    shown.app.agent = 8
    fewer = made(agents=3)
    shown.picture.run = fewer
    shown.room.run = fewer
    assert shown.list.ranked == [0, 1, 2]
    assert shown.list.agent is None
    assert not shown.lanes.lane.visible


def test_agents_without_turns_and_agents_killed_at_once_have_lanes_too(shown):
    table = [[], [[0, 300, 100], [4000, 300, 100]], [[0, 90_000, 10]]]
    result = simulate(Scenario(workers=2, draws="table", table=table, context_limit=50_000))
    shown.picture.run = shown.room.run = Run(Recording(result), result.summary())
    assert [row[METRICS.index("turns")] for row in shown.list.rows] == ["0", "2", "0"]
    states = []
    for agent in range(3):
        shown.app.agent = agent
        assert len(shown.list.turns) == 2 * (agent == 1)
        states.append(shown.room.hover([0.1, 2.5 - agent])["state"])
    assert states == ["done", "prefill", "killed"]
    shown.pairs.arrange("worker")
    assert shown.pairs.map.order.size == 3


class TestEvictors:
    def test_cells_and_sums_are_those_of_the_events(self, shown):
        evictions = evictions_between(shown.recording)
        pairs, sums = shown.pairs.map.pairs.data, shown.pairs.map.sums.data
        assert len(pairs["x"]) == evictions.victim.size
        assert pairs["times"].sum() == evictions.times.sum()
        found = set(zip(pairs["victim"], pairs["evictor"], strict=True))
        known = zip(evictions.victim.tolist(), evictions.evictor.tolist(), strict=True)
        assert found == {(str(victim), str(evictor)) for victim, evictor in known}
        assert len(sums["tokens"]) == 2 * shown.recording.agents
        first = pairs["x"][0], pairs["y"][0]
        shown.pairs._part.heard({"spot": list(first)})
        assert shown.app.agent == int(pairs["victim"][0])
        shown.pairs._part.heard({"spot": [1, 1000]})
        assert shown.app.agent == int(pairs["victim"][0])

    def test_arrangements(self, shown):
        assert shown.pairs._part.order == "agent"
        shown.app.order = "-evicted_tokens"
        shown.pairs.arrange("list")
        assert shown.pairs.map.order.tolist() == shown.list.ranked
        shown.app.order = "-e2e"
        assert shown.pairs.map.order.tolist() == shown.list.ranked
        shown.pairs.arrange("worker")
        assert len(shown.pairs.map.axes["left"].ticker.ticks) == 3
        pinned = made(routing="pinned")
        shown.picture.run = shown.room.run = pinned
        assert shown.pairs.map.order.tolist() == [0, 3, 6, 1, 4, 7, 2, 5, 8]
        shown.pairs.arrange(None)
        assert shown.pairs._part.order == "worker"

    def test_very_many_agents_share_cells(self):
        evictors = EvictorMap(Board({key: key for key in LABELS}).frame, NOTATION)
        evictions = evictions_between(made().recording)
        evictors.show(evictions, np.arange(1000), [])
        assert evictors.cells == 200
        assert evictors.victim_at(199.5) == 0
        assert evictors.victim_at(0.5) == 995
        assert evictors.pairs.data["times"].sum() == evictions.times.sum()

    def test_names_below_have_room(self):
        evictors = EvictorMap(Board({key: key for key in LABELS}).frame, NOTATION)
        groups = [(2, f"DP {worker}") for worker in range(200)]
        evictors.show(evictions_between(made().recording), np.arange(400), groups)
        pitch = evictors.root.frame_height / evictors.x_range.end
        assert np.diff(evictors.axes["below"].ticker.ticks).min() * pitch > 50

    def test_nothing_evicted(self, shown):
        shown.picture.run = shown.room.run = made(kv_capacity=10_000_000, context_limit=9_000_000)
        assert not shown.pairs.map.root.visible
        assert shown.pairs._part.pairs == []
        assert "No agent" in shown.room._head.said


NOTATION = dict.fromkeys(("victim", "evictor", "lost", "took", "pair", "sum"), "")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("palette", PALETTES)
def test_agents_have_the_colours_of_the_page(shown, theme, palette):
    shown.app.param.update(dark=theme == "dark", palette=palette)
    colors = agent_colors(palette, theme)
    assert shown.lanes.mapper.palette[:-1] == colors
    assert len(set(colors)) == len(AGENT_STATES)
    other = "light" if theme == "dark" else "dark"
    shown.app.dark = other == "dark"
    assert shown.lanes.mapper.palette[:-1] == agent_colors(palette, other)
    states = {state["name"]: state["color"] for state in shown.room._head.states}
    assert states["decode"] == PALETTES[palette]["decode"]
