"""Codex CLI's rollouts: each request is an event ``token_count`` with what it used.

``last_token_usage`` is the request's; its input_tokens include cached_input_tokens, its
output_tokens the reasoning. Events without ``info`` only tell of rate limits, events whose
``total_token_usage`` stands still repeat the last one, and one without input follows a
compaction. A fork's or a subagent's file begins with its parent's history, which has been
counted there.
"""

from sim.traces.sessions import Request, Session
from sim.traces.times import milliseconds, tokens

COMPACTIONS = ("compacted", "context_compacted", "thread_rolled_back")


class Codex:
    """Reads rollouts of the Codex CLI."""

    name = "Codex rollout"

    def __init__(self):
        self._rollouts = []

    def open(self, file):
        """Begin a file, a `FileReport`."""
        self._file = file
        self._rollout = _Rollout(file)
        self._rollouts.append(self._rollout)

    def record(self, record):
        """Take in one line."""
        payload = record.get("payload")
        if not isinstance(payload, dict):
            return
        kind, what = record.get("type"), payload.get("type")
        at = milliseconds(record.get("timestamp"))
        if kind == "session_meta":
            self._rollout.named(payload, at)
        elif kind == "compacted" or what in COMPACTIONS:
            self._rollout.compacted = True
        elif what == "token_count":
            self._used(payload.get("info"), at)
        elif what == "user_message":
            self._rollout.asked(at, "person")
        elif isinstance(what, str) and what.endswith("_call_output"):
            self._rollout.asked(at, "tool")

    def _used(self, info, at):
        if not isinstance(info, dict):
            self._file.skip("of rate limits only")
            return
        try:
            total = _counts(info.get("total_token_usage"), lambda total: total)
            last = _counts(info.get("last_token_usage"), tokens)
        except ValueError:
            self._file.skip("without usable counts")
            return
        if total is not None and total == self._rollout.total:
            if last and last[0]:
                self._file.repeats += 1
            else:
                self._file.skip("with an empty prompt")
            return
        self._rollout.total = total
        if not last or not last[0]:
            self._file.skip("with an empty prompt")
            return
        self._rollout.add(last, at)

    def sessions(self):
        """Return the sessions of all files; histories that were counted before are left out."""
        by_id = {}
        for rollout in self._rollouts:
            by_id.setdefault(rollout.id, []).append(rollout)
        parents = {name: _merged(of_name) for name, of_name in by_id.items()}
        found = []
        for rollout in parents.values():
            parent = parents.get(rollout.parent)
            copied = 0
            if parent is not None and parent is not rollout:
                copied = _common(rollout.requests, parent.requests)
                for one in rollout.requests[:copied]:
                    one.file.repeat()
            elif rollout.parent:
                rollout.file.note("its parent's file is missing, so it may hold a copied history")
            if rollout.requests[copied:]:
                found.append(rollout.session(copied))
        return found


class _Rollout:
    """One file."""

    def __init__(self, file):
        self.file = file
        self.id = None
        self.parent = None
        self.start = None
        self.total = None
        self.requests = []
        self.compacted = False
        self.last_asked, self.trigger = None, ""

    def named(self, meta, at):
        """Take in who the thread is; a second name in a file is its parent's."""
        name = str(meta.get("id"))
        if self.id is None:
            self.id, self.start = name, at
            self.parent = _parent(meta)
        elif name != self.id and self.parent is None:
            self.parent = name

    def asked(self, at, trigger):
        """Note when a tool or a person last answered."""
        if at is not None:
            self.last_asked, self.trigger = at, trigger

    def add(self, counts, at):
        """Add a request."""
        before = self.requests[-1] if self.requests else None
        if before and None not in (at, before.at) and at < before.at:
            self.file.out_of_order += 1
        self.requests.append(_Used(self, counts, at))
        self.file.take(counts[0])
        self.compacted = False

    def session(self, copied):
        """Return the session without its first `copied` requests."""
        used = self.requests[copied:]
        requests, before = [], None
        for one in used:
            wait = 0
            if before is not None and None not in (before, one.asked):
                wait = max(0, one.asked - before)
            prompt, cached, output = one.counts
            requests.append(
                Request(prompt, output, wait, cached, False, one.trigger, one.compacted)
            )
            before = one.at
        prompt, cached, _ = used[0].counts
        begun = [at for at in (used[0].asked, self.start, used[0].at) if at is not None]
        if self.parent:
            requests[0].trigger = "spawn"
        return Session.of_requests(
            requests,
            id=self.id or self.file.name,
            source=Codex.name,
            start_ms=begun[0] if begun else 0,
            shared_prefix=cached if 0 < cached < prompt and not copied else None,
            file=self.file,
        )


class _Used:
    __slots__ = ("asked", "at", "compacted", "counts", "file", "trigger")

    def __init__(self, rollout, counts, at):
        self.file, self.counts, self.at = rollout.file, counts, at
        self.asked, self.trigger = rollout.last_asked, rollout.trigger
        self.compacted = rollout.compacted


def _counts(usage, read):
    """Return (input, cached, output) of a usage, None if there is none."""
    if not isinstance(usage, dict):
        return None
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    return tuple(read(usage.get(name)) for name in names)


def _parent(meta):
    """Return the thread that a thread was forked or spawned from, or None."""
    if meta.get("forked_from_id"):
        return str(meta["forked_from_id"])
    found = meta.get("source")
    for name in ("subagent", "thread_spawn", "parent_thread_id"):
        found = found.get(name) if isinstance(found, dict) else None
    return str(found) if found else None


def _merged(rollouts):
    """Return the files of one thread as one; what stands in two of them counts once."""
    whole, *others = rollouts
    for other in others:
        known = {(one.at, one.counts) for one in whole.requests}
        for one in other.requests:
            if (one.at, one.counts) in known:
                one.file.repeat()
            else:
                whole.requests.append(one)
        whole.parent = whole.parent or other.parent
    if others:
        whole.requests.sort(key=lambda one: one.at or 0)
    return whole


def _common(requests, others):
    """Return how many requests at the beginning are the same."""
    count = 0
    for one, other in zip(requests, others, strict=False):
        if one.counts != other.counts:
            break
        count += 1
    return count
