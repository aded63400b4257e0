"""This project's own JSON of sessions, and scenarios with a table."""

import json

from sim import checks
from sim.traces.report import TraceError
from sim.traces.sessions import TRIGGERS, Session, Turn

FORMAT = "dpascope-sessions"
VERSION = 1


def to_json(sessions, report=None):
    """Return sessions as JSON text: ids, counts and times, one session a line.

    Parameters
    ----------
    sessions : list of Session
    report : Report, optional
        Of the import that they come from.
    """
    head = {"format": FORMAT, "version": VERSION}
    if report is not None:
        head["report"] = report.to_dict()
    rows = ",\n  ".join(json.dumps(_plain(session)) for session in sessions)
    return f'{json.dumps(head)[:-1]}, "sessions": [\n  {rows}\n]}}\n'


def _plain(session):
    turns = session.turns
    fields = {
        "id": session.id,
        "source": session.source,
        "start_ms": session.start_ms,
        "shared_prefix": session.shared_prefix,
        "turns": [_row(turn) for turn in turns],
        "prompts": [turn.prompt for turn in turns],
        "cached": [turn.cached for turn in turns],
        "estimated": [place for place, turn in enumerate(turns) if turn.estimated],
        "triggers": [turn.trigger for turn in turns],
    }
    return {name: value for name, value in fields.items() if value not in (None, [])}


def _row(turn):
    row = [turn.wait_ms, turn.input, turn.output]
    return row if turn.carried is None else [*row, turn.carried]


class Own:
    """Reads the JSON that `to_json` writes, and scenarios with explicit sessions."""

    name = "DPA Scope sessions"

    def __init__(self):
        self._sessions = []

    def open(self, file):
        """Begin a file, a `FileReport`."""
        self._file = file

    def record(self, record):
        """Take in the document.

        Raises
        ------
        TraceError
            If it is not as `to_json` writes it; the message names the place.
        """
        if record.get("format") != FORMAT:
            shared = record.get("shared_prefix") or 0
            plain = [_with_prefix(turns, shared) for turns in _checked(record["table"], "table")]
            rows = [{"turns": turns, "shared_prefix": shared or None} for turns in plain]
        else:
            if record.get("version") != VERSION:
                raise TraceError(
                    f"version = {record.get('version')!r} of the sessions is not known; it must "
                    f"be {VERSION}"
                )
            rows = record.get("sessions")
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise TraceError("sessions must be a list of sessions")
            turns = _checked([row.get("turns") for row in rows], "sessions")
            rows = [{**row, "turns": one} for row, one in zip(rows, turns, strict=True)]
        for place, row in enumerate(rows):
            if row["turns"]:
                self._sessions.append(self._session(place, row))

    def _session(self, place, row):
        session = Session(
            str(row.get("id", place)),
            str(row.get("source", self.name)),
            [],
            _optional(row, "start_ms", 0),
            _optional(row, "shared_prefix", None),
            self._file,
        )
        if "table" not in row and "start_ms" not in row:
            session.start_ms = row["turns"][0][0]
        estimated = set(row.get("estimated", ()))
        context = 0
        for k, (wait, new, output, *carried) in enumerate(row["turns"]):
            kept = carried[0] if carried and carried[0] < context else None
            context = context if kept is None else kept
            trigger = _at(row, "triggers", k, "")
            prompt = _at(row, "prompts", k, context + new)
            self._file.take(prompt)
            session.turns.append(
                Turn(
                    wait if k else 0,
                    new,
                    output,
                    kept,
                    prompt,
                    _at(row, "cached", k, None),
                    k in estimated,
                    trigger if trigger in TRIGGERS else "",
                )
            )
            context += new + output
        return session

    def sessions(self):
        """Return the sessions of all files."""
        return self._sessions


def _checked(table, name):
    try:
        return checks.table(table)
    except ValueError as error:
        raise TraceError(str(error).replace("table", name, 1)) from error


def _with_prefix(turns, shared):
    """Return turns of a scenario, whose contexts leave the shared prefix out, with it."""
    whole = [[*turn[:3], *(kept + shared for kept in turn[3:])] for turn in turns]
    if whole:
        whole[0][1] += shared
    return whole


def _optional(row, name, default):
    value = row.get(name)
    return default if value is None else checks.integer(name, value, -(2**62), 2**62)


def _at(row, name, place, default):
    values = row.get(name)
    if not isinstance(values, list) or place >= len(values) or values[place] is None:
        return default
    return values[place]
