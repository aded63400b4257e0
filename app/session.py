"""Opens a page for each browser that connects."""

import asyncio
import urllib.parse
import weakref
from functools import partial

import panel as pn
from bokeh.settings import settings
from panel.io.resources import LOCAL_DIST
from panel.io.state import set_curdoc
from tornado.ioloop import IOLoop

from app import freeing
from app.state import read_query
from app.telling import telling
from app.texts import preferred
from app.views.page import Page

# Bokeh would look for mistakes in the figures of each page anew; that is for the tests.
settings.perform_document_validation.set_value(False)


_made = weakref.WeakKeyDictionary()
"""What to set as a page is opened that has been made, or why it could not be, by documents."""


def open_page():
    """Open the page of the session that is being begun.

    Raises
    ------
    Exception
        What went wrong as it was made.
    """
    document = pn.state.curdoc
    if document not in _made:
        for _ in making(document):
            pass
    opened = _made.pop(document)
    if isinstance(opened, Exception):
        raise opened
    opened.set()


def making(document):
    """Make the page of a session and put it into its document, piece by piece.

    Parameters
    ----------
    document : bokeh.document.Document

    Yields
    ------
    None
        Wherever others may be answered.
    """
    opened = asyncio.Event()
    try:
        yield from _pieces(document, opened)
    except Exception as error:
        opened = error
    _made[document] = opened


def _pieces(document, opened):
    with document.models.freeze():  # else Bokeh walks all models once for each root and change
        with set_curdoc(document):
            page = _page(document, _poster(document, opened))
        yield
        with set_curdoc(document):
            page.template().servable(title=page.title)
        yield
        with set_curdoc(document):
            page.run()


def _page(document, post):
    pn.extension()  # only what is asked for: no tables, no terminal, no maps
    _keep_to_this_server(document)
    document.config.notify_connection_status = False  # the page says so itself
    language = preferred(pn.state.headers.get("Accept-Language", ""))
    state, problems = read_query(_query(), language)
    state.dark = _dark(state.theme)
    page = Page(state, problems, post)
    # The handler is kept in a place that outlives the session, so it must not keep the page.
    failed = weakref.WeakMethod(page.callback_failed)
    pn.config.exception_handler = lambda error: (failed() or _raise)(error)
    pn.state.on_session_destroyed(lambda _: _closed(page))
    freeing.opened()
    return page


def _closed(page):
    page.close()
    freeing.closed()


def _keep_to_this_server(document):
    """Have Panel's style sheets come from this server.

    Panel sees to it as it renders the page, but not if the session is made later, when the
    browser connects after the one of the page has expired: then they would come from a CDN.
    """
    root = f"{pn.state.rel_path}/" if pn.state.rel_path else ""
    document.template_variables["dist_url"] = root + LOCAL_DIST


def _query():
    """Return the query of the page's address."""
    pairs = [
        (name, value.decode("utf-8", "replace"))
        for name, values in pn.state.session_args.items()
        for value in values
        if not name.startswith("bokeh-")
    ]
    return urllib.parse.urlencode(pairs)


def _dark(theme):
    """Return whether the browser will draw the page dark, as far as one can know."""
    if theme == "auto":
        return pn.state.cookies.get("dpascope-dark") == "1"
    return theme == "dark"


def _poster(document, opened):
    """Return a function that has a callback called in the session's event loop.

    It may be called from any thread; what it is called with waits until the page is opened.
    `document.add_next_tick_callback` does not do: what it adds is lost if the event loop holds the
    document's events at that moment.
    """
    loop = IOLoop.current()

    async def call(document, callback):
        with set_curdoc(document), telling(document):
            try:
                callback()
            except Exception as error:
                pn.config.exception_handler(error)

    async def begin(context, callback):
        await opened.wait()
        await context.with_locked_document(partial(call, callback=callback))

    def post(callback):
        context = document.session_context
        if context is not None:  # else the session is over
            loop.add_callback(begin, context, callback)

    return post


def _raise(error):
    raise error
