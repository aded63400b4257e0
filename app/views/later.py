"""What belongs to a tab and is made when the tab is first opened."""

import panel as pn
from panel.viewable import Viewer


class Room(Viewer):
    """A view that has a tab to itself.

    One that shows the run has a parameter `run`, which is set whenever the tab is open.
    """

    def ask(self):
        """Answer for the settings as they are now, if the tab is open."""

    def close(self):
        """Stop what is under way; the session is over."""


class Later(Viewer):
    """The place of a room, empty until its tab is first opened.

    Parameters
    ----------
    make : callable
        Makes the `Room`.

    Attributes
    ----------
    room : Room or None
        None until it has been made.
    """

    def __init__(self, make):
        super().__init__()
        self._make = make
        self._place = pn.Column(sizing_mode="stretch_width", margin=0)
        self.room = None

    def __panel__(self):
        return self._place

    def open(self):
        """Have the room made if it is not there yet."""
        if self.room is None:
            self.room = self._make()
            self._place.append(self.room)
