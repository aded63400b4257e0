"""What the user chose, and how it stands in the address of the page."""

import contextlib
import difflib
import json
import math
import urllib.parse

import param

from app import deployments
from app.axes import AXES
from app.deployments import MAX_GPUS_PER_WORKER
from app.exploring import METRICS
from app.palette import PALETTES
from app.texts import DEFAULT, LANGUAGES
from sim.checks import unknown_name
from sim.hardware import DeploymentError
from sim.presets import PLANS, PRESETS
from sim.scenario import DISTRIBUTIONS, Scenario, check_field, field_names
from sim.stories import STORIES

VERSION = "1"
"""Version of the address's keys; a link keeps its meaning when defaults change."""

THEMES = ("auto", "light", "dark")
TABS = ("run", "fixes", "explore", "traces")
"""What stands below the numbers: the run, what would fix it, two parameters swept, recorded
sessions."""
SPEEDS = (10, 30, 100, 300, 1000)
"""Simulated seconds in a second of replay."""

LONGEST_TABLE = 4000
"""Characters of a table of sessions that a link still carries."""


class AppState(param.Parameterized):
    """What the user chose. One for each session.

    The scenario is replaced as a whole and never changed in place, so that whoever holds one
    can rely on it.
    """

    scenario = param.ClassSelector(class_=Scenario, allow_None=False, doc="What is simulated.")
    gpus_per_worker = param.Integer(
        1, bounds=(1, MAX_GPUS_PER_WORKER), doc="GPUs that one worker spans."
    )
    deployment = param.Dict(
        None, allow_None=True, doc="Deployment behind the cluster's fields; see app.deployments."
    )
    story = param.String(
        None, allow_None=True, doc="Story and step that are told, such as article.lock."
    )
    tab = param.Selector(default="run", objects=list(TABS), doc="What is shown below the numbers.")
    explore = param.Tuple(
        ("agents", "kv_capacity", "utilization"),
        length=3,
        doc="Parameters across and up, and the metric, of the grid.",
    )
    view = param.NumericTuple(
        None, length=2, allow_None=True, doc="Seconds in sight; None: the whole run."
    )
    pin = param.Integer(None, bounds=(0, None), allow_None=True, doc="Tick that is looked into.")
    worker = param.Integer(
        None, bounds=(0, None), allow_None=True, doc="Worker that is looked at first."
    )
    clock = param.Number(
        None, bounds=(0, None), allow_None=True, doc="Seconds at which the replay stands."
    )
    speed = param.Selector(default=100, objects=list(SPEEDS), doc="Speed of the replay.")
    language = param.Selector(default=DEFAULT, objects=list(LANGUAGES), doc="Of the interface.")
    theme = param.Selector(default="auto", objects=list(THEMES), doc="Light, dark or the system's.")
    dark = param.Boolean(False, doc="Whether the page is dark now; no choice, not in the address.")
    palette = param.Selector(default="default", objects=list(PALETTES), doc="Of the states.")

    def __init__(self, **values):
        super().__init__(**{"scenario": Scenario(), **values})

    @property
    def preset(self):
        """Name of the preset that the scenario is, or None."""
        changed = self.scenario.changed()
        return next((name for name, fields in PRESETS.items() if fields == changed), None)

    @property
    def gpus(self):
        """GPUs of the whole cluster."""
        return self.scenario.workers * self.gpus_per_worker

    def query(self):
        """Return the address's query that brings back this state, without the question mark."""
        pairs = [("v", VERSION)]
        for name, value in self.scenario.to_dict().items():
            text = _written(name, value)
            if text is not None:
                pairs.append((name, text))
        pairs.append(("gpus_per_worker", str(self.gpus_per_worker)))
        if self.deployment is not None:
            pairs.append(("deployment", deployments.written(self.deployment)))
        if self.story is not None:
            pairs.append(("story", self.story))
        if self.tab != "run":
            pairs.append(("tab", self.tab))
        if self.explore != AppState.param.explore.default:
            pairs.append(("explore", ",".join(self.explore)))
        if self.view is not None:
            pairs.append(("view", "-".join(f"{seconds:.10g}" for seconds in self.view)))
        for name in ("pin", "worker", "clock"):
            if getattr(self, name) is not None:
                pairs.append((name, f"{getattr(self, name):.10g}"))
        pairs.append(("speed", str(self.speed)))
        pairs += [("lang", self.language), ("theme", self.theme), ("palette", self.palette)]
        return urllib.parse.urlencode(pairs, safe=",-:")


def preset_values(name):
    """Return what a preset makes of the state: values of parameters of `AppState`."""
    values = {"scenario": Scenario.preset(name), "gpus_per_worker": 1}
    if name not in PLANS:
        return {**values, "deployment": None, "story": None}
    request = deployments.normal(PLANS[name])
    each = deployments.worked_out(request).gpus_per_worker
    return {**values, "gpus_per_worker": each, "deployment": request, "story": None}


