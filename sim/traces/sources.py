"""Where traces come from: files, folders, archives and uploads, within limits."""

import dataclasses
import io
import pathlib
import zipfile

from sim.traces.report import LimitPassed, TraceError
from sim.traces.streams import CHUNK, ZIP, decompressed, read_some, size_text


@dataclasses.dataclass(frozen=True)
class Limits:
    """How much an import may take in.

    Attributes
    ----------
    files : int
        Files, those within archives included.
    total_bytes : int
        Decompressed bytes of all files together.
    line_bytes : int
        Bytes of one line; longer ones are skipped and counted.
    document_bytes : int
        Bytes of a file that is one JSON document, which is read whole.
    """

    files: int = 20_000
    total_bytes: int = 16 * 2**30
    line_bytes: int = 64 * 2**20
    document_bytes: int = 256 * 2**20


class Budget:
    """What is left of the limits, and how far the import is.

    Parameters
    ----------
    limits : Limits
    total : int
        Bytes to read, as they lie there.
    progress : callable, optional
        ``progress(done, total, name)`` is called now and then; it may raise to stop.
    """

    def __init__(self, limits, total, progress=None):
        self.limits, self.total, self.done, self.taken = limits, total, 0, 0
        self._progress, self._told = progress, 0
        self._step = max(1 << 20, total // 200)

    def read(self, count, name):
        """Count bytes read from where they lie."""
        self.done += count
        if self._progress and (self.done - self._told >= self._step or self.done >= self.total):
            self._told = self.done
            self._progress(min(self.done, self.total), self.total, name)

    def take(self, count):
        """Count decompressed bytes."""
        self.taken += count
        if self.taken > self.limits.total_bytes:
            raise LimitPassed(
                f"more than {size_text(self.limits.total_bytes)} of logs when decompressed, which "
                "is the most that is read; give fewer or smaller files"
            )


@dataclasses.dataclass(frozen=True)
class Source:
    """A file to read.

    Attributes
    ----------
    name : str
        As the report has it.
    size : int
        Bytes as they lie there.
    open_raw : callable
        Returns a new binary stream.
    """

    name: str
    size: int
    open_raw: object

    @classmethod
    def of_bytes(cls, name, data):
        """Return a source that is in memory, as an upload is."""
        return cls(name, len(data), lambda: io.BytesIO(data))

    @classmethod
    def of_path(cls, path, name=None):
        """Return a source that is a file."""
        path = pathlib.Path(path)
        return cls(name or str(path), path.stat().st_size, lambda: path.open("rb"))


def find_sources(paths):
    """Return the files behind paths: files as they are, folders with all that is in them.

    Hidden files in folders are left out.

    Raises
    ------
    TraceError
        If a path does not exist or cannot be read.
    """
    found = []
    for path in (pathlib.Path(path).expanduser() for path in paths):
        try:
            if path.is_dir():
                inside = [p for p in sorted(path.rglob("*")) if _visible(p, path) and p.is_file()]
                if not inside:
                    raise TraceError(f"{path} is an empty folder")
                found += [Source.of_path(p) for p in inside]
            else:
                found.append(Source.of_path(path))
        except OSError as error:
            raise TraceError(f"cannot read {path}: {error.strerror}") from error
    return found


def _visible(path, folder):
    return not any(part.startswith(".") for part in path.relative_to(folder).parts)


def open_members(source, budget):
    """Yield (name, binary stream) of each file in a source: of itself, or of an archive's members.

    Streams are decompressed and counted, and must be read before the next one is asked for.
    """
    raw = _Counted(source.open_raw(), source.name, budget)
    with raw:
        head = read_some(raw.peek, 4)
        if not head.startswith(ZIP):
            yield source.name, decompressed(raw)
            return
        raw.silent = True  # an archive is read to and fro
        try:
            with zipfile.ZipFile(raw) as archive:
                yield from _members(archive, source, budget)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise TraceError(f"a zip archive that cannot be read: {error}") from error
        budget.read(source.size, source.name)


def _members(archive, source, budget):
    infos = [info for info in archive.infolist() if not info.is_dir()]
    infos = [i for i in infos if not any(p[:1] in (".", "_") for p in i.filename.split("/"))]
    if not infos:
        raise TraceError("an empty zip archive")
    if len(infos) > budget.limits.files:
        raise LimitPassed(
            f"{len(infos):,} files in a zip archive; at most {budget.limits.files:,} are read"
        )
    for info in infos:
        with archive.open(info) as member:
            yield f"{source.name}/{info.filename}", decompressed(io.BufferedReader(member))


class _Counted(io.BufferedReader):
    """A buffered stream that tells how much has been read from where it lies."""

    def __init__(self, raw, name, budget):
        self.silent = False
        super().__init__(_Telling(raw, self, name, budget), CHUNK)


class _Telling(io.RawIOBase):
    def __init__(self, raw, owner, name, budget):
        self._raw, self._owner, self._name, self._budget = raw, owner, name, budget

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=0):
        return self._raw.seek(offset, whence)

    def tell(self):
        return self._raw.tell()

    def readinto(self, buffer):
        data = self._raw.read(len(buffer))
        buffer[: len(data)] = data
        if not self._owner.silent:
            self._budget.read(len(data), self._name)
        return len(data)

    def close(self):
        self._raw.close()
        super().close()
