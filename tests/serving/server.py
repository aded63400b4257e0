"""A server of the dashboard in a process of its own, as `dpascope serve` starts it."""

import contextlib
import dataclasses
import os
import pathlib
import subprocess
import sys
import time
import urllib.request

from tests.browser.conftest import free_port

ROOT = pathlib.Path(__file__).parents[2]
PATIENCE = 60
"""Seconds until a server that does not start, or does not stop, has failed."""


@dataclasses.dataclass
class Server:
    """A server that answers.

    Attributes
    ----------
    process : subprocess.Popen
    address : str
        Of the app, without a proxy.
    port : int
    answering, started : float
        Seconds until it answered, and until the first page was there.
    """

    process: subprocess.Popen
    address: str
    port: int
    answering: float = 0.0
    started: float = 0.0


def launch(*options, log=subprocess.DEVNULL, **environment):
    """Start a server and do not wait for it."""
    return subprocess.Popen(
        [sys.executable, "-m", "app.cli", "serve", *options],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
    )


@contextlib.contextmanager
def serving(*options, log=subprocess.DEVNULL, prefix="", **environment):
    """Serve the dashboard on a free port; yield the `Server`, which is killed afterwards."""
    port, start = free_port(), time.monotonic()
    process = launch("--port", str(port), *options, log=log, **environment)
    server = Server(process, f"http://localhost:{port}{prefix}/app", port)
    try:
        answered(f"http://localhost:{port}{prefix}/static/js/bokeh.min.js", process)
        server.answering = time.monotonic() - start
        answered(server.address, process)
        server.started = time.monotonic() - start
        yield server
    finally:
        process.kill()
        process.wait(PATIENCE)


def answered(address, process=None):
    """Wait until an address answers; return what it answers."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                answer.body = answer.read()
                return answer
        except OSError:
            if time.monotonic() > end or (process is not None and process.poll() is not None):
                raise
            time.sleep(0.05)
