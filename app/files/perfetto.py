"""A run as a Chrome trace, which Perfetto (ui.perfetto.dev) and chrome://tracing open.

The format is JSON, "Trace Event Format": complete events (X) with ``ts`` and ``dur`` in µs, which
must nest on each thread; instant events (i), counters (C) and names (M). A process is a worker;
its first thread is the worker's state, the others are the agents that it served.
"""

import itertools
import json

import numpy as np

from app.derive.again import SHADES
from app.derive.recording import STAGES
from sim.result import EVENT_FIELDS, EVENT_KINDS, REQUEST_FIELDS

STATE_THREAD = 1
FIRST_AGENT = 2
"""Thread of agent 0."""

REQUEST_ARGS = REQUEST_FIELDS[REQUEST_FIELDS.index("prompt") :]
"""Sizes of a request, which a click on it shows."""


def trace_json(recording):
    """Return the trace as JSON text.

    Parameters
    ----------
    recording : app.derive.Recording

    Returns
    -------
    str
    """
    parts = (_names, _states, _requests, _marks, _counters)
    events = itertools.chain.from_iterable(part(recording) for part in parts)
    rows = ",\n".join(json.dumps(event, separators=(",", ":")) for event in events)
    return f'{{"displayTimeUnit":"ms","traceEvents":[\n{rows}\n]}}\n'


def _process(worker):
    """Return a worker's process: 0 is the idle process to some viewers."""
    return worker + 1


def _span(recording, name, kind, worker, thread, start, stop, **args):
    tick = recording.scenario.tick_ms * 1000
    return {
        "ph": "X",
        "name": name,
        "cat": kind,
        "pid": _process(worker),
        "tid": thread,
        "ts": start * tick,
        "dur": (stop - start) * tick,
        **({"args": args} if args else {}),
    }


def _name(kind, process, thread, **args):
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": args}


def _names(recording):
    r, prefill = recording.result.requests, recording.scenario.prefill_workers
    for worker in range(recording.workers):
        role = "" if not prefill else " (prefill)" if worker < prefill else " (decode)"
        process = _process(worker)
        yield _name("process_name", process, 0, name=f"worker {worker}{role}")
        yield _name("process_sort_index", process, 0, sort_index=worker)
        yield _name("thread_name", process, STATE_THREAD, name="state")
    served = np.concatenate(
        [
            np.column_stack((r["worker"], r["agent"])),
            np.column_stack((r["decode_worker"], r["agent"])),
            np.column_stack([recording.result.events[f] for f in ("worker", "agent")]),
        ]
    )
    for worker, agent in np.unique(served, axis=0).tolist():
        if worker >= 0:
            thread = FIRST_AGENT + agent
            yield _name("thread_name", _process(worker), thread, name=f"agent {agent}")
            yield _name("thread_sort_index", _process(worker), thread, sort_index=thread)
    if (recording.result.events["worker"] < 0).any():
        yield _name("process_name", _process(recording.workers), 0, name="router")


def _states(recording):
    for worker, start, stop, code in zip(*(c.tolist() for c in recording.shades), strict=True):
        yield _span(recording, SHADES[code], "state", worker, STATE_THREAD, start, stop)


def _requests(recording):
    """Yield each request, and within it its stages, on the workers that had it."""
    r, shared = recording.result.requests, recording.shared
    disaggregated = bool(recording.scenario.prefill_workers)
    columns = {name: r[name].tolist() for name in (*REQUEST_ARGS, "agent", "turn")}
    workers = zip(r["worker"].tolist(), r["decode_worker"].tolist(), strict=True)
    for row, ((worker, decoder), times) in enumerate(
        zip(workers, recording.stages.tolist(), strict=True)
    ):
        args = {name: columns[name][row] for name in REQUEST_ARGS}
        args["prompt"] += shared
        args["cached"] += shared
        name, thread = f"turn {columns['turn'][row]}", FIRST_AGENT + columns["agent"][row]
        handed = STAGES.index("handoff") if disaggregated else len(STAGES)
        for place, first, stop in ((worker, 0, handed), (decoder, handed, len(STAGES))):
            if first == stop:
                continue
            span = times[first], times[stop]
            yield _span(recording, name, "request", place, thread, *span, **args)
            for stage in range(first, stop):
                if times[stage + 1] > times[stage]:
                    yield _span(
                        recording,
                        STAGES[stage],
                        "stage",
                        place,
                        thread,
                        times[stage],
                        times[stage + 1],
                    )


def _marks(recording):
    tick = recording.scenario.tick_ms * 1000
    events = recording.result.events
    for at, kind, worker, agent, turn, tokens, by in zip(
        *(events[name].tolist() for name in EVENT_FIELDS), strict=True
    ):
        args = {"agent": agent, "turn": turn, "tokens": tokens}
        if by >= 0:
            args["by_agent"] = by
        yield {
            "ph": "i",
            "s": "t",
            "name": EVENT_KINDS[kind],
            "cat": "event",
            "pid": _process(worker if worker >= 0 else recording.workers),
            "tid": FIRST_AGENT + agent,
            "ts": at * tick,
            "args": args,
        }


def _counters(recording):
    """Yield the KV tokens in use and locked, and the requests queued and running."""
    tick = recording.scenario.tick_ms * 1000
    kv, stages, r = recording.kv, recording.stages, recording.result.requests
    # Admitted and dropped within a tick; unlocked and removed after it.
    late = kv.kind >= 3
    for worker in range(recording.workers):
        mine = kv.worker == worker
        series = _steps((kv.tick + late)[mine], kv.grown[mine], kv.lock_grown[mine])
        for at, used, locked in series:
            yield _counter("KV tokens", worker, at * tick, locked=locked, idle=used - locked)
        here, there = r["worker"] == worker, r["decode_worker"] == worker
        if recording.scenario.prefill_workers:
            queue, run, end = (0, 1, 3) if here.any() else (3, 4, 6)
            chosen = stages[here if here.any() else there]
        else:
            queue, run, end, chosen = 0, 1, 6, stages[here]
        if not chosen.size:
            continue
        ones = np.ones(len(chosen), np.int64)
        ticks = np.concatenate([chosen[:, place] for place in (queue, run, end)])
        queued = np.concatenate((ones, -ones, 0 * ones))
        running = np.concatenate((0 * ones, ones, -ones))
        for at, waiting, active in _steps(ticks, queued, running):
            yield _counter("requests", worker, at * tick, queued=waiting, running=active)


def _counter(name, worker, at, **values):
    return {"ph": "C", "name": name, "pid": _process(worker), "tid": 0, "ts": at, "args": values}


def _steps(ticks, first, second):
    """Return (tick, sum, sum) after each tick in which something changes."""
    order = np.argsort(ticks, kind="stable")
    ticks = ticks[order]
    last = np.append(np.diff(ticks) > 0, True)[: ticks.size]
    sums = [np.cumsum(values[order])[last].tolist() for values in (first, second)]
    return zip(ticks[last].tolist(), *sums, strict=True)
