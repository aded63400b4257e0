"""The deployment panel: model, GPUs and how they are used, and the memory that follows."""

import param
from panel.viewable import Viewer

from app.assets import script
from app.deployments import (
    DEFAULT,
    MAX_GPUS,
    MOST_ACCEPTED,
    alternatives,
    by_hand,
    changed,
    explained,
    filled,
    named,
    said_value,
    worked_out,
)
from app.format import count
from app.state import AppState
from app.texts import Texts
from app.views.part import Part
from sim.hardware import DEPLOYMENTS, LIBRARY
from sim.hardware.rules import GB


class DeploymentPanel(Part):
    """The panel as the browser shows it."""

    texts = param.Dict({})
    options = param.Dict({}, doc="For each choice its options, each [value, label, help].")
    values = param.Dict({}, doc="What is chosen.")
    used = param.Boolean(False, doc="Whether the plan stands behind the fields.")
    short = param.String("", doc="Short name of the deployment; empty if it cannot be.")
    error = param.String("", doc="Why it cannot be.")
    works = param.List([], doc="What would work, as texts.")
    nothing = param.Boolean(False, doc="Whether nothing was found that would work.")
    refused = param.Dict({}, doc="Choices to why what was entered is not allowed.")
    memory = param.List([], doc="Parts of one GPU's memory: name, text and share.")
    buys = param.String("", doc="The tokens that the memory is good for.")
    steps = param.List([], doc="The arithmetic; see `arithmetic`.")
    hand = param.List([], doc="Fields changed by hand: name, label and text.")

    _esm = script("deployment.js")
    _css = "deployment.css"

    def heard(self, message):
        owner = self._owner
        if "change" in message:
            owner.change(message["change"], message["value"])
        elif "alternative" in message:
            owner.take_alternative(message["alternative"])
        elif "restore" in message:
            owner.restore(message["restore"])
        elif "free" in message:
            owner.free(message["free"])
        elif "fill" in message:
            owner.deploy(owner.request)
        else:
            owner.app.deployment = None


class Deployment(Viewer):
    """A deployment that fills the cluster's fields of the scenario.

    Parameters
    ----------
    app : AppState
        Its `deployment` is what stands behind the fields; None: nothing, the fields are the
        user's own.
    """

    app = param.ClassSelector(class_=AppState)

    def __init__(self, app):
        super().__init__(app=app)
        self._shown = DEFAULT
        self._panel = DeploymentPanel(self)
        self._show()

    def __panel__(self):
        return self._panel

    @property
    def request(self):
        """The deployment that the panel shows."""
        return self._shown if self.app.deployment is None else self.app.deployment

    def change(self, name, value):
        """Change one of the choices, as if the user had.

        Parameters
        ----------
        name : str
            ``model``, ``gpu``, ``gpus``, ``deployment``, ``precision``, ``speculation`` (a
            switch) or ``accept`` (tokens a step).
        value
            Still to be checked where it may be typed.
        """
        said = self._refusal(name, value)
        self._panel.refused = {name: said} if said else {}
        if said:
            return
        if name == "speculation" and value:
            # a model whose own accept length is unknown starts with two tokens a step
            value = LIBRARY.model(self.request["model"]).accept_length is not None or 2.0
        self.deploy(changed(self.request, "speculation" if name == "accept" else name, value))

    def _refusal(self, name, value):
        """Return why a typed value is not allowed, or an empty text."""
        problems = Texts(self.app.language).section("deployment.problems")
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if name == "gpus" and not (number and value == int(value) and 1 <= value <= MAX_GPUS):
            return problems["whole"].format(value=value, low=1, high=count(MAX_GPUS))
        if name == "accept" and not (number and 1 <= value <= MOST_ACCEPTED):
            return problems["accept"].format(value=value)
        return ""

    def deploy(self, request):
        """Fill the cluster's fields; where that cannot be, only the panel changes."""
        try:
            values = filled(request, self.app.scenario)
        except ValueError:
            values = {"deployment": request}
        self.app.param.update(values)

    def take_alternative(self, index):
        """Deploy one of what would work in place of what cannot be."""
        try:
            worked_out(self.request)
        except ValueError as error:
            self.deploy(alternatives(error, self.request)[index])

    def restore(self, name):
        """Set a field that was changed by hand back to its worked-out value; "": all of them."""
        wanted = by_hand(self.request, self.app.scenario, self.app.gpus_per_worker)
        if not name:
            self.deploy(self.request)
        elif name == "gpus_per_worker":
            self.app.gpus_per_worker = wanted[name]
        else:
            self.app.scenario = self.app.scenario.replace(**{name: wanted[name]})

    def free(self, step):
        """Work a number out again that was given."""
        given = {k: v for k, v in self.request.get("overrides", {}).items() if k != step}
        self.deploy(changed(self.request, "overrides", given))

    @param.depends(
        "app.deployment", "app.scenario", "app.gpus_per_worker", "app.language", watch=True
    )
    def _show(self):
        self._shown = self.request
        texts = Texts(self.app.language)
        shown = dict.fromkeys(("short", "error", "buys"), "")
        shown |= {name: [] for name in ("works", "memory", "steps", "hand")} | {"nothing": False}
        try:
            found = worked_out(self.request)
            shown |= _outcome(found, texts)
            if self.app.deployment is not None:
                filled(self.request, self.app.scenario)
                shown["hand"] = _changes(self.request, self.app, texts)
        except ValueError as error:
            shown["error"] = explained(error, self.request, texts)
            shown["works"] = _works(error, self.request, texts)
            searched = getattr(error, "code", "") in ("divide", "fit")
            shown["nothing"] = searched and not shown["works"]
        self._panel.param.update(
            texts=texts.section("deployment"),
            options=_options(self.request, texts),
            values=_values(self.request),
            used=self.app.deployment is not None,
            refused={},
            **shown,
        )


