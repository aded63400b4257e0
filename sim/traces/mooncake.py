"""Mooncake's traces, with sessions and without."""

from sim.traces.sessions import Request
from sim.traces.tables import Table
from sim.traces.times import number, tokens

BLOCK = 512
"""Tokens of a block."""


class Mooncake(Table):
    """Reads Mooncake's traces.

    ``input_length`` is the whole prompt, ``hash_ids`` its blocks, the last one perhaps not full,
    and each stands for all that is before it. With ``session_id`` that says who asks, and
    ``delay`` (ms) is the wait before a request. Without, a request goes on with the session
    whose last prompt it begins with; its wait is the time between the two, for the trace does
    not tell how long the answer took. Two fields are this project's own, for what the others
    leave out: ``carried``, what a compaction left, and ``shared_prefix``.
    """

    name = "Mooncake trace"

    def open(self, file):
        """Begin a file."""
        super().open(file)
        self._named, self._ends = {}, {}

    def record(self, record):
        """Take in one line."""
        counts = self.read(record, "input_length", "output_length")
        if counts is None:
            return
        prompt, output = counts
        at = self.time(record, "timestamp", 1)
        blocks = record.get("hash_ids") or []
        name = record.get("session_id")
        if name is not None:
            thread = self._named.get(name)
            if thread is None:
                thread = self._named[name] = self.begin(str(name))
        else:
            thread = self._continued(blocks)
            self._file.note(
                "sessions are joined by their prompts, and waits include the time of the answers"
            )
        if not thread.requests and record.get("shared_prefix"):
            thread.shared = tokens(record["shared_prefix"])
        request = Request(prompt, output, carried=_optional(record, "carried", tokens))
        thread.add(request, at, _optional(record, "delay", number))
        if name is None:
            self._remember(thread, blocks, prompt)

    def _continued(self, blocks):
        """Return the thread whose last prompt these blocks begin with, or a new one."""
        for place in range(len(blocks) - 1, 0, -1):
            known = self._ends.get(blocks[place])
            if known is not None and known.blocks == place + 1:
                return known
        return self.begin(f"{len(self._sessions) + 1}")

    def _remember(self, thread, blocks, prompt):
        """Note where a prompt's full blocks end; the first one is common to too many."""
        whole = min(len(blocks), prompt // BLOCK)
        thread.blocks = whole
        if whole > 1:
            self._ends[blocks[whole - 1]] = thread


def _optional(record, name, read):
    """Return a number that a row may leave out."""
    value = record.get(name)
    return None if value is None else round(read(value))
