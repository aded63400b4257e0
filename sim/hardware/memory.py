"""What one GPU's memory holds, and the KV tokens of a worker that this leaves room for.

KV capacity of a worker = (memory x usable share - weights on that GPU - activations) / KV bytes
of a token on that GPU. Under DPA the routed experts are split over all GPUs of the pool and the
rest is held by every worker; under TP all weights are split, and the KV cache of MLA, which has a
single head, is held whole by every GPU.
"""

from sim.hardware.ledger import Basis, Part
from sim.hardware.rules import GB, GIB, DeploymentError
from sim.scenario import MAX_TOKENS

LARGE_GIB = 160


def kv_capacity(ledger, known, model, gpu, layout, precision, kv_precision, drafts):
    """Take down the memory of one GPU.

    Parameters
    ----------
    ledger : Ledger
    known : dict
        The library's constants.
    model, gpu, layout
    precision, kv_precision : str
        Of the weights and of the cache.
    drafts : bool
        Whether the draft layer is loaded.

    Returns
    -------
    tokens : int
        KV capacity of a worker.
    chunk : float
        Prefill chunk of a worker in tokens.
    parts : tuple of Part
        The memory of one GPU, in bytes; they add up to all of it.

    Raises
    ------
    DeploymentError
        If nothing is left for the cache.
    """
    total = GIB * ledger.add("memory", gpu.memory_gib, "GiB", **_fact(gpu, "memory_gib"))
    share = ledger.constant("usable_share", known, "of the memory")
    split, whole = _weights(ledger, model, layout, precision, drafts)
    chunk = _chunk(ledger, known, gpu, layout)
    each = known["activation_bytes_per_token"]
    activations = ledger.add(
        "activations",
        each.value * chunk / GB,
        "GB",
        formula=f"{each.value / 2**20:g} MiB × {chunk:g} tokens of a chunk",
        source=each.source,
    )
    token = _token_bytes(ledger, model, layout, kv_precision)
    room = total * share - (split + whole + activations) * GB
    tokens = ledger.add(
        "kv_capacity",
        max(0, int(room / token)),
        "tokens",
        formula=f"({total / GB:.1f} GB × {share:g} − {split:.1f} − {whole:.1f} − "
        f"{activations:.1f} GB) / {token:,.0f} bytes",
    )
    tokens = min(int(tokens), MAX_TOKENS)
    if tokens < 1:
        raise DeploymentError(
            "fit",
            f"{model.title} ({precision}) does not fit as {layout.name} on {gpu.title}: a GPU "
            f"would hold {split + whole:.0f} GB of weights and {activations:.1f} GB of "
            f"activations, and {total * share / GB:.0f} GB are usable",
            {"weights_gb": split + whole, "usable_gb": total * share / GB},
        )
    used = [
        Part("weights", split * GB),
        Part("replicated_weights", whole * GB),
        Part("kv", tokens * token),
        Part("activations", activations * GB),
    ]
    reserve = max(0.0, total - sum(part.bytes for part in used))
    return tokens, chunk, (*used, Part("reserve", reserve))


def _fact(entry, field, fallback="published"):
    return {"basis": Basis.MEASURED, "source": entry.sources.get(field, fallback)}


def _weights(ledger, model, layout, precision, drafts):
    """Take down the GB of split and of replicated weights on one GPU."""
    gb = model.weights_gb[precision]
    # the draft layer is nearly all experts, and is split like them
    experts = gb["experts"] + (gb["draft"] if drafts else 0)
    drafted = " with the draft layer" if drafts and gb["draft"] else ""
    source = model.sources.get("weights_gb", "")
    if not layout.expert_parallel:
        whole = experts + gb["other"]
        split = ledger.add(
            "weights",
            whole / layout.split,
            "GB",
            formula=f"{whole:g} GB{drafted} / {layout.split} GPUs",
            source=source,
        )
        return split, ledger.add(
            "replicated_weights", 0, "GB", formula="all weights are split", source=source
        )
    copies = 1 + layout.redundant_experts / model.experts if model.experts else 1
    padded = f" × {copies:g} for redundant ones" if layout.redundant_experts else ""
    split = ledger.add(
        "weights",
        experts * copies / layout.split,
        "GB",
        formula=f"{experts:g} GB of routed experts{drafted}{padded} / {layout.split} GPUs",
        source=source,
    )
    among = f"{gb['other']:g} GB / {layout.tp} GPUs of a worker"
    return split, ledger.add(
        "replicated_weights",
        gb["other"] / layout.tp,
        "GB",
        formula=among if layout.tp > 1 else f"{gb['other']:g} GB, on every GPU",
        source=source,
    )


def _chunk(ledger, known, gpu, layout):
    """Take down the prefill chunk of one worker."""
    fact = known["chunk_tokens_large" if gpu.memory_gib >= LARGE_GIB else "chunk_tokens"]
    if not layout.expert_parallel:
        return ledger.add(
            "chunk_tokens", fact.value, "tokens", basis=fact.basis, source=fact.source
        )
    ranks = layout.split // layout.tp
    return ledger.add(
        "chunk_tokens",
        max(1, fact.value // ranks),
        "tokens",
        formula=f"{fact.value:g} / {ranks} ranks",
        source=fact.source,
    )


def _token_bytes(ledger, model, layout, kv_precision):
    """Take down the bytes that one token's KV takes on one GPU."""
    whole = model.kv_bytes_per_token[kv_precision]
    heads = min(layout.tp, model.kv_heads)
    if heads == layout.pipeline == 1:
        formula = f"{whole:,} bytes, on every GPU of a worker" if layout.tp > 1 else ""
    else:
        formula = f"{whole:,} bytes / {heads} (heads split) / {layout.pipeline} (stages)"
    return ledger.add(
        "kv_bytes_per_token",
        whole / heads / layout.pipeline,
        "bytes",
        formula=formula,
        source=model.sources.get("kv_bytes_per_token", ""),
    )
