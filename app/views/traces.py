"""Real agents: recorded sessions dropped on the page, what they are like, and runs of them."""

import param

from app import importing
from app.assets import script
from app.limits import current
from app.receiving import Receiver
from app.state import AppState
from app.texts import Texts
from app.uploads import CHUNK, MOST_FILES, UploadError
from app.views.later import Room
from app.views.part import Part
from sim.scenario import Scenario
from sim.traces import TraceError, trace_fields
from sim.traces.streams import size_text
from sim.workloads import workload

TAB = "traces"

MOST_AT_FIRST = 256
"""Agents that are proposed at most, one for each session."""

KEPT = ("overflow", "compact_to", "shared_prefix")
"""Fields that a workload may set; one that says nothing of them has their defaults."""


class TraceSheet(Part):
    """The tab as the browser shows it."""

    texts = param.Dict({})
    limits = param.String("")
    chunk = param.Integer(CHUNK, doc="Bytes of a message.")
    busy = param.String("", doc="What is under way; empty if nothing is.")
    done = param.Number(0, doc="How far it is, a share.")
    failed = param.String("", doc="Why nothing came of it.")
    found = param.String("", doc="What was found, in a sentence.")
    report = param.List([], doc="See `app.importing.report_rows`.")
    bars = param.List([], doc="See `app.importing.histograms`.")
    growth = param.Dict({}, doc="See `app.importing.growth`.")
    growth_said = param.String("")
    choices = param.Dict({}, doc="How sessions become agents, by name.")
    preview = param.String("", doc="What the choices come to.")
    refused = param.String("", doc="Why they cannot be simulated.")

    _esm = script("traces.js", "trace_charts.js")
    _css = "traces.css"

    def heard(self, message):
        owner = self._owner
        if "begin" in message:
            owner.begin(message["begin"])
        elif "chunk" in message:
            owner.arrived(message["chunk"])
        elif "choose" in message:
            owner.choose(**message["choose"])
        elif "named" in message:
            owner.use_named(message["named"])
        else:
            {"cancel": owner.cancel, "use": owner.use}[message["do"]]()


DEFAULTS = {
    "agents": 32,
    "choose": "sample",
    "max_turns": None,
    "start": "together",
    "stagger": 30,
    "wait": "recorded",
    "scale": 1,
    "compaction": "recorded",
    "shared_prefix": None,
}
"""Choices before the user has made any."""