def _options(request, texts):
    precisions = LIBRARY.model(request["model"]).weights_gb
    kinds = texts.section("deployment.kinds")
    return {
        "model": [[model.id, model.title, ""] for model in LIBRARY.models.values()],
        "gpu": [[gpu.id, gpu.title, ""] for gpu in LIBRARY.gpus.values()],
        "deployment": [[name, kinds[name]["label"], kinds[name]["help"]] for name in DEPLOYMENTS],
        "precision": [[name, name.upper(), ""] for name in precisions],
    }


def _values(request):
    model = LIBRARY.model(request["model"])
    speculation = request.get("speculation", False)
    return {
        "model": request["model"],
        "gpu": request["gpu"],
        "gpus": request["gpus"],
        "deployment": request["deployment"],
        "precision": request.get("precision") or next(iter(model.weights_gb)),
        "speculation": speculation is not False,
        "accept": model.accept_length if speculation is True else speculation or 1,
    }


def _outcome(found, texts):
    """Return what the panel shows of a plan that works."""
    each = found["kv_capacity"]
    workers = found.cluster["prefill_workers"] or found.cluster["workers"]
    buys = {"tokens": count(each), "total": count(each * workers), "name": found.name}
    return {
        "short": found.name,
        "memory": _memory(found.memory, texts),
        "buys": texts("deployment.buys", **buys),
        "steps": arithmetic(found, texts),
    }


def _memory(parts, texts):
    total = sum(part.bytes for part in parts)
    return [
        {
            "name": part.name,
            "share": part.bytes / total,
            "text": texts(
                "deployment.memory_row",
                label=texts(f"deployment.parts.{part.name}"),
                gb=f"{part.bytes / GB:.1f}",
            ),
        }
        for part in parts
        if part.bytes
    ]


def arithmetic(found, texts):
    """Return the steps of a plan as the panel lists them.

    Returns
    -------
    list of dict
        Each `name`, `label`, `value` with its unit, `formula`, `basis` (a key), `basis_label`,
        `source`, and `given`, whether it stands in place of a worked-out number.
    """
    units = texts.section("deployment.units")
    return [
        {
            "name": step.name,
            "label": texts(f"deployment.names.{step.name}"),
            "value": f"{step.value:,.6g} {units.get(step.unit, step.unit)}".strip(),
            "formula": step.formula,
            "basis": step.basis,
            "basis_label": texts(f"deployment.basis.{step.basis}"),
            "source": step.source,
            "given": step.name in found.request["overrides"],
        }
        for step in found.steps
    ]


def _changes(request, app, texts):
    """Return the fields changed by hand as the panel lists them."""
    wanted = by_hand(request, app.scenario, app.gpus_per_worker)
    rows = []
    for name, value in wanted.items():
        owner = app if name == "gpus_per_worker" else app.scenario
        now, worked = (said_value(name, v, texts) for v in (getattr(owner, name), value))
        label = texts(f"fields.{name}.label")
        text = texts("deployment.hand_value", now=now, worked=worked)
        hint = texts("deployment.restore", field=label)
        rows.append({"name": name, "label": label, "text": text, "hint": hint})
    return rows


def _works(error, request, texts):
    return [named(other, texts) for other in alternatives(error, request)]
