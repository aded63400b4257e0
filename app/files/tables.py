"""A run's requests, events and agents as tables, with the names that serving engines use."""

import csv
import io
import math

import numpy as np

from app.derive.sessions import STATUS, agent_table
from sim.result import EVENT_FIELDS, EVENT_KINDS

REQUESTS = {
    "request_id": str,
    "session_id": str,
    "turn_index": int,
    "dp_rank": int,
    "arrival_s": float,
    "queue_s": float,
    "prefill_start_s": float,
    "first_token_s": float,
    "end_s": float,
    "input_tokens": int,
    "cached_tokens": int,
    "new_tokens": int,
    "recomputed_tokens": int,
    "output_tokens": int,
    "ttft_ms": float,
    "tpot_ms": float,
    "e2e_ms": float,
}
"""Columns of the requests. Times are from the start of the run; `queue_s` lies between arrival
and admission, `prefill_start_s` after a load from the host tier; `input_tokens` are the whole
prompt, of which `cached_tokens` were found, `recomputed_tokens` had been computed before, and
`new_tokens` are the turn's own. TTFT begins at arrival; TPOT = (E2E − TTFT) / (output − 1)."""

EVENTS = {
    "time_s": float,
    "kind": str,
    "dp_rank": int,
    "session_id": str,
    "turn_index": int,
    "tokens": int,
    "by_session_id": str,
}
"""Columns of the events; `dp_rank` is empty for kills and compactions, which no worker has."""


AGENTS = {
    "session_id": str,
    "status": str,
    "turns": int,
    "context_tokens": int,
    "worker_hops": int,
    "recomputed_tokens": int,
    "recomputed_evicted_tokens": int,
    "prefix_cache_hit_rate": float,
    "evicted": int,
    "evicted_tokens": int,
    "evicted_others": int,
    "evicted_others_tokens": int,
    "mean_ttft_ms": float,
    "p90_ttft_ms": float,
    "mean_e2e_ms": float,
    "mean_queue_s": float,
    "waiting_phase_s": float,
    "session_s": float,
}
"""Columns of the agents. `context_tokens` is at the agent's end; `evicted` counts the evictions of
its context, `evicted_others` those made for its requests; `waiting_phase_s` is the time in all that
its requests were admitted and did not advance. What an agent without a finished request cannot
have is empty."""


def agents(recording):
    """Return the agents' sessions as columns of plain values, by the names in `AGENTS`."""
    table = agent_table(recording)

    def known(name, scale=1):
        return [None if math.isnan(v) else v for v in _plain(table[name] * scale)]

    return {
        "session_id": list(map(str, table["agent"].tolist())),
        "status": [STATUS[status] for status in table["status"].tolist()],
        "turns": table["turns"].tolist(),
        "context_tokens": table["context"].tolist(),
        "worker_hops": table["hops"].tolist(),
        "recomputed_tokens": table["recomputed"].tolist(),
        "recomputed_evicted_tokens": table["recomputed_evicted"].tolist(),
        "prefix_cache_hit_rate": known("hit_rate"),
        "evicted": table["evicted"].tolist(),
        "evicted_tokens": table["evicted_tokens"].tolist(),
        "evicted_others": table["evicts"].tolist(),
        "evicted_others_tokens": table["evicts_tokens"].tolist(),
        "mean_ttft_ms": known("ttft", 1000),
        "p90_ttft_ms": known("ttft_p90", 1000),
        "mean_e2e_ms": known("e2e", 1000),
        "mean_queue_s": known("queue"),
        "waiting_phase_s": known("waiting"),
        "session_s": known("session"),
    }


def requests(recording):
    """Return the finished requests as columns of plain values, by the names in `REQUESTS`."""
    r, shared, tick = recording.result.requests, recording.shared, recording.tick_s
    ttft = (r["prefilled"] + 1 - r["created"]) * tick * 1000
    e2e = (r["finished"] + 1 - r["created"]) * tick * 1000
    agents, turns = r["agent"].tolist(), r["turn"].tolist()
    columns = {
        "request_id": [f"{a}-{t}" for a, t in zip(agents, turns, strict=True)],
        "session_id": list(map(str, agents)),
        "turn_index": turns,
        "dp_rank": r["worker"].tolist(),
        "arrival_s": _plain(r["created"] * tick),
        "queue_s": _plain((r["started"] - r["created"]) * tick),
        "prefill_start_s": _plain(recording.stages[:, 2] * tick),
        "first_token_s": _plain((r["prefilled"] + 1) * tick),
        "end_s": _plain((r["finished"] + 1) * tick),
        "input_tokens": (r["prompt"] + shared).tolist(),
        "cached_tokens": (r["cached"] + shared).tolist(),
        "new_tokens": (r["prompt"] - r["cached"] - r["recomputed"]).tolist(),
        "recomputed_tokens": r["recomputed"].tolist(),
        "output_tokens": r["output"].tolist(),
        "ttft_ms": _plain(ttft),
        "tpot_ms": _plain((e2e - ttft) / np.maximum(1, r["output"] - 1)),
        "e2e_ms": _plain(e2e),
    }
    return columns


def events(recording):
    """Return the events as columns of plain values, by the names in `EVENTS`."""
    tick, worker, agent, turn, tokens, by = (
        recording.result.events[name].tolist() for name in EVENT_FIELDS if name != "kind"
    )
    kinds = recording.result.events["kind"].tolist()
    return {
        "time_s": _plain(np.array(tick) * recording.tick_s),
        "kind": [EVENT_KINDS[kind] for kind in kinds],
        "dp_rank": [rank if rank >= 0 else None for rank in worker],
        "session_id": list(map(str, agent)),
        "turn_index": turn,
        "tokens": tokens,
        "by_session_id": [str(one) if one >= 0 else None for one in by],
    }


def to_csv(columns):
    """Return columns as CSV (RFC 4180, "." decimals)."""
    text = io.StringIO(newline="")
    out = csv.writer(text)
    out.writerow(columns)
    out.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def to_parquet(columns, types):
    """Return columns as the bytes of a Parquet file.

    Raises
    ------
    ValueError
        If pyarrow is not installed.
    """
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ValueError("Parquet needs pyarrow: python -m pip install pyarrow") from error
    kinds = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string()}
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in types.items()])
    held = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns, schema=schema), held)
    return held.getvalue()


def _plain(values):
    """Return times without the noise of binary fractions: to the microsecond."""
    return np.round(np.asarray(values, float), 6).tolist()
