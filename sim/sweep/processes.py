"""Runs batches in worker processes on this machine."""

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

from sim.sweep.batch import run_batch

_START = multiprocessing.get_context("spawn")
"""Safe beside threads, and the same on every system."""
AHEAD = 4
"""Batches for each process that may be finished before an earlier one is."""


class Processes:
    """Runs batches in processes, one at a time in each.

    Each process has an executor of its own, so that one that dies takes its own batch along and
    no other.

    Parameters
    ----------
    slots : int
        How many processes.
    """

    lost = (BrokenExecutor,)
    hint = (
        "there may be too little memory; and a script that starts worker processes must do so "
        'under `if __name__ == "__main__":`'
    )

    def __init__(self, slots):
        self.slots, self.ahead = slots, AHEAD * slots
        self._newest = {}  # executors with their newest batches

    def submit(self, base, changes, max_ticks):
        """Run a batch in a process that has nothing to do; return its Future."""
        for executor in [e for e, newest in self._newest.items() if newest.done()]:
            with contextlib.suppress(BrokenExecutor):
                return self._given(executor, base, changes, max_ticks)
            del self._newest[executor]  # its process died
            executor.shutdown()
        executor = ProcessPoolExecutor(1, mp_context=_START, initializer=_prepare)
        return self._given(executor, base, changes, max_ticks)

    def _given(self, executor, *batch):
        with _unheard():  # the first batch starts the process
            self._newest[executor] = executor.submit(run_batch, *batch)
        return self._newest[executor]

    def close(self):
        """End the processes, whatever they do."""
        for executor in self._newest:
            _terminate(executor)
        for executor in self._newest:
            executor.shutdown()


def _terminate(executor):
    if hasattr(executor, "terminate_workers"):  # since Python 3.14
        executor.terminate_workers()
        return
    for process in list((executor._processes or {}).values()):
        process.terminate()


@contextlib.contextmanager
def _unheard():
    """Hold Ctrl-C back until the end; processes that are started meanwhile never hear of it."""
    heard = []
    mine = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda *signal_: heard.append(signal_)) if mine else None
    blocks = hasattr(signal, "pthread_sigmask")  # not on Windows
    if blocks:  # for this thread, from which processes inherit it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if blocks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if mine:
            signal.signal(signal.SIGINT, handler)
    if heard and callable(handler):
        handler(*heard[0])


def _prepare():
    """Prepare a worker process: the parent alone answers to Ctrl-C, and is not outlived."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent():
    multiprocessing.connection.wait([multiprocessing.parent_process().sentinel])
    os._exit(1)
