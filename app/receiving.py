"""Takes an upload from the browser and reads it away from the event loop."""

import threading

from app.jobs import Aside, Cancelled
from app.uploads import LIMITS, Upload
from sim.traces import read_sources

_ASIDE = Aside(2)


class Receiver:
    """One session's imports, of which only the newest counts.

    Parameters
    ----------
    post : callable
        ``post(callback)`` has `callback` called in the session's event loop; it may be called
        from any thread.
    ask : callable
        Asks the browser for the next bytes.
    progress : callable
        ``progress(stage, done, total, name)`` with the stage "uploading" or "reading", and bytes.
    done : callable
        Called with the `Import`.
    failed : callable
        Called with the exception if nothing comes of it.
    """

    def __init__(self, post, ask, progress, done, failed):
        self._post, self._ask, self._progress = post, ask, progress
        self._done, self._failed = done, failed
        self._upload = self._cancelled = None

    @property
    def busy(self):
        """Whether an import is under way."""
        return self._cancelled is not None

    def begin(self, files):
        """Take files, announced as [name, size] each, in the place of what is under way.

        Raises
        ------
        UploadError
            If they are too many or too large.
        """
        self.drop()
        self._upload = Upload(files)
        self._cancelled = threading.Event()
        self._go_on()

    def arrived(self, data):
        """Take the next bytes.

        Raises
        ------
        UploadError
            If they are not as announced; the import has ended then.
        """
        if self._upload is None or self._upload.complete:
            return  # of an upload that was cancelled
        try:
            self._upload.add(data)
        except ValueError:
            self.drop()
            raise
        self._go_on()

    def _go_on(self):
        upload, cancelled = self._upload, self._cancelled
        self._progress("uploading", upload.arrived, upload.total, "")
        if not upload.complete:
            self._ask()
            return
        made = _ASIDE.submit(self._read, upload, cancelled)
        made.add_done_callback(
            lambda made: cancelled.is_set() or self._post(lambda: self._deliver(made, cancelled))
        )

    def _read(self, upload, cancelled):
        """Read the files, which are gone afterwards."""

        def progress(done, total, name):
            if cancelled.is_set():
                raise Cancelled
            self._post(lambda: self._reading(done, total, name, cancelled))

        try:
            return read_sources(upload.sources(), progress=progress, limits=LIMITS)
        finally:
            upload.close()

    def _reading(self, done, total, name, cancelled):
        if cancelled is self._cancelled:
            self._progress("reading", done, total, name)

    def _deliver(self, made, cancelled):
        if cancelled is not self._cancelled:
            return
        self._upload = self._cancelled = None
        error = made.exception()
        if error is None:
            self._done(made.result())
        else:
            self._failed(error)

    def drop(self):
        """Forget what is under way, if anything is."""
        if self._cancelled is not None:
            self._cancelled.set()
        if self._upload is not None and not self._upload.complete:
            self._upload.close()  # else whoever reads it does
        self._upload = self._cancelled = None
