"""What the parts of the page that run in the browser have in common."""

import panel as pn
from panel.custom import JSComponent

from app.assets import styles
from app.telling import telling


class Part(JSComponent):
    """A part of the page with its own script and style sheet.

    Parameters
    ----------
    owner
        The view whose methods the part's messages call.
    """

    _css = ""
    """Name of the style sheet, or a tuple of names."""

    __abstract = True

    def __init__(self, owner, **params):
        self._owner = owner
        names = (self._css,) if isinstance(self._css, str) else self._css
        super().__init__(
            stylesheets=styles(*names), sizing_mode="stretch_width", margin=0, **params
        )

    def _handle_msg(self, message):
        with telling(pn.state.curdoc):  # all that follows reaches the browser at once
            self.heard(message)

    def heard(self, message):
        """Do what a message of the script asks for."""
        raise NotImplementedError
