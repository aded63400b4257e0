"""A worker's moment in sentences."""

from app.derive import SHADES
from app.format import clock, tokens
from sim.result import EVENT_KINDS

MOST_NAMED = 3
"""Agents or workers that a sentence names before it only counts them."""


def why(moment, texts, tick_s):
    """Say why a worker is in its state.

    Parameters
    ----------
    moment : app.derive.WorkerMoment
    texts : Texts
    tick_s : float
        Length of a tick in seconds.
    """
    cause = moment.cause
    if cause.code == "waiting_phase":
        return _phase("phase", cause, texts)
    if cause.code == "dragged":
        return _phase("dragged", cause, texts)
    if cause.code == "waiting_kv":
        return blocked(moment, texts)
    if cause.code == "idle":
        if cause.until is None:
            return texts("why.over")
        time = clock(cause.until * tick_s)
        return texts("why.idle", agents=_agents(cause.agents, texts), time=time)
    return texts(f"why.{cause.code}", agents=_agents(cause.agents, texts))


def _phase(key, cause, texts):
    workers = [
        texts("why.worker", worker=worker, agents=_agents(agents, texts))
        for worker, agents in cause.blockers
    ]
    said = texts(f"why.{key}_{cause.phase}", workers=_listed(workers, texts))
    prefill, decode = cause.wants
    policy = texts(
        f"why.policies.{cause.policy}_{cause.phase}",
        prefill=prefill,
        decode=decode,
        ticks=cause.limit,
    )
    return texts("why.as", why=said, policy=policy)


def blocked(moment, texts):
    """Say why the head of a worker's queue is not admitted; empty if there is none."""
    if moment.blocked is None:
        return ""
    b = moment.blocked
    known = {"agent": b.agent, "need": tokens(b.need), "free": tokens(max(0, b.free))}
    holders = [texts("why.holder", agent=agent, tokens=tokens(held)) for agent, held in b.locked_by]
    key = "why.blocked_prefill" if moment.role == "prefill" else "why.blocked"
    return texts(key, holders=_listed(holders, texts), **known)


def request(request, texts):
    """Say what a running request does."""
    return texts(
        f"why.request_{request.stage}",
        agent=request.agent,
        turn=request.turn,
        left=tokens(request.left),
    )


def queue(moment, texts):
    """Say who waits in a worker's queue; a dash if nobody does."""
    if not moment.queue:
        return texts("numbers.none")
    agents = _agents([request.agent for request in moment.queue], texts)
    return texts("why.queue", count=len(moment.queue), agents=agents)


def hover(moment, texts, tick_s, tick):
    """Return what the hover shows.

    Returns
    -------
    dict
        `title`, `state` (its name), `label` (its text) and `lines`.
    """
    state = SHADES[moment.state]
    since, until = (clock(t * tick_s) for t in (moment.since, moment.until))
    lines = [why(moment, texts, tick_s), texts("hover.span", since=since, until=until)]
    focus = moment.focus
    if focus is not None:
        lines.append(request(focus, texts))
        cached = "cached" if focus.stage != "queued" else "queued"
        lines.append(
            texts(f"hover.{cached}", prompt=tokens(focus.prompt), cached=tokens(focus.cached))
        )
        if focus.stage != "queued" and focus.recomputed:
            lines.append(texts("hover.recomputed", tokens=tokens(focus.recomputed)))
    lines.append(texts("hover.queue", count=len(moment.queue)))
    if moment.blocked is not None and state != "waiting_kv":
        lines.append(blocked(moment, texts))
    title = texts("hover.title", worker=moment.worker, time=clock(tick * tick_s))
    return {"title": title, "state": state, "label": texts(f"states.{state}"), "lines": lines}


def happened(event, texts):
    """Say what an event was.

    Parameters
    ----------
    event : dict
        A row of `Result.events`, ints.
    """
    kind = EVENT_KINDS[event["kind"]]
    return texts(f"happened.{kind}", **{**event, "tokens": tokens(event["tokens"])})


def _agents(agents, texts):
    return _listed([texts("why.agent", agent=agent) for agent in agents], texts)


def _listed(names, texts):
    shown = texts("why.comma").join(names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return texts("why.more", names=shown, more=more) if more > 0 else shown
