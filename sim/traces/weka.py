"""kv-cache-tester's traces: one JSON document a conversation, seen by a proxy.

``in`` is the whole prompt, ``hash_ids`` its blocks of ``block_size`` tokens, so the cached part
is what two neighbours have in common. ``think_time`` (s) is the wait before a request; its clock
is coarse. An entry of type ``subagent`` holds requests of its own, with times from its start.
"""

from sim.traces.sessions import Request, Session
from sim.traces.times import number, tokens

BLOCK = 64


class Weka:
    """Reads the traces of kv-cache-tester."""

    name = "kv-cache-tester trace"

    def __init__(self):
        self._sessions = []

    def open(self, file):
        """Begin a file, a `FileReport`."""
        self._file = file

    def record(self, record):
        """Take in one conversation."""
        shared = tokens(record.get("tool_tokens")) + tokens(record.get("system_tokens"))
        block = tokens(record.get("block_size")) or BLOCK
        name = str(record.get("id") or self._file.name)
        self._conversation(record["requests"], name, 0, block, shared, "")

    def _conversation(self, entries, name, start, block, shared, trigger):
        requests, before, begun = [], None, start
        for place, entry in enumerate(entries if isinstance(entries, list) else []):
            if not isinstance(entry, dict):
                self._file.skip("that is no request")
                continue
            if entry.get("type") == "subagent":
                at = start + _ms(entry.get("t"))
                inside = entry.get("requests")
                self._conversation(inside, f"{name}/{place}", at, block, shared, "spawn")
                continue
            one = self._request(entry, before, block)
            if one is None:
                continue
            if not requests:
                begun = start + _ms(entry.get("t"))
                one.trigger = trigger
            requests.append(one)
            self._file.take(one.prompt)
            before = entry
        if requests:
            self._sessions.append(
                Session.of_requests(
                    requests,
                    id=name,
                    source=self.name,
                    start_ms=begun,
                    shared_prefix=shared or None,
                    file=self._file,
                )
            )

    def _request(self, entry, before, block):
        try:
            prompt, output = tokens(entry["in"]), tokens(entry.get("out"))
        except (KeyError, ValueError):
            self._file.skip("without usable counts")
            return None
        if prompt <= 0:
            self._file.skip("with an empty prompt")
            return None
        blocks = entry.get("hash_ids")
        if (
            before
            and blocks
            and all(entry.get(n) == before.get(n) for n in ("hash_ids", "in", "t"))
        ):
            self._file.repeats += 1  # streamed and not: a pair for one request
            return None
        cached = min(prompt, _shared_blocks(before, blocks) * block) if blocks else None
        kinds = entry.get("input_types") or []
        trigger = "tool" if "tool_result" in kinds else "person" if "text" in kinds else ""
        return Request(prompt, output, self._wait(entry, before), cached, False, trigger)

    def _wait(self, entry, before):
        """Return the wait before a request in ms."""
        if before is None:
            return 0
        if entry.get("think_time") is not None:
            return max(0, _ms(entry["think_time"]))
        gap = _ms(entry.get("t")) - _ms(before.get("t"))
        if gap < 0:
            self._file.out_of_order += 1
        return max(0, gap - _ms(before.get("api_time")))

    def sessions(self):
        """Return the sessions of all files."""
        return self._sessions


def _ms(seconds):
    try:
        return round(number(seconds) * 1000)
    except ValueError:
        return 0


def _shared_blocks(before, blocks):
    """Return how many blocks two prompts have in common from the first on."""
    count = 0
    if before is not None:
        for one, other in zip(before.get("hash_ids") or [], blocks, strict=False):
            if one != other:
                break
            count += 1
    return count
