"""A session's page goes when the session goes, and with it its figures and results."""

import gc
import time
import weakref

import panel as pn
import pytest
from bokeh.client import pull_session

import app.session
from app.cli import APP

QUICK = {"agents": "4", "workers": "2", "turns": "2,3"}


@pytest.fixture
def pages(monkeypatch):
    """Serve the app from this process; yield its address and the pages that live."""
    living = weakref.WeakSet()

    class Page(app.session.Page):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            living.add(self)

    monkeypatch.setattr(app.session, "Page", Page)
    server = pn.serve(
        {"app": str(APP / "main.py")},
        port=0,
        threaded=True,
        show=False,
        verbose=False,
        check_unused_sessions_milliseconds=100,
        unused_session_lifetime_milliseconds=100,
    )
    deadline = time.monotonic() + 30
    while not getattr(server, "port", None) and time.monotonic() < deadline:
        time.sleep(0.05)
    yield server, living
    server.stop()


def test_closed(pages):
    server, living = pages
    print(type(server), vars(server).keys())
