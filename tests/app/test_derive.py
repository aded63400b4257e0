"""Pictures and series against plain loops over every tick."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import derive
from app.derive import EMPTY, SHADES, STACK, Bins, Recording, stack_tops, state_ticks
from app.derive.bins import integrate
from sim import Result, Scenario, simulate
from sim.result import EVENT_FIELDS, EVENT_KINDS, REQUEST_FIELDS
from sim.scenario import STATES


def made(lanes, events=(), tick_ms=1000):
    """Return a recording whose workers have these states, a letter each tick."""
    codes = {"i": 0, "w": 1, "k": 2, "p": 3, "d": 4, "t": 5, "m": 6, "g": 7}
    states = []
    for lane in lanes:
        row = np.array([codes[letter] for letter in lane], np.uint8)
        starts = np.flatnonzero(np.concatenate(([True], np.diff(row) != 0)))
        states.append((starts, row[starts]))
    columns = np.array(list(events), np.int64).reshape(-1, len(EVENT_FIELDS)).T
    return Recording(
        Result(
            Scenario(workers=len(lanes), tick_ms=tick_ms),
            len(lanes[0]),
            states,
            {name: np.zeros(0, np.int64) for name in (*REQUEST_FIELDS, "wait")},
            dict(zip(EVENT_FIELDS, columns, strict=True)),
            np.zeros(1, np.int64),
            0,
        )
    )


@functools.cache
def small():
    """A run with evictions, kills and idle time, quick enough for plain loops."""
    scenario = Scenario(
        workers=3, agents=9, kv_capacity=60_000, context_limit=50_000, turns=[3, 9], seed=5,
        shared_prefix=1000, stagger_ms=4000, lock="step", input_tokens=[1000, 9000],
    )  # fmt: skip
    return Recording(simulate(scenario))


def dense(recording):
    """Return the code in `SHADES` of each worker and tick."""
    _, start, stop, code = recording.shades
    return np.repeat(code, stop - start).reshape(recording.workers, recording.ticks)


windows = st.tuples(st.integers(-5, 60), st.integers(0, 70), st.integers(1, 30))


class TestBins:
    @given(windows, st.integers(1, 50), st.integers(1, 7))
    def test_cover_the_window_with_the_smallest_bins(self, window, ticks, least):
        first, length, columns = window
        bins = Bins.fit((first, first + length), columns, ticks, least=least)
        start, stop = max(0, first), min(ticks, first + length)
        if stop <= start:
            assert bins.count == 0
            return
        assert bins.start % bins.size == 0
        assert bins.start <= start < bins.start + bins.size
        assert bins.stop >= stop > bins.starts[-1]
        assert bins.count <= columns + 1
        assert bins.size >= least
        assert bins.size == least or (bins.size - 1) * columns < stop - start
        assert bins.widths.sum() == bins.stop - bins.start

    def test_seconds(self):
        bins = Bins.fit((0, 10), 3, 10, 0.25)
        assert bins.lefts.tolist() == [0, 1, 2]
        assert bins.rights.tolist() == [1, 2, 2.5]

    def test_panning_by_less_than_a_bin_moves_no_border(self):
        borders = [Bins.fit((start, start + 400), 40, 1000).starts[1:9] for start in (200, 205)]
        assert (borders[0] == borders[1]).all()


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 2), st.integers(-9, 9)), max_size=30),
    windows,
)
def test_integrate_equals_a_sum_over_ticks(changes, window):
    first, length, columns = window
    bins = Bins.fit((first, first + length), columns, 41)
    tick, row, delta = np.array(changes, np.int64).reshape(-1, 3).T
    values = np.zeros((3, 41), np.int64)
    for t, r, d in changes:
        values[r, t:] += d
    expected = [
        values[:, start : start + width].sum(axis=1)
        for start, width in zip(bins.starts, bins.widths, strict=True)
    ]
    found = integrate(tick, row, delta, bins, 3)
    assert found.T.tolist() == [column.tolist() for column in expected]


@given(
    st.lists(st.text("iwkpdtmg", min_size=37, max_size=37), min_size=1, max_size=5),
    windows,
    st.integers(1, 3),
)
def test_state_ticks_equal_a_count_over_ticks(lanes, window, per_lane):
    recording = made(lanes)
    first, length, columns = window
    bins = Bins.fit((first, first + length), columns, recording.ticks)
    found = state_ticks(recording, bins, per_lane)
    states = dense(recording)
    assert found.shape == (9, -(-len(lanes) // per_lane), bins.count)
    for lane in range(found.shape[1]):
        for column, (start, width) in enumerate(zip(bins.starts, bins.widths, strict=True)):
            cells = states[lane * per_lane : (lane + 1) * per_lane, start : start + width]
            count = np.bincount(cells.ravel(), minlength=9)
            assert found[:, lane, column].tolist() == count[list(STACK)].tolist()


def plain_tops(spent, rows):
    """The rule of `stack_tops` for one bin, in whole numbers."""
    total, present = sum(spent), sum(count > 0 for count in spent)
    if not total:
        return [0] * len(spent)
    promised = present <= rows
    tops, below, above = [], 0, present
    for i, count in enumerate(spent):
        below += count
        above -= count > 0
        top = (2 * rows * below + total) // (2 * total)
        if promised:
            top = max(top, (tops[-1] if i else 0) + (count > 0))
            top = min(top, rows - above)
        tops.append(max(top, tops[-1]) if i else top)
    return tops


counts = st.lists(st.one_of(st.just(0), st.integers(0, 50), st.integers(0, 2**40)), min_size=9,
                  max_size=9)  # fmt: skip


class TestStack:
    @given(counts, st.integers(1, 254))
    def test_is_the_documented_rule(self, spent, rows):
        found = stack_tops(np.array(spent, np.int64)[:, None], rows)[:, 0].tolist()
        assert found == plain_tops(spent, rows)

    @given(counts, st.integers(9, 64))
    def test_loses_nothing_and_invents_nothing(self, spent, rows):
        tops = stack_tops(np.array(spent, np.int64)[:, None], rows)[:, 0].astype(int)
        height = np.diff(tops, prepend=0)
        assert ((height > 0) == (np.array(spent) > 0)).all()
        assert height.sum() == (rows if sum(spent) else 0)
        if sum(spent):
            exact = np.cumsum(np.array(spent, float)) / sum(spent) * rows
            assert (abs(tops - exact) < len(SHADES)).all()

    def test_a_single_tick_stays_visible(self):
        recording = made(["w" * 500 + "p" + "w" * 499])
        bins = Bins.fit((0, 1000), 10, 1000)
        image = derive.lanes(recording, bins, rows=20, gap=0).image
        prefill = image == STATES.index("prefill")
        assert prefill.sum() == 1
        assert prefill[0, 5]


class TestLanes:
    lanes = ("ppddiiww", "ddddiiii", "wwkktmgi")

    def test_is_solid_when_zoomed_to_ticks(self):
        recording = made(self.lanes)
        bins = Bins.fit((2, 7), 1200, recording.ticks)
        drawn = derive.lanes(recording, bins, rows=4, gap=2)
        assert drawn.image.dtype == np.uint8
        assert drawn.image.shape == (3 * 6, 5)
        for worker, states in enumerate(dense(recording)[:, 2:7]):
            bottom = (2 - worker) * 6
            assert (drawn.image[bottom : bottom + 4] == states).all()
            assert (drawn.image[bottom + 4 : bottom + 6] == EMPTY).all()

    def test_stacks_shares_from_decode_up_to_idle(self):
        recording = made(self.lanes)
        image = derive.lanes(recording, Bins.fit((0, 8), 1, 8), rows=8, gap=0).image
        names = [STATES[code] for code in image[16:, 0]]
        assert names == [*["decode"] * 2, *["prefill"] * 2, *["waiting_phase"] * 2, *["idle"] * 2]

    def test_takes_workers_together(self):
        recording = made(self.lanes)
        bins = Bins.fit((0, 8), 3, 8)
        alone = derive.lanes(recording, bins, rows=8)
        pairs = derive.lanes(recording, bins, rows=8, per_lane=2)
        assert pairs.lanes == 2
        assert (pairs.spent[:, 0] == alone.spent[:, :2].sum(axis=1)).all()
        whole = derive.together(alone, rows=10)
        assert whole.image.shape == (10, bins.count)
        assert (whole.spent[:, 0] == alone.spent.sum(axis=1)).all()

    def test_a_window_outside_the_run_is_empty(self):
        recording = made(self.lanes)
        bins = Bins.fit((20, 30), 10, recording.ticks)
        assert derive.lanes(recording, bins, rows=8).image.shape == (27, 0)

    def test_many_states_in_few_rows_keep_the_shares(self):
        image = derive.lanes(made(["pdwkmgti" * 2]), Bins.fit((0, 16), 1, 16), 2, gap=0).image
        assert image.shape == (2, 1)


class TestSeries:
    @pytest.fixture(params=[(0.01, 7), (0.6, 40), (0, 5000)])
    def bins(self, request):
        recording, (share, columns) = small(), request.param
        window = (int(share * recording.ticks), recording.ticks)
        return Bins.fit(window, columns, recording.ticks, recording.tick_s)

    def each_bin(self, bins):
        return [range(s, s + w) for s, w in zip(bins.starts, bins.widths, strict=True)]

    def test_shares(self, bins):
        shares = derive.shares(derive.lanes(small(), bins, rows=8))
        states = dense(small())
        for column, ticks in enumerate(self.each_bin(bins)):
            mean = [(states[:, ticks] == code).mean() for code in STACK]
            assert shares[:, column].tolist() == pytest.approx(mean)

    def test_shares_of_the_whole_run_give_the_utilization(self):
        recording = small()
        whole = Bins.fit((0, recording.ticks), 1, recording.ticks)
        shares = derive.shares(derive.lanes(recording, whole, rows=8))
        assert shares[:3].sum() == pytest.approx(recording.result.summary()["utilization"])

    def test_evictions(self, bins):
        per_minute, cumulative = derive.evictions(small(), bins)
        ticks = small().result.of_kind("evict")["tick"].tolist()
        assert ticks
        minutes = bins.widths * small().tick_s / 60
        inside = [sum(t in span for t in ticks) for span in self.each_bin(bins)]
        until = [sum(t < span.stop for t in ticks) for span in self.each_bin(bins)]
        assert per_minute.tolist() == pytest.approx((inside / minutes).tolist())
        assert cumulative.tolist() == until

    def test_hit_rate(self, bins):
        rate, requests = derive.hit_rate(small(), bins)
        r, shared = small().result.requests, small().scenario.shared_prefix
        for column, ticks in enumerate(self.each_bin(bins)):
            rows = [i for i, started in enumerate(r["started"]) if started in ticks]
            assert requests[column] == len(rows)
            if rows:
                cached = sum(r["cached"][rows] + shared)
                assert rate[column] == cached / sum(r["prompt"][rows] + shared)
            else:
                assert np.isnan(rate[column])

    def test_hit_rate_of_the_whole_run(self):
        whole = Bins.fit((0, small().ticks), 1, small().ticks)
        rate, _ = derive.hit_rate(small(), whole)
        assert rate[0] == pytest.approx(small().result.summary()["prefix_cache_hit_rate"])

    def test_oversubscription(self, bins):
        recording, s = small(), small().scenario
        r, (ended, _) = recording.result.requests, recording.ended
        wanted = np.zeros(recording.ticks)
        for agent in range(recording.agents):
            rows = np.flatnonzero(r["agent"] == agent)
            size = (r["prompt"] + r["output"])[rows].tolist()
            until = [*r["created"][rows][1:].tolist(), ended[agent]]
            for start, stop, tokens in zip(r["created"][rows], until, size, strict=True):
                wanted[start:stop] += tokens
        wanted /= s.workers * (s.kv_capacity - s.shared_prefix)
        expected = [wanted[list(ticks)].mean() for ticks in self.each_bin(bins)]
        assert derive.oversubscription(recording, bins).tolist() == pytest.approx(expected)


class TestEvents:
    def recording(self):
        evict, kill, miss = (EVENT_KINDS.index(kind) for kind in ("evict", "kill", "miss"))
        rows = [
            (3, evict, 0, 1, 0, 50, 2),
            (3, evict, 1, 4, 0, 60, 5),
            (3, miss, 0, 2, 0, 10, -1),
            (4, evict, 0, 3, 1, 70, 6),
            (9, kill, -1, 2, 1, 99, -1),
        ]
        return made(["w" * 10], rows)

    def test_marks_count_each_kind_in_each_column(self):
        bins = Bins.fit((0, 10), 2, 10)
        marks = derive.marks(self.recording(), bins)
        found = [
            (EVENT_KINDS[k], c, n, t, a)
            for k, c, n, t, a in zip(
                *(marks[f].tolist() for f in ("kind", "column", "count", "tick", "agent")),
                strict=True,
            )
        ]
        assert found == [("evict", 0, 3, 3, 1), ("kill", 1, 1, 9, 2), ("miss", 0, 1, 3, 2)]
        events = self.recording().result.events
        assert (events["tick"][marks["event"]] == marks["tick"]).all()

    def test_marks_of_a_run_hold_every_event(self):
        recording = small()
        for columns in (1, 50, 10**6):
            bins = Bins.fit((0, recording.ticks), columns, recording.ticks)
            count = derive.marks(recording, bins)["count"].sum()
            assert count == recording.result.events["tick"].size > 0

    @pytest.mark.parametrize(
        ("tick", "kinds", "step", "found"),
        [
            (0, ("evict",), 1, 3),
            (3, ("evict",), 1, 4),
            (4, ("evict",), 1, None),
            (4, EVENT_KINDS, 1, 9),
            (9, EVENT_KINDS, -1, 4),
            (4, EVENT_KINDS, -1, 3),
            (3, EVENT_KINDS, -1, None),
            (9, ("miss",), -1, 3),
        ],
    )
    def test_next_event(self, tick, kinds, step, found):
        recording = self.recording()
        row = derive.next_event(recording, tick, kinds, step)
        assert (None if row is None else recording.result.events["tick"][row]) == found

    def test_next_event_is_the_first_of_its_tick(self):
        assert derive.next_event(self.recording(), 9, ("evict",), -1) == 3
        assert derive.next_event(self.recording(), 4, ("evict",), -1) == 0

    def test_events_at(self):
        assert derive.events_at(self.recording(), 3).tolist() == [0, 1, 2]
        assert derive.events_at(self.recording(), 5).tolist() == []
