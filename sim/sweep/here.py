"""Runs batches in this process."""

from concurrent.futures import Future

from sim.sweep.batch import run_batch


class Here:
    """Runs each batch as it is submitted.

    Parameters
    ----------
    cancel : callable or None
        Called now and then; a true value ends a run.

    Attributes
    ----------
    slots : int
        Batches that run at the same time.
    ahead : int
        Batches that may be under way, or finished while an earlier one is not.
    lost : tuple of type
        Errors that say that a worker died and its batch is to be tried again.
    hint : str
        What to do if that happens again and again.
    """

    slots = ahead = 1
    lost = ()
    hint = ""

    def __init__(self, cancel=None):
        self._cancel = cancel

    def submit(self, base, changes, max_ticks):
        """Run a batch; return its Future, which is done."""
        future = Future()
        try:
            future.set_result(run_batch(base, changes, max_ticks, self._cancel))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self):
        """Nothing is left behind."""
