"""A chosen deployment: changed, written into an address, worked out, and held against a scenario.

A deployment is a dict: the arguments of `sim.hardware.plan` that differ from its defaults, and
always `model`, `gpu`, `gpus` and `deployment`.
"""

import contextlib
import functools
import inspect
import json

from sim.hardware import LIBRARY, DeploymentError, plan
from sim.presets import PLANS

DEFAULT = {"deployment": "dpa", **PLANS["dpa_16xh100"]}
"""What a panel shows before anything is chosen: the article's cluster."""

MAX_GPUS_PER_WORKER = 64
MAX_GPUS = 4096
MOST_ACCEPTED = 16

_ARGUMENTS = {
    name: argument.default
    for name, argument in inspect.signature(plan).parameters.items()
    if name not in ("library", "overrides")
}
_ALWAYS = ("model", "gpu", "gpus", "deployment")
_LAYOUT = ("gpus_per_worker", "pipeline", "prefill_gpus", "redundant_experts")
_WORDS = {"on": True, "off": False}


class TooWide(ValueError):
    """A worker of more GPUs than the state of the page can hold."""

    def __init__(self, gpus):
        super().__init__(f"a worker of {gpus} GPUs; at most {MAX_GPUS_PER_WORKER}")
        self.gpus = gpus


def normal(request):
    """Return a request in its normal form: without arguments that have their defaults."""
    given = {
        name: request.get(name, default)
        for name, default in _ARGUMENTS.items()
        if name in _ALWAYS or request.get(name, default) not in (default, None)
    }
    if not given.get("speculation", True):
        del given["speculation"]
    overrides = request.get("overrides")
    return {**given, "overrides": dict(overrides)} if overrides else given


def written(request):
    """Return a request as it stands in an address: ``model:glm-5.2,gpu:h100,...``."""
    pairs = {**normal(request)}
    pairs |= pairs.pop("overrides", {})
    words = {True: "on", False: "off"}
    return ",".join(
        f"{name}:{words[value] if isinstance(value, bool) else value}"
        for name, value in pairs.items()
    )


def read(text):
    """Return the request that stands in an address.

    Raises
    ------
    ValueError
        If it cannot be read or names what is not known. A deployment that merely cannot be is
        none: the page explains it.
    """
    given = {}
    for part in text.split(","):
        name, colon, value = part.partition(":")
        if not colon:
            raise ValueError("must be pairs such as model:glm-5.2,gpu:h100,gpus:16,deployment:dpa")
        given[name] = value if name in ("model", "gpu", "deployment") else _value(value)
    missing = [name for name in ("model", "gpu", "gpus") if name not in given]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    arguments = {name: value for name, value in given.items() if name in _ARGUMENTS}
    overrides = {name: value for name, value in given.items() if name not in _ARGUMENTS}
    request = normal({**arguments, "overrides": overrides})
    with contextlib.suppress(DeploymentError):
        worked_out(request)
    return request


def _value(text):
    if text in _WORDS:
        return _WORDS[text]
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def changed(request, name, value):
    """Return a request with one argument changed, and what hangs on it.

    Another model keeps the precision if it has it, and a draft layer if its accept length is
    known; another number of GPUs or deployment lays the GPUs out anew.
    """
    request = {**request, name: value}
    if name in ("gpus", "deployment"):
        request = {key: v for key, v in request.items() if key not in _LAYOUT}
    if name == "model":
        model = LIBRARY.model(value)
        if request.get("precision") not in model.weights_gb:
            request["precision"] = None
        if request.get("speculation") is True and model.accept_length is None:
            request["speculation"] = False
    return normal(request)


def worked_out(request):
    """Return the `Plan` of a request; raises what `sim.hardware.plan` raises."""
    found = _remembered(json.dumps(normal(request)))
    if isinstance(found, tuple):
        raise DeploymentError(*found)
    return found


@functools.lru_cache(maxsize=64)
def _remembered(key):
    """Return the plan, or what its error is made of: an error keeps whoever it passes alive."""
    try:
        return plan(**json.loads(key))
    except DeploymentError as error:
        return error.code, str(error), error.values, error.alternatives


def filled(request, scenario):
    """Return what a deployment makes of the state: values of parameters of `AppState`.

    Raises
    ------
    ValueError
        If it cannot be (`DeploymentError`), or not with the scenario's other fields.
    """
    found = worked_out(request)
    if found.gpus_per_worker > MAX_GPUS_PER_WORKER:
        raise TooWide(found.gpus_per_worker)
    return {
        "scenario": scenario.replace(**found.cluster),
        "gpus_per_worker": found.gpus_per_worker,
        "deployment": normal(request),
    }


def by_hand(request, scenario, gpus_per_worker):
    """Return the fields that are not as worked out, each with the worked-out value."""
    found = worked_out(request)
    fields = {name: getattr(scenario, name) for name in found.cluster}
    fields["gpus_per_worker"] = gpus_per_worker
    wanted = {**found.cluster, "gpus_per_worker": found.gpus_per_worker}
    return {name: value for name, value in wanted.items() if fields[name] != value}


def said_value(name, value, texts):
    """Return the value of a field as people read it."""
    if isinstance(value, bool):
        return texts("controls.on" if value else "controls.off")
    if isinstance(value, str):
        return texts(f"options.{name}.{value}.label")
    return f"{value:,}"


def explained(error, request, texts):
    """Return why a deployment cannot be, in the language of the texts."""
    values = getattr(error, "values", {})
    model = LIBRARY.model(request["model"]).title

    def say(key, **filling):
        return texts(f"deployment.problems.{key}", **filling)

    if isinstance(error, TooWide):
        return say("wide", gpus=error.gpus, most=MAX_GPUS_PER_WORKER)
    if "clashes" in values:
        return " ".join(_clashes(values["clashes"], model, texts))
    if "layers" in values:
        return say("layers", model=model, **values)
    if "weights_gb" in values:
        gb = {"weights": f"{values['weights_gb']:.0f}", "usable": f"{values['usable_gb']:.0f}"}
        return say("fit", model=model, **gb)
    if request["deployment"] == "pd" and request["gpus"] == 1:
        return say("two")
    if "rule" in values:
        return say(values["rule"], **{name: v for name, v in values.items() if name != "rule"})
    return say("other", message=str(error))


def _clashes(clashes, model, texts):
    """Yield a sentence for each number of GPUs that something does not divide by."""
    for by in dict.fromkeys(clash["by"] for clash in clashes):
        sizes = texts("deployment.problems.and").join(
            texts(
                "deployment.problems.size",
                size=clash["size"],
                what=texts(f"deployment.dimensions.{clash['what']}"),
            )
            for clash in clashes
            if clash["by"] == by
        )
        yield texts("deployment.problems.divide", model=model, sizes=sizes, by=by)


def alternatives(error, request):
    """Return the requests that would work in place of one that does not."""
    return [normal({**request, **change}) for change in getattr(error, "alternatives", ())]


def named(request, texts):
    """Return a deployment's short name and its GPUs."""
    name = worked_out(request).name
    return texts("deployment.alternative", name=name, gpus=request["gpus"])


def explained_with_alternatives(error, request, texts):
    """Return why a deployment cannot be, and what would work."""
    why = explained(error, request, texts)
    names = [named(other, texts) for other in alternatives(error, request)]
    if not names:
        return why
    return f"{why} {texts('deployment.works')} {texts('deployment.or').join(names)}"
