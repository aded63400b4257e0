"""Claude Code's logs: a line for each block of an answer, so most answers have several.

Lines of type ``assistant`` carry ``message.usage``. The prompt is input_tokens +
cache_creation_input_tokens + cache_read_input_tokens (``cache_creation`` breaks the second one
down and is no more). Lines with one message id are one response; each counter's largest value
holds, for output_tokens grows. That goes for all files together: resumed sessions copy their
history, and a subagent's responses stand both in a file of their own and in ``progress`` lines.
"""

import json
import math

from sim.traces.sessions import Request, Session
from sim.traces.times import milliseconds, tokens

CHARS_PER_TOKEN = 3.5
TYPICAL_OUTPUT = 216
"""Median of real agents' answers, tokens; taken where a log has neither count nor text."""


class ClaudeCode:
    """Reads Claude Code's logs.

    Attributes
    ----------
    name : str
    """

    name = "Claude Code log"

    def __init__(self):
        self._streams = {}
        self._responses = {}
        self._chains = {}

    def open(self, file):
        """Begin a file, a `FileReport`."""
        self._file = file

    def record(self, record):
        """Take in one line."""
        kind = record.get("type")
        if kind == "progress":
            self._progress(record)
        elif kind in ("assistant", "user"):
            self._message(self._key(record), record)
        elif kind == "system" and record.get("subtype") == "compact_boundary":
            self._stream(self._key(record)).compacted = True

    def _progress(self, record):
        """Take in what a subagent did, as its parent's log tells of it."""
        data = record.get("data")
        inner = data.get("message") if isinstance(data, dict) else None
        if isinstance(inner, dict) and data.get("agentId"):
            key = (str(record.get("sessionId")), str(data["agentId"]))
            self._message(key, {"timestamp": record.get("timestamp"), **inner})

    def _key(self, record):
        """Return whose line this is: the session, and the subagent if it is one's."""
        session = str(record.get("sessionId"))
        if not record.get("isSidechain"):
            return session, ""
        if record.get("agentId"):
            return session, str(record["agentId"])
        # Older logs do not name subagents; each is a tree of its own.
        parent = self._chains.get(record.get("parentUuid"))
        chain = parent or f"sidechain {len(self._chains)}"
        self._chains[record.get("uuid")] = chain
        return session, chain

    def _stream(self, key):
        if key not in self._streams:
            self._streams[key] = _Stream(self._file)
        return self._streams[key]

    def _message(self, key, record):
        message = record.get("message")
        if not isinstance(message, dict):
            return
        at = milliseconds(record.get("timestamp"))
        if record.get("type") == "user":
            stream = self._stream(key)
            if at is not None:
                stream.asked = at
                stream.trigger = "tool" if _answers_tool(message.get("content")) else "person"
            return
        usage = message.get("usage")
        if message.get("model") == "<synthetic>" or record.get("isApiErrorMessage"):
            self._file.skip("of no real response")
        elif not isinstance(usage, dict):
            self._file.skip("without usage")
        else:
            self._response(key, record, message, usage, at)

    def _response(self, key, record, message, usage, at):
        try:
            cached, written, new, output = (tokens(usage.get(name)) for name in _COUNTERS)
            prompt = tokens(cached + written + new)
        except ValueError:
            self._file.skip("without usable counts")
            return
        if prompt <= 0:
            self._file.skip("with an empty prompt")
            return
        line = str(record.get("uuid"))
        name = message.get("id") or record.get("requestId") or line
        known = self._responses.get(name)
        if known is None:
            stream = self._stream(key)
            known = self._responses[name] = _Response(stream, at, self._file)
            stream.add(known)
            self._file.take(prompt)
        else:
            self._file.repeats += 1
        known.prompt, known.output = max(known.prompt, prompt), max(known.output, output)
        known.cached = max(known.cached, cached)
        # The same line may stand in another file, or be written twice.
        if known.file is self._file and line != known.line:
            known.line = line
            known.chars += _text_length(message.get("content"))
            known.last = max(filter(None, (known.last, at)), default=None)

    def sessions(self):
        """Return the sessions of all files."""
        return [
            stream.session(session, agent)
            for (session, agent), stream in self._streams.items()
            if stream.responses
        ]


