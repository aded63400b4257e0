"""Tells the browsers that are connected of what changes, together and at once."""

import contextlib

import panel as pn
from panel.io import hold


@contextlib.contextmanager
def telling(document):
    """Hold what changes in a document, and send it when all of it has.

    Panel drops what has been held until a page says that it is ready, as if the page were still
    to be sent. But a page was sent when it connected: what changes after that, such as the answer
    to a click while the rest of the page is being drawn, has to follow. And before it connects,
    Panel would make each change later by itself, after each of which Bokeh walks all models; so
    they are frozen then. Later they are not, as Bokeh walks them at the end of that, too, and few
    changes bring new models.

    Parameters
    ----------
    document : bokeh.document.Document or None
        None: nothing is held.
    """
    context = document and document.session_context
    session = context and context.session
    connected = session is not None and session.connection_count > 0
    if session is not None:
        pn.state._connected[document] = True
    with hold(document, freeze=not connected):
        yield
