"""The finished rows of a sweep on disk: JSON Lines behind a header that says which sweep it is."""

import hashlib
import json
import os
import pathlib

import numpy as np

from sim.sweep.table import metric_types

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

FORMAT = 1
FAILED = b'"error": "'


class Kept:
    """Rows on disk, to which batches are appended.

    Parameters
    ----------
    path : str or path
        Made if it is not there. Its last line may be torn, as by a loss of power.
    points : Points
    max_ticks : int

    Attributes
    ----------
    where : ndarray of int64, shape (runs,)
        Where the row of each run begins in the file, -1 if it is not there.
    failed : int
        Rows with an error.

    Raises
    ------
    ValueError
        If the file belongs to another sweep, is none of this kind, or is in use.
    OSError
        If it cannot be read or written.
    """

    def __init__(self, path, points, max_ticks):
        self.path = pathlib.Path(path)
        self.where = np.full(len(points), -1, np.int64)
        self.failed = 0
        self._file = self.path.open("a+b")
        try:
            _lock(self._file)
            self._read(_header(points, max_ticks))
        except BaseException:
            self._file.close()
            raise

    def _read(self, header):
        self._file.seek(0)
        first = self._file.readline()
        if not first.endswith(b"\n"):  # new, or torn before anything was kept
            if not header.startswith(first):
                raise ValueError(f"{self.path} is not the file of a sweep")
            self._file.truncate(0)
            self._write(header)
            return
        if first != header:
            raise ValueError(
                f"{self.path} belongs to another sweep: remove it, or choose another file"
            )
        while True:
            start = self._file.tell()
            line = self._file.readline()
            if not line.endswith(b"\n"):
                self._file.truncate(start)
                return
            self._note(line, start)

    def _note(self, line, start):
        try:
            index = json.loads(line)["index"]
            self.failed += self.where[index] < 0 and FAILED in line
            self.where[index] = start
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise ValueError(f"{self.path} is damaged at byte {start:,}") from error

    def _write(self, text):
        self._file.write(text)
        self._file.flush()

    def add(self, rows):
        """Append rows."""
        start = self._file.seek(0, os.SEEK_END)
        lines = [json.dumps(row).encode() + b"\n" for row in rows]
        for row, line in zip(rows, lines, strict=True):
            self.where[row["index"]] = start
            start += len(line)
        self._write(b"".join(lines))

    def rows(self, order):
        """Yield those rows that are there, in an order.

        Parameters
        ----------
        order : iterable of int
        """
        for index in order:
            if self.where[index] >= 0:
                self._file.seek(self.where[index])
                yield json.loads(self._file.readline())

    def close(self):
        """Close the file."""
        self._file.close()


def _lock(file):
    """Keep other sweeps from a file until it is closed, where the system can."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ValueError(f"{file.name} is in use: another sweep writes to it") from error


def _header(points, max_ticks):
    identity = {**points.identity(), "max_ticks": max_ticks, "metrics": list(metric_types())}
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    facts = {"dpascope_sweep": FORMAT, "runs": len(points), "names": points.names, "sha256": digest}
    return json.dumps(facts).encode() + b"\n"
