"""Stories told in steps: scenarios one after another, and where in the picture to look.

What a step says stands in the interface's texts, by the same ids.
"""

import dataclasses

import numpy as np

from sim.checks import unknown_name
from sim.hardware import plan
from sim.presets import ARTICLE, IMPOSSIBLE, preset_fields
from sim.scenario import Scenario
from sim.workload import hashed
from sim.workloads import workload


@dataclasses.dataclass(frozen=True)
class Point:
    """A place to point at.

    Attributes
    ----------
    target : str
        ``timeline`` (a `worker` and a time), ``chart`` or ``number`` (by `name`), ``error``.
    name : str
        Of a chart (``shares``, ``evictions``, ``hit_rate``, ``occupancy``,
        ``oversubscription``) or a number (a key of the interface's numbers).
    worker : int or None
    at : float or None
        Time as a share of the makespan.
    """

    target: str
    name: str = ""
    worker: int | None = None
    at: float | None = None


@dataclasses.dataclass(frozen=True)
class StoryStep:
    """One step of a story.

    Attributes
    ----------
    id : str
    fields : dict
        The scenario, as the fields that differ from the defaults; empty where `preset` is set.
    points : tuple of Point
    preset : str
        A preset that ends in an explained error, for a step that shows what cannot be.
    gpus_per_worker : int
        GPUs that one worker spans, for those who count GPUs.
    """

    id: str
    fields: dict
    points: tuple
    preset: str = ""
    gpus_per_worker: int = 1

    def scenario(self):
        """Return the step's scenario; raises what the preset raises if it cannot be."""
        return Scenario.preset(self.preset) if self.preset else Scenario(**self.fields)


@dataclasses.dataclass(frozen=True)
class Story:
    """A story: its `id`, the public `report` it retells (or ``""``) and its `steps`."""

    id: str
    report: str
    steps: tuple

    def step(self, name):
        """Return the step of that id; a ValueError names the nearest one."""
        for step in self.steps:
            if step.id == name:
                return step
        raise ValueError(unknown_name("step", name, [step.id for step in self.steps]))


def _timeline(worker, at):
    return Point("timeline", worker=worker, at=at)


def _chart(name, at=None):
    return Point("chart", name, at=at)


def _number(name):
    return Point("number", name)


def _article():
    """The article's argument: what happens on 16 H100 as agents become many, and what helps."""
    limit = {**ARTICLE, "max_concurrent_agents": 16}
    host = {**ARTICLE, "host_kv_capacity": 500_000}
    split = {**ARTICLE, "workers": 32, "prefill_workers": 16}
    steps = (
        StoryStep(
            "all_fit",
            {**ARTICLE, "agents": 16},
            (_chart("hit_rate"), _number("evictions"), _timeline(0, 0.3)),
        ),
        StoryStep("lock", ARTICLE, (_timeline(0, 0.02), _timeline(0, 0.5), _number("utilization"))),
        StoryStep(
            "why_amber",
            ARTICLE,
            (_timeline(4, 0.08), _chart("evictions", 0.08), _chart("occupancy", 0.08)),
        ),
        StoryStep(
            "majority",
            {**ARTICLE, "phase_policy": "majority"},
            (_number("utilization"), _timeline(0, 0.5)),
        ),
        StoryStep(
            "round_robin",
            {**ARTICLE, "routing": "round_robin"},
            (_chart("hit_rate"), _number("recomputed")),
        ),
        StoryStep(
            "bigger_cards",
            preset_fields("article_fig2"),
            (_number("makespan"), _chart("evictions", 0.3)),
        ),
        StoryStep("pd", split, (_timeline(0, 0.5), _timeline(16, 0.5), _number("waiting"))),
        StoryStep(
            "tp16",
            {**preset_fields("tp16"), **ARTICLE},
            (_chart("hit_rate"), _chart("occupancy"), _number("makespan")),
            gpus_per_worker=16,
        ),
        StoryStep("cards_24", {}, (Point("error"),), preset=IMPOSSIBLE[0]),
        StoryStep(
            "session_limit", limit, (_number("evictions"), _chart("hit_rate"), _timeline(0, 0.5))
        ),
        StoryStep("host_tier", host, (_number("recomputed"), _chart("hit_rate"))),
        StoryStep(
            "decode_interval",
            {**ARTICLE, "phase_policy": "decode_interval"},
            (_timeline(0, 0.5), _number("ttft"), _number("makespan")),
        ),
        StoryStep(
            "mixed",
            {**ARTICLE, "phase_policy": "mixed"},
            (_number("utilization"), _timeline(0, 0.5)),
        ),
    )
    return Story("article", "", steps)


