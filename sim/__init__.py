"""DPA Scope's model: a simulator of data-parallel attention serving under coding agents."""

from sim.engine import RunCancelled, RunStopped
from sim.presets import PRESETS
from sim.result import Result
from sim.runs import simulate, simulate_many
from sim.scenario import Scenario

__all__ = [
    "PRESETS",
    "Result",
    "RunCancelled",
    "RunStopped",
    "Scenario",
    "simulate",
    "simulate_many",
]
