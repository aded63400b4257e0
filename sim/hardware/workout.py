"""The arithmetic of one deployment, from its arguments to a plan."""

import dataclasses

from sim.checks import unknown_name
from sim.hardware.ledger import Basis, Ledger
from sim.hardware.memory import kv_capacity
from sim.hardware.rates import (
    Deployed,
    decode_rate,
    decode_slowdown,
    prefill_rate,
    rounded,
    transfer_rate,
)
from sim.hardware.rules import GB, check_division, lay_out
from sim.scenario import Scenario, field_names

LAYOUT = (
    "deployment",
    "gpus",
    "gpus_per_worker",
    "pipeline",
    "prefill_gpus",
    "redundant_experts",
)
"""Arguments that say how the GPUs are used."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """A deployment worked out.

    Attributes
    ----------
    request : dict
        The arguments of `plan` that led here.
    title, name : str
        Such as ``GLM-5.2 (fp8) on 16 × H100 SXM 80 GB`` and ``DPA16``.
    gpus_per_worker : int
    steps : tuple of Step
        The arithmetic, in order.
    memory : tuple of Part
        One GPU's memory in bytes: weights, replicated_weights, kv, activations, reserve.
    cluster : dict
        The scenario's fields that the deployment sets.
    """

    request: dict
    title: str
    name: str
    gpus_per_worker: int
    steps: tuple
    memory: tuple
    cluster: dict

    def __getitem__(self, name):
        """Return the value of the step of that name."""
        return next(step.value for step in self.steps if step.name == name)

    def __str__(self):
        """Return the arithmetic as lines of text."""
        lines = [f"{self.title}, {self.name}"]
        for step in self.steps:
            number = f"{step.value:,.6g}" if step.value else "0"
            about = "; ".join(filter(None, (step.formula, step.source)))
            lines.append(f"{step.name:20} {number:>12} {step.unit:14} {step.basis:9} {about}")
        return "\n".join(lines)

    def fields(self, **workload):
        """Return the scenario's fields, those of `workload` put over the deployment's.

        Raises
        ------
        ValueError
            For an unknown field, with the nearest name.
        """
        for name in workload:
            if name not in field_names():
                raise ValueError(unknown_name("field", name, field_names()))
        return {**self.cluster, **workload}

    def scenario(self, **workload):
        """Return a `Scenario` of the deployment under that workload."""
        return Scenario(**self.fields(**workload))

    def to_dict(self):
        """Return everything as plain values, ready for JSON."""
        return dataclasses.asdict(self)


def worked_out(request, library):
    """Return the plan of the arguments of `sim.hardware.plan`, in a dict.

    Raises
    ------
    DeploymentError
        If it cannot be, without a word on what would work.
    ValueError
        For unknown names or numbers out of range.
    """
    model, gpu = library.model(request["model"]), library.gpu(request["gpu"])
    precision = _precision(request["precision"], model.weights_gb, f"{model.title} weights")
    kv_precision = _precision(
        request["kv_precision"], model.kv_bytes_per_token, f"{model.title} KV cache"
    )
    layout = lay_out(**{name: request[name] for name in LAYOUT})
    check_division(model, layout)
    ledger = Ledger(request["overrides"])
    accept = _accept_length(ledger, model, request["speculation"])
    tokens, chunk, parts = kv_capacity(
        ledger, library.constants, model, gpu, layout, precision, kv_precision, accept > 1
    )
    cluster = {
        "workers": layout.workers,
        "prefill_workers": layout.prefill_workers,
        "lock": _lock(layout, accept),
        "kv_capacity": tokens,
        "chunk_tokens": max(1, int(chunk)),
        **_rates(ledger, library, model, gpu, layout, precision, chunk, accept),
        **_engine(),
    }
    if layout.prefill_gpus:
        cluster["transfer_rate"] = transfer_rate(ledger, gpu)
    cluster |= _host_tier(ledger, library.constants, request["host_ratio"], tokens)
    title = f"{model.title} ({precision}) on {layout.gpus} × {gpu.title}"
    steps = ledger.close()
    return Plan(request, title, layout.name, layout.worker_gpus, steps, parts, cluster)


def _precision(wanted, known, what):
    if wanted is None:
        return next(iter(known))
    if wanted not in known:
        raise ValueError(f"{what}: {unknown_name('precision', wanted, known)}")
    return wanted


def _accept_length(ledger, model, speculation):
    """Take down the tokens of a decode step."""
    if speculation is None or speculation is False:
        return ledger.add(
            "accept_length", 1.0, "tokens a step", basis=Basis.GIVEN, source="no speculation"
        )
    if speculation is True:
        if model.accept_length is None:
            raise ValueError(
                f"no accept length is known for {model.title}: give speculation as a number of "
                "tokens a step"
            )
        source = model.sources.get("accept_length", "")
        return ledger.add(
            "accept_length",
            model.accept_length,
            "tokens a step",
            basis=Basis.MEASURED,
            source=source,
        )
    if not isinstance(speculation, (int, float)) or not 1 <= speculation <= 16:
        raise ValueError(
            f"speculation = {speculation!r} must be true, false or tokens a step from 1 to 16"
        )
    return ledger.add(
        "accept_length",
        float(speculation),
        "tokens a step",
        basis=Basis.GIVEN,
        source="given by the user",
    )


def _lock(layout, accept):
    if not layout.expert_parallel:
        return "none"
    return "phase" if accept > 1 else "step"


def _rates(ledger, library, model, gpu, layout, precision, chunk, accept):
    """Take down the rates; of the prefill pool's GPUs and of the decode pool's."""
    pools = layout.pools if layout.expert_parallel else (layout.worker_gpus,)
    first, last = (
        Deployed(library, model, gpu, layout, pool, precision, chunk)
        for pool in (pools[0], pools[-1])
    )
    return {
        "prefill_rate": prefill_rate(ledger, first),
        "decode_rate": decode_rate(ledger, last, accept),
        "decode_slowdown": decode_slowdown(ledger, last),
        "prefill_sharing": True,
    }


def _engine():
    """Return what real engines do with their cache, whatever the hardware."""
    return {"eviction": "tail", "release_finished": False}


def _host_tier(ledger, known, ratio, tokens):
    if isinstance(ratio, bool) or not isinstance(ratio, (int, float)) or not 0 <= ratio <= 100:
        raise ValueError(f"host_ratio = {ratio!r} must be a number from 0 to 100")
    if not ratio:
        return {}
    capacity = ledger.add(
        "host_kv_capacity",
        int(ratio * tokens),
        "tokens",
        formula=f"{ratio:g} × {tokens:,} tokens of the GPU",
        source="SGLang's --hicache-ratio",
    )
    speed, held = known["host_gb_s"], ledger.value("kv_bytes_per_token")
    rate = ledger.add(
        "host_load_rate",
        rounded(speed.value * GB / held),
        "tokens/s",
        formula=f"{speed.value:g} GB/s / {held:,.0f} bytes a token",
        source=speed.source,
    )
    return {"host_kv_capacity": int(capacity), "host_load_rate": rate}
