"""Many readers at once: python -m tests.benchmarks.soak [--sessions 50] [--minutes 3] [--pause 10].

Starts a server and opens so many pages without a browser, spread over a third of the time. Each of
them changes a setting, waits for the picture that follows, and pauses for about so many seconds, as
long as the minutes last. Then it closes them and waits until the server has freed them. Meanwhile
it asks for a small file again and again: how long that takes is how long the server was held up.

Prints what it measured. Its status is 1 if anything failed: a page, an answer, a line in the
server's log that is an error, or more than 20 % of memory that is not given back.
"""

import argparse
import asyncio
import contextlib
import os
import pathlib
import random
import re
import statistics
import sys
import tempfile
import time

from tests.serving.reader import Reader, fetch
from tests.serving.server import serving

GIVEN_BACK = 1.2
"""Memory at the end, against that at the start, from which on it has leaked."""
FREED_S = 45
"""Seconds after which the server must have freed pages that are closed: twice those it says."""
WARM_UP = 8
"""Pages opened and closed before anything is measured."""
PROBE_S = 0.1

SETTINGS = {
    "agents": range(4, 49),
    "kv_capacity": range(100_000, 600_001, 50_000),
    "routing": ("pinned", "round_robin", "cache_aware", "total_requests"),
    "phase_policy": ("prefill_first", "majority", "decode_interval", "mixed"),
    "seed": range(1, 10_000),
}


class Soak:
    """Readers, and what they saw.

    Parameters
    ----------
    address : str
    pause : float
        Seconds, on average, between an answer and the next change.
    """

    def __init__(self, address, pause):
        self._address, self._pause = address, pause
        self.pages, self.answers, self.probes, self.failures = [], [], [], []

    async def reader(self, number, wait, until):
        """Open a page after so many seconds, and read it until a time."""
        chance, reader = random.Random(number), Reader(self._address)
        try:
            await asyncio.sleep(wait)
            start = time.monotonic()
            await reader.open()
            await reader.picture()
            self.pages.append(time.monotonic() - start)
            while time.monotonic() < until:
                name = chance.choice(list(SETTINGS))
                seen = reader.pictures
                reader.change(name, chance.choice(SETTINGS[name]))
                self.answers.append(await reader.picture(seen))
                await asyncio.sleep(chance.uniform(0, 2 * self._pause))
        except Exception as error:
            self.failures.append(f"reader {number}: {error!r}")
        finally:
            await reader.close()

    async def probe(self):
        """Ask for a small file again and again."""
        url = f"{self._address.rpartition('/')[0]}/favicon.ico"
        while True:
            start = time.monotonic()
            try:
                await fetch(url)
            except Exception as error:
                self.failures.append(f"small file: {error!r}")
            self.probes.append(time.monotonic() - start)
            await asyncio.sleep(PROBE_S)

    async def run(self, sessions, seconds):
        """Have so many readers read for so long."""
        until, between = time.monotonic() + seconds, seconds / 3 / sessions
        probing = asyncio.ensure_future(self.probe())
        await asyncio.gather(*(self.reader(n, n * between, until) for n in range(sessions)))
        probing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await probing


def memory(process):
    """Return the resident memory of a process in bytes."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def errors(log):
    """Return the lines of the server's log that are errors."""
    lines = log.read_text("utf-8", "replace").splitlines()
    return [line for line in lines if re.search("ERROR|CRITICAL|WARNING|Traceback", line)]


def main(sessions, minutes, pause):
    """Measure, print, and return the status."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        with log.open("wb") as file, serving(log=file) as server:
            print(
                f"{server.answering:.1f} s until it answered, "
                f"{server.started:.1f} s until the first page"
            )
            asyncio.run(Soak(server.address, 0.1).run(WARM_UP, 3 * WARM_UP))
            time.sleep(FREED_S)
            start = memory(server.process)
            soak = Soak(server.address, pause)
            asyncio.run(soak.run(sessions, 60 * minutes))
            most = memory(server.process)
            time.sleep(FREED_S)
            end = memory(server.process)
        failures = [*soak.failures, *errors(log)]
    print(
        f"{sessions} pages for {minutes:g} min, about {pause:g} s between changes; "
        f"load of the machine {os.getloadavg()[0]:.1f}"
    )
    for name, values in (
        ("pages opened", soak.pages),
        ("changes answered", soak.answers),
        ("small files", soak.probes),
    ):
        print(f"{name}: {len(values)}; {_spread(values)}")
    print(
        f"memory: {start / 1e6:.0f} MB before, {most / 1e6:.0f} MB at the end of the changes, "
        f"{end / 1e6:.0f} MB {FREED_S} s after the pages were closed ({end / start:.0%})"
    )
    if end > GIVEN_BACK * start:
        failures.append(f"memory has grown by more than {GIVEN_BACK - 1:.0%}")
    print(f"failures: {len(failures)}", *failures[:20], sep="\n")
    return 1 if failures else 0


def _spread(values):
    if not values:
        return "none"
    ordered = sorted(values)
    at = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return (
        f"median {1000 * statistics.median(values):,.0f} ms, 95 % within {1000 * at:,.0f} ms, "
        f"slowest {1000 * ordered[-1]:,.0f} ms"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--pause", type=float, default=10)
    sys.exit(main(**vars(parser.parse_args())))
