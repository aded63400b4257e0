"""The comparison: DPA, PD and TP of the same GPUs on the same workload."""

import html
from operator import attrgetter

import panel as pn
import param
from panel.viewable import Viewer

from app.assets import script
from app.comparison import KINDS, Question, compare, reason, said, table
from app.figures.strips import Strips
from app.problems import failure
from app.runs import Memory, Runner
from app.state import AppState
from app.texts import Texts
from app.views.markup import Markup
from app.views.part import Part
from app.views.picture import labels
from sim.hardware import LIBRARY

_MEMORY = Memory(4)


class CompareButton(Part):
    """The button that opens the comparison."""

    text = param.String("")
    opened = param.Boolean(False)

    _esm = script("compare_button.js")
    _css = "compare.css"

    def heard(self, message):
        self._owner.toggle()


class CompareHead(Part):
    """What stands above the strips: the title, what is seen, and what is under way."""

    texts = param.Dict({})
    title = param.String("")
    note = param.String("")
    said = param.String("", doc="What the reader sees.")
    busy = param.String("", doc="What is under way; empty if nothing is.")
    failed = param.String("", doc="Why there is no comparison.")
    stale = param.Boolean(False, doc="Whether the settings have changed since.")

    _esm = script("compare.js")
    _css = "compare.css"

    def heard(self, message):
        getattr(self._owner, {"again": "ask", "cancel": "cancel", "close": "close"}[message])()


class Compare(Viewer):
    """The comparison, which is worked out when it is opened.

    Parameters
    ----------
    app : AppState
    deployment : app.views.deployment.Deployment
        Its `request` says which model and GPUs are compared.
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop.
    """

    app = param.ClassSelector(class_=AppState)
    opened = param.Boolean(False)

    def __init__(self, app, deployment, post):
        super().__init__(app=app)
        self._deployment = deployment
        self._runner = Runner(
            post, compare, attrgetter("key"), _MEMORY, demand=attrgetter("demand")
        )
        self._question = None
        self._found = None
        self.button = CompareButton(self)
        self._head = CompareHead(self)
        self._sheet = pn.Column(sizing_mode="stretch_width", margin=0)
        self._show()

    def __panel__(self):
        return self._sheet

    @property
    def busy(self):
        """Whether runs are under way."""
        return self._runner.busy

    def toggle(self):
        """Open the comparison, or close it."""
        if self.opened:
            self.close()
        else:
            self.opened = True
            self.ask()

    def ask(self):
        """Compare under the settings as they are now."""
        self._question = Question(self._deployment.request, self.app.scenario)
        self._found = None
        self._head.failed = ""
        self._runner.request(self._question, self._done, self._failed)
        self._show()

    def cancel(self):
        """Stop the runs under way."""
        self._runner.cancel()
        self._head.failed = Texts(self.app.language)("compare.cancelled")
        self._show()

    def close(self):
        """Close the comparison; runs under way are stopped."""
        self._runner.cancel()
        self._found = None
        self.opened = False
        self._show()

    def _done(self, found):
        self._found = found
        self._show()

    def _failed(self, error):
        texts = Texts(self.app.language)
        self._head.failed = texts("compare.failed", error=failure(error, texts))
        self._show()

    @param.depends("app.scenario", "app.deployment", watch=True)
    def _compared_otherwise(self):
        if self.opened:
            now = Question(self._deployment.request, self.app.scenario)
            self._head.stale = now.key != self._question.key

    @param.depends("app.language", "app.dark", "app.palette", watch=True)
    def _show(self):
        texts = Texts(self.app.language)
        self.button.param.update(
            text=texts("compare.close" if self.opened else "compare.open"), opened=self.opened
        )
        if not self.opened:
            self._sheet.objects = []
            return
        seeds = len(self._question.seeds)
        self._head.param.update(
            texts=texts.section("compare"),
            title=_title(self._question.request, texts),
            note=texts("compare.note" if seeds > 1 else "compare.note_table", seeds=seeds),
            said=said(self._found, texts) if self._found else "",
            busy=texts("compare.running", runs=seeds * len(KINDS)) if self.busy else "",
            stale=False,
        )
        self._sheet.objects = [self._head, *self._strips(texts), *self._table(texts)]

    def _strips(self, texts):
        """Return a heading and the lanes of each contender, or why it cannot be."""
        found = self._found or []
        able = [c for c in found if c.recording]
        theme = "dark" if self.app.dark else "light"
        recordings = [c.recording for c in able]
        strips = iter(Strips(recordings, labels(texts), theme, self.app.palette).strips)
        shown = []
        for contender in found:
            shown.append(_html(_heading(contender, texts)))
            if contender.recording:
                root = next(strips).root
                root.name = f"compare_{contender.kind}"
                shown.append(pn.pane.Bokeh(root, sizing_mode="stretch_width", margin=0))
        return shown

    def _table(self, texts):
        return [_html(_written(self._found, texts))] if self._found else []


def _html(text):
    return Markup(text, ("compare.css",))


def _title(request, texts):
    return texts(
        "compare.title",
        model=LIBRARY.model(request["model"]).title,
        gpus=request["gpus"],
        gpu=LIBRARY.gpu(request["gpu"]).title,
    )


def _heading(contender, texts):
    kind = texts(f"compare.kinds.{contender.kind}")
    if contender.plan:
        text = texts("compare.heading", kind=kind, name=contender.plan.name)
        return f"<h3>{html.escape(text)}</h3>"
    why = html.escape(reason(contender, texts))
    return f"<h3>{kind}</h3><p class=impossible>{why}</p>"


def _written(found, texts):
    """Return the table of metrics as HTML."""
    best = html.escape(texts("compare.best"))
    names = "".join(
        f"<th scope=col>{html.escape(c.plan.name if c.plan else _kind(c, texts))}</th>"
        for c in found
    )
    rows = []
    for row in table(found, texts):
        cells = "".join(_cell(cell, best) for cell in row["cells"])
        label = html.escape(row["label"])
        rows.append(f'<tr data-name="{row["name"]}"><th scope=row>{label}</th>{cells}</tr>')
    metric = html.escape(texts("compare.metric"))
    head = f"<thead><tr><th scope=col>{metric}</th>{names}</tr></thead>"
    return f"<table>{head}<tbody>{''.join(rows)}</tbody></table>"


def _kind(contender, texts):
    return f"{texts(f'compare.kinds.{contender.kind}')} ({texts('compare.impossible')})"


def _cell(cell, best):
    band = f"<small>({html.escape(cell['band'])})</small>" if cell["band"] else ""
    value = html.escape(cell["value"])
    if cell["best"]:
        return f"<td class=best><b>{value}</b> {band}<i>{best}</i></td>"
    return f"<td>{value} {band}</td>"
