"""Agents' lives, sessions and evictions against plain loops over every tick and event."""

import collections
import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.derive import Bins, Recording
from app.derive.agents import agent_lanes, agent_ticks
from app.derive.evictors import evictions_between, home_workers
from app.derive.lives import AGENT_STATES, CODE, NOTHING, life_at
from app.derive.sessions import STATUS, agent_table, context_at, turns_of, visits
from sim import Scenario, simulate
from sim.scenario import STATES
from tests.cases import scenarios

MOVES = {"prefill": ("prefill", "mixed"), "decode": ("decode", "mixed", "dragged")}


def plain_lives(recording):
    """Return what each agent does in each tick, by looking."""
    r, again = recording.result.requests, recording.again
    ended, killed = recording.ended
    rows = collections.defaultdict(list)
    for row, agent in enumerate(r["agent"].tolist()):
        rows[agent].append(row)
    states = [
        np.repeat(codes, np.diff(starts, append=recording.ticks)).tolist()
        for starts, codes in recording.result.states
    ]

    def doing(agent, t):
        if ended[agent] < 0:
            return "done"
        if killed[agent] and t >= ended[agent]:
            return "killed"
        begun = [row for row in rows[agent] if r["created"][row] <= t]
        if not begun:
            return "not_started"
        row = begun[-1]
        if r["finished"][row] < t:
            return "done" if row == rows[agent][-1] and not killed[agent] else "thinking"
        stage = sum(first <= t for first in recording.stages[row].tolist()) - 1
        if stage in (0, 3):
            return "queued"
        if stage in (1, 4):
            return "transfer"
        worker = r["worker" if stage == 2 else "decode_worker"][row]
        state = STATES[states[worker][t]]
        if state not in MOVES["prefill" if stage == 2 else "decode"]:
            return "waiting_phase"
        if stage == 5:
            return "dragged" if state == "dragged" else "decode"
        return "again" if again[row, 0] <= t < again[row, 1] else "prefill"

    return np.array(
        [[CODE[doing(a, t)] for t in range(recording.ticks)] for a in range(recording.agents)]
    ).reshape(recording.agents, recording.ticks)


@functools.cache
def small(**fields):
    """A run with evictions, kills, hops and an agent that waits outside."""
    given = {
        "workers": 3, "agents": 9, "kv_capacity": 60_000, "context_limit": 50_000,
        "turns": [3, 9], "seed": 5, "shared_prefix": 1000, "stagger_ms": 4000, "lock": "step",
        "input_tokens": [1000, 9000], "routing": "random", "max_concurrent_agents": 7,
        "tick_ms": 1000,
    }  # fmt: skip
    return Recording(simulate(Scenario(**{**given, **fields})))


