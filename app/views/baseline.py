"""The pinned baseline: the button that pins it, and its run."""

import param
from panel.viewable import Viewer

from app.assets import script
from app.baseline import Baseline
from app.differing import named
from app.problems import failure
from app.runs import Run, Runner
from app.state import AppState
from app.texts import Texts
from app.views.part import Part


class PinBar(Part):
    """The buttons as the browser shows them."""

    texts = param.Dict({})
    pinned = param.Boolean(False)
    what = param.String("", doc="What is pinned.")
    failed = param.String("", doc="Why the baseline has no run; empty if it has.")

    _esm = script("figures.js", "pin.js")
    _css = "pin.css"

    def heard(self, message):
        {"pin": self._owner.pin, "unpin": self._owner.unpin, "swap": self._owner.swap}[message]()


class Pinned(Viewer):
    """What is pinned as the baseline.

    Parameters
    ----------
    app : AppState
        Its `baseline` is what is pinned.
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop.
    """

    app = param.ClassSelector(class_=AppState)
    run = param.ClassSelector(class_=Run, doc="The baseline's run; None until there is one.")
    failed = param.String("", doc="Why the baseline has no run; empty if it has.")

    def __init__(self, app, post):
        super().__init__(app=app)
        self._runner = Runner(post)
        self._bar = PinBar(self)
        self._asked = None
        self._why = None
        self._show()

    def __panel__(self):
        return self._bar

    @property
    def here(self):
        """The present settings, as they would be pinned."""
        return Baseline(self.app.scenario, self.app.gpus_per_worker)

    @property
    def busy(self):
        """Whether the baseline's run is under way."""
        return self._runner.busy

    def pin(self):
        """Make the present settings the baseline."""
        self.app.baseline = self.here

    def unpin(self):
        """Forget the baseline."""
        self.app.baseline = None

    def swap(self):
        """Load the baseline, and pin the present settings in its place."""
        before = self.app.baseline
        if before is not None:
            self.app.param.update(
                baseline=self.here,
                scenario=before.scenario,
                gpus_per_worker=before.gpus_per_worker,
            )

    def again(self):
        """Have the baseline run once more."""
        self._asked = None
        self.ask()

    def close(self):
        """Stop the run under way; the session is over."""
        self._runner.cancel()

    @param.depends("app.baseline", watch=True)
    def ask(self):
        """Have the baseline run, unless it has been or is about to be."""
        if self.app.baseline != self._asked:
            self._asked = self.app.baseline
            self._runner.cancel()
            self.run = self._why = None
            if self._asked is not None:
                self._runner.request(self._asked.scenario, self._done, self._failed)
        self._show()

    def _done(self, run):
        self.run = run

    def _failed(self, error):
        self._why = error
        self._show()

    @param.depends("app.scenario", "app.gpus_per_worker", "app.language", watch=True)
    def _show(self):
        texts, baseline = Texts(self.app.language), self.app.baseline
        why = "" if self._why is None else failure(self._why, texts)
        self.failed = texts("baseline.failed", error=why) if why else ""
        self._bar.param.update(
            texts=texts.section("baseline"),
            pinned=baseline is not None,
            what="" if baseline is None else named(baseline, self.here, texts),
            failed=self.failed,
        )
