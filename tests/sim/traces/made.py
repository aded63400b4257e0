"""Made-up logs and traces, small and exact."""

import json

from sim.traces import Source, read_sources


def lines(records):
    """Return records as the bytes of a log, one on each line."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def imported(*files, **options):
    """Import files, given as bytes."""
    sources = [Source.of_bytes(f"file {k}", data) for k, data in enumerate(files)]
    return read_sources(sources, **options)


def rows(session):
    """Return a session's turns as rows of a table."""
    return [
        [t.wait_ms, t.input, t.output] + ([] if t.carried is None else [t.carried])
        for t in session.turns
    ]


def clock(seconds):
    """Return a time of day as logs write it."""
    return f"2026-01-02T03:{seconds // 60:02}:{seconds % 60:06.3f}Z"


def user(at, tool=True, session="s", **fields):
    """Return a line of Claude Code's: a tool's result or a person's prompt."""
    content = [{"type": "tool_result", "content": "y" * 400}] if tool else "please"
    message = {"role": "user", "content": content}
    return {
        "type": "user",
        "sessionId": session,
        "timestamp": clock(at),
        "uuid": f"u{at}",
        "message": message,
        **fields,
    }


def answer(at, name, usage, text="", session="s", block=0, **fields):
    """Return a line of Claude Code's: one block of a response.

    `usage` is (new, written to the cache, read from the cache, output).
    """
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    counts = dict(zip((*names, "output_tokens"), usage, strict=True))
    message = {
        "id": name,
        "model": "m",
        "content": [{"type": "text", "text": text}],
        "usage": {**counts, "cache_creation": {"ephemeral_5m_input_tokens": usage[1]}},
    }
    return {
        "type": "assistant",
        "sessionId": session,
        "timestamp": clock(at),
        "uuid": f"{name}-{block}",
        "message": message,
        **fields,
    }


CLAUDE = [
    {"type": "summary", "summary": "x", "leafUuid": "l"},
    user(0, tool=False),
    answer(4, "a", (10, 900, 0, 5)),
    answer(5, "a", (10, 900, 0, 120), block=1),
    user(7),
    answer(9, "b", (5, 195, 900, 80)),
]
"""Two responses of 910 and 1,100 tokens, one of two lines; 2 s between them."""


def codex_event(at, total, last):
    """Return a Codex line; `total` and `last` are (input, cached, output) or None."""
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    info = None
    if last:
        info = {
            "total_token_usage": dict(zip(names, total, strict=True)),
            "last_token_usage": dict(zip(names, last, strict=True)),
        }
    payload = {"type": "token_count", "info": info}
    return {"timestamp": clock(at), "type": "event_msg", "payload": payload}


def codex_line(at, kind, **payload):
    """Return a Codex line with a payload."""
    return {"timestamp": clock(at), "type": kind, "payload": payload}


CODEX = [
    codex_line(0, "session_meta", id="t1"),
    codex_line(1, "event_msg", type="user_message"),
    codex_event(2, None, None),
    codex_event(10, (1000, 0, 50), (1000, 0, 50)),
    codex_line(13, "response_item", type="function_call_output"),
    codex_event(20, (2200, 900, 90), (1200, 900, 40)),
    codex_event(21, (2200, 900, 90), (1200, 900, 40)),
]
"""Two requests of 1,000 and 1,200 tokens, the second one told twice; 3 s between them."""


WEKA = {
    "id": "c1",
    "block_size": 64,
    "tool_tokens": 60,
    "system_tokens": 40,
    "requests": [
        {"t": 0.0, "type": "n", "in": 256, "out": 30, "hash_ids": [1, 2, 3, 4], "api_time": 2.0},
        {
            "t": 9.0,
            "type": "n",
            "in": 340,
            "out": 0,
            "hash_ids": [1, 2, 3, 4, 5, 6],
            "think_time": 6.0,
        },
    ],
}


def mooncake(*rows):
    """Return Mooncake lines of (timestamp, input, output, blocks)."""
    names = ("timestamp", "input_length", "output_length", "hash_ids")
    return lines(dict(zip(names, row, strict=True)) for row in rows)


TRACELAB = (
    b"session_id,arrival_time,round_idx,prefix_len,input_len,output_len,tool_wait_after_ms\r\n"
    b"7,100,0,0,500,20,300\r\n"
    b"7,100,1,520,30,10,0\r\n"
    b"8,150,0,0,90,5,0\r\n"
)
