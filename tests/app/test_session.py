"""A session's page goes when the session goes, and with it its figures and results."""

import gc
import runpy
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.client import pull_session

import app.session
from app import freeing, serving
from app.opening import Opening
from tests.browser.conftest import free_port
from tests.serving.server import answered

QUICK = {"agents": "4", "workers": "2", "turns": "2,3"}
PATIENCE = 60

_ASIDE = ThreadPoolExecutor(max_workers=1)
"""Where clients run their event loops: that of the tests may have one already."""


@pytest.fixture(scope="module")
def living():
    """The pages of this process that live."""
    return weakref.WeakSet()


@pytest.fixture(scope="module")
def address(living):
    """Serve the app from this process."""

    class Page(app.session.Page):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.post = arguments[-1]
            living.add(self)

    patch = pytest.MonkeyPatch()
    patch.setattr(app.session, "Page", Page)
    port = free_port()
    server = pn.serve(
        {"app": serving.application()},
        port=port,
        threaded=True,
        show=False,
        verbose=False,
        check_unused_sessions_milliseconds=100,
        unused_session_lifetime_milliseconds=100,
    )
    answered(f"http://localhost:{port}/favicon.ico")
    yield f"http://localhost:{port}/app"
    server.stop()
    patch.undo()


def until(holds):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


def connect(address):
    for _ in range(100):
        try:
            return _ASIDE.submit(pull_session, url=address, arguments=QUICK).result(PATIENCE)
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def close(session):
    _ASIDE.submit(session.close).result(PATIENCE)


def gone(living):
    gc.collect()
    return not living


def test_a_closed_session_frees_its_memory(address, living):
    sessions = [connect(address) for _ in range(2)]
    until(lambda: len(living) == 2)
    until(lambda: all(page.numbers.run is not None for page in living))
    for session in sessions:
        close(session)
    until(lambda: gone(living))


def test_a_session_closed_during_its_run_frees_its_memory(address, living, monkeypatch):
    monkeypatch.setitem(QUICK, "agents", "96")
    monkeypatch.setitem(QUICK, "turns", "80,90")
    monkeypatch.setitem(QUICK, "seed", str(time.time_ns() % 2**31))
    close(connect(address))
    until(lambda: gone(living))


def test_what_a_thread_posts_arrives_while_events_are_held(address, living):
    session = connect(address)
    until(lambda: len(living) == 1 and all(page.numbers.run for page in living))
    page = next(iter(living))
    page.picture.board.frame.x_range.document.hold("collect")
    arrived = threading.Event()
    page.post(arrived.set)
    assert arrived.wait(PATIENCE)
    close(session)
    del page
    until(lambda: gone(living))


def test_others_are_answered_while_a_page_is_made(address, living, monkeypatch):
    making, begun, go = app.session.making, threading.Event(), threading.Event()

    def held(document):
        while not go.is_set():
            begun.set()
            yield
        yield from making(document)

    monkeypatch.setattr(app.session, "making", held)
    with ThreadPoolExecutor() as pool:
        page = pool.submit(answered, address)
        assert begun.wait(PATIENCE)
        answered(f"{address.rpartition('/')[0]}/favicon.ico")
        assert not page.done()
        go.set()
        assert b"token" in page.result(PATIENCE).body
    until(lambda: gone(living))


def test_what_a_page_asks_for_while_it_is_made_waits_until_it_is_open(address, living, monkeypatch):
    making, order, called = app.session.making, [], threading.Event()

    class Page(app.session.Page):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            arguments[-1](lambda: (order.append("called"), called.set()))

    def noted(document):
        yield from making(document)
        order.append("made")

    monkeypatch.setattr(app.session, "Page", Page)
    monkeypatch.setattr(app.session, "making", noted)
    answered(address)
    assert called.wait(PATIENCE)
    assert order == ["made", "called"]
    until(lambda: gone(living))


def test_a_page_that_cannot_be_made_leaves_nothing(address, living, monkeypatch):
    class Page(app.session.Page):
        def template(self):
            raise ValueError("no page")

    until(lambda: not freeing._open)
    with monkeypatch.context() as patch:
        patch.setattr(app.session, "Page", Page)
        answered(address)
    until(lambda: gone(living))
    until(lambda: not freeing._open)
    session = connect(address)
    until(lambda: len(living) == 1 and all(page.numbers.run for page in living))
    assert len(session.document.roots) > 1
    close(session)
    until(lambda: gone(living))


def test_an_application_at_two_addresses_makes_each_page_once():
    application = serving.application()
    context = SimpleNamespace(application_context=SimpleNamespace(application=application))
    for _ in range(2):
        application.on_server_loaded(context)
    assert sum(isinstance(handler, Opening) for handler in application.handlers) == 1


def test_what_watches_for_changes_finds_nothing_imported_before(monkeypatch):
    hooks = str(serving.APP / "app_hooks.py")
    assert "on_server_loaded" in runpy.run_path(hooks)
    monkeypatch.setattr(pn.config, "autoreload", True)
    assert "on_server_loaded" not in runpy.run_path(hooks)


def test_open_sessions_are_each_by_themselves(address, living):
    one, other = connect(address), connect(address)
    until(lambda: len(living) == 2 and all(page.numbers.run for page in living))
    first, second = living
    assert first.app is not second.app
    assert first.picture.board is not second.picture.board
    close(one)
    close(other)
    del first, second
    until(lambda: gone(living))