def counted(lives, bins, order, per_lane):
    """Return the ticks of each state, lane and bin, by counting."""
    lanes = -(-len(order) // per_lane)
    spent = np.zeros((len(AGENT_STATES), lanes, bins.count), np.int64)
    for place, agent in enumerate(order):
        for column, start in enumerate(bins.starts.tolist()):
            for code in lives[agent, start : min(start + bins.size, bins.stop)]:
                spent[code, place // per_lane, column] += 1
    return spent


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"lock": "phase", "phase_policy": "mixed", "prefill_sharing": True},
        {"prefill_workers": 1, "host_kv_capacity": 90_000, "transfer_rate": 3000},
        {"phase_policy": "time_slice", "overflow": "compact", "routing": "pinned"},
    ],
)
def test_lanes_count_what_each_agent_does_in_each_tick(fields):
    recording = small(**fields)
    lives = plain_lives(recording)
    seen = {AGENT_STATES[code] for code in np.unique(lives)}
    assert {"prefill", "again", "decode", "queued", "thinking", "not_started"} <= seen
    order = np.random.default_rng(3).permutation(recording.agents)
    for window, columns, per_lane in (
        ((0, recording.ticks), recording.ticks, 1),
        ((0, recording.ticks), 37, 1),
        ((recording.ticks // 3, recording.ticks // 2), 20, 2),
    ):
        bins = Bins.fit(window, columns, recording.ticks)
        spent = agent_ticks(recording, bins, order, per_lane)
        assert (spent == counted(lives, bins, order.tolist(), per_lane)).all()


@given(scenarios(), st.integers(1, 50), st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_lanes_of_any_scenario(scenario, columns, per_lane):
    recording = Recording(simulate(scenario))
    if recording.ticks > 3000:
        return
    bins = Bins.fit((0, recording.ticks), columns, recording.ticks)
    order = np.arange(recording.agents)
    spent = agent_ticks(recording, bins, None, per_lane)
    assert (spent == counted(plain_lives(recording), bins, order, per_lane)).all()


def test_the_image_has_a_lane_for_each_agent_in_the_order_asked_for():
    recording = small()
    bins = Bins.fit((0, recording.ticks), recording.ticks, recording.ticks)
    order = np.arange(recording.agents)[::-1]
    shown = agent_lanes(recording, bins, order, rows=3, gap=1)
    image = shown.image[::-1].reshape(recording.agents, 4, bins.count)
    assert (image[:, 0] == NOTHING).all()
    assert (image[:, 1:] == plain_lives(recording)[order][:, None]).all()
    assert image.dtype == np.uint8


@pytest.mark.parametrize("fields", [{}, {"prefill_workers": 1, "transfer_rate": 3000}])
def test_a_moment_and_a_visit_say_where_an_agent_is(fields):
    recording = small(**fields)
    lives = plain_lives(recording)
    for agent in range(recording.agents):
        worker, start, stop = visits(recording, agent, (0, recording.ticks))
        for tick in np.random.default_rng(agent).integers(0, recording.ticks, 40).tolist():
            moment = life_at(recording, agent, tick)
            assert moment.state == AGENT_STATES[lives[agent, tick]]
            assert moment.since <= tick < moment.until
            assert (lives[agent, moment.since : moment.until] == lives[agent, tick]).all()
            here = worker[(start <= tick) & (tick < stop)].tolist()
            assert here == (
                [moment.worker] if moment.worker >= 0 and (moment.state != "queued") else []
            )
    middle = (recording.ticks // 2, recording.ticks // 2 + 9)
    worker, start, stop = visits(recording, 0, middle)
    assert ((start < middle[1]) & (stop > middle[0])).all()


def test_sessions_add_up():
    recording = small()
    r, shared = recording.result.requests, recording.shared
    table = agent_table(recording)
    evict = recording.result.of_kind("evict")
    lives = plain_lives(recording)
    _, killed = recording.ended
    assert killed.any()
    assert evict["tick"].size
    for agent in range(recording.agents):
        rows = np.flatnonzero(r["agent"] == agent)
        row = {name: column[agent] for name, column in table.items()}
        assert row["agent"] == agent
        assert STATUS[row["status"]] == ("killed" if killed[agent] else "done")
        assert row["turns"] == rows.size
        assert np.arange(len(r["agent"]))[turns_of(recording, agent)].tolist() == rows.tolist()
        assert row["hops"] == sum(
            a != b for a, b in zip(r["worker"][rows], r["worker"][rows[1:]], strict=False)
        )
        assert row["recomputed"] == r["recomputed"][rows].sum()
        assert row["recomputed_evicted"] == r["recomputed_evicted"][rows].sum()
        waits = (lives[agent] == CODE["waiting_phase"]).sum() * recording.tick_s
        assert row["waiting"] == waits
        for name, who in (("evicted", "agent"), ("evicts", "by")):
            mine = evict[who] == agent
            assert row[name] == mine.sum()
            assert row[f"{name}_tokens"] == evict["tokens"][mine].sum()
        if not rows.size:
            assert row["context"] == 0
            assert np.isnan([row[name] for name in ("hit_rate", "ttft", "ttft_p90", "e2e")]).all()
            continue
        assert row["context"] == r["prompt"][rows[-1]] + r["output"][rows[-1]] + shared
        prompts = (r["prompt"][rows] + shared).sum()
        assert row["hit_rate"] == pytest.approx((r["cached"][rows] + shared).sum() / prompts)
        ttft = (r["prefilled"] + 1 - r["created"])[rows] * recording.tick_s
        assert row["ttft"] == pytest.approx(ttft.mean())
        assert row["ttft_p90"] == pytest.approx(np.percentile(ttft, 90))
        e2e = (r["finished"] + 1 - r["created"])[rows] * recording.tick_s
        assert row["e2e"] == pytest.approx(e2e.mean())
        queue = (r["started"] - r["created"])[rows] * recording.tick_s
        assert row["queue"] == pytest.approx(queue.mean())
    sessions = table["session"][~np.isnan(table["session"])]
    assert sorted(sessions) == pytest.approx(sorted(recording.result.times()["session"]))


def test_context_follows_the_latest_request():
    recording = small()
    r = recording.result.requests
    rows = np.flatnonzero(r["agent"] == 4)
    size = (r["prompt"] + r["output"])[rows] + recording.shared
    created = r["created"][rows]
    assert context_at(recording, created[0] - 1)[4] == 0
    assert context_at(recording, created[1] - 1)[4] == size[0]
    assert context_at(recording, created[1])[4] == size[1]


def test_evictions_between_pairs_are_those_of_the_events():
    recording = small()
    pairs = evictions_between(recording)
    evict = recording.result.of_kind("evict")
    expected = collections.defaultdict(lambda: [0, 0])
    for victim, by, tokens in zip(evict["agent"], evict["by"], evict["tokens"], strict=True):
        expected[int(victim), int(by)][0] += 1
        expected[int(victim), int(by)][1] += int(tokens)
    found = zip(pairs.victim, pairs.evictor, pairs.times, pairs.tokens, strict=True)
    assert {(int(v), int(e)): [n, t] for v, e, n, t in found} == expected
    order = np.random.default_rng(1).permutation(recording.agents)
    matrix = pairs.matrix(order)
    for (victim, by), (_, tokens) in expected.items():
        assert matrix[order.tolist().index(victim), order.tolist().index(by)] == tokens
    assert matrix.sum() == evict["tokens"].sum()
    assert (pairs.matrix(order, 2)[0, 0]) == matrix[:2, :2].sum()
    victims = pairs.of(int(pairs.evictor[0]), as_victim=False)
    assert (pairs.evictor[victims] == pairs.evictor[0]).all()
    assert (np.diff(pairs.tokens[victims]) <= 0).all()


def test_home_is_where_most_requests_went():
    recording = small()
    r = recording.result.requests
    for agent, home in enumerate(home_workers(recording).tolist()):
        count = collections.Counter(r["worker"][r["agent"] == agent].tolist())
        most = max(count.values(), default=0)
        assert home == min((w for w, n in count.items() if n == most), default=-1)
