"""From a model, GPUs and a deployment to the cluster's fields of a scenario."""

from sim.checks import unknown_name
from sim.hardware.alternatives import alternatives, described
from sim.hardware.library import LIBRARY
from sim.hardware.rules import DEPLOYMENTS, DeploymentError
from sim.hardware.workout import worked_out


def plan(
    model,
    gpu,
    gpus,
    deployment="dpa",
    *,
    precision=None,
    kv_precision="fp8",
    speculation=None,
    gpus_per_worker=None,
    pipeline=1,
    prefill_gpus=None,
    redundant_experts=0,
    host_ratio=0,
    overrides=None,
    library=None,
):
    """Work out a deployment.

    Parameters
    ----------
    model, gpu : str
        Names in the library.
    gpus : int
        In all.
    deployment : str
        One of `DEPLOYMENTS`.
    precision, kv_precision : str, optional
        Of the weights (the model's first if not given) and of the KV cache.
    speculation : bool or float, optional
        Speculative decoding: True takes the model's own accept length, a number is tokens a
        step. Under dpa it makes the lock ``phase``; without it is ``step``.
    gpus_per_worker : int, optional
        GPUs of one worker: by default all of them under tp, else one. Under dpa and pd they
        share the attention by tensor parallelism.
    pipeline : int
        Stages of one worker's layers, under tp and dp.
    prefill_gpus : int, optional
        Of the prefill pool under pd, by default half.
    redundant_experts : int
        Copies that pad the experts to a number that divides, under dpa and pd.
    host_ratio : float
        Host memory for KV as a multiple of the GPU's (HiCache); 0: none.
    overrides : mapping, optional
        Numbers of your own in place of those of the steps, by their names.
    library : Library, optional
        Facts to use; see `load_library`.

    Returns
    -------
    Plan

    Raises
    ------
    DeploymentError
        If it cannot be; the message says why and what would work. A ValueError.
    ValueError
        For unknown names or numbers out of range.

    Examples
    --------
    >>> plan("glm-5.2", "h100", 16, speculation=True).cluster["workers"]
    16
    """
    request = dict(locals())
    library = request.pop("library") or LIBRARY
    if deployment not in DEPLOYMENTS:
        raise ValueError(unknown_name("deployment", deployment, DEPLOYMENTS))
    request["overrides"] = dict(overrides or {})
    try:
        return worked_out(request, library)
    except DeploymentError as error:
        if error.code == "count":
            raise
        works = alternatives(request, library)
        raise DeploymentError(
            error.code, f"{error}. {described(works, request, library)}", error.values, works
        ) from None
