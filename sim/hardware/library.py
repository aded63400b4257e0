"""The table of facts: models, GPUs, measured rates and constants, and a user's own beside them."""

import dataclasses
import json
import math
import numbers
import pathlib

from sim.checks import unknown_name

DATA = pathlib.Path(__file__).parent.parent / "data" / "hardware.json"

QUANTITIES = ("prefill_rate", "decode_rate", "decode_slowdown")
ANCHOR_DEPLOYMENTS = ("dpa", "tp")
BASES = ("measured", "computed", "assumed")
WEIGHT_PARTS = ("experts", "other", "draft")


@dataclasses.dataclass(frozen=True)
class Model:
    """A model's shape and size.

    Attributes
    ----------
    parameters, active_parameters : float
        In all, and used for one token.
    heads, head_groups, kv_heads : int
        Attention heads; groups that tensor parallelism must not cut (0: none); heads of the
        KV cache, 1 for MLA, whose cache every GPU holds whole.
    experts, experts_per_token : int
        Routed experts of a layer; 0 for a dense model.
    context_limit : int
        Longest context in tokens.
    weights_gb : dict
        By precision the GB (10^9 bytes) of the routed `experts`, of all `other` weights and of
        the `draft` layer that speculative decoding loads.
    kv_bytes_per_token : dict
        By precision of the cache.
    accept_length : float or None
        Tokens a step with the model's own draft layer, if known.
    sources : dict of str to str
    """

    id: str
    title: str
    parameters: float
    active_parameters: float
    layers: int
    heads: int
    kv_heads: int
    context_limit: int
    weights_gb: dict
    kv_bytes_per_token: dict
    experts: int = 0
    experts_per_token: int = 0
    head_groups: int = 0
    accept_length: float | None = None
    sources: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Gpu:
    """A GPU: memory in GiB as software sees it, bandwidth in TB/s, dense TFLOPS by precision,
    network in GB/s for each GPU.
    """

    id: str
    title: str
    memory_gib: float
    bandwidth_tb_s: float
    tflops: dict
    network_gb_s: float
    gpus_per_node: int = 8
    sources: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Anchor:
    """A rate known for one model on one GPU in one deployment (``dpa`` or ``tp``).

    A `decode_rate` was reached with `accept_length` tokens a step. `gpus`, `precision` and
    `chunk_tokens` (the prefill chunk of one worker) None hold for any.
    """

    model: str
    gpu: str
    deployment: str
    quantity: str
    value: float
    basis: str
    source: str
    gpus: int | None = None
    precision: str | None = None
    chunk_tokens: int | None = None
    accept_length: float = 1.0


@dataclasses.dataclass(frozen=True)
class Constant:
    """A number of the arithmetic that belongs to no model or GPU."""

    value: float
    basis: str
    source: str


@dataclasses.dataclass(frozen=True)
class Library:
    """All facts by name. Later anchors win over earlier ones."""

    models: dict
    gpus: dict
    anchors: tuple
    constants: dict

    def model(self, name):
        """Return the model of that name; a ValueError names the nearest one."""
        return self._find("model", name, self.models)

    def gpu(self, name):
        """Return the GPU of that name; a ValueError names the nearest one."""
        return self._find("GPU", name, self.gpus)

    def _find(self, kind, name, known):
        if name not in known:
            raise ValueError(unknown_name(kind, name, known))
        return known[name]


def load_library(source, base=None):
    """Read facts of the user's own and put them beside the ones that are known.

    Parameters
    ----------
    source : str, path or mapping
        A JSON file, or what one holds: `models` and `gpus` (name to fields, as in
        ``sim/data/hardware.json``), `anchors` (a list) and `constants`. Each may be left out.
        An entry of a known name replaces it.
    base : Library, optional
        The facts to extend; the built-in ones if not given.

    Returns
    -------
    Library

    Raises
    ------
    ValueError
        If the file is no JSON, or a field is unknown, missing or of the wrong kind. The message
        names the entry, the field and, for an unknown name, the nearest one.
    OSError
        If the file cannot be read.
    """
    base = LIBRARY if base is None else base
    facts = source if hasattr(source, "items") else _read(source)
    _known_keys("hardware file", facts, ("about", "models", "gpus", "anchors", "constants"))
    models = {**base.models, **_entries(Model, "models", facts)}
    gpus = {**base.gpus, **_entries(Gpu, "gpus", facts)}
    constants = {**base.constants, **_constants(facts.get("constants", {}), base.constants)}
    anchors = list(base.anchors)
    for i, fields in enumerate(_list("anchors", facts.get("anchors", []))):
        anchor = _entry(Anchor, f"anchors[{i}]", fields)
        _check_anchor(f"anchors[{i}]", anchor, models, gpus)
        anchors.append(anchor)
    return Library(models, gpus, tuple(anchors), constants)


