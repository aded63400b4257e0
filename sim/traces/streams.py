"""Streams of bytes as lines of UTF-8: decompressed, decoded, bounded."""

import codecs
import gzip
import io
import zipfile
import zlib

from sim.traces.report import Damaged, TraceError

GZIP, ZSTD, ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
NAMED = {
    ZIP: "a zip archive inside of another, which is not read",
    b"PK\x05\x06": "an empty zip archive",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"SQLite format 3": "an SQLite database",
    b"PAR1": "a Parquet file",
    b"\x7fELF": "a program",
    b"BZh": "compressed with bzip2, which is not read",
    b"\xfd7zXZ": "compressed with xz, which is not read",
    b"7z\xbc\xaf": "a 7-Zip archive, which is not read",
    b"Rar!": "a RAR archive, which is not read",
}
"""First bytes of files that people take for logs."""

BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
CHUNK = 1 << 16


def decompressed(stream):
    """Return a buffered stream of what a gzip or zstd stream holds, or the stream itself."""
    head = read_some(stream.peek, 4)[:4]
    if head.startswith(GZIP):
        return _filled(io.BufferedReader(gzip.GzipFile(fileobj=stream), CHUNK))
    if head.startswith(ZSTD):
        try:
            import zstandard
        except ImportError as error:
            raise TraceError(
                "compressed with zstd, which needs the package zstandard: pip install zstandard"
            ) from error
        reader = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
        return _filled(io.BufferedReader(reader, CHUNK))
    return stream


def _filled(stream):
    if not read_some(stream.peek, 1):
        raise TraceError("compressed, with nothing in it: empty or cut")
    return stream


def utf8(stream):
    """Return a stream of UTF-8 without a byte order mark, whatever the encoding of `stream`.

    Raises
    ------
    TraceError
        If there is nothing in it, or no text.
    """
    head = read_some(stream.peek, 4096)[:4096]
    if not head:
        raise TraceError("an empty file")
    for magic, what in NAMED.items():
        if head.startswith(magic):
            raise TraceError(f"{what}, not a log")
    for bom, encoding in BOMS.items():
        if head.startswith(bom):
            stream.read(len(bom))
            return stream if encoding == "utf-8" else _recoded(stream, encoding)
    if b"\0" in head:
        pairs = len(head) // 2
        for place, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
            if pairs and head[place::2].count(0) > 0.7 * pairs:
                return _recoded(stream, encoding)
        raise TraceError("a binary file, not a log")
    return stream


def lines(stream, budget):
    """Yield the lines of a UTF-8 stream as bytes, None for one that is too long.

    Lines end with "\\n" and nothing else: other line separators occur within JSON strings.
    """
    longest = budget.limits.line_bytes
    while True:
        line = read_some(stream.readline, longest + 1)
        budget.take(len(line))
        if not line:
            return
        if len(line) <= longest:
            yield line
            continue
        yield None
        while line and not line.endswith(b"\n"):
            line = read_some(stream.readline, CHUNK)
            budget.take(len(line))


def whole(lines, budget):
    """Return the lines of one document together."""
    parts, size = [], 0
    for line in lines:
        size += len(line or b"")
        if line is None or size > budget.limits.document_bytes:
            raise TraceError(
                f"one JSON document of more than {size_text(budget.limits.document_bytes)}; logs "
                "of that size have a record on each line"
            )
        parts.append(line)
    return b"".join(parts)


def size_text(count):
    """Return a number of bytes in words."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1024 or unit == "GB":
            return f"{count:.0f} {unit}" if count >= 10 else f"{count:.1f} {unit}"
        count /= 1024
    return ""


def read_some(read, count):
    """Read from a stream that may be damaged."""
    try:
        return read(count)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise Damaged(f"damaged: {error}") from error
    except Exception as error:
        if type(error).__name__ == "ZstdError":  # of a package that may be missing
            raise Damaged(f"damaged: {error}") from error
        raise


def _recoded(stream, encoding):
    return io.BufferedReader(_Recoded(stream, encoding), CHUNK)


class _Recoded(io.RawIOBase):
    """A stream in another encoding as UTF-8."""

    def __init__(self, stream, encoding):
        self._stream, self._rest = stream, b""
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def readable(self):
        return True

    def readinto(self, buffer):
        while not self._rest:
            part = self._stream.read(CHUNK)
            self._rest = self._decoder.decode(part, not part).encode("utf-8", "replace")
            if not part:
                break
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count
