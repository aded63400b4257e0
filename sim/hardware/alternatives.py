"""What would work in place of a deployment that does not."""

import itertools

from sim.hardware.rules import DEPLOYMENTS, DeploymentError
from sim.hardware.workout import worked_out

MOST_GPUS = 1024
SHOWN = 4


def alternatives(request, library):
    """Return arguments of `plan` that work, nearest first.

    Parameters
    ----------
    request : dict
        Arguments of `plan` that do not work.
    library : Library

    Returns
    -------
    list of dict
        Each the arguments that differ from the request, at most `SHOWN`.
    """
    found = [change for change in _candidates(request, library) if _works(request, change, library)]
    return found[:SHOWN]


def described(works, request, library):
    """Say in one sentence what works."""
    if not works:
        return f"Nothing up to {MOST_GPUS} of these GPUs was found to work"
    plans = (worked_out({**request, **change}, library) for change in works)
    return "What works: " + "; ".join(f"{p.name} on {p.request['gpus']} GPUs" for p in plans)


def _candidates(request, library):
    """Yield changes of the request: the same GPUs in another way, then another number."""
    gpus, deployment = request["gpus"], request["deployment"]
    plain = {"gpus_per_worker": None, "pipeline": 1, "prefill_gpus": None, "redundant_experts": 0}
    if deployment in ("tp", "dp"):
        same = [n for n in range(gpus, 0, -1) if gpus % n == 0]
        replicas = ({**plain, "gpus_per_worker": n} for n in same if n < gpus)
        stages = (
            {**plain, "gpus_per_worker": n * s, "pipeline": s}
            for s in range(2, gpus + 1)
            for n in same
            if gpus % (n * s) == 0
        )
        yield from _first(request, replicas, library)
        yield from _first(request, stages, library)
    padded = ({"redundant_experts": n} for n in _padding(request, library))
    if deployment in ("dpa", "pd"):
        yield from _first(request, padded, library)
    fewer = ({**plain, "gpus": n} for n in range(gpus - 1, 0, -1))
    yield from _first(request, fewer, library)
    more = ({**plain, "gpus": n} for n in range(gpus + 1, MOST_GPUS + 1))
    yield from _first(request, more, library)
    for other in DEPLOYMENTS:
        if other != deployment:
            yield {**plain, "deployment": other}


def _padding(request, library):
    """Yield the least number of redundant experts that may divide."""
    experts = library.model(request["model"]).experts
    if experts:
        yield -experts % request["gpus"]


def _first(request, changes, library):
    """Yield the first change that works, if any."""
    return itertools.islice((c for c in changes if _works(request, c, library)), 1)


def _works(request, change, library):
    try:
        worked_out({**request, **change}, library)
    except DeploymentError:
        return False
    return True
