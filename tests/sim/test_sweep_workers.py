"""Sweeps in other processes: the same rows, whoever makes them and whoever dies."""

import contextlib
import multiprocessing
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from sim import Scenario
from sim.sweep import Sweep, SweepError, grid, processes

SMALL = Scenario(workers=2, agents=4, turns=[2, 5], kv_capacity=60_000, context_limit=50_000)
POINTS = grid(SMALL, {"agents": [2, 4, 8], "prefill_workers": [0, 1, 2]}, seeds=5)
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS = 60
"""Longest wait for anything."""


@pytest.fixture(scope="module")
def rows():
    """Return all rows as this process makes them; some cannot be run."""
    return [row for rows in Sweep(POINTS).stream() for row in rows]


def die(base, changes, max_ticks):
    """End the process that runs this."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_worker_processes_give_the_same_rows_though_one_is_killed(rows, tmp_path):
    seen, found = set(), []
    sweep = Sweep(POINTS, keep=tmp_path / "kept", batch=(3, 3))
    for part in sweep.stream(workers=2):
        children = {child.pid for child in multiprocessing.active_children()}
        if not found:
            os.kill(min(children), signal.SIGKILL)
        seen |= children
        found += part
    assert found == rows
    assert len(seen) == 3
    assert multiprocessing.active_children() == []
    lines = (tmp_path / "kept").read_text().splitlines()
    assert len(lines) == 1 + len(rows)


def test_a_process_that_dies_with_nothing_to_do_is_replaced():
    runner = processes.Processes(1)
    try:
        for _ in range(2):
            future = runner.submit(POINTS.base, [POINTS.change(0)], 10**6)
            assert future.result(SECONDS)[0]["ticks"] > 0
            (child,) = multiprocessing.active_children()
            os.kill(child.pid, signal.SIGKILL)
            child.join(SECONDS)
            (executor,) = runner._newest
            wait_until(lambda executor=executor: executor._broken)
    finally:
        runner.close()


def test_a_batch_that_ends_every_worker_ends_the_sweep(monkeypatch):
    monkeypatch.setattr(processes, "run_batch", die)
    with pytest.raises(SweepError, match="a worker died 3 times on the same 3 runs, the first"):
        next(Sweep(grid(SMALL, {}, seeds=3)).stream(workers=2))
    assert multiprocessing.active_children() == []


def test_a_cancel_ends_worker_processes(rows):
    seen = []
    sweep = Sweep(POINTS, batch=(3, 3))
    parts = sweep.stream(workers=2, report=seen.append, cancel=lambda: seen[-1].done > 0)
    found = [row for part in parts for row in part]
    assert found == rows[: len(found)]
    assert len(found) < len(rows)
    assert multiprocessing.active_children() == []


PARENT = """
import multiprocessing
from sim import Scenario
from sim.sweep import Sweep, grid
if __name__ == "__main__":
    points = grid(Scenario(agents=1, turns=[1, 1]), {"seed": range(100_000)})
    for rows in Sweep(points, batch=(2, 2)).stream(workers=2):
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")
def test_workers_do_not_outlive_their_parent(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PARENT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        children = parent.stdout.readline().split()
        parent.kill()
    assert len(children) == 2
    wait_until(lambda: not any(os.path.isdir(f"/proc/{child}") for child in children))


def wait_until(true):
    """Wait for something to be true, but not for ever."""
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def cluster():
    """Run a Dask scheduler and two workers; yield its address and the workers' processes."""
    pytest.importorskip("distributed", reason="distributed, of the extra cluster, is the cluster")
    with contextlib.ExitStack() as stack:
        host = ["--host", "127.0.0.1"]
        scheduler = stack.enter_context(dask("scheduler", *host, "--port", "0", "--no-dashboard"))
        address = said(scheduler, r"Scheduler at: +(tcp://\S+)")
        options = [*host, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        workers = [stack.enter_context(dask("worker", address, *options)) for _ in range(2)]
        for worker in workers:
            said(worker, r"Registered to: +(tcp://\S+)")
        yield address, workers


@contextlib.contextmanager
def dask(*arguments):
    """Run a process of a cluster as long as the context lasts."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def said(process, pattern):
    """Return what a process says; it says more than that only if something is wrong."""
    printed = ""
    for line in process.stderr:
        printed += line
        if found := re.search(pattern, line):
            return found[1]
    return pytest.fail(f"a process of the cluster ended: {printed}")


def test_a_cluster_gives_the_same_rows_though_a_worker_is_killed(rows, cluster, tmp_path):
    address, workers = cluster
    found = []
    sweep = Sweep(POINTS, keep=tmp_path / "kept", batch=(3, 3))
    for part in sweep.stream(cluster=address):
        if not found:
            workers[0].kill()
        found += part
    assert found == rows
    assert workers[0].wait(SECONDS) == -signal.SIGKILL
    assert workers[1].poll() is None


def test_a_cluster_that_is_not_there_is_said_in_a_line(monkeypatch):
    pytest.importorskip("distributed", reason="distributed, of the extra cluster, is the cluster")
    from sim.sweep import cluster

    monkeypatch.setattr(cluster, "CONNECT_S", 0.2)
    with pytest.raises(SweepError, match=r"^no Dask scheduler answers at tcp://127\.0\.0\.1:9$"):
        next(Sweep(POINTS).stream(cluster="tcp://127.0.0.1:9"))


def test_without_dask_a_cluster_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SweepError, match="pip install distributed"):
        next(Sweep(POINTS).stream(cluster="local"))
