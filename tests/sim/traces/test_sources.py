"""Archives, limits, and large logs in little memory."""

import gzip
import io
import json
import tracemalloc
import zipfile

import pytest

from sim.traces import Limits, Source, TraceError, read_sources
from tests.sim.traces.made import CLAUDE, CODEX, answer, imported, lines, rows, user

EXPECTED = [[0, 910, 120], [2000, 70, 80]]


def zipped(**files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return held.getvalue()


def test_a_zip_of_logs_of_several_kinds():
    data = zipped(
        a__log=lines(CLAUDE), b__rollout=gzip.compress(lines(CODEX)), c=b"x", _MAC=b"y", d=b""
    )
    found = imported(data)
    assert {len(session.turns) for session in found.sessions} == {2}
    assert [(f.name, f.format) for f in found.report.files] == [
        ("file 0/a/log", "Claude Code log"),
        ("file 0/b/rollout", "Codex rollout"),
        ("file 0/c", ""),
        ("file 0/d", ""),
    ]


def test_an_archive_within_an_archive():
    inner = zipped(a=lines(CLAUDE))
    with pytest.raises(TraceError, match="a zip archive inside of another"):
        imported(zipped(b=inner))


def test_a_damaged_archive():
    data = bytearray(zipped(a=lines(CLAUDE)))
    data[30:60] = bytes(30)
    with pytest.raises(TraceError, match=r"damaged|cannot be read"):
        imported(bytes(data))


def test_zstd():
    zstandard = pytest.importorskip("zstandard", reason="zstandard, of the extra traces")
    text = lines(CODEX)
    frames = zstandard.compress(text[:500]) + zstandard.compress(text[500:])
    assert rows(imported(frames).sessions[0]) == [[0, 1000, 50], [3000, 150, 40]]
    with pytest.raises(TraceError, match=r"damaged|empty or cut"):
        imported(zstandard.compress(text)[:9] + bytes(50))
    with pytest.raises(TraceError, match="empty or cut"):
        imported(zstandard.compress(text)[:-9])


def test_zstd_without_its_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(TraceError, match="pip install zstandard"):
        imported(b"\x28\xb5\x2f\xfd" + bytes(50))


def test_a_bomb_is_stopped_before_it_grows():
    bomb = gzip.compress(b'{"type": "user", "sessionId": "s"}\n' * 300_000)
    assert len(bomb) < 50_000
    with pytest.raises(TraceError, match=r"more than 1\.0 MB of logs when decompressed"):
        imported(bomb, limits=Limits(total_bytes=2**20))
    inside = zipped(a=b" " * 3_000_000)
    with pytest.raises(TraceError, match="when decompressed"):
        imported(inside, limits=Limits(total_bytes=2**20))


def test_too_many_files():
    with pytest.raises(TraceError, match="3 files; at most 2 are read at a time"):
        imported(b"a", b"b", b"c", limits=Limits(files=2))
    many = zipped(**{f"f{k}": lines(CLAUDE) for k in range(5)})
    with pytest.raises(TraceError, match="5 files in a zip archive; at most 4"):
        imported(many, limits=Limits(files=4))


def test_lines_and_documents_that_are_too_long():
    limits = Limits(line_bytes=2000, document_bytes=3000)
    long = user(6, note="x" * 5000)
    found = imported(lines([*CLAUDE[:-1], long, CLAUDE[-1]]), limits=limits)
    assert rows(found.sessions[0]) == EXPECTED
    assert found.report.total.skipped == {"too long": 1}
    document = json.dumps({"requests": [{"in": 1}] * 900, "block_size": 64}, indent=1)
    with pytest.raises(TraceError, match="one JSON document of more than"):
        imported(document.encode(), limits=limits)


class Endless(io.RawIOBase):
    """A log that is made as it is read, so that it is nowhere as a whole."""

    def __init__(self, responses):
        self._lines = self._made(responses)
        self._rest = b""

    def _made(self, responses):
        filling = "x" * 20_000
        for k in range(responses):
            yield lines([user(k % 3600, note=filling), answer(k % 3600, f"m{k}", (9, 0, k, 9))])

    def readable(self):
        return True

    def read(self, count=-1):
        while len(self._rest) < count:
            part = next(self._lines, b"")
            if not part:
                break
            self._rest += part
        found, self._rest = self._rest[:count], self._rest[count:]
        return found


def test_a_large_log_in_little_memory_with_progress():
    size = 40 * 2**20
    told = []
    source = Source("large", size, lambda: Endless(2000))
    tracemalloc.start()
    found = read_sources([source], progress=lambda *at: told.append(at))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.report.total.requests == 2000
    assert peak < 8 * 2**20
    assert len(told) > 20
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert {(total, name) for _, total, name in told} == {(size, "large")}


def test_an_import_can_be_stopped():
    class Stopped(Exception):
        pass

    def stop(done, total, name):
        raise Stopped

    with pytest.raises(Stopped):
        imported(lines(CLAUDE), progress=stop)
