"""The cliff of the prefix cache hit rate as sessions become many.

SemiAnalysisAI/InferenceX#2268 replays traces of coding agents against GLM-5.2 (NVFP4) on 8 B300
and gives the prefix cache hit rate for each number of sessions in flight. Here the same
deployment serves the ``realistic`` workload. One number is fitted, the KV capacity of a worker
under DPA; TP is then predicted with it.
"""

import numpy as np

from sim.hardware import plan
from sim.runs import simulate_many
from sim.workloads import workload

REPORTED = {
    "dpa": {48: 0.95, 64: 0.64, 96: 0.62, 128: 0.29, 192: 0.12, 256: 0.09},
    "tp": {8: 0.97, 16: 0.39, 32: 0.05},
}
"""Reported hit rates by deployment and sessions in flight."""

CONCURRENCY = {"dpa": (32, *REPORTED["dpa"]), "tp": tuple(REPORTED["tp"])}
"""Sessions in flight that are simulated."""

FITTED_KV = 550_000
"""KV capacity of a DPA worker in tokens that comes nearest to the report, in steps of 50,000."""

CANDIDATES = tuple(range(350_000, 700_000, 50_000))
THINK_CAP_MS = 10_000
"""The report cuts waits between turns at 10 s."""

GENERATIONS = 2
"""Sessions run for each one in flight: as one ends, the next begins."""


def deployment(name):
    """Return the report's plan: TP8, or DPA8 with 4,096 tokens of prefill for each rank."""
    chunk = {"dpa": 4096, "tp": 8192}[name]
    overrides = {"chunk_tokens": chunk}
    return plan("glm-5.2", "b300", 8, name, precision="nvfp4", overrides=overrides)


def scenario(name, sessions, kv_capacity, seed):
    """Return the report's scenario with that many sessions in flight.

    Parameters
    ----------
    name : str
        ``dpa`` or ``tp``.
    sessions : int
        In flight at once.
    kv_capacity : int
        Of a worker under DPA, in tokens. A TP worker has more by the ratio that the two plans
        have, since its weights are split and not held whole.
    seed : int
    """
    cluster = deployment(name)
    if name == "tp":
        kv_capacity = int(kv_capacity * cluster["kv_capacity"] / deployment("dpa")["kv_capacity"])
    return cluster.scenario(
        **workload("realistic", think_cap_ms=THINK_CAP_MS),
        agents=GENERATIONS * sessions,
        max_concurrent_agents=sessions,
        kv_capacity=kv_capacity,
        routing="consistent_hash",
        seed=seed,
    )


def steady_hit_rate(result, sessions):
    """Return the hit rate over the steady part of a run, tokens cached of tokens asked for.

    The steady part begins when a quarter of the first sessions have been followed by the next,
    and ends as the last session begins: all that time `sessions` are in flight, of all ages.
    """
    r, shared = result.requests, result.scenario.shared_prefix
    begun = np.sort(r["created"][r["turn"] == 0])
    start, end = begun[sessions + (begun.size - sessions) // 4], begun[-1]
    steady = (r["started"] >= start) & (r["started"] < end)
    asked = (shared + r["prompt"][steady]).sum()
    return float((shared + r["cached"][steady]).sum() / asked)


def hit_rates(name, kv_capacity, seeds):
    """Return the hit rates of a deployment.

    Returns
    -------
    ndarray, shape (concurrencies, seeds)
    """
    rates = []
    for sessions in CONCURRENCY[name]:
        # one after another: the results of long runs are large
        runs = [scenario(name, sessions, kv_capacity, seed) for seed in range(seeds)]
        rates.append([steady_hit_rate(result, sessions) for result in simulate_many(runs)])
    return np.array(rates)


def errors(name, rates):
    """Return model minus report at the reported concurrencies, for rates of each of them."""
    reported = REPORTED[name]
    pairs = zip(CONCURRENCY[name], rates, strict=True)
    return np.array([rate - reported[n] for n, rate in pairs if n in reported])


def root_mean_square(values):
    return float(np.sqrt(np.mean(np.square(values))))


def fit(seeds):
    """Yield each of `CANDIDATES` with its root mean square error under DPA."""
    for kv_capacity in CANDIDATES:
        rates = hit_rates("dpa", kv_capacity, seeds).mean(axis=1)
        yield kv_capacity, root_mean_square(errors("dpa", rates))


def table(name, kv_capacity, seeds):
    """Return the rows of the comparison as Markdown, and the root mean square error."""
    rates = hit_rates(name, kv_capacity, seeds)
    lines = ["| sessions | report | model | range over seeds | error |", "|---|---|---|---|---|"]
    for n, row in zip(CONCURRENCY[name], rates, strict=True):
        reported, mean = REPORTED[name].get(n), row.mean()
        said, off = ("–", "–") if reported is None else (f"{reported:.2f}", mean - reported)
        off = off if reported is None else f"{off:+.2f}"
        lines.append(f"| {n} | {said} | {mean:.2f} | {row.min():.2f}–{row.max():.2f} | {off} |")
    return "\n".join(lines), root_mean_square(errors(name, rates.mean(axis=1)))
