"""What the parts of the page that run in the browser have in common."""

from panel.custom import JSComponent
from panel.io import hold

from app.assets import styles


class Part(JSComponent):
    """A part of the page with its own script and style sheet.

    Parameters
    ----------
    owner
        The view whose methods the part's messages call.
    """

    _css = ""
    """Name of the style sheet."""

    __abstract = True

    def __init__(self, owner, **params):
        self._owner = owner
        super().__init__(
            stylesheets=styles(self._css), sizing_mode="stretch_width", margin=0, **params
        )

    def _handle_msg(self, message):
        with hold():  # all that follows reaches the browser at once
            self.heard(message)

    def heard(self, message):
        """Do what a message of the script asks for."""
        raise NotImplementedError
