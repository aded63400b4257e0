"""Whatever is in a file, an import ends with sessions or with an error that says why."""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sim import Scenario
from sim.traces import TraceError, oversized, to_mooncake, to_tracelab, trace_fields
from tests.sim.traces.made import CLAUDE, CODEX, TRACELAB, WEKA, imported, lines, mooncake

LOGS = [
    lines(CLAUDE),
    lines(CODEX),
    lines([WEKA]),
    json.dumps(WEKA, indent=1).encode(),
    mooncake((0, 1300, 10, [0, 1, 2]), (5, 1400, 10, [0, 1, 5])),
    TRACELAB,
    imported(lines(CLAUDE)).to_json().encode(),
]

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(-5, 5), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def check(data):
    """Import bytes, and use what comes out of it."""
    try:
        found = imported(data)
    except TraceError:
        return
    assert found.report.text()
    assert imported(found.to_json().encode()).report.total.requests > 0
    for write in (to_mooncake, to_tracelab):
        assert write(found.sessions)
    scenario = Scenario(**trace_fields(found.sessions, agents=3, shared_prefix=0))
    assert oversized(scenario)[0] <= 3


@given(st.sampled_from(LOGS), st.data())
@settings(max_examples=40, deadline=None)
def test_damaged_bytes(log, data):
    start = data.draw(st.integers(0, len(log)))
    stop = data.draw(st.integers(start, min(len(log), start + 40)))
    check(log[:start] + data.draw(st.binary(max_size=6)) + log[stop:])


def changed(value, draw):
    """Return a JSON value with some of what is in it replaced by something else."""
    if draw(st.integers(0, 9)) == 0:
        return draw(ODD)
    if isinstance(value, dict):
        return {name: changed(inner, draw) for name, inner in value.items()}
    if isinstance(value, list):
        return [changed(inner, draw) for inner in value]
    return value


@given(st.sampled_from([CLAUDE, CODEX, [WEKA]]), st.data())
@settings(max_examples=40, deadline=None)
def test_odd_values(records, data):
    check(lines(changed(record, data.draw) for record in records))


@given(
    st.dictionaries(st.sampled_from(["input_len", "output_len", "prefix_len", "round_idx"]), ODD)
)
@settings(max_examples=30, deadline=None)
@example({"input_len": float("inf")})
def test_odd_rows(values):
    row = {"session_id": "s", "input_len": 5, "output_len": 5, "prefix_len": 0, "round_idx": 0}
    cells = (json.dumps(str(value)) for value in {**row, **values}.values())
    check(",".join(row).encode() + b"\n" + ",".join(cells).encode() + b"\n")
