"""Tells the formats apart by what is in them, never by a file's name."""

import csv
import itertools
import json

from sim.traces.bailian import Bailian
from sim.traces.claude_code import ClaudeCode
from sim.traces.codex import Codex
from sim.traces.mooncake import Mooncake
from sim.traces.own import FORMAT, Own
from sim.traces.report import TraceError
from sim.traces.tracelab import TraceLab
from sim.traces.weka import Weka

FORMATS = (ClaudeCode, Codex, Weka, Mooncake, Bailian, TraceLab, Own)
LOOKED_AT = 200
"""Records at the beginning that may tell the format."""

CLAUDE_TYPES = {
    "assistant",
    "attachment",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "progress",
    "queue-operation",
    "summary",
    "system",
    "user",
}
CODEX_TYPES = {"session_meta", "event_msg", "response_item", "turn_context", "compacted"}
KNOWN = ", ".join(format.name for format in FORMATS)


def format_of(record):
    """Return the reader for a record, None if it does not tell.

    Raises
    ------
    TraceError
        If it is of another tool, which the message names.
    """
    if not isinstance(record, dict):
        return None
    keys, kind = record.keys(), str(record.get("type"))
    if record.get("format") == FORMAT or isinstance(record.get("table"), list):
        return Own
    if {"chat_id", "parent_chat_id", "input_length"} <= keys:
        return Bailian
    if {"input_length", "output_length"} <= keys:
        return Mooncake
    if isinstance(record.get("requests"), list) and keys & {"block_size", "tool_tokens"}:
        return Weka
    if kind in CODEX_TYPES and "payload" in keys:
        return Codex
    claude = keys & {"sessionId", "leafUuid", "snapshot", "parentUuid"}
    if claude and (kind in CLAUDE_TYPES or "uuid" in keys):
        return ClaudeCode
    other = _other(record)
    if other:
        raise TraceError(other)
    return None


def cells(line):
    """Return the cells of a line of CSV, none if it is broken."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []


def columns_of(line):
    """Return the columns of a header line and their reader, or None if it is no header.

    Raises
    ------
    TraceError
        If it is of another tool, which the message names.
    """
    columns = [name.strip() for name in cells(line)]
    names = set(columns)
    if {"input_len", "output_len", "prefix_len", "round_idx"} <= names and (
        names & {"session_id", "id"}
    ):
        return columns, TraceLab
    if {"ContextTokens", "GeneratedTokens"} <= names:
        raise TraceError(
            "an Azure LLM inference trace: it has no sessions, and without them nothing could "
            "be found again in a cache"
        )
    if {"Request tokens", "Response tokens"} <= names:
        raise TraceError("a BurstGPT trace: it does not say which requests belong to a session")
    if {"request_id", "dp_rank", "ttft_ms"} <= names:
        raise TraceError("DPA Scope's table of requests: a result, not a workload")
    return None


def _other(record):
    """Say what a record of another tool is."""
    keys = record.keys()
    messages = record.get("messages")
    if {"sessionId", "projectHash", "messages"} <= keys:
        kinds = {str(m.get("type")) for m in _dicts(messages)}
        if "gemini" in kinds:
            return "a Gemini CLI chat, which is not read; known are: " + KNOWN
        what = ", ".join(sorted(kinds)) or "nothing"
        return f"a Gemini CLI chat without any response, only with {what}"
    if {"mapping", "conversation_id"} <= keys or {"mapping", "create_time"} <= keys:
        return "a ChatGPT export: it has no token counts"
    if {"chat_messages", "uuid"} <= keys:
        return "a claude.ai export: it has no token counts"
    if {"custom_id", "method", "url"} <= keys:
        return "an OpenAI batch file: it has no token counts and no sessions"
    if record.get("record_type") == "state" or {"id", "timestamp", "instructions"} <= keys:
        return "an early Codex rollout, from before it logged token counts"
    if "traceEvents" in keys:
        return "a Chrome or Perfetto trace: a result, not a workload"
    if isinstance(messages, list) and all(isinstance(m, dict) and "role" in m for m in messages):
        return "a list of chat messages: it has no token counts"
    if {"workers", "kv_capacity"} <= keys:
        return "a scenario without a table of sessions"
    return ""


def _dicts(values):
    return (
        [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
    )


def parsed(line):
    """Return what is in a line of JSON, None if it is broken or empty."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def look(lines):
    """Find the format at the beginning of a file.

    Parameters
    ----------
    lines : iterator of bytes or None
        Lines of UTF-8.

    Returns
    -------
    (format, columns, lines)
        The reader, None for a document of several lines that must be read whole; the columns of
        a table with a header line, else None; and all lines from the first on.

    Raises
    ------
    TraceError
        If there is no text, or the format is another tool's or unknown.
    """
    seen, opened = [], False
    for line in itertools.islice(lines, LOOKED_AT):
        seen.append(line)
        if line is None or not line.strip():
            continue
        record = parsed(line)
        if record is None and len(seen) == _first(seen):
            text = line.decode("utf-8", "replace").strip()
            opened = text[0] in "{["  # a document of several lines, or a cut line of a log
            table = None if opened else columns_of(text)
            if table:
                return table[1], table[0], lines
        elif isinstance(record, list):
            opened = True
        elif not opened:
            found = format_of(record)
            if found:
                return found, None, itertools.chain(seen, lines)
        elif found := _quietly(record):
            return found, None, itertools.chain(seen, lines)
    if opened:
        return None, None, itertools.chain(seen, lines)
    if None in seen:
        raise TraceError("lines that are too long to be a log's")
    if not any(line.strip() for line in seen):
        raise TraceError("no text in it, only white space")
    raise TraceError(_unknown(seen))


def _quietly(record):
    """Return the reader for a record that may as well be a part of something larger."""
    try:
        return format_of(record)
    except TraceError:
        return None


def _first(lines):
    """Return the place of the first line with text, counted from 1."""
    return next(k for k, line in enumerate(lines, 1) if line and line.strip())


def _unknown(lines):
    records = [parsed(line) for line in lines if line]
    if any(isinstance(record, dict) for record in records):
        keys = next(", ".join(map(str, record)) for record in records if isinstance(record, dict))
        return f"JSON of an unknown kind (with {keys[:80]}); known are: {KNOWN}"
    return f"neither JSON nor a known table; known are: {KNOWN}"
