"""Caches, stages and moments rebuilt from results, on all golden cases."""

import functools

import numpy as np
import pytest

from app import derive
from app.derive import SHADES, STAGES, Bins, Recording
from app.derive.progress import tokens_left
from sim import Scenario, simulate, simulate_many
from sim.scenario import STATES
from tests.cases import golden

QUEUED, LOAD, PREFILL, HANDOFF, TRANSFER, DECODE = range(len(STAGES))


@functools.cache
def recordings():
    scenarios = [Scenario.from_dict(fields) for fields, _ in golden().values()]
    return dict(zip(golden(), map(Recording, simulate_many(scenarios)), strict=True))


cases = pytest.mark.parametrize("name", golden())


@cases
def test_used_kv_summed_over_ticks_is_the_engines_own_sum(name):
    recording = recordings()[name]
    caches = recording.kv
    assert caches.token_ticks(recording.ticks) == recording.result.kv_token_ticks
    assert (caches.size >= 0).all()


@cases
def test_occupancy_averages_to_the_same_sum(name):
    recording, s = recordings()[name], recordings()[name].scenario
    bins = Bins.fit((0, recording.ticks), 33, recording.ticks)
    used, locked = derive.occupancy(recording, bins)
    tokens = (used * s.kv_capacity - s.shared_prefix) * bins.widths
    assert tokens.sum() == pytest.approx(recording.result.kv_token_ticks)
    assert (locked <= used + 1e-12).all()
    assert used.max() <= 1 + 1e-12
    pairs, _ = derive.occupancy(recording, bins, per_lane=2)
    if recording.workers % 2 == 0:
        assert pairs == pytest.approx((used[::2] + used[1::2]) / 2)


@cases
def test_stages_agree_with_the_states_of_every_tick(name):
    recording = recordings()[name]
    state = np.array(
        [
            np.repeat(codes, np.diff(starts, append=recording.ticks))
            for starts, codes in recording.result.states
        ]
    )
    requests = recording.result.requests
    present = np.zeros((len(STAGES), recording.workers, recording.ticks + 1), np.int64)
    for stage in range(len(STAGES)):
        home = requests["worker" if stage < HANDOFF else "decode_worker"]
        np.add.at(present[stage], (home, recording.stages[:, stage]), 1)
        np.add.at(present[stage], (home, recording.stages[:, stage + 1]), -1)
    present = present.cumsum(axis=2)[:, :, :-1] > 0
    prefill, decode = present[PREFILL], present[DECODE]
    moving = present[LOAD] | present[TRANSFER]
    waiting = present[QUEUED] | present[HANDOFF]

    def when(*names):
        return np.isin(state, [STATES.index(name) for name in names])

    assert prefill[when("prefill", "mixed")].all()
    assert decode[when("decode", "dragged", "mixed")].all()
    assert (prefill | decode)[when("waiting_phase")].all()
    assert not (prefill | decode)[when("idle", "waiting_kv", "transfer")].any()
    assert moving[when("transfer")].all()
    assert not moving[when("idle", "waiting_kv")].any()
    assert waiting[when("waiting_kv")].all()
    assert not waiting[when("idle")].any()


@cases
def test_work_left_runs_out_in_the_last_tick_of_a_stage(name):
    recording = recordings()[name]
    rows = np.random.default_rng(1).permutation(len(recording.stages))[:12]
    for row in rows.tolist():
        for stage in (LOAD, PREFILL, TRANSFER, DECODE):
            first, stop = recording.stages[row, stage : stage + 2].tolist()
            if first < stop:
                assert tokens_left(recording, row, stage, stop - 1) > 0
                assert tokens_left(recording, row, stage, stop) == 0


@cases
def test_moments_explain_themselves(name):
    recording = recordings()[name]
    for tick in np.random.default_rng(2).integers(0, recording.ticks, 6).tolist():
        for moment in derive.at(recording, tick):
            check_moment(moment, tick)


