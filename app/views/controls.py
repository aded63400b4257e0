"""The form of settings."""

import param
from panel.viewable import Viewer

from app.assets import script
from app.fields import change, controls
from app.problems import problem
from app.state import AppState, preset_values
from app.texts import Texts
from app.views.part import Part


class Form(Part):
    """The form as the browser shows it."""

    groups = param.List(doc="Groups of controls, as `app.fields.controls` makes them.")
    errors = param.Dict({}, doc="Control names to why what they hold was refused.")
    texts = param.Dict({}, doc="Texts of the form itself.")

    _esm = script("form.js")
    _css = "form.css"

    def heard(self, message):
        if "reset" in message:
            self._owner.reset()
        else:
            self._owner.change(message["name"], message["value"], message["live"])


class Controls(Viewer):
    """All settings of a scenario.

    Parameters
    ----------
    app : AppState
        What the settings show and change. A value that is refused leaves it as it was.
    """

    app = param.ClassSelector(class_=AppState)
    live = param.Boolean(False, doc="Whether the last change is one of a drag under way.")

    def __init__(self, app):
        super().__init__(app=app)
        self._errors_left = {}
        self._form = Form(self)
        self._show()

    def __panel__(self):
        return self._form

    def change(self, name, value, live=False):
        """Change one setting, as if the user had.

        Parameters
        ----------
        name : str
            A control's name.
        value
            What it is to hold, still to be checked.
        live : bool
            Whether it is a step of a drag under way.
        """
        self.live = live
        try:
            values = change(self.app, name, value)
        except ValueError as error:
            texts = Texts(self.app.language)
            said = problem(name, value, error, self.app, texts)
            self._form.errors = {**self._form.errors, name: said}
            self.answered()
            return
        self._errors_left = {k: v for k, v in self._form.errors.items() if k != name}
        self.app.param.update(values)
        self._errors_left = {}

    def reset(self):
        """Set everything back to the defaults."""
        self.app.param.update(preset_values("default"))

    def answered(self):
        """Let the form send the next step of a drag."""
        self._form._send_msg({})

    @param.depends(
        "app.scenario", "app.gpus_per_worker", "app.deployment", "app.language", watch=True
    )
    def _show(self):
        texts = Texts(self.app.language)
        self._form.param.update(
            groups=controls(self.app, texts),
            errors=self._errors_left,
            texts=texts.section("controls"),
        )
