"""What the user chose, and how it stands in the address of the page."""

import contextlib
import urllib.parse

import param

from app import address, baseline, deployments
from app.axes import AXES
from app.baseline import Baseline
from app.deployments import MAX_GPUS_PER_WORKER
from app.derive import SHADES
from app.derive.sessions import ORDERS
from app.exploring import METRICS
from app.palette import PALETTES
from app.texts import DEFAULT, LANGUAGES
from sim.hardware import DeploymentError
from sim.presets import PLANS, PRESETS
from sim.scenario import Scenario, field_names
from sim.stories import STORIES

VERSION = "1"
"""Version of the address's keys; a link keeps its meaning when defaults change."""

MOST = 2**53 - 1
"""Of ticks, workers, agents and seconds: whole numbers beyond are not exact in browsers."""

THEMES = ("auto", "light", "dark")
TABS = ("run", "agents", "fixes", "explore", "compare", "traces")
"""What stands below the numbers: the run, its agents, what would fix it, two parameters swept, the
run against the baseline, recorded sessions."""
SPEEDS = (10, 30, 100, 300, 1000)
"""Simulated seconds in a second of replay."""


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
    baseline = param.ClassSelector(
        class_=Baseline, allow_None=True, doc="What the run is held against; None: nothing."
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
    span = param.NumericTuple(
        None, length=2, allow_None=True, doc="Seconds from and to of the marked interval."
    )
    isolate = param.ListSelector(
        [], objects=list(SHADES), doc="States that the timeline shows alone; empty: all."
    )
    pin = param.Integer(None, bounds=(0, None), allow_None=True, doc="Tick that is looked into.")
    worker = param.Integer(
        None, bounds=(0, None), allow_None=True, doc="Worker that is looked at first."
    )
    agent = param.Integer(
        None, bounds=(0, None), allow_None=True, doc="Agent that is looked at; None: none."
    )
    order = param.Selector(
        default="agent",
        objects=list(ORDERS),
        doc="Metric by which agents are sorted; a minus before it: the most first.",
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
            text = address.written(name, value)
            if text is not None:
                pairs.append((name, text))
        pairs.append(("gpus_per_worker", str(self.gpus_per_worker)))
        if self.deployment is not None:
            pairs.append(("deployment", deployments.written(self.deployment)))
        if self.baseline is not None:
            pairs.append(("baseline", self.baseline.written()))
        if self.story is not None:
            pairs.append(("story", self.story))
        if self.tab != "run":
            pairs.append(("tab", self.tab))
        if self.explore != AppState.param.explore.default:
            pairs.append(("explore", ",".join(self.explore)))
        for name in ("view", "span"):
            if getattr(self, name) is not None:
                pairs.append((name, "-".join(map(_number, getattr(self, name)))))
        if self.order != "agent":
            pairs.append(("order", self.order))
        if self.isolate:
            pairs.append(("isolate", ",".join(self.isolate)))
        for name in ("pin", "worker", "agent", "clock"):
            if getattr(self, name) is not None:
                pairs.append((name, _number(getattr(self, name))))
        pairs.append(("speed", str(self.speed)))
        pairs += [("lang", self.language), ("theme", self.theme), ("palette", self.palette)]
        return urllib.parse.urlencode(pairs, safe=",-:")


def _number(value):
    """Return a number without an exponent, whose minus would part the ends of a span."""
    text = f"{value:.6f}" if isinstance(value, float) else str(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


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
        One for each part that could not be read: `kind` ("value", "refused", "conflict",
        "sessions", "unknown", "near", "version" or "baseline") and the values that its text needs.
    """
    problems, fields, choices = [], {}, {}
    for key, text in urllib.parse.parse_qsl(query, keep_blank_values=True):
        if key == "v":
            if text != VERSION:
                problems.append({"kind": "version", "value": text, "known": VERSION})
        elif key in field_names():
            address.read_into(problems, key, text, fields, address.field)
        elif key == "baseline":
            choices[key], found = baseline.read(text)
            problems += [{"kind": "baseline", "problem": problem} for problem in found]
        elif key == "preset":
            address.read_into(problems, key, text, choices, lambda _, t: address.choice(t, PRESETS))
        elif key in CHOICES:
            address.read_into(problems, key, text, choices, lambda k, t: CHOICES[k](t))
        else:
            problems.append(address.unknown(key, [*field_names(), "baseline", *CHOICES]))
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


def _story(text):
    name, _, step = text.partition(".")
    story = STORIES[address.choice(name, STORIES)]
    address.choice(step, [told.id for told in story.steps])
    return text


def _explore(text):
    x, y, metric = (*text.split(","), "", "")[:3]
    for name, known in ((x, AXES), (y, AXES), (metric, METRICS)):
        address.choice(name, known)
    if x == y:
        raise address.Refused("such_as", example="agents,kv_capacity,makespan")
    return x, y, metric


def _seconds(text):
    value = address.number(text)
    if isinstance(value, str) or not 0 <= value <= MOST:
        raise address.Refused("number", low="0", high=f"{MOST:,}")
    return float(value)


def _span(text):
    try:
        start, end = map(_seconds, text.split("-"))
    except ValueError:
        start = end = 0.0
    if start >= end:
        raise address.Refused("such_as", example="0-3600")
    return start, end


CHOICES = {
    "gpus_per_worker": lambda text: address.whole(text, 1, MAX_GPUS_PER_WORKER),
    "deployment": deployments.read,
    "story": _story,
    "tab": lambda text: address.choice(text, TABS),
    "explore": _explore,
    "view": _span,
    "span": _span,
    "isolate": lambda text: [address.choice(name, SHADES) for name in text.split(",")],
    "pin": lambda text: address.whole(text, 0, MOST),
    "agent": lambda text: address.whole(text, 0, MOST),
    "order": lambda text: address.choice(text, ORDERS),
    "worker": lambda text: address.whole(text, 0, MOST),
    "clock": _seconds,
    "speed": lambda text: int(address.choice(text, [str(speed) for speed in SPEEDS])),
    "lang": lambda text: address.choice(text, LANGUAGES),
    "theme": lambda text: address.choice(text, THEMES),
    "palette": lambda text: address.choice(text, PALETTES),
}
"""Readers of what stands in an address besides the scenario's fields."""
