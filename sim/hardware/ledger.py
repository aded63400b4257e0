"""The arithmetic of a plan, step by step: each number with its formula, basis and source."""

import dataclasses
import math
import numbers

from sim.checks import unknown_name


class Basis:
    """Where a number comes from."""

    MEASURED = "measured"
    COMPUTED = "computed"
    ASSUMED = "assumed"
    GIVEN = "given"


@dataclasses.dataclass(frozen=True)
class Step:
    """One number of a plan.

    Attributes
    ----------
    name, unit : str
    value : float
    formula : str
        How it was computed, with the numbers put in; empty for a fact.
    basis : str
        ``measured``, ``computed``, ``assumed``, or ``given`` by the user.
    source : str
    """

    name: str
    value: float
    unit: str
    formula: str
    basis: str
    source: str


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of one GPU's memory, in bytes."""

    name: str
    bytes: float


class Ledger:
    """Takes down each number of a plan, and puts the user's in its place if there is one.

    Parameters
    ----------
    overrides : mapping of str to float
        The user's numbers by the names of the steps.
    """

    def __init__(self, overrides=None):
        self.steps = []
        self._overrides = dict(overrides or {})
        for name, value in self._overrides.items():
            bad = isinstance(value, bool) or not isinstance(value, numbers.Real)
            if bad or not math.isfinite(value) or value < 0:
                raise ValueError(f"overrides: {name} = {value!r} must be a number, at least 0")

    def add(self, name, value, unit, *, formula="", basis=Basis.COMPUTED, source=""):
        """Take down a number; return it, or the user's in its place."""
        if name in self._overrides:
            value, formula, basis = self._overrides[name], "", Basis.GIVEN
            source = "given by the user"
        self.steps.append(Step(name, value, unit, formula, basis, source))
        return value

    def constant(self, name, known, unit):
        """Take down one of the library's constants."""
        fact = known[name]
        return self.add(name, fact.value, unit, basis=fact.basis, source=fact.source)

    def value(self, name):
        """Return a number taken down before."""
        return next(step.value for step in self.steps if step.name == name)

    def close(self):
        """Return the steps; a ValueError if the user gave a number that no step asks for."""
        names = [step.name for step in self.steps]
        for name in self._overrides:
            if name not in names:
                raise ValueError(f"overrides: {unknown_name('number', name, names)}")
        return tuple(self.steps)