def check_moment(moment, tick):
    cause = moment.cause
    locked = {entry.agent for entry in moment.entries if entry.locked}
    assert moment.since <= tick < moment.until
    assert cause.code == SHADES[moment.state]
    assert moment.free + moment.used + moment.shared == moment.capacity
    assert moment.free >= 0
    assert moment.worker in moment.group
    if moment.role != "prefill":
        assert locked == {request.agent for request in moment.running}
    if moment.blocked:
        assert moment.blocked.need > moment.blocked.free == moment.free
        assert moment.blocked.agent == moment.queue[0].agent
        assert {agent for agent, _ in moment.blocked.locked_by} == locked
    else:
        assert not moment.queue
    if cause.code in ("waiting_phase", "dragged"):
        assert cause.blockers
        assert moment.worker not in dict(cause.blockers)
    elif cause.code == "waiting_kv":
        assert moment.blocked
    elif cause.code == "idle":
        assert not moment.running
        assert cause.until is None or cause.until > tick
    else:
        assert set(cause.agents) <= locked
        assert moment.focus.agent in cause.agents
        assert all(request.left > 0 for request in moment.running)


class TestTwoWorkers:
    """Agent 0 decodes on worker 0 while agent 1, later, prefills on worker 1."""

    @functools.cached_property
    def recording(self):
        table = [[[0, 300, 100], [4000, 300, 100]], [[2000, 6000, 50]]]
        return Recording(
            simulate(
                Scenario(
                    workers=2,
                    draws="table",
                    table=table,
                    tick_ms=1000,
                    prefill_rate=1000,
                    decode_rate=10,
                    kv_capacity=20_000,
                    shared_prefix=500,
                )
            )
        )

    def test_prefill(self):
        first = derive.worker_at(self.recording, 0, 0)
        assert first.cause.code == "prefill"
        assert first.cause.agents == (0,)
        request = first.focus
        assert (request.agent, request.turn, request.stage) == (0, 0, "prefill")
        assert (request.prompt, request.cached, request.left) == (800, 500, 800)
        assert (first.used, first.locked, first.free) == (400, 400, 19_100)

    def test_waits_for_the_phase_and_says_for_whom(self):
        waiting = derive.worker_at(self.recording, 0, 4)
        assert waiting.cause.code == "waiting_phase"
        assert waiting.cause.phase == "prefill"
        assert waiting.cause.blockers == ((1, (1,)),)
        assert waiting.focus.stage == "decode"
        assert waiting.focus.left == 90

    def test_work_left_shrinks_with_the_phase(self):
        prefills = derive.worker_at(self.recording, 1, 4)
        assert prefills.focus.left == 6500 - 2 * 1000
        assert prefills.focus.since == 2

    def test_idle_says_who_is_to_come_and_when(self):
        idle = derive.worker_at(self.recording, 1, 0)
        assert idle.cause.code == "idle"
        assert idle.cause.agents == (1,)
        assert idle.cause.until == 2
        assert idle.focus is None

    def test_context_stays_idle_until_the_agent_ends(self):
        r = self.recording.result.requests
        between = int(r["finished"][0]) + 1
        entry = derive.worker_at(self.recording, 0, between).entries[0]
        assert (entry.agent, entry.tokens, entry.locked, entry.ended) == (0, 400, False, False)
        assert entry.last_access == between - 1
        last = derive.worker_at(self.recording, 0, int(r["finished"][1]))
        assert [(entry.tokens, entry.locked) for entry in last.entries] == [(800, True)]

    def test_tick_at(self):
        assert self.recording.tick_at(-3) == 0
        assert self.recording.tick_at(4.0) == 4
        assert self.recording.tick_at(1e9) == self.recording.ticks - 1


def test_a_blocked_head_names_what_it_needs_and_who_locks():
    table = [[[0, 6000, 100]], [[0, 5000, 100]]]
    scenario = Scenario(workers=1, draws="table", table=table, kv_capacity=10_000, tick_ms=1000)
    moment = derive.worker_at(Recording(simulate(scenario)), 0, 1)
    assert moment.blocked.agent == 1
    assert moment.blocked.need == 5100
    assert moment.blocked.free == 3900
    assert moment.blocked.locked_by == ((0, 6100),)
    assert [request.stage for request in moment.queue] == ["queued"]


def test_groups_follow_roles_and_size():
    recording = Recording(
        simulate(Scenario(workers=8, prefill_workers=3, group_size=2, agents=2, turns=[1, 1]))
    )
    groups = [list(recording.group(worker)) for worker in range(8)]
    assert groups == [[0, 1], [0, 1], [2], [3, 4], [3, 4], [5, 6], [5, 6], [7]]
    assert derive.worker_at(recording, 0, 0).role == "prefill"
    assert derive.worker_at(recording, 7, 0).role == "decode"