def read_query(query, language=DEFAULT):
    """Read a state from an address.

    Parameters
    ----------
    query : str
        The address's query, without the question mark.
    language : str
        Of the interface, unless the address says which.

    Returns
    -------
    state : AppState
        What cannot be read has its default.
    problems : list of dict
        One for each part that could not be read: `kind` ("value", "conflict", "sessions",
        "unknown", "near" or "version") and the values that its text needs.
    """
    problems, fields, choices = [], {}, {}
    for key, text in urllib.parse.parse_qsl(query, keep_blank_values=True):
        if key == "v":
            if text != VERSION:
                problems.append({"kind": "version", "value": text, "known": VERSION})
        elif key in field_names():
            _read(problems, key, text, fields, lambda k, t: check_field(k, _parsed(k, t)))
        elif key == "preset":
            _read(problems, key, text, choices, lambda _, t: _choice(t, PRESETS))
        elif key in CHOICES:
            _read(problems, key, text, choices, lambda k, t: CHOICES[k](t))
        else:
            near = difflib.get_close_matches(key, [*field_names(), *CHOICES], n=1, cutoff=0.6)
            kind = {"kind": "near", "near": near[0]} if near else {"kind": "unknown"}
            problems.append({**kind, "key": key})
    fields = {**_base(choices), **fields}
    if fields.get("draws") == "table" and "table" not in fields:
        problems.append({"kind": "sessions"})  # too many for a link
        del fields["draws"]
    try:
        scenario = Scenario(**fields)
    except ValueError as error:
        problems.append({"kind": "conflict", "problem": str(error)})
        scenario = Scenario()
    language = choices.pop("lang", language)
    return AppState(scenario=scenario, language=language, **choices), problems


def _base(choices):
    """Return the fields below those in the address: of a preset, a deployment or a story."""
    base = dict(PRESETS[choices.pop("preset", "default")])
    if "story" in choices:
        name, _, step = choices["story"].partition(".")
        told = STORIES[name].step(step)
        if not told.preset:
            choices.setdefault("gpus_per_worker", told.gpus_per_worker)
            return dict(told.fields)
        choices.setdefault("deployment", deployments.normal(PLANS[told.preset]))
    if "deployment" in choices:
        with contextlib.suppress(DeploymentError):
            found = deployments.worked_out(choices["deployment"])
            choices.setdefault("gpus_per_worker", found.gpus_per_worker)
            base |= found.cluster
    return base


def _read(problems, key, text, into, read):
    try:
        into[key] = read(key, text)
    except ValueError as error:
        problems.append({"kind": "value", "key": key, "value": text, "problem": str(error)})


def _written(name, value):
    """Return a field as it stands in an address; None if it does not stand there."""
    if name == "table":
        text = None if value is None else json.dumps(value, separators=(",", ":"))
        return text if text is None or len(text) <= LONGEST_TABLE else None
    if name in DISTRIBUTIONS:
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _parsed(name, text):
    """Return the value that the text in an address means, still to be checked."""
    if name == "table":
        return json.loads(text)
    if name in DISTRIBUTIONS:
        return [_number(part) for part in text.split(",")]
    kind = Scenario.param[name]
    if isinstance(kind, param.Boolean):
        return {"on": True, "off": False, "true": True, "false": False}.get(text.lower(), text)
    return text if isinstance(kind, param.Selector) else _number(text)


def _number(text):
    """Return the number that a text means, the text itself if it means none."""
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if math.isfinite(value) and value == int(value) else value


def _choice(text, known):
    if text not in known:
        raise ValueError(f"must be one of {', '.join(map(str, known))}")
    return text


def _whole(text, low, high):
    value = _number(text)
    if not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"must be a whole number from {low:,} to {high:,}")
    return value


def _story(text):
    name, _, step = text.partition(".")
    if name not in STORIES:
        raise ValueError(unknown_name("story", name, STORIES))
    STORIES[name].step(step)
    return text


def _explore(text):
    x, y, metric = (*text.split(","), "", "")[:3]
    for kind, name, known in (
        ("parameter", x, AXES),
        ("parameter", y, AXES),
        ("metric", metric, METRICS),
    ):
        if name not in known:
            raise ValueError(unknown_name(kind, name, known))
    if x == y:
        raise ValueError("must be two parameters and a metric, such as agents,kv_capacity,makespan")
    return x, y, metric


def _seconds(text):
    value = _number(text)
    if isinstance(value, str) or not math.isfinite(value) or value < 0:
        raise ValueError("must be a number of seconds")
    return float(value)


def _view(text):
    start, _, end = text.partition("-")
    view = _seconds(start), _seconds(end)
    if view[0] >= view[1]:
        raise ValueError("must be two rising numbers of seconds, such as 0-3600")
    return view


CHOICES = {
    "gpus_per_worker": lambda text: _whole(text, 1, MAX_GPUS_PER_WORKER),
    "deployment": deployments.read,
    "story": _story,
    "tab": lambda text: _choice(text, TABS),
    "explore": _explore,
    "view": _view,
    "pin": lambda text: _whole(text, 0, 2**53),
    "worker": lambda text: _whole(text, 0, 2**53),
    "clock": _seconds,
    "speed": lambda text: int(_choice(text, [str(speed) for speed in SPEEDS])),
    "lang": lambda text: _choice(text, LANGUAGES),
    "theme": lambda text: _choice(text, THEMES),
    "palette": lambda text: _choice(text, PALETTES),
}
"""Readers of what stands in an address besides the scenario's fields."""
