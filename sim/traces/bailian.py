"""The Qwen-Bailian traces."""

from sim.traces.sessions import Request
from sim.traces.tables import Table


class Bailian(Table):
    """Reads the Qwen-Bailian traces.

    ``input_length`` is the whole prompt; ``parent_chat_id`` names the request that one goes on
    from, -1 none. Times are seconds; waits include the time of the answers, which the trace does
    not tell.
    """

    name = "Qwen-Bailian trace"

    def open(self, file):
        """Begin a file."""
        super().open(file)
        self._at = {}

    def record(self, record):
        """Take in one line."""
        counts = self.read(record, "input_length", "output_length")
        if counts is None:
            return
        at = self.time(record, "timestamp", 1000)
        chat, parent = str(record.get("chat_id")), str(record.get("parent_chat_id"))
        # A second answer to one request is a branch: a session of its own.
        thread = self._at.pop(parent, None) or self.begin(chat)
        if parent != "-1" and not thread.requests:
            self._file.note("some requests go on from ones that are not in the file")
        thread.add(Request(*counts), at)
        self._at[chat] = thread
        self._file.note("waits include the time of the answers")