_COUNTERS = (
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "input_tokens",
    "output_tokens",
)


class _Response:
    __slots__ = (
        "asked",
        "cached",
        "chars",
        "compacted",
        "file",
        "first",
        "last",
        "line",
        "output",
        "prompt",
        "trigger",
    )

    def __init__(self, stream, at, file):
        self.asked, self.trigger, self.compacted = stream.asked, stream.trigger, stream.compacted
        self.first = self.last = at
        self.prompt = self.output = self.cached = self.chars = 0
        self.line, self.file = None, file


class _Stream:
    """The responses to one agent."""

    def __init__(self, file):
        self.file = file
        self.responses = []
        self.asked = None
        self.trigger = ""
        self.compacted = False

    def add(self, response):
        before = self.responses[-1].first if self.responses else None
        if None not in (before, response.first) and response.first < before:
            response.file.out_of_order += 1
        self.responses.append(response)
        self.compacted = False

    def session(self, session, agent):
        responses = self._sorted()
        first = responses[0]
        begun = [at for at in (first.asked, first.first) if at is not None]
        requests = list(self._requests(responses))
        if agent:
            requests[0].trigger = "spawn"
        return Session.of_requests(
            requests,
            id=f"{session}/{agent}" if agent else session,
            source=ClaudeCode.name,
            start_ms=min(begun, default=0),
            shared_prefix=first.cached if 0 < first.cached < first.prompt else None,
            file=first.file,
        )

    def _sorted(self):
        """Return the responses by time; those without one stay behind the one before."""
        keys, latest = [], 0
        for response in self.responses:
            latest = response.first if response.first is not None else latest
            keys.append(latest)
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return [self.responses[place] for place in order]

    def _requests(self, responses):
        before = None
        for place, response in enumerate(responses):
            after = responses[place + 1] if place + 1 < len(responses) else None
            output, estimated = _output(response, after)
            wait = 0
            if before is not None and None not in (before.last, response.asked):
                wait = max(0, response.asked - before.last)
            yield Request(
                response.prompt,
                output,
                wait,
                response.cached,
                estimated,
                response.trigger,
                response.compacted,
            )
            before = response


def _output(response, after):
    """Return the output tokens of a response, and whether they are an estimate.

    Logs often hold a placeholder. Where the logged count is below a third of what the text comes
    to, the text counts, as far as the next prompt has room for it if a tool answered (a person's
    prompt may leave out what the model thought). Where there is neither count nor text, what
    real agents write.
    """
    if response.chars:
        output = math.ceil(response.chars / CHARS_PER_TOKEN)
        if response.output * 3 >= output:
            return response.output, False
        fits = after is None or after.trigger != "tool" or after.prompt <= response.prompt
        return (output if fits else min(output, after.prompt - response.prompt)), True
    if response.output > 1:
        return response.output, False
    grown = after.prompt - response.prompt if after else TYPICAL_OUTPUT
    return min(TYPICAL_OUTPUT, max(1, grown)), True


def _answers_tool(content):
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in content
    )


def _text_length(content):
    """Return the characters that the model wrote in these blocks."""
    if isinstance(content, str):
        return len(content)
    if not isinstance(content, list):
        return 0
    return sum(_block_length(block) for block in content if isinstance(block, dict))


def _block_length(block):
    kind = block.get("type")
    if kind == "tool_use":
        written = json.dumps(block.get("input"), ensure_ascii=False)
        return len(written) + len(str(block.get("name", "")))
    text = block.get(kind) if kind in ("text", "thinking") else None
    return len(text) if isinstance(text, str) else 0