def _read(path):
    text = pathlib.Path(path).read_text(encoding="utf-8-sig")
    try:
        facts = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is no JSON: {error}") from None
    if not isinstance(facts, dict):
        raise ValueError(f"{path} must hold an object with models, gpus, anchors or constants")
    return facts


def _known_keys(where, fields, known):
    if not hasattr(fields, "items"):
        raise ValueError(f"{where} must be an object of names to values, not {fields!r}")
    for key in fields:
        if key not in known:
            raise ValueError(f"{where}: {unknown_name('field', key, known)}")


def _list(where, value):
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{where} must be a list, not {value!r}")
    return value


def _entries(kind, section, facts):
    found = facts.get(section, {})
    if not hasattr(found, "items"):
        raise ValueError(f"{section} must be an object of names to entries, not {found!r}")
    return {
        name: _entry(kind, f"{section}.{name}", fields, id=name) for name, fields in found.items()
    }


def _entry(kind, where, fields, **given):
    """Make a `kind` of the fields, after checking each of them."""
    known = {f.name: f for f in dataclasses.fields(kind) if f.name not in given}
    _known_keys(where, fields, known)
    for name, field in known.items():
        required = field.default is field.default_factory is dataclasses.MISSING
        if required and name not in fields:
            raise ValueError(f"{where}: {name} is missing")
    values = {name: _CHECKS[name](f"{where}.{name}", value) for name, value in fields.items()}
    return kind(**given, **values)


def _number(where, value, least=0.0, above=True):
    low = f"above {least:g}" if above else f"at least {least:g}"
    good = isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
    if not good or value < least or (above and value == least):
        raise ValueError(f"{where} = {value!r} must be a number {low}")
    return value


def _count(where, value, least=1):
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{where} = {value!r} must be a whole number, at least {least}")
    return int(value)


def _text(where, value):
    if not isinstance(value, str) or not value:
        raise ValueError(f"{where} = {value!r} must be a text")
    return value


def _choice(where, value, known):
    if value not in known:
        raise ValueError(f"{where}: {unknown_name('value', value, known)}")
    return value


def _by_precision(where, value):
    if not hasattr(value, "items") or not value:
        raise ValueError(f"{where} = {value!r} must give a number for each precision")
    return {name: _number(f"{where}.{name}", number) for name, number in value.items()}


def _weights(where, value):
    if not hasattr(value, "items") or not value:
        raise ValueError(f"{where} = {value!r} must give experts, other and draft by precision")
    return {name: _weight_parts(f"{where}.{name}", parts) for name, parts in value.items()}


def _weight_parts(where, parts):
    _known_keys(where, parts, WEIGHT_PARTS)
    if "other" not in parts:
        raise ValueError(f"{where}: other is missing")
    given = {name: _number(f"{where}.{name}", gb, above=False) for name, gb in parts.items()}
    return {"experts": 0, "draft": 0, **given}


def _sources(where, value):
    if not hasattr(value, "items"):
        raise ValueError(f"{where} = {value!r} must be an object of fields to texts")
    return {name: _text(f"{where}.{name}", text) for name, text in value.items()}


_CHECKS = {
    **dict.fromkeys(("title", "model", "gpu", "source", "precision"), _text),
    **dict.fromkeys(("parameters", "active_parameters", "memory_gib", "bandwidth_tb_s"), _number),
    **dict.fromkeys(("layers", "heads", "kv_heads", "context_limit", "gpus_per_node"), _count),
    **dict.fromkeys(
        ("experts", "experts_per_token", "head_groups"), lambda w, v: _count(w, v, least=0)
    ),
    **dict.fromkeys(("gpus", "chunk_tokens"), _count),
    "network_gb_s": _number,
    "weights_gb": _weights,
    "kv_bytes_per_token": _by_precision,
    "tflops": _by_precision,
    "accept_length": lambda w, v: _number(w, v, least=1, above=False),
    "sources": _sources,
    "deployment": lambda w, v: _choice(w, v, ANCHOR_DEPLOYMENTS),
    "quantity": lambda w, v: _choice(w, v, QUANTITIES),
    "basis": lambda w, v: _choice(w, v, BASES),
    "value": lambda w, v: _number(w, v, above=False),
}


def _constants(found, known):
    if known:
        _known_keys("constants", found, known)
    return {name: _entry(Constant, f"constants.{name}", fields) for name, fields in found.items()}


def _check_anchor(where, anchor, models, gpus):
    for kind, name, known in (("model", anchor.model, models), ("GPU", anchor.gpu, gpus)):
        if name not in known:
            raise ValueError(f"{where}: {unknown_name(kind, name, known)}")
    if anchor.quantity != "decode_slowdown" and anchor.value == 0:
        raise ValueError(f"{where}.value = 0 must be above 0 for {anchor.quantity}")
    known = models[anchor.model].weights_gb
    if anchor.precision is not None and anchor.precision not in known:
        raise ValueError(f"{where}: {unknown_name('precision', anchor.precision, known)}")


LIBRARY = load_library(DATA, base=Library({}, {}, (), {}))
"""The built-in facts."""
