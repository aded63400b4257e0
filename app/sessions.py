"""Agents, their turns and their evictions as rows of text."""

import dataclasses
import math

import numpy as np

from app.derive import Recording
from app.derive.evictors import Evictions, evictions_between
from app.derive.progress import tokens_left
from app.derive.sessions import METRICS, STATUS, agent_table, context_at, turns_of
from app.format import clock, count, duration, percent, tokens

TOKENS = ("context", "recomputed")
SECONDS = ("ttft", "ttft_p90", "e2e", "queue", "waiting", "session")
EVICTIONS = {"evicted_tokens": "evicted", "evicts_tokens": "evicts"}
"""Metrics of tokens, with those of how often."""


@dataclasses.dataclass(frozen=True)
class Facts:
    """What is known of a run's agents.

    Attributes
    ----------
    recording : Recording
    table : dict of str to ndarray
        `agent_table`.
    evictions : Evictions
    """

    recording: Recording
    table: dict
    evictions: Evictions

    @classmethod
    def of(cls, recording):
        """Return the facts of a run."""
        return cls(recording, agent_table(recording), evictions_between(recording))

    def ranked(self, order):
        """Return the agents in an order; see `sorted_agents`."""
        return sorted_agents(self.table, order)


def sorted_agents(table, order):
    """Return the agents in an order; those without the metric come last either way.

    Parameters
    ----------
    table : dict of str to ndarray
        `agent_table`.
    order : str
        One of `app.derive.sessions.ORDERS`.
    """
    values = table[order.removeprefix("-")].astype(float)
    return np.argsort(-values if order.startswith("-") else values, kind="stable")


def agent_rows(table, texts):
    """Return what is written of each agent, a list for each in the order of `METRICS`."""
    return [list(cells) for cells in zip(*(_cells(table, m, texts) for m in METRICS), strict=True)]


def _cells(table, metric, texts):
    values = table[metric].tolist()
    if metric in SECONDS:
        return [_time(value, texts) for value in values]
    if metric in TOKENS:
        return list(map(tokens, values))
    if metric in EVICTIONS:
        often = table[EVICTIONS[metric]].tolist()
        return [
            texts("agents.times", times=n, tokens=tokens(value)) if n else ""
            for n, value in zip(often, values, strict=True)
        ]
    if metric == "status":
        return [texts(f"agents.status.{STATUS[value]}") for value in values]
    if metric == "hit_rate":
        return ["" if math.isnan(value) else percent(value, texts) for value in values]
    return list(map(str, values))


def _time(seconds, texts):
    return "" if math.isnan(seconds) else duration(seconds, texts)


def contexts_at(recording, tick):
    """Return what is written of each agent's context at a tick."""
    return list(map(tokens, context_at(recording, tick).tolist()))


def turn_rows(recording, agent, texts):
    """Return an agent's turns as they are written.

    Returns
    -------
    list of dict
        `turn`, `hop` (whether its worker is another than before), `cells`: the texts of the
        columns "agents.turn".
    """
    rows = turns_of(recording, agent)
    r = {name: column[rows].tolist() for name, column in recording.result.requests.items()}
    shared, tick_s, split = recording.shared, recording.tick_s, recording.scenario.prefill_workers
    made = []
    for i, turn in enumerate(r["turn"]):
        worker = str(r["worker"][i])
        if split:
            worker = texts("agents.pd", worker=worker, decode=r["decode_worker"][i])
        lost = r["recomputed_evicted"][i]
        times = {
            "created": clock(r["created"][i] * tick_s),
            "queue": _time((r["started"][i] - r["created"][i]) * tick_s, texts),
            "ttft": _time((r["prefilled"][i] + 1 - r["created"][i]) * tick_s, texts),
            "e2e": _time((r["finished"][i] + 1 - r["created"][i]) * tick_s, texts),
        }
        sizes = {
            "prompt": count(r["prompt"][i] + shared),
            "cached": count(r["cached"][i] + shared),
            "evicted": count(lost),
            "routed": count(r["recomputed"][i] - lost),
            "output": count(r["output"][i]),
        }
        cells = {"turn": str(turn), "worker": worker, **times, **sizes}
        hop = i > 0 and r["worker"][i] != r["worker"][i - 1]
        named = [cells[name] for name in texts.section("agents.turn")]
        made.append({"turn": turn, "hop": hop, "cells": named})
    return made


def pair_rows(evictions, rows, *roles):
    """Return pairs of `Evictions` as they are written: the agents of the roles, times, tokens.

    Parameters
    ----------
    evictions : app.derive.evictors.Evictions
    rows : ndarray
        Rows of it.
    *roles : str
        "victim" or "evictor".

    Returns
    -------
    list of list
        Agents are ints, the rest texts.
    """
    agents = [getattr(evictions, role)[rows].tolist() for role in roles]
    times, lost = evictions.times[rows].tolist(), evictions.tokens[rows].tolist()
    return [list(row) for row in zip(*agents, map(count, times), map(tokens, lost), strict=True)]


def context_turns(recording, agent):
    """Return an agent's turns as `app.figures.context.ContextChart` takes them."""
    rows = turns_of(recording, agent)
    r = {name: column[rows] for name, column in recording.result.requests.items()}
    return {
        "created": r["created"] * recording.tick_s,
        "turn": r["turn"],
        "worker": r["worker"],
        "cached": r["cached"] + recording.shared,
        "again": r["recomputed"],
        "new": r["prompt"] - r["cached"] - r["recomputed"],
        "output": r["output"],
    }


def hover(recording, life, tick, texts):
    """Return what a hover over an agent's lane shows: `title`, `state`, `label` and `lines`.

    Parameters
    ----------
    recording : app.derive.Recording
    life : app.derive.lives.Moment
        The agent at that tick.
    tick : int
    texts : Texts
    """
    tick_s, shared = recording.tick_s, recording.shared
    since, until = clock(life.since * tick_s), clock(life.until * tick_s)
    lines = [texts("agents.hover.span", since=since, until=until)]
    if life.row >= 0:
        lines += _request_lines(recording, life, tick, shared, texts)
    return {
        "title": texts("agents.hover.title", agent=life.agent, time=clock(tick * tick_s)),
        "state": life.state,
        "label": texts(f"agents.states.{life.state}"),
        "lines": lines,
    }


def _request_lines(recording, life, tick, shared, texts):
    r = {name: int(column[life.row]) for name, column in recording.result.requests.items()}
    yield texts("agents.hover.turn", turn=r["turn"], worker=life.worker)
    if life.state != "queued" or tick >= r["started"]:
        prompt, cached = tokens(r["prompt"] + shared), tokens(r["cached"] + shared)
        yield texts("agents.hover.prompt", prompt=prompt, cached=cached)
        if r["recomputed"]:
            yield texts("agents.hover.again", tokens=tokens(r["recomputed"]))
    stage = int((recording.stages[life.row] <= tick).sum()) - 1
    left = tokens_left(recording, life.row, stage, tick)
    if left:
        yield texts("agents.hover.left", left=tokens(left))
