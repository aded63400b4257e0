"""Prefill and decode rates of a worker: measured where someone has, else from a roofline.

Prefill: share of the peak x FLOPS / (2 x active parameters), where the share grows with the
tokens c of a chunk on each GPU as c / (c + half). Decode of one request: a step takes
layers x (launches and communication of a layer) + bytes read / bandwidth; each step yields the
accept length of speculative decoding in tokens.
"""

import dataclasses

from sim.hardware.rules import GB

MANY = 32
"""Requests on a worker at which the slow-down is computed."""


@dataclasses.dataclass(frozen=True)
class Deployed:
    """A model on GPUs, and the pool in question.

    Attributes
    ----------
    library, model, gpu, layout
    pool : int
        GPUs that work on a step together.
    precision : str
        Of the weights.
    chunk : float
        Prefill chunk of one worker in tokens.
    """

    library: object
    model: object
    gpu: object
    layout: object
    pool: int
    precision: str
    chunk: float

    @property
    def style(self):
        """``dpa`` or ``tp``: whose measured rates and constants hold."""
        return "dpa" if self.layout.expert_parallel else "tp"

    def anchor(self, quantity):
        """Return the last fitting anchor of that quantity, or None."""
        for anchor in reversed(self.library.anchors):
            if (
                anchor.quantity == quantity
                and anchor.model == self.model.id
                and anchor.gpu == self.gpu.id
                and anchor.deployment == self.style
                and anchor.gpus in (None, self.pool)
                and anchor.precision in (None, self.precision)
                and anchor.chunk_tokens in (None, self.chunk)
                and self.layout.pipeline == 1
                and (self.style == "tp" or self.layout.tp == 1)
            ):
                return anchor
        return None

    def constant(self, name):
        return self.library.constants[name]


def rounded(value):
    """Return a computed rate to three digits: more would claim to be exact."""
    short = float(f"{value:.3g}")
    return int(short) if short.is_integer() else short


def prefill_rate(ledger, deployed):
    """Take down the prefill rate of one worker in tokens/s."""
    anchor = deployed.anchor("prefill_rate")
    if anchor:
        return _anchored(ledger, anchor, "tokens/s")
    most, half = (deployed.constant(f"prefill_{n}") for n in ("efficiency", "half_chunk"))
    gpus = deployed.layout.worker_gpus
    each = deployed.chunk / gpus
    share = most.value * each / (each + half.value)
    peak = _tflops(deployed.gpu, deployed.precision)
    active = deployed.model.active_parameters
    return ledger.add(
        "prefill_rate",
        rounded(share * peak * 1e12 * gpus / (2 * active)),
        "tokens/s",
        formula=f"{share:.1%} × {peak:g} TFLOPS × {gpus} GPUs / (2 × {active / 1e9:g}e9 active "
        f"parameters), {share:.1%} = {most.value:.0%} × {each:g} / ({each:g} + {half.value:g}) "
        "with that many tokens of a chunk on each GPU",
        source=most.source,
    )


def decode_rate(ledger, deployed, accept_length):
    """Take down the decode rate of one request by itself in tokens/s."""
    anchor = deployed.anchor("decode_rate")
    if anchor and anchor.accept_length == accept_length:
        return _anchored(ledger, anchor, "tokens/s")
    if anchor:
        step = anchor.value / anchor.accept_length
        return ledger.add(
            "decode_rate",
            rounded(step * accept_length),
            "tokens/s",
            formula=f"{anchor.value:g} / {anchor.accept_length:g} × {accept_length:g} tokens "
            "a step",
            source=anchor.source,
        )
    waiting, reading = _step_ms(deployed, 1)
    layers = deployed.model.layers
    fact = _layer_fact(deployed)
    return ledger.add(
        "decode_rate",
        rounded(1000 / (waiting + reading) * accept_length),
        "tokens/s",
        formula=f"{accept_length:g} tokens / ({layers} layers × {fact.value:g} ms + "
        f"{reading:.1f} ms of reading weights)",
        source=f"a layer: {fact.source}",
    )


def decode_slowdown(ledger, deployed):
    """Take down α of rate / (1 + α(n - 1)) with n requests decoding on a worker."""
    anchor = deployed.anchor("decode_slowdown")
    if anchor:
        return _anchored(ledger, anchor, "")
    alone, many = (sum(_step_ms(deployed, n)) for n in (1, MANY))
    return ledger.add(
        "decode_slowdown",
        rounded((many / alone - 1) / (MANY - 1)),
        "",
        formula=f"({many:.1f} ms / {alone:.1f} ms − 1) / {MANY - 1}: a step with {MANY} requests "
        "a worker and with one",
        source="more requests read more of the experts; what attention reads is left out",
    )


def transfer_rate(ledger, gpu):
    """Take down the KV tokens/s from a prefill to a decode worker."""
    kv_bytes = ledger.value("kv_bytes_per_token")
    return ledger.add(
        "transfer_rate",
        rounded(gpu.network_gb_s * GB / kv_bytes),
        "tokens/s",
        formula=f"{gpu.network_gb_s:g} GB/s / {kv_bytes:,.0f} bytes a token",
        source=gpu.sources.get("network_gb_s", ""),
    )


def _anchored(ledger, anchor, unit):
    return ledger.add(anchor.quantity, anchor.value, unit, basis=anchor.basis, source=anchor.source)


def _tflops(gpu, precision):
    """Return the peak at that precision, or at the next one that the GPU computes in."""
    below = {"nvfp4": ("fp8", "bf16"), "fp4": ("fp8", "bf16"), "fp8": ("bf16",)}
    for name in (precision, *below.get(precision, ())):
        if name in gpu.tflops:
            return gpu.tflops[name]
    return max(gpu.tflops.values())


def _layer_fact(deployed):
    if deployed.pool == 1:
        return deployed.constant("layer_ms_alone")
    together = deployed.pool if deployed.style == "dpa" else deployed.layout.tp
    near = together <= deployed.gpu.gpus_per_node
    return deployed.constant(f"layer_ms_{deployed.style}_{'node' if near else 'network'}")


def _step_ms(deployed, requests):
    """Return the ms that a decode step waits and reads, with `requests` on each worker."""
    model, layout = deployed.model, deployed.layout
    gb = model.weights_gb[deployed.precision]
    workers = deployed.pool // layout.worker_gpus if layout.expert_parallel else 1
    # share of the experts that at least one token of the batch is sent to
    touched = 1.0
    if model.experts:
        touched -= (1 - model.experts_per_token / model.experts) ** (requests * workers)
    split = deployed.pool if layout.expert_parallel else layout.tp
    read = gb["experts"] * touched / split + gb["other"] / layout.tp
    waiting = model.layers * _layer_fact(deployed).value
    return waiting, read * GB / (deployed.gpu.bandwidth_tb_s * 1e12) * 1000
