"""Reads files of any known format into sessions and a report."""

import dataclasses
import json

from sim.traces.detect import KNOWN, cells, format_of, look, parsed
from sim.traces.own import to_json
from sim.traces.report import Damaged, FileReport, LimitPassed, Report, TraceError
from sim.traces.sources import Budget, Limits, find_sources, open_members
from sim.traces.streams import lines, utf8, whole


@dataclasses.dataclass
class Import:
    """What came out of files.

    Attributes
    ----------
    sessions : list of Session
        In the order of their files.
    report : Report
    """

    sessions: list
    report: Report

    def to_json(self):
        """Return sessions and report as JSON text, which `read` reads again."""
        return to_json(self.sessions, self.report)


def read(paths, *, progress=None, limits=None):
    """Read logs and traces from files, folders and archives.

    Formats are told apart by content; one file that cannot be used does not spoil the others.

    Parameters
    ----------
    paths : iterable of str or Path
    progress : callable, optional
        ``progress(done, total, name)`` is called now and then with bytes and the file's name; it
        may raise to stop the import.
    limits : Limits, optional

    Returns
    -------
    Import

    Raises
    ------
    TraceError
        If a path cannot be read, a limit is passed, or no file has a usable request. A
        ValueError too.
    """
    return read_sources(find_sources(paths), progress=progress, limits=limits)


def read_sources(sources, *, progress=None, limits=None):
    """Read sources, such as uploads that are only in memory; else as `read`."""
    limits = limits or Limits()
    if len(sources) > limits.files:
        raise LimitPassed(f"{len(sources):,} files; at most {limits.files:,} are read at a time")
    budget = Budget(limits, sum(source.size for source in sources), progress)
    readers, report = {}, Report()
    for source in sources:
        _read_source(source, readers, report, budget)
    sessions = []
    for reader in readers.values():
        for session in reader.sessions():
            session.file.begins(session)
            sessions.append(session)
    order = {id(file): place for place, file in enumerate(report.files)}
    sessions.sort(key=lambda session: order[id(session.file)])
    for file in report.files:
        if not file.error and not file.requests:
            file.error = _nothing(file)
    if not sessions:
        raise TraceError(_nothing_at_all(report))
    return Import(sessions, report)


def _read_source(source, readers, report, budget):
    try:
        for name, stream in open_members(source, budget):
            file = FileReport(name)
            report.files.append(file)
            _read_file(stream, file, readers, budget)
            if len(report.files) > budget.limits.files:
                raise LimitPassed(f"more than {budget.limits.files:,} files")
    except LimitPassed:
        raise
    except TraceError as error:
        report.files.append(FileReport(source.name, error=str(error)))
    except OSError as error:
        report.files.append(FileReport(source.name, error=f"cannot be read: {error}"))


def _read_file(stream, file, readers, budget):
    """Read a file; what is wrong with it concerns no other, unless a limit is passed."""
    try:
        _read(stream, file, readers, budget)
    except LimitPassed:
        raise
    except Damaged as error:
        if file.lines:
            file.note(f"{error}; what came before counts")
        else:
            file.error = str(error)
    except TraceError as error:
        file.error = str(error)


def _read(stream, file, readers, budget):
    found, columns, text = look(lines(utf8(stream), budget))
    if found is None:
        _read_document(text, file, readers, budget)
        return
    file.format = found.name
    reader = readers.setdefault(found, found())
    reader.open(file)
    if columns:
        _read_table(text, columns, reader, file)
        return
    for line in text:
        if line is None:
            file.lines += 1
            file.skip("too long")
        elif line.strip():
            file.lines += 1
            _take(parsed(line), reader, file)


def _read_document(lines, file, readers, budget):
    """Read a file that is one JSON value over several lines."""
    text = whole(lines, budget)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"JSON that is cut or broken: {error}") from error
    records = document if isinstance(document, list) else [document]
    found = next(filter(None, map(format_of, records)), None)
    if found is None:
        raise TraceError(f"JSON of an unknown kind; known are: {KNOWN}")
    file.format = found.name
    reader = readers.setdefault(found, found())
    reader.open(file)
    for record in records:
        file.lines += 1
        _take(record, reader, file)


def _read_table(text, columns, reader, file):
    for line in text:
        if line is None or not line.strip():
            continue
        file.lines += 1
        found = cells(line.decode("utf-8", "replace").strip())
        if len(found) < len(columns):
            file.skip("cut or broken")
        else:
            reader.record(dict(zip(columns, found, strict=False)))


def _take(record, reader, file):
    if not isinstance(record, dict):
        file.skip("cut or broken")
        return
    try:
        reader.record(record)
    except TraceError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        file.skip("of an unexpected form")


def _nothing(file):
    """Say why a file of a known format has no request."""
    if file.repeats:
        return f"{file.repeats:,} repeats of requests that other files have, and nothing else"
    why = ", ".join(f"{count:,} lines {reason}" for reason, count in file.skipped.most_common(3))
    return f"no usage data in {file.lines:,} lines" + (f" ({why})" if why else "")


def _nothing_at_all(report):
    if not report.files:
        return "no files"
    said = [f"{file.name}: {file.error}" for file in report.files[:10]]
    if len(report.files) > 10:
        said.append(f"and {len(report.files) - 10:,} more files without a usable request")
    return "\n".join(said)
