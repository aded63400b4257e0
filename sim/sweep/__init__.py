"""Sweeps: many runs over a grid of parameters and seeds, or over a list of scenarios.

They run in this process, in worker processes, or on a Dask cluster: the same call, the same rows,
in the same order.
"""

from sim.sweep.errors import SweepError
from sim.sweep.points import grid, listed
from sim.sweep.progress import Progress
from sim.sweep.sweep import Sweep
from sim.sweep.table import Table

__all__ = ["Progress", "Sweep", "SweepError", "Table", "grid", "listed"]
