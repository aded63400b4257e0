"""Gives the memory of closed pages back to the system."""

import contextlib
import ctypes
import gc

from tornado.ioloop import IOLoop

DELAY_S = 10
"""How long after a page was closed; those that are closed meanwhile go with it."""

_due = set()


def soon():
    """Have the memory given back in a while; to be called on the event loop."""
    loop = IOLoop.current()
    if loop not in _due:
        _due.add(loop)
        loop.call_later(DELAY_S, _free, loop)


def _free(loop):
    _due.discard(loop)
    gc.collect()  # a page's models refer to each other
    # The C library keeps what it has once got, in pieces, unless it is asked; not all can be.
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
