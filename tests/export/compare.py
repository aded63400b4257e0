"""Runs to compare, and what differs between an answer of the scripts and Python's."""

import dataclasses
import functools
import math
import random

import numpy as np

from app.derive import Recording
from sim import Scenario, simulate_many
from sim.presets import PRESETS
from tests.cases import random_scenario

SCENARIOS = 40


@functools.cache
def recordings():
    """Runs of random scenarios over all fields, and of the presets."""
    rng = random.Random(20_260_707)
    scenarios = [Scenario.from_dict(random_scenario(rng)) for _ in range(SCENARIOS)]
    scenarios += [Scenario(**changes) for changes in PRESETS.values()]
    return [Recording(result) for result in simulate_many(scenarios)]


def plain(value):
    """Return what JSON makes of arrays, tuples, dataclasses and NaN."""
    if dataclasses.is_dataclass(value):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, range):
        return [value.start, value.stop]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    return None if isinstance(value, float) and math.isnan(value) else value


def first_difference(found, wanted, path=""):
    """Return where two plain values differ first, None if nowhere."""
    if isinstance(wanted, dict) and isinstance(found, dict) and found.keys() == wanted.keys():
        pairs = [(key, found[key], wanted[key]) for key in wanted]
    elif isinstance(wanted, list) and isinstance(found, list) and len(found) == len(wanted):
        pairs = [(i, *both) for i, both in enumerate(zip(found, wanted, strict=True))]
    else:
        return None if found == wanted else (path, found, wanted)
    differing = (first_difference(a, b, f"{path}.{key}") for key, a, b in pairs if a != b)
    return next(filter(None, differing), None)


def compare(answers, wanted):
    """Assert that answers are what Python says."""
    for i, (answer, value) in enumerate(zip(answers, wanted, strict=True)):
        difference = first_difference(answer, plain(value))
        assert difference is None, (i, *difference)
