"""Makes the pages of a server one after the other, and answers others in between.

Making a page takes a second or so. Bokeh would have it made at once, and several that are asked for
at the same time one right after the other, and nobody else would be answered meanwhile.
"""

import asyncio
import gc
from functools import partial

from bokeh.application.handlers import Handler

from app import freeing, session

PAUSE_S = 0.01
"""How long others are answered between two pieces of a page: long enough for all that is due."""

YOUNG = 20_000
"""Objects after which the youngest are looked through for garbage: about those of a page. With
Python's own 700 that took a tenth of the time to make one."""


class Opening(Handler):
    """Makes the page of each session before the session is begun; the rest is `main.py`'s."""

    def __init__(self):
        super().__init__()
        self._turn = asyncio.Lock()

    async def on_session_created(self, session_context):
        """Make the page."""
        application = session_context.server_context.application_context.application
        async with self._turn:
            await session_context.with_locked_document(partial(_make, application))

    def modify_document(self, doc):
        """Leave the document as it is."""


def open_in_pieces(server_context):
    """Have all pages of an application made in pieces, and in good time.

    Parameters
    ----------
    server_context : bokeh.application.application.ServerContext
    """
    application = server_context.application_context.application
    # which is served at / too if it is the only one
    if not any(isinstance(handler, Opening) for handler in application.handlers):
        application.add(Opening())
    freeing.keep_little()
    gc.freeze()  # what is there now stays: no need to look at it ever again
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])


async def _make(application, document):
    application._set_session_prefix(document)  # Panel does so later, but the page's links need it
    for _ in session.making(document):
        await asyncio.sleep(PAUSE_S)
