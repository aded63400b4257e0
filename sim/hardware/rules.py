"""How a deployment lays a model out over GPUs, and what engines refuse to start."""

import dataclasses
import math
import numbers

from sim.scenario import MAX_WORKERS

DEPLOYMENTS = ("dpa", "tp", "pd", "dp")
"""dpa: attention in data parallel, experts split over all GPUs. tp: tensor-parallel replicas.
pd: a prefill and a decode pool, each as dpa. dp: independent workers with the whole model."""

GB = 1e9
GIB = 2**30


class DeploymentError(ValueError):
    """A deployment that cannot be.

    Attributes
    ----------
    code : str
        ``count``, ``divide`` or ``fit``: numbers that make no sense, dimensions that do not
        divide, weights that leave no room.
    values : dict
        The numbers of the message, for texts in another language.
    alternatives : tuple of dict
        What would work: arguments of `plan` to change.
    """

    def __init__(self, code, message, values=None, alternatives=()):
        super().__init__(message)
        self.code = code
        self.values = values or {}
        self.alternatives = tuple(alternatives)


@dataclasses.dataclass(frozen=True)
class Layout:
    """How the GPUs are used.

    Attributes
    ----------
    deployment : str
    gpus : int
        In all.
    tp : int
        Tensor parallelism of one worker's attention (under ``tp`` and ``dp`` of all of it).
    pipeline : int
        Stages that a worker's layers are cut into.
    prefill_gpus : int
        Of the prefill pool, 0 without PD.
    redundant_experts : int
        Copies of experts that pad their number under expert parallelism.
    """

    deployment: str
    gpus: int
    tp: int
    pipeline: int = 1
    prefill_gpus: int = 0
    redundant_experts: int = 0

    @property
    def worker_gpus(self):
        """GPUs of one worker."""
        return self.tp * self.pipeline

    @property
    def workers(self):
        return self.gpus // self.worker_gpus

    @property
    def prefill_workers(self):
        return self.prefill_gpus // self.worker_gpus

    @property
    def pools(self):
        """GPUs of each pool that shares its experts, without empty ones."""
        return tuple(n for n in (self.prefill_gpus, self.gpus - self.prefill_gpus) if n)

    @property
    def expert_parallel(self):
        """Whether a pool's experts are split over all its GPUs."""
        return self.deployment in ("dpa", "pd")

    @property
    def split(self):
        """GPUs that the experts are split over; of the smaller pool, whose GPUs hold more."""
        return min(self.pools) if self.expert_parallel else self.worker_gpus

    @property
    def name(self):
        """The usual short name, such as TP8 x 3."""
        worker = f"TP{self.tp}" + (f"·PP{self.pipeline}" if self.pipeline > 1 else "")
        if self.deployment in ("tp", "dp"):
            return worker + (f" × {self.workers}" if self.workers > 1 else "")
        of = f" of TP{self.tp}" if self.tp > 1 else ""
        if self.redundant_experts:
            of += f" with {self.redundant_experts} redundant experts"
        if self.deployment == "pd":
            return f"{self.prefill_workers}P + {self.workers - self.prefill_workers}D{of}"
        return f"DPA{self.workers}{of}"


def lay_out(deployment, gpus, gpus_per_worker, pipeline, prefill_gpus, redundant_experts):
    """Return the layout; a `DeploymentError` if the numbers of GPUs make no sense."""
    _count("gpus", gpus, most=MAX_WORKERS)
    _count("pipeline", pipeline)
    _count("redundant_experts", redundant_experts, least=0)
    if pipeline > 1 and deployment not in ("tp", "dp"):
        raise DeploymentError(
            "count",
            f"pipeline = {pipeline}: only tp and dp cut the layers into stages",
            {"rule": "stages", "value": pipeline},
        )
    if redundant_experts and deployment not in ("dpa", "pd"):
        raise DeploymentError(
            "count",
            f"redundant_experts = {redundant_experts}: only dpa and pd split the experts",
            {"rule": "experts", "value": redundant_experts},
        )
    if gpus_per_worker is None:
        gpus_per_worker = gpus if deployment == "tp" else pipeline
    _count("gpus_per_worker", gpus_per_worker)
    for part, whole, n, m in (
        ("pipeline", "gpus_per_worker", pipeline, gpus_per_worker),
        ("gpus_per_worker", "gpus", gpus_per_worker, gpus),
    ):
        if m % n:
            raise DeploymentError(
                "count",
                f"{part} = {n} must divide {whole} = {m}",
                {"rule": "divides", "name": part, "value": n, "whole": whole, "size": m},
            )
    prefill = _prefill_pool(deployment, gpus, gpus_per_worker, prefill_gpus)
    tp = gpus_per_worker // pipeline
    return Layout(deployment, gpus, tp, pipeline, prefill, redundant_experts)


