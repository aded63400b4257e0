"""Serving runs of GLM-5.2 under DPA whose rates `sim.hardware` knows.

Random prompts of 8,192 tokens, 1,024 generated, no reuse, speculation at 2.0 tokens a step. The
prefill rate, the decode rate and the slow-down of each GPU are fitted to these runs, so this
shows how well three numbers explain them and predicts nothing.
"""

import dataclasses

import numpy as np

from sim.hardware import plan
from sim.runs import simulate_many

PROMPT, OUTPUT = 8192, 1024
TICK_MS = 50


@dataclasses.dataclass(frozen=True)
class Run:
    """A published run: requests in all, clients, requests that the server works on at once, and
    what was measured: output tokens/s a GPU, TTFT in s, TPOT in ms, by mean or median.
    """

    source: str
    gpu: str
    precision: str
    requests: int
    clients: int
    running: int
    average: str
    throughput: float
    ttft: float
    tpot: float


RUNS = (
    Run("sgl-project/sglang#31554", "h200", "fp8", 512, 256, 80, "mean", 266.5, 66.0, 30.0),
    Run("sgl-project/sglang#29674", "b200", "nvfp4", 320, 64, 64, "median", 418.9, 5.84, 12.7),
    Run("sgl-project/sglang#29674", "b200", "nvfp4", 1280, 256, 256, "median", 593.7, 16.7, 30.0),
)
"""The second and third do not say how many requests were sent: five for each client here."""


def scenario(run):
    """Return the run as a scenario: sessions of one turn, admitted as the server has room."""
    cluster = plan(
        "glm-5.2",
        run.gpu,
        8,
        precision=run.precision,
        speculation=2.0,
        overrides={"chunk_tokens": 4096},
    )
    return cluster.scenario(
        draws="table",
        table=[[[0, PROMPT, OUTPUT]] for _ in range(run.requests)],
        max_concurrent_agents=run.running,
        routing="total_requests",
        tick_ms=TICK_MS,
    )


def measured(run, result):
    """Return output tokens/s a GPU, TTFT in s and TPOT in ms as the run's clients see them.

    A client sends its next request as its last one ends, so TTFT counts from then on, and not
    from the moment at which the server lets the request in.
    """
    r, tick_s = result.requests, result.tick_s
    order = np.argsort(r["created"], kind="stable")
    sent = np.zeros(run.requests)
    sent[run.clients :] = np.sort(r["finished"] + 1)[: run.requests - run.clients]
    ttft = (r["prefilled"][order] + 1 - sent) * tick_s
    average = np.mean if run.average == "mean" else np.median
    throughput = r["output"].sum() / (result.ticks * tick_s) / 8
    return throughput, average(ttft), 1000 * average(result.times()["tpot"])


def table():
    """Return the comparison as Markdown."""
    lines = [
        "| run | requests at once | output tokens/s a GPU | TTFT, s | TPOT, ms |",
        "|---|---|---|---|---|",
    ]
    results = simulate_many([scenario(run) for run in RUNS])
    for run, result in zip(RUNS, results, strict=True):
        reported = (run.throughput, run.ttft, run.tpot)
        cells = (
            f"{said:g} / {found:.3g} ({found / said - 1:+.0%})"
            for said, found in zip(reported, measured(run, result), strict=True)
        )
        title = f"8 × {run.gpu.upper()}, {run.source}, {run.average}"
        lines.append(f"| {title} | {run.running} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n\nReport / model (difference)."
