"""What would fix it: the scenario with one thing changed at a time, ranked."""

from operator import attrgetter

import param

from app.assets import script
from app.fixing import Question, loaded, obstacles, rows, said, try_out
from app.problems import failure
from app.runs import Memory, Runner
from app.state import AppState
from app.texts import Texts
from app.views.later import Room
from app.views.part import Part

TAB = "fixes"

_MEMORY = Memory(8)


class FixesSheet(Part):
    """The ranking as the browser shows it."""

    texts = param.Dict({})
    note = param.String("")
    rows = param.List([], doc="The ranking; see `app.fixing.rows`.")
    said = param.String("", doc="What the ranking shows.")
    obstacles = param.List([], doc="What cannot be changed, each a title and why.")
    busy = param.String("", doc="What is under way; empty if nothing is.")
    failed = param.String("", doc="Why there is no answer.")
    stale = param.Boolean(False, doc="Whether the ranking is that of earlier settings.")

    _esm = script("fixes.js")
    _css = "fixes.css"

    def heard(self, message):
        if "load" in message:
            self._owner.load(message["load"])
        else:
            {"again": self._owner.ask, "cancel": self._owner.cancel}[message["do"]]()


class Fixes(Room):
    """The changes to the present scenario, tried out when their tab is opened.

    Parameters
    ----------
    app : AppState
    deployment : app.views.deployment.Deployment
        Its `request` tells the hardware.
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop.
    """

    app = param.ClassSelector(class_=AppState)

    def __init__(self, app, deployment, post):
        super().__init__(app=app)
        self._deployment = deployment
        self._runner = Runner(
            post, try_out, attrgetter("key"), _MEMORY, reports=True, demand=attrgetter("demand")
        )
        self._question = None
        self._found = None
        self._sheet = FixesSheet(self)
        self._show()

    def __panel__(self):
        return self._sheet

    @property
    def busy(self):
        """Whether runs are under way."""
        return self._runner.busy

    def ask(self):
        """Answer for the settings as they are now, if the tab is open."""
        question = Question(self.app.scenario, self._deployment.request)
        if self.busy and self._question.key == question.key:
            return
        if self.app.tab != TAB:
            self._runner.cancel()
            return
        self._question = question
        self._sheet.param.update(failed="", stale=self._found is not None)
        self._runner.request(question, self._done, self._failed)
        if self.busy:
            self._show()

    def cancel(self):
        """Stop the runs under way; what has been found stays."""
        self._runner.cancel()
        self._stopped(Texts(self.app.language)("fixes.cancelled"))

    def close(self):
        """Stop the runs under way; the session is over."""
        self._runner.cancel()

    def load(self, name):
        """Make a change, and show its run."""
        if self._found is not None and not self._sheet.stale:
            fix = self._found.fix(name)
            self.app.param.update(**loaded(fix, self._found.scenario), tab="run")

    def _done(self, found):
        self._found = found
        self._sheet.stale = False
        self._show()

    def _failed(self, error):
        texts = Texts(self.app.language)
        self._stopped(texts("fixes.failed", error=failure(error, texts)))

    def _stopped(self, why):
        if self._sheet.stale:
            self._found = None
        self._sheet.param.update(failed=why, stale=False)
        self._show()

    @param.depends("app.language", watch=True)
    def _show(self):
        texts = Texts(self.app.language)
        found = self._found
        ranked = rows(found, texts, self.app.gpus_per_worker) if found else []
        self._sheet.param.update(
            texts=texts.section("fixes"),
            note=_note(found, texts) if found else "",
            rows=ranked,
            said=said(ranked, texts) if ranked else "",
            obstacles=obstacles(found, texts) if found else [],
            busy=self._progress(texts) if self.busy else "",
        )

    def _progress(self, texts):
        if self._found is None or self._sheet.stale:
            return texts("fixes.starting")
        seed, of = min(self._found.seeds + 1, self._found.of), self._found.of
        return texts("fixes.running", count=len(self._found.tried) - 1, seed=seed, of=of)


def _note(found, texts):
    """Say how the numbers were made."""
    if found.of == 1:
        return texts("fixes.note_table")
    note = texts("fixes.note", seeds=found.of)
    if found.scenario.draws == "article":  # one stream, drawn in the order of events
        return note
    return note + (" " if texts.language == "en" else "") + texts("fixes.paired")