def _prefill_pool(deployment, gpus, gpus_per_worker, prefill_gpus):
    if deployment != "pd":
        if prefill_gpus is not None:
            raise DeploymentError(
                "count",
                f"prefill_gpus = {prefill_gpus!r}: only pd has a prefill pool",
                {"rule": "no_pool", "value": prefill_gpus},
            )
        return 0
    if prefill_gpus is None:
        prefill_gpus = gpus // gpus_per_worker // 2 * gpus_per_worker
    _count("prefill_gpus", prefill_gpus, least=0)
    if not 0 < prefill_gpus < gpus or prefill_gpus % gpus_per_worker:
        raise DeploymentError(
            "count",
            f"prefill_gpus = {prefill_gpus} must be a multiple of gpus_per_worker = "
            f"{gpus_per_worker} and leave GPUs to decode: above 0 and below gpus = {gpus}",
            {"rule": "pool", "value": prefill_gpus, "each": gpus_per_worker, "gpus": gpus},
        )
    return prefill_gpus


def _count(name, value, least=1, most=math.inf):
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        allowed = f"at least {least}" if most == math.inf else f"from {least} to {most:,}"
        raise DeploymentError(
            "count",
            f"{name} = {value!r} must be a whole number {allowed}",
            {"rule": "number", "name": name, "value": value, "low": least, "high": most},
        )


def check_division(model, layout):
    """Raise a `DeploymentError` if a dimension of the model does not divide."""
    bad = [clash for clash in _divisions(model, layout) if clash["size"] % clash["by"]]
    if bad:
        raise DeploymentError("divide", _division_message(model, layout, bad), {"clashes": bad})
    if model.layers < layout.pipeline:
        raise DeploymentError(
            "divide",
            f"{model.title} cannot be cut into {layout.pipeline} pipeline stages: it has "
            f"{model.layers} layers",
            {"layers": model.layers, "pipeline": layout.pipeline},
        )


def _divisions(model, layout):
    """Yield what must divide: the dimension, its size and what it is divided by."""
    yield {"what": "attention heads", "size": model.heads, "by": layout.tp}
    if model.head_groups:
        yield {"what": "head groups", "size": model.head_groups, "by": layout.tp}
    if model.kv_heads > 1:
        most, least = max(model.kv_heads, layout.tp), min(model.kv_heads, layout.tp)
        if most % least:
            yield {"what": "KV heads", "size": model.kv_heads, "by": layout.tp}
    if not model.experts:
        return
    experts = model.experts + layout.redundant_experts
    for by in layout.pools if layout.expert_parallel else (layout.tp,):
        yield {"what": "experts", "size": experts, "by": by}


def _division_message(model, layout, bad):
    parts = []
    for by in dict.fromkeys(clash["by"] for clash in bad):
        clashes = [clash for clash in bad if clash["by"] == by]
        sizes = " and ".join(f"{clash['size']} {clash['what']}" for clash in clashes)
        factors = sorted({by // math.gcd(by, clash["size"]) for clash in clashes})
        has = " and ".join(map(str, factors))
        parts.append(f"its {sizes} do not divide by {by}, which has a factor {has} too many")
    return f"{model.title} cannot run as {layout.name}: " + "; ".join(parts)
