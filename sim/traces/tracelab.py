"""TraceLab's traces, in the form in which they are replayed."""

from sim.checks import MAX_MS
from sim.traces.sessions import Session, Turn
from sim.traces.tables import Table
from sim.traces.times import number


class TraceLab(Table):
    """Reads TraceLab's CSV for replay.

    ``input_len`` is what is new; ``prefix_len`` is what is kept of the context, so that less
    than all is a compaction. Times are ms.
    """

    name = "TraceLab CSV"

    def open(self, file):
        """Begin a file."""
        super().open(file)
        self._rows = {}

    def record(self, record):
        """Take in one row."""
        counts = self.read(record, "input_len", "output_len", "prefix_len", "round_idx")
        if counts is None:
            return
        wait = record.get("tool_wait_after_ms")
        try:
            wait = round(number(wait)) if wait else 0
        except ValueError:
            wait = 0
        name = (self._file.name, str(record.get("session_id", record.get("id"))))
        if name not in self._rows:
            thread = self.begin(name[1])
            thread.start = self.time(record, "arrival_time", 1) or 0
            self._rows[name] = thread
        self._rows[name].requests.append((counts[3], *counts[:3], min(max(0, wait), MAX_MS)))
        self._file.take(counts[0] + counts[2])

    def sessions(self):
        """Return the sessions of all files."""
        return [self._session(thread) for thread in self._sessions]

    def _session(self, thread):
        turns, context, wait = [], 0, 0
        for _, new, output, prefix, after in sorted(thread.requests, key=lambda row: row[0]):
            output, carried = max(1, output), None
            if prefix < context:
                carried = context = prefix
            else:
                new += prefix - context  # of a session that began before the trace
            prompt = context + new
            turns.append(Turn(wait, new, output, carried, prompt, min(prefix, prompt)))
            context, wait = prompt + output, after
        first = min(thread.requests)
        return Session(
            thread.name,
            self.name,
            turns,
            thread.start,
            first[3] if first[3] > 0 else None,
            thread.file,
        )
