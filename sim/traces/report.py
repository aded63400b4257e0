"""What an import found, dropped and guessed, file by file."""

import collections
import dataclasses

COUNTS = ("requests", "sessions", "lines", "repeats", "estimated", "compactions", "out_of_order")


class TraceError(ValueError):
    """A file, or all of an import, that cannot be used; the message says why."""


class LimitPassed(TraceError):
    """More than an import may take in."""


class Damaged(TraceError):
    """A stream that breaks off or cannot be decompressed."""


@dataclasses.dataclass
class FileReport:
    """What was found in one file.

    Attributes
    ----------
    name : str
    format : str
        The format's name; empty if there is none.
    lines : int
        Lines of a log, rows of a table, or records of a document.
    requests, sessions : int
        Those that are new in this file.
    repeats : int
        Records of requests that were known already.
    estimated : int
        Outputs that are estimates.
    compactions : int
    out_of_order : int
        Times earlier than the one before.
    largest_prompt : int
        Tokens.
    skipped : Counter
        Lines that could not be used, by reason.
    notes : list of str
        What else is worth knowing.
    error : str
        Why nothing of the file could be used; empty otherwise.
    """

    name: str
    format: str = ""
    lines: int = 0
    requests: int = 0
    sessions: int = 0
    repeats: int = 0
    estimated: int = 0
    compactions: int = 0
    out_of_order: int = 0
    largest_prompt: int = 0
    skipped: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    notes: list = dataclasses.field(default_factory=list)
    error: str = ""

    def skip(self, reason):
        """Count a line that could not be used."""
        self.skipped[reason] += 1

    def note(self, text):
        """Say something once."""
        if text not in self.notes:
            self.notes.append(text)

    def take(self, prompt):
        """Count a request that is new in this file."""
        self.requests += 1
        self.largest_prompt = max(self.largest_prompt, prompt)

    def repeat(self):
        """Count a request that was taken here as one that was known already."""
        self.requests -= 1
        self.repeats += 1

    def begins(self, session):
        """Count a session that begins in this file."""
        self.sessions += 1
        self.estimated += sum(turn.estimated for turn in session.turns)
        self.compactions += sum(turn.carried is not None for turn in session.turns)

    def to_dict(self):
        """Return the report as plain values, ready for JSON."""
        return {**vars(self), "skipped": dict(self.skipped), "notes": list(self.notes)}

    def sentence(self):
        """Return all of it in one line."""
        if self.error:
            return self.error
        said = (
            f"{_many(self.requests, 'request')} in {_many(self.sessions, 'session')} from "
            f"{_many(self.lines, 'line')}; {_many(self.repeats, 'repeat')} dropped, "
            f"{_many(self.estimated, 'output')} estimated, "
            f"{_many(self.skipped.total(), 'line')} skipped{_reasons(self.skipped)}, "
            f"{_many(self.compactions, 'compaction')}, largest prompt {self.largest_prompt:,}"
        )
        return "; ".join([said, *self._more()])

    def _more(self):
        if self.out_of_order:
            yield f"{_many(self.out_of_order, 'time')} out of order"
        yield from self.notes


@dataclasses.dataclass
class Report:
    """What an import found in all of its files.

    Attributes
    ----------
    files : list of FileReport
    """

    files: list = dataclasses.field(default_factory=list)

    @property
    def total(self):
        """All files together, as a `FileReport`."""
        total = FileReport("all files")
        for file in self.files:
            for name in COUNTS:
                setattr(total, name, getattr(total, name) + getattr(file, name))
            total.largest_prompt = max(total.largest_prompt, file.largest_prompt)
            total.skipped += file.skipped
            for note in file.notes:
                total.note(note)
        return total

    def text(self):
        """Return the report as text: a line for each file, and one for all if there are several."""
        lines = [f"{_label(file)}: {file.sentence()}" for file in self.files]
        if len(self.files) > 1:
            failed = sum(bool(file.error) for file in self.files)
            used = f"{len(self.files) - failed} of {_many(len(self.files), 'file')} used"
            lines.append(f"{used}: {self.total.sentence()}")
        return "\n".join(lines)

    def to_dict(self):
        """Return the report as plain values, ready for JSON."""
        return {"files": [file.to_dict() for file in self.files], "total": self.total.to_dict()}


def _label(file):
    return f"{file.name} ({file.format})" if file.format else file.name


def _many(count, word):
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _reasons(skipped):
    if not skipped:
        return ""
    return f" ({', '.join(f'{count:,} {why}' for why, count in skipped.most_common())})"
