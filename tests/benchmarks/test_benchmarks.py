"""The benchmarks run and print what they ought to; how fast anything is, is not tested."""

import pathlib
import subprocess
import sys

from tests.benchmarks.cases import QUICK
from tests.benchmarks.peers import PEERS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def test_quick_run_prints_one_table():
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line[:1] == "|"]
    rows = {name: cells for name, *cells in table}
    names = [*(case.name for case in QUICK.cases), *(peer.name for peer in PEERS)]
    assert [name for name in rows if name in names] == names
    for case in QUICK.cases:
        wall, cpu, requests, seconds, speed, memory = rows[case.name]
        assert float(wall.removesuffix(" ms")) > 0
        assert float(cpu.removesuffix(" ms")) > 0
        assert int(requests.replace(",", "")) > 0
        assert int(seconds.replace(",", "")) > 0
        assert int(memory.removesuffix(" MB")) > 1
        assert [part.split("× ")[1] for part in speed.split(", ") if part] == list(case.against)
