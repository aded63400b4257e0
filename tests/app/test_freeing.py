"""What is given back when pages are closed."""

import asyncio
import gc
import weakref

import pytest

from app import freeing
from app.jobs import Memory
from tests.app.test_jobs import Listener
from tests.serving.reader import wait_for


class Knot:
    """Refers to itself, so only the garbage collector frees it."""

    def __init__(self):
        self.self = self


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(freeing, "DELAY_S", 0)
    monkeypatch.setattr(freeing, "_open", 0)
    gc.disable()  # what is collected is so because it was asked for
    yield
    gc.enable()


async def close():
    freeing.closed()
    await asyncio.sleep(0.05)


def found(memory):
    """Return what a memory remembers of "a"; it finds out if it does not."""
    listener = Listener()
    known = memory.ask("a", lambda job, report: "found", listener)
    return known or (listener.found and None)


def test_a_closed_page_is_collected():
    async def main():
        freeing.opened()
        gone = weakref.ref(Knot())
        await close()
        assert gone() is None

    wait_for(main())


def test_what_is_remembered_is_forgotten_with_the_last_page():
    async def main():
        memory = Memory(2)
        freeing.opened()
        freeing.opened()
        assert found(memory) is None
        assert found(memory) == "found"
        await close()
        assert found(memory) == "found"
        await close()
        assert found(memory) is None

    wait_for(main())
