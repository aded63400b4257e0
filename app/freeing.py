"""Gives the memory of closed pages back to the system."""

import contextlib
import ctypes
import gc

from tornado.ioloop import IOLoop

from app import jobs

DELAY_S = 10
"""How long after a page was closed; those that are closed meanwhile go with it."""

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
"""What may be set of glibc's allocator, as its malloc.h has it."""
LARGE, ARENAS = 2**20, 2
"""From how many bytes on a piece of memory is one by itself, which goes back as soon as it is
free; and how many threads may have a stock of their own. Left alone, glibc soon takes larger ones
from its stocks, of which each thread of a run may have one."""

_open = 0
_due = set()


def keep_little():
    """Have the C library keep less of what has been freed; to be called before the first page."""
    _ask("mallopt", M_MMAP_THRESHOLD, LARGE)
    _ask("mallopt", M_ARENA_MAX, ARENAS)


def opened():
    """Take note that there is a page; to be called on the event loop."""
    global _open
    _open += 1


def closed():
    """Have a page's memory given back in a while; to be called on the event loop."""
    global _open
    _open -= 1
    loop = IOLoop.current()
    if loop not in _due:
        _due.add(loop)
        loop.call_later(DELAY_S, _free, loop)


def _free(loop):
    _due.discard(loop)
    if not _open:
        jobs.forget()  # there is nobody whom it would spare anything
    gc.collect()  # a page's models refer to each other
    _ask("malloc_trim", 0)  # it keeps what it has once got, in pieces, unless it is asked


def _ask(function, *arguments):
    """Call a function of glibc; where the C library is another one, nothing comes of it."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        getattr(ctypes.CDLL(None), function)(*arguments)