def _affinity():
    """Round robin against affinity: 32 real agents on 8 H200 under DPA with speculation."""
    chunk = {"chunk_tokens": 4096}
    cluster = plan("glm-5.2", "h200", 8, speculation=True, overrides=chunk)
    base = cluster.fields(**workload("realistic", think_cap_ms=10_000), agents=32)
    points = (_chart("hit_rate"), _number("ttft"), _number("makespan"))
    routings = {"round_robin": "round_robin", "by_tokens": "total_tokens", "affinity": "pinned"}
    steps = (StoryStep(id, {**base, "routing": r}, points) for id, r in routings.items())
    return Story("affinity", "sgl-project/sglang#31170", tuple(steps))


def _hot_rank():
    """Affinity that heats one rank: 16 streams of one group on the first of 4 ranks."""
    cluster = plan("qwen3.5-397b", "b200", 4)
    base = cluster.fields(draws="table", table=grouped_streams(streams=16, ranks=4, turns=24))
    points = (_chart("shares"), _timeline(0, 0.5), _timeline(3, 0.5), _number("makespan"))
    routings = {"heated": "pinned", "by_load": "total_requests", "balanced": "cache_aware"}
    steps = (StoryStep(id, {**base, "routing": r}, points) for id, r in routings.items())
    return Story("hot_rank", "vllm-project/tpu-inference#3307", tuple(steps))


def grouped_streams(streams, ranks, turns):
    """Return a table of sessions that pinning sends to rank 0 alone.

    Pinning takes agent mod ranks, so the agents of the other ranks have no turns. A prompt of
    3.6k tokens and more, then 400 to 2,000 new and 100 to 700 generated tokens a turn.
    """

    def turn(agent, k):
        wait, new, out = hashed(7, agent, k, np.arange(3)) / 2**32
        first = 3584 if k == 0 else 400
        return [int(wait * 2000), int(first + new * 1600), int(100 + out * 600)]

    return [
        [turn(agent, k) for k in range(turns)] if agent % ranks == 0 else []
        for agent in range(streams * ranks)
    ]


def _decode_interval():
    """Decode starved by long prompts: eight of 256k tokens, one after another, on one replica.

    A prompt takes 21.5 s; each arrives as the one before has been prefilled, so that waiting for
    the others is left out of TTFT.
    """
    base = {
        "workers": 1,
        "lock": "none",
        "agents": 8,
        "turns": [1, 1],
        "input_tokens": [262_144, 262_144],
        "output_tokens": [107, 107],
        "think_ms": [0, 0],
        "stagger_ms": 21_500,
        "kv_capacity": 4_000_000,
        "context_limit": 1_000_000,
        "prefill_rate": 12_200,
    }
    points = (_timeline(0, 0.5), _chart("shares"), _number("ttft"))
    steps = [StoryStep("never", base, points)]
    for ticks in (1, 2):
        policy = {"phase_policy": "decode_interval", "decode_interval": ticks}
        steps.append(StoryStep(f"every_{ticks}", {**base, **policy}, points))
    return Story("decode_interval", "sgl-project/sglang#40443", tuple(steps))


def _tp_or_dpa():
    """TP16 against DPA16 on the same 16 H100: few agents, then many."""
    real = workload("realistic", think_cap_ms=10_000)
    steps = []
    for many, agents in (("few", 4), ("many", 32)):
        for deployment in ("dpa", "tp"):
            cluster = plan("glm-5.2", "h100", 16, deployment, speculation=True)
            points = (_chart("hit_rate"), _number("ttft"), _number("makespan"))
            fields = cluster.fields(**real, agents=agents)
            id, each = f"{deployment}_{many}", cluster.gpus_per_worker
            steps.append(StoryStep(id, fields, points, gpus_per_worker=each))
    return Story("tp_or_dpa", "sgl-project/sglang#8657", tuple(steps))


STORIES = {
    story.id: story
    for story in (_article(), _affinity(), _hot_rank(), _decode_interval(), _tp_or_dpa())
}
"""All stories by id, in the order in which a menu shows them."""
