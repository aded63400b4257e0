"""Says in the user's language why a value is not allowed."""

import param

from app.limits import LimitError
from app.state import MAX_GPUS_PER_WORKER
from sim.scenario import DISTRIBUTIONS, MAX_MS, MAX_TOKENS, Scenario, check_field, field_names

LONGEST = {"key": 40, "value": 80, "problem": 400}
"""Characters that a banner shows of each part of an address that could not be read."""


def problem(name, value, error, state, texts):
    """Return the sentence that stands at a control whose value was refused.

    Parameters
    ----------
    name : str
        The control's name.
    value
        What was refused.
    error : ValueError
        Why, in English: the sentence where no other is known.
    state : AppState
        The state that the value was to change.
    texts : Texts
    """
    kind, values = _own(name, value, state) or _among_fields(name, value, state) or ("other", {})
    return texts(f"problems.{kind}", value=_shown(value), message=str(error), **values)


def link_problem(found, texts):
    """Return the sentence about a part of an address that could not be read.

    Parameters
    ----------
    found : dict
        One of the problems that `app.state.read_query` returns.
    texts : Texts
    """
    kind = found["kind"]
    if kind == "baseline":
        return texts("baseline.link", problem=link_problem(found["problem"], texts))
    shown = {name: _short(found[name], most) for name, most in LONGEST.items() if name in found}
    found = {**found, **shown}
    if kind == "value" and found["key"] in field_names():
        form, limits = _of_kind(found["key"], found["value"])
    elif kind == "refused":
        form, limits = found["form"], found["limits"]
    else:
        return texts(f"status.link_{kind}", **found)
    said = texts(f"problems.{form}", value=found["value"], **limits)
    return texts("status.link_field", key=found["key"], problem=said)


def _short(text, most):
    """Return a part of an address as a banner can show it."""
    return text[: most - 1] + "…" if len(text) > most else text or '""'


def failure(error, texts):
    """Return why something failed: in the user's language if more was asked for than is allowed.

    Parameters
    ----------
    error : Exception
    texts : Texts
    """
    if isinstance(error, LimitError):
        return texts(f"limits.{error.kind}", **error.values)
    # a ValueError says what is wrong with the settings; what any other says needs its name
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"


def _own(name, value, state):
    """Return the kind of problem that the value has by itself, and what is allowed."""
    if name == "gpus_per_worker":
        return "integer", {"low": "1", "high": _shown(MAX_GPUS_PER_WORKER)}
    if name == "gpus":
        each = state.gpus_per_worker
        high = _shown(Scenario.param.workers.bounds[1] * each)
        if each == 1:
            return _own("workers", value, state)
        if not isinstance(value, (int, float)) or value % each or value < each:
            return "multiple", {"each": _shown(each), "high": high}
        name, value = "workers", value // each
    try:
        check_field(name, value)
    except ValueError:
        return _of_kind(name, value)
    return None


def _of_kind(name, value):
    kind = Scenario.param[name]
    if name == "table":
        return "table", {}
    if name in DISTRIBUTIONS:
        limits = DISTRIBUTIONS[name], MAX_MS if name == "think_ms" else MAX_TOKENS
        form = "quantiles" if isinstance(value, list) and len(value) > 2 else "range"
        return form, _limits(*limits)
    if isinstance(kind, param.Boolean):
        return "switch", {}
    if isinstance(kind, param.Selector):
        return "choice", {"known": ", ".join(kind.objects)}
    if isinstance(kind, param.Integer):
        return "integer", _limits(*kind.bounds)
    forms = {(True, True): "number", (False, True): "open_number", (False, False): "inside_number"}
    return forms[kind.inclusive_bounds], _limits(*kind.bounds)


def _among_fields(name, value, state):
    """Return the kind of problem that the value has with other fields."""
    if name == "gpus":
        name, value = "workers", value // state.gpus_per_worker
    fields = {**state.scenario.to_dict(), name: value}
    if fields["prefill_workers"] >= fields["workers"]:
        return "prefill_workers", {
            "prefill": _shown(fields["prefill_workers"]),
            "workers": _shown(fields["workers"]),
        }
    room = min(fields["kv_capacity"], fields["context_limit"])
    if fields["shared_prefix"] >= room:
        return "shared_prefix", {"prefix": _shown(fields["shared_prefix"]), "room": _shown(room)}
    return None


def _limits(low, high):
    return {"low": _shown(low), "high": _shown(high)}


def _shown(value):
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
