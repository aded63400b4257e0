"""Many readers of one server: their answers, and what is left of them."""

import asyncio
import logging
import weakref

import pytest

from tests.app.test_session import address, gone, living, until  # noqa: F401
from tests.serving.reader import Reader, wait_for

QUICK = "agents=4&workers=2&turns=2,3"
READERS = 8
CHANGES = 4


@pytest.fixture(autouse=True)
def nothing_goes_wrong(caplog):
    """No test here makes the server log a warning or an error."""
    caplog.set_level(logging.WARNING)
    yield
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING] == []


async def read(address, number):  # noqa: F811
    """Open a page, change its settings, and close it; return what it was told last."""
    reader = Reader(address, QUICK)
    try:
        await reader.open()
        await reader.picture()
        for change in range(CHANGES):
            seen = reader.pictures
            reader.change("seed", 10 * number + change)
            await reader.picture(seen)
        return reader.values
    finally:
        await reader.close()


def test_many_readers_are_answered_and_freed(address, living):  # noqa: F811
    async def main():
        return await asyncio.gather(*(read(address, number) for number in range(READERS)))

    told = wait_for(main())
    assert all(values["error"] == "" for values in told if "error" in values)
    figures = weakref.WeakSet(page.picture.board for page in living)
    until(lambda: gone(living))
    until(lambda: gone(figures))


def test_a_page_that_has_not_said_that_it_is_ready_is_told_too(address, living):  # noqa: F811
    """Also at once, when the answer is remembered and no thread has to find it."""

    async def main():
        reader = Reader(address, QUICK)
        await reader.open(ready=False)
        await reader.picture()
        for agents in (5, 6, 5):  # the last is remembered
            seen = reader.pictures
            reader.change("agents", agents)
            await reader.picture(seen)
        await reader.close()

    wait_for(main())
    until(lambda: gone(living))


def test_two_pages_that_ask_the_same_are_answered_by_one_run(address, living, monkeypatch):  # noqa: F811
    from app import runs

    simulated = []
    simulate = runs.simulate
    monkeypatch.setattr(
        runs, "simulate", lambda s, cancel: simulated.append(s.seed) or simulate(s, cancel=cancel)
    )

    async def main():
        readers = [Reader(address, QUICK) for _ in range(2)]
        await asyncio.gather(*(reader.open() for reader in readers))
        await asyncio.gather(*(reader.picture() for reader in readers))
        seen = [reader.pictures for reader in readers]
        for reader in readers:
            reader.tell("Form", {"name": "seed", "value": 424_242, "live": False})
        await asyncio.gather(*map(Reader.picture, readers, seen))
        for reader in readers:
            await reader.close()

    wait_for(main())
    assert simulated.count(424_242) == 1
    until(lambda: gone(living))
