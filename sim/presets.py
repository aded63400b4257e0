"""Named scenarios: the article's figures, deployments to compare with them, real workloads."""

from sim.checks import unknown_name
from sim.hardware import plan
from sim.scenario import Scenario
from sim.workloads import workload

ARTICLE = {"draws": "article", "release_finished": False}

LITERAL = {
    "default": {},
    "article_fig1": ARTICLE,
    "article_fig2": {
        **ARTICLE,
        "workers": 8,
        "kv_capacity": 600_000,
        "prefill_rate": 10_000,
        "decode_rate": 150,
    },
}
"""Presets written out: the fields in which each differs from the defaults."""

PLANS = {
    "dpa_16xh100": {"model": "glm-5.2", "gpu": "h100", "gpus": 16, "speculation": True},
    "pd_16p16d": {
        "model": "glm-5.2",
        "gpu": "h100",
        "gpus": 32,
        "deployment": "pd",
        "speculation": True,
    },
    "tp16": {
        "model": "glm-5.2",
        "gpu": "h100",
        "gpus": 16,
        "deployment": "tp",
        "speculation": True,
    },
    "tp24": {
        "model": "glm-5.2",
        "gpu": "h100",
        "gpus": 24,
        "deployment": "tp",
        "speculation": True,
    },
    "dpa_8x160gb": {"model": "glm-5.2", "gpu": "160gb", "gpus": 8, "speculation": True},
    "dpa_8xh200": {
        "model": "glm-5.2",
        "gpu": "h200",
        "gpus": 8,
        "speculation": True,
        "overrides": {"chunk_tokens": 4096},
    },
    "dpa_8xb200": {
        "model": "glm-5.2",
        "gpu": "b200",
        "gpus": 8,
        "speculation": True,
        "overrides": {"chunk_tokens": 4096},
    },
    "two_sparks": {
        "model": "deepseek-v4-flash",
        "gpu": "gb10",
        "gpus": 2,
        "deployment": "tp",
        "overrides": {"chunk_tokens": 2048},
    },
    "recipe_latency": {
        "model": "glm-5.2",
        "gpu": "b200",
        "gpus": 8,
        "deployment": "tp",
        "precision": "nvfp4",
        "speculation": 3.5,
        "overrides": {"chunk_tokens": 8192},
    },
    "recipe_balanced": {
        "model": "glm-5.2",
        "gpu": "b200",
        "gpus": 8,
        "precision": "nvfp4",
        "speculation": True,
        "overrides": {"chunk_tokens": 4096},
    },
    "recipe_throughput": {
        "model": "glm-5.2",
        "gpu": "b200",
        "gpus": 8,
        "precision": "nvfp4",
        "overrides": {"chunk_tokens": 4096},
    },
    "realistic": {"model": "glm-5.2", "gpu": "h100", "gpus": 16, "speculation": True},
}
"""Presets worked out: arguments of `sim.hardware.plan`. The recipes are those that SGLang
publishes for GLM-5.2 (NVFP4) on 8 B200; 4,096 tokens are its prefill chunk of a rank."""

WORKLOADS = {
    "two_sparks": {"agents": 4},
    "realistic": workload("realistic", agents=32),
}
"""Fields over those of the plan; the article's 32 agents where nothing is said."""

IMPOSSIBLE = ("tp24",)
"""Presets that end in an explained error: they show what cannot be."""


def preset_plan(name):
    """Return the plan behind a preset, None for one that is written out.

    Raises
    ------
    DeploymentError
        For a preset that shows what cannot be; the message says why, and what would work.
    ValueError
        If there is no such preset; the message names the nearest one.
    """
    if name not in NAMES:
        raise ValueError(unknown_name("preset", name, NAMES))
    return plan(**PLANS[name]) if name in PLANS else None


def preset_fields(name):
    """Return the scenario fields of a preset; errors as for `preset_plan`."""
    found = preset_plan(name)
    if found is None:
        return dict(LITERAL[name])
    return _changed(found.fields(**WORKLOADS.get(name, {})))


def _changed(fields):
    """Return the fields that differ from the defaults."""
    return {k: v for k, v in fields.items() if v != Scenario.param[k].default}


NAMES = (*LITERAL, *PLANS)
"""All presets, those that end in an error too."""

PRESETS = {name: preset_fields(name) for name in NAMES if name not in IMPOSSIBLE}
"""Named scenarios: the fields in which each differs from the defaults."""