class Traces(Room):
    """Recorded sessions, as long as the page is open.

    Parameters
    ----------
    app : AppState
        Its scenario gets the sessions as its workload when the user says so.
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop.

    Attributes
    ----------
    sessions : list of sim.traces.Session
        Those that were imported last; empty before.
    """

    app = param.ClassSelector(class_=AppState)

    def __init__(self, app, post):
        super().__init__(app=app)
        self._report = self._failure = None
        self.sessions = []
        self._sheet = TraceSheet(self, choices=DEFAULTS)
        self._receiver = Receiver(post, self._ask, self._under_way, self._done, self._failed)
        self._show()

    def __panel__(self):
        return self._sheet

    def begin(self, files):
        """Take files, announced as [name, size] each; what was imported before stays until then."""
        self._failure = None
        self._sheet.failed = ""
        self._take(self._receiver.begin, files)

    def arrived(self, data):
        """Take the next bytes of the files."""
        self._take(self._receiver.arrived, bytes(data))

    def _take(self, take, what):
        try:
            take(what)
        except UploadError as error:
            self._fail(f"too_{error.kind}", error.values)

    def _ask(self):
        self._sheet._send_msg({"next": True})

    def _under_way(self, stage, done, total, name):
        said = {"done": size_text(done), "total": size_text(total)}
        if name:
            said["name"] = name[-60:]
        busy = Texts(self.app.language)(f"traces.{stage}", **said)
        share = (done / max(1, total) + (stage == "reading")) / 2
        self._sheet.param.update(busy=busy, done=share)

    def _done(self, found):
        self.sessions, self._report = found.sessions, found.report
        agents = max(DEFAULTS["agents"], min(len(self.sessions), MOST_AT_FIRST))
        self._sheet.param.update(busy="", done=0, choices={**self._sheet.choices, "agents": agents})
        self._show()

    def _failed(self, error):
        if not isinstance(error, TraceError):
            self._sheet.param.update(busy="", done=0)
            raise error
        self._fail(None, {}, str(error))

    def _fail(self, key, values, said=""):
        self._failure = key, values, said
        self._sheet.param.update(busy="", done=0)
        self._show()

    def cancel(self):
        """Stop the upload or the import under way, if any."""
        if self._receiver.busy:
            self._receiver.drop()
            self._fail("cancelled", {})

    def close(self):
        """Forget everything; the session is over."""
        self._receiver.drop()
        self.sessions = []

    def choose(self, **choices):
        """Change how sessions become agents."""
        self._sheet.choices = {**self._sheet.choices, **choices}
        self._preview()

    def use(self):
        """Simulate the sessions."""
        scenario = self._scenario()
        if scenario is not None:
            self.app.param.update(scenario=scenario, story=None, tab="run")

    def use_named(self, name):
        """Simulate a workload that is known by name, with the wait that is chosen."""
        cap = _cap(self._sheet.choices["wait"]) if name != "article" else None
        unsaid = {key: Scenario.param[key].default for key in KEPT}
        fields = {**unsaid, "draws": "paired", "table": None}
        fields.update(workload(name, think_cap_ms=cap))
        try:
            scenario = self.app.scenario.replace(**fields)
        except ValueError as error:
            self._sheet.refused = Texts(self.app.language)("traces.refused", problem=error)
            return
        self.app.param.update(scenario=scenario, story=None, tab="run")

    def _scenario(self):
        """Return the scenario of the choices; None, and why, if there is none."""
        texts, chosen = Texts(self.app.language), self._sheet.choices
        try:
            self._check_length(chosen, texts)
            fields = trace_fields(
                self.sessions,
                **{name: chosen[name] for name in SAME},
                stagger_ms=round(1000 * float(chosen["stagger"] or 0)),
                wait_cap_ms=_cap(chosen["wait"]),
                seed=self.app.scenario.seed,
            )
            scenario = self.app.scenario.replace(**fields)
        except (TypeError, ValueError) as error:
            self._sheet.param.update(preview="", refused=texts("traces.refused", problem=error))
            return None
        self._sheet.refused = ""
        return scenario

    def _check_length(self, chosen, texts):
        """Refuse what would take the page long to set up, let alone to run."""
        lengths = [len(session.turns) for session in self.sessions]
        longest = chosen["max_turns"] or max(lengths)
        mean = sum(min(length, longest) for length in lengths) / len(lengths)
        turns = mean * (chosen["agents"] or len(lengths))
        most = current().requests  # a turn is a request
        if turns > most:
            said = {"turns": f"{turns:,.0f}", "most": f"{most:,}"}
            raise ValueError(texts("traces.too_long", **said))

    @param.depends("app.scenario", "app.tab", watch=True)
    def _preview(self):
        if self.sessions and self.app.tab == TAB:
            scenario = self._scenario()
            if scenario is not None:
                said = importing.preview(scenario, Texts(self.app.language))
                self._sheet.preview = said

    @param.depends("app.language", watch=True)
    def _show(self):
        texts, sessions = Texts(self.app.language), self.sessions
        limits = {"files": f"{MOST_FILES:,}", "bytes": size_text(current().upload)}
        values = {
            "texts": texts.section("traces"),
            "limits": texts("traces.limits", **limits),
            "failed": self._said(texts),
        }
        if sessions:
            grown = importing.growth(sessions)
            values |= {
                "found": importing.summary(sessions, texts),
                "report": importing.report_rows(self._report, texts),
                "bars": importing.histograms(sessions, texts),
                "growth": grown,
                "growth_said": importing.growth_said(grown, texts),
            }
        self._sheet.param.update(**values)
        self._preview()

    def _said(self, texts):
        if self._failure is None:
            return ""
        key, values, said = self._failure
        if key is not None:
            return texts(f"traces.{key}", **values)
        lines = (line.partition(": ") for line in said.splitlines())
        told = "\n".join(
            f"{name}{colon}{importing.said_error(why, texts)}" for name, colon, why in lines
        )
        return f"{texts('traces.failed')}\n{told}"


SAME = ("agents", "choose", "max_turns", "start", "scale", "compaction", "shared_prefix")
"""Choices that stand for attributes of `sim.traces.Choices` of the same name."""


def _cap(wait):
    return None if wait == "recorded" else 1000 * int(wait)
