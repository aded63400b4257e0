"""Models, GPUs and a way to deploy them: the arithmetic that yields a scenario."""

from sim.hardware.ledger import Basis, Part, Step
from sim.hardware.library import LIBRARY, Library, load_library
from sim.hardware.planner import plan
from sim.hardware.rules import DEPLOYMENTS, DeploymentError
from sim.hardware.workout import Plan

__all__ = [
    "DEPLOYMENTS",
    "LIBRARY",
    "Basis",
    "DeploymentError",
    "Library",
    "Part",
    "Plan",
    "Step",
    "load_library",
    "plan",
]
