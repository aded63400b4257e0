"""A page that is closed in the browser goes on the server too."""

import weakref

from tests.app.test_session import address as inside  # noqa: F401
from tests.app.test_session import gone, living, until  # noqa: F401
from tests.browser.conftest import QUICK, Visit


def test_a_closed_page_frees_the_servers_memory(browser, inside, living):  # noqa: F811
    contexts = [browser.new_context() for _ in range(2)]
    for context in contexts:
        Visit(context, inside).open(QUICK)
    assert len(living) >= 2  # and what asked whether the server was up
    recordings = weakref.WeakSet(page.picture.board for page in living)
    for context in contexts:
        context.close()
    until(lambda: gone(living))
    until(lambda: gone(recordings))
