"""Runs batches on a Dask cluster."""

import logging
import time
from concurrent.futures import CancelledError, Future

from sim.sweep.batch import run_batch
from sim.sweep.errors import SweepError

LOCAL = "local"
"""The address of a cluster that is started here."""
CONNECT_S = 10
"""Seconds in which the scheduler must answer, and a worker must be there."""
ALONE_S = 120
"""Seconds after which a sweep without workers is given up."""
LOOK_S = 2
"""Seconds between counts of the workers, which may come and go."""
AHEAD = 4
"""Batches for each slot that may be finished before an earlier one is."""


class Cluster:
    """Runs batches on the workers of a scheduler, which gives those of a dead worker to others.

    Parameters
    ----------
    address : str
        Of a scheduler, or `LOCAL`.
    workers : int
        Processes of a cluster that is started here.

    Raises
    ------
    SweepError
        If Dask is not installed, nothing answers, or there are no workers.
    """

    lost = ()
    hint = ""

    def __init__(self, address, workers):
        try:
            import distributed
        except ImportError as error:
            raise SweepError("a cluster needs Dask: python -m pip install distributed") from error
        self._killed = distributed.KilledWorker
        self._address = address
        self._gone = f"the scheduler at {address} is gone"
        self._cluster = None
        self._client = None
        self._futures = set()
        try:
            self._connect(distributed, workers)
        except BaseException:
            self.close()
            raise
        self._seen = self._looked = time.monotonic()
        self._threads = self._count()

    def _connect(self, distributed, workers):
        target = self._address
        if target == LOCAL:
            target = self._cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        try:
            self._client = distributed.Client(target, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise SweepError(f"no Dask scheduler answers at {self._address}") from error
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_S)
        except TimeoutError as error:
            raise SweepError(
                f"the scheduler at {self._address} has no workers: start one with "
                f"`dask worker {self._address}`"
            ) from error

    def _count(self):
        try:
            return sum(self._client.nthreads().values())
        except OSError as error:
            raise SweepError(self._gone) from error

    @property
    def slots(self):
        """Threads of all workers there are now."""
        now = time.monotonic()
        if now - self._looked >= LOOK_S:
            self._looked, self._threads = now, self._count()
        if self._threads:
            self._seen = now
        elif now - self._seen > ALONE_S:
            raise SweepError(f"the scheduler at {self._address} has no workers any more")
        return self._threads

    @property
    def ahead(self):
        """Batches that may be under way, or finished while an earlier one is not."""
        return AHEAD * self.slots

    def submit(self, base, changes, max_ticks):
        """Send a batch; return its Future."""
        future = Future()
        sent = self._client.submit(run_batch, base, changes, max_ticks, pure=False)
        self._futures.add(sent)
        sent.add_done_callback(lambda sent: self._pass_on(sent, future))
        return future

    def _pass_on(self, sent, future):
        self._futures.discard(sent)
        try:
            future.set_result(sent.result())
        except BaseException as error:
            future.set_exception(self._explained(error))

    def _explained(self, error):
        if isinstance(error, self._killed):
            reason = "workers died again and again on the same batch: they may lack memory"
        elif isinstance(error, ModuleNotFoundError):
            reason = f"a worker of the cluster lacks {error.name}: install dpascope there"
        elif isinstance(error, CancelledError):
            reason = self._gone
        else:
            return error
        explained = SweepError(reason)
        explained.__cause__ = error
        return explained

    def close(self):
        """Withdraw what is under way, and end a cluster that was started here."""
        if self._client is not None:
            self._client.cancel(list(self._futures), force=True)
            self._client.close()
        if self._cluster is not None:
            self._cluster.close()
