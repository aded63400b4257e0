"""What readers of tables of requests have in common."""

from sim.traces.sessions import Session
from sim.traces.times import number, tokens


class Table:
    """A reader of rows, each of which is a request."""

    def __init__(self):
        self._sessions = []

    def open(self, file):
        """Begin a file, a `FileReport`; sessions do not go beyond it."""
        self._file = file
        self._last_time = None

    def sessions(self):
        """Return the sessions of all files."""
        return [found.session(self.name) for found in self._sessions]

    def read(self, record, *names):
        """Return counts of a row, or None, counted as skipped."""
        try:
            found = [tokens(record[name]) for name in names]
        except (KeyError, ValueError):
            self._file.skip("without usable counts")
            return None
        if found[0] <= 0:
            self._file.skip("with an empty prompt")
            return None
        return found

    def time(self, record, name, unit):
        """Return a row's time in ms, or None."""
        try:
            at = round(number(record.get(name)) * unit)
        except ValueError:
            return None
        if self._last_time is not None and at < self._last_time:
            self._file.out_of_order += 1
        self._last_time = at
        return at

    def begin(self, name):
        """Return a new session in the making."""
        found = Thread(name, self._file)
        self._sessions.append(found)
        return found


class Thread:
    """A session in the making."""

    def __init__(self, name, file):
        self.name, self.file = name, file
        self.requests, self.start, self.at = [], None, None
        self.blocks, self.shared = 0, None

    def add(self, request, at, delay=None):
        """Add a request; without a delay its wait is the time since the one before was sent."""
        if self.start is None:
            self.start = at if at is not None else 0
        if self.requests:
            gap = at - self.at if None not in (at, self.at) else 0
            request.wait_ms = max(0, gap if delay is None else delay)
        self.at = at if at is not None else self.at
        self.requests.append(request)
        self.file.take(request.prompt)

    def session(self, source):
        """Return the finished session."""
        return Session.of_requests(
            self.requests,
            id=self.name,
            source=source,
            start_ms=self.start,
            shared_prefix=self.shared,
            file=self.file,
        )
