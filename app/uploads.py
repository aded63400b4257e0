"""Files on their way from the browser: bounded, and gone as soon as they have been read."""

import io
import tempfile

from app import limits
from sim.traces import Limits, Source
from sim.traces.streams import size_text

MOST_FILES = 5_000
LIMITS = Limits(files=20_000, total_bytes=8 * 2**30)
"""What an upload may hold once it is decompressed."""
CHUNK = 2**21
"""Bytes of a message; the browser sends the next one when it is asked to."""


class UploadError(ValueError):
    """More than is taken, or something that was not announced.

    Attributes
    ----------
    kind : str
        "files", "bytes" or "broken".
    values : dict
        What a text about it needs.
    """

    def __init__(self, kind, **values):
        super().__init__(kind)
        self.kind, self.values = kind, values


class Upload:
    """Files that arrive one after another, kept in one file that has no name.

    Parameters
    ----------
    files : list of (str, int)
        Names and sizes, as announced.

    Raises
    ------
    UploadError
        If they are too many or too large.
    """

    def __init__(self, files):
        self.files = [(str(name), int(size)) for name, size in files]
        self.total = sum(size for _, size in self.files)
        self.arrived = 0
        if len(self.files) > MOST_FILES:
            raise UploadError("files", count=f"{len(self.files):,}", most=f"{MOST_FILES:,}")
        most = limits.current().upload
        if self.total > most or any(size < 0 for _, size in self.files):
            raise UploadError("bytes", size=size_text(self.total), most=size_text(most))
        self._held = tempfile.TemporaryFile()  # noqa: SIM115

    @property
    def complete(self):
        """Whether all of it is there."""
        return self.arrived == self.total

    def add(self, data):
        """Add the next bytes.

        Raises
        ------
        UploadError
            If they are more than announced.
        """
        self.arrived += len(data)
        if self.arrived > self.total or not data:
            raise UploadError("broken")
        self._held.write(data)

    def sources(self):
        """Return the files, to be read while this is open, one at a time."""
        found, start = [], 0
        for name, size in self.files:
            found.append(Source(name, size, self._opener(start, size)))
            start += size
        return found

    def _opener(self, start, size):
        return lambda: _Part(self._held, start, size)

    def close(self):
        """Forget all of it."""
        self._held.close()


class _Part(io.RawIOBase):
    """A part of a file as a file of its own; closing it leaves the whole one open."""

    def __init__(self, whole, start, size):
        self._whole, self._start, self._size, self._at = whole, start, size, 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self._at

    def seek(self, offset, whence=io.SEEK_SET):
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer):
        self._whole.seek(self._start + self._at)
        data = self._whole.read(max(0, min(len(buffer), self._size - self._at)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
