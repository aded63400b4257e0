"""Files that are not what they seem get an answer that helps."""

import codecs
import gzip
import json

import pytest

from sim.traces import TraceError, read
from tests.sim.traces.made import CLAUDE, TRACELAB, imported, lines, rows

LOG = lines(CLAUDE)
EXPECTED = [[0, 910, 120], [2000, 70, 80]]

GEMINI = {"sessionId": "a", "projectHash": "b", "messages": [{"type": "gemini", "tokens": {}}]}
WARNED = {"sessionId": "a", "projectHash": "b", "messages": [{"type": "warning"}]}
AZURE = b"TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,374,44\r\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "an empty file"),
        (b"\n \n\n", "only white space"),
        (b"\x7fELF" + bytes(range(256)), "a program, not a log"),
        (b"SQLite format 3\0", "an SQLite database"),
        (bytes(range(256)) * 9, "a binary file"),
        (b"# Notes\n\nsome text\n", "neither JSON nor a known table"),
        (json.dumps(GEMINI, indent=2).encode(), "a Gemini CLI chat, which is not read"),
        (json.dumps(WARNED, indent=2).encode(), "Gemini CLI chat without any response"),
        (json.dumps(WARNED).encode(), "only with warning"),
        (b'[{"mapping": {}, "conversation_id": 1}]', "a ChatGPT export"),
        (b'{"messages": [{"role": "user", "content": "x"}]}\n', "a list of chat messages"),
        (b'{"traceEvents": []}', "a Chrome or Perfetto trace"),
        (b'{"workers": 4, "kv_capacity": 9}', "a scenario without a table"),
        (b'{"colour": "red"}\n', r"JSON of an unknown kind \(with colour\)"),
        (AZURE, "an Azure LLM inference trace: it has no sessions"),
        (b"Timestamp,Model,Request tokens,Response tokens\n", "a BurstGPT trace"),
        (b"request_id,session_id,dp_rank,ttft_ms\n", "DPA Scope's table of requests"),
        (b'{\n  "id": "x", "requests": [', "JSON that is cut or broken"),
        (lines(CLAUDE[:2]), "no usage data in 2 lines"),
        (lines([{"type": "session_meta", "payload": {"id": "x"}}]), "no usage data in 1 lines"),
        (b"PK\x05\x06" + bytes(18), "an empty zip archive"),
        (gzip.compress(LOG, mtime=0)[:60], "damaged"),
        (b"\xfd7zXZ\0", "compressed with xz"),
    ],
)
def test_what_cannot_be_read_is_named(data, said):
    with pytest.raises(TraceError, match=said):
        imported(data)


def test_deep_nesting_does_no_harm():
    with pytest.raises(TraceError, match="file 0"):
        imported(b"[" * 200_000)


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + LOG,
        LOG.replace(b"\n", b"\r\n"),
        LOG.rstrip(b"\n"),
        codecs.BOM_UTF16_LE + LOG.decode().encode("utf-16-le"),
        codecs.BOM_UTF16_BE + LOG.decode().encode("utf-16-be"),
        LOG.decode().encode("utf-16-le"),
        b"\n\n" + LOG,
        gzip.compress(LOG),
    ],
    ids=["BOM", "CRLF", "no last newline", "UTF-16 LE", "UTF-16 BE", "no BOM", "blank", "gzip"],
)
def test_encodings_and_line_ends(data):
    assert rows(imported(data).sessions[0]) == EXPECTED


def test_a_table_with_a_bom():
    assert len(imported(codecs.BOM_UTF8 + TRACELAB).sessions) == 2


def test_a_cut_last_line_is_counted_and_not_fatal():
    found = imported(LOG + LOG.splitlines()[-1][:90])
    assert rows(found.sessions[0]) == EXPECTED
    assert found.report.total.skipped == {"cut or broken": 1}
    assert "1 line skipped (1 cut or broken)" in found.report.text()


def test_a_cut_first_line():
    found = imported(b'{"type": "user", "sessi\n' + LOG)
    assert rows(found.sessions[0]) == EXPECTED


def test_separators_that_end_no_line():
    odd = CLAUDE[-1] | {"note": "a\u2028b\u0085c\x0bd"}
    text = json.dumps(odd, ensure_ascii=False).encode()
    assert rows(imported(lines(CLAUDE[:-1]) + text).sessions[0]) == EXPECTED


def test_lines_of_a_megabyte():
    long = CLAUDE[-2] | {"note": "x" * 1_000_000}
    data = lines([*CLAUDE[:-2], long, CLAUDE[-1]])
    assert rows(imported(data).sessions[0]) == EXPECTED


def test_lines_of_a_known_log_with_odd_contents():
    odd = [3, None, [1], {"type": "assistant", "message": {"usage": []}}, {"type": ["user"]}]
    found = imported(lines([*CLAUDE, *odd]))
    assert rows(found.sessions[0]) == EXPECTED
    assert found.report.total.skipped.total() >= 3


def test_one_wrong_file_does_not_spoil_the_others():
    found = imported(b"", LOG, AZURE)
    assert rows(found.sessions[0]) == EXPECTED
    text = found.report.text()
    assert "file 0: an empty file" in text
    assert "1 of 3 files used: 2 requests in 1 session from 6 lines; 1 repeat dropped" in text


def test_a_folder_of_logs(tmp_path):
    inside = tmp_path / "projects" / "subagents"
    inside.mkdir(parents=True)
    (inside / "agent-1.jsonl").write_bytes(LOG)
    (tmp_path / ".hidden").write_bytes(b"x")
    (tmp_path / "notes.md").write_bytes(b"# Notes")
    found = read([tmp_path])
    assert rows(found.sessions[0]) == EXPECTED
    assert [bool(file.error) for file in found.report.files] == [True, False]


def test_paths_that_are_not_there(tmp_path):
    with pytest.raises(TraceError, match=r"cannot read .*nowhere: No such file"):
        read([tmp_path / "nowhere"])
    with pytest.raises(TraceError, match="is an empty folder"):
        read([tmp_path])
