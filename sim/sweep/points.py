"""What a sweep runs: the points of a grid or the scenarios of a list, made one by one."""

import collections.abc
import functools
import itertools
import math

import numpy as np

from sim import checks
from sim.scenario import Scenario, check_field, field_names

MAX_RUNS = 10_000_000
"""Largest sweep: its table of what is done is kept in memory."""
SEEDS = 2**32


class Points(collections.abc.Sequence):
    """The runs of a sweep in their order; item i is the scenario of run i.

    Attributes
    ----------
    names : tuple of str
        What varies: columns of the table.
    shape : tuple of int
        Of the cells; the runs of a cell differ in their seed alone.
    cells : ndarray of int64, shape (runs,)
        For each run its cell, an index into the flat `shape`.
    base : dict
        Fields of all scenarios that differ from the defaults.
    """

    def varied(self, index):
        """Return the value of each of `names` in that run, as a dict."""
        raise NotImplementedError

    def values(self, name):
        """Return all values of one of `names`, as a list."""
        raise NotImplementedError

    def change(self, index):
        """Return the fields in which that run differs from `base`, as a dict."""
        raise NotImplementedError

    def identity(self):
        """Return what tells this sweep from any other, ready for JSON."""
        raise NotImplementedError

    def coarse_first(self):
        """Return all runs in an order that shows the whole early, as an array of int64."""
        return np.arange(len(self))

    def __getitem__(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(f"run {index} of {len(self)}")
        return Scenario.from_dict({**self.base, **self.change(index % len(self))})


class Grid(Points):
    """Every combination of some values; made by `grid`.

    Attributes
    ----------
    axes : dict of str to list
        The values of each parameter, those of `seed` last.
    """

    def __init__(self, base, axes):
        self.base = base
        self.axes = axes
        self.names = tuple(axes)
        self.shape = tuple(len(values) for name, values in axes.items() if name != "seed")
        self._sizes = [len(values) for values in axes.values()]

    def __len__(self):
        return math.prod(self._sizes)

    @functools.cached_property
    def cells(self):
        """For each run its cell."""
        return np.arange(len(self)) // len(self.axes.get("seed", [0]))

    def varied(self, index):
        """Return the values of that run; the last axis varies fastest."""
        places = []
        for size in reversed(self._sizes):
            index, place = divmod(index, size)
            places.append(place)
        pairs = zip(self.axes.items(), reversed(places), strict=True)
        return {name: values[place] for (name, values), place in pairs}

    change = varied

    def values(self, name):
        """Return the values of that axis."""
        return self.axes[name]

    def identity(self):
        """Return the base and the axes."""
        return {"base": self.base, "axes": self.axes}

    def coarse_first(self):
        """Return first the runs of a coarse grid, then of ever finer ones, cell by cell."""
        level = np.zeros(self.shape, np.int64)
        for axis, size in enumerate(self.shape):
            along = [1] * len(self.shape)
            along[axis] = size
            level = np.maximum(level, _fineness(size).reshape(along))
        return np.argsort(level.ravel()[self.cells], kind="stable")


def _fineness(size):
    """Return for each place of an axis how fine a grid has to be to hold it, 0 for the ends."""
    places = np.arange(size)
    steps = max(1, size - 1).bit_length()
    level = steps - np.minimum(steps, _trailing_zeros(places, steps))
    level[-1] = 0
    return level


def _trailing_zeros(numbers, most):
    return sum((numbers % 2**power == 0).astype(np.int64) for power in range(1, most + 1))


class Listed(Points):
    """Scenarios one by one; made by `listed`."""

    def __init__(self, scenarios, labels=None):
        self.base = {}
        self._changes = [scenario.changed() for scenario in scenarios]
        if labels is None:
            self.names = _differing(self._changes)
            default = Scenario().to_dict()
            labels = [{n: c.get(n, default[n]) for n in self.names} for c in self._changes]
        else:
            self.names = tuple(labels[0])
        self._labels = labels
        cells, self.cells = {}, np.empty(len(scenarios), np.int64)
        for index, label in enumerate(labels):
            key = repr([value for name, value in label.items() if name != "seed"])
            self.cells[index] = cells.setdefault(key, len(cells))
        self.shape = (len(cells),)

    def __len__(self):
        return len(self._changes)

    def varied(self, index):
        """Return the label of that run."""
        return self._labels[index]

    def values(self, name):
        """Return that column of the labels."""
        return [label[name] for label in self._labels]

    def change(self, index):
        """Return the fields that differ from the defaults."""
        return self._changes[index]

    def identity(self):
        """Return all scenarios."""
        return {"scenarios": self._changes, "labels": self._labels}


def _differing(changes):
    """Return the fields, but `table`, that are not the same in all scenarios."""
    return tuple(
        name
        for name in field_names()
        if name != "table" and any(c.get(name) != changes[0].get(name) for c in changes)
    )


def grid(base, axes, seeds=None):
    """Return every combination of some values, the last parameter varying fastest, then the seed.

    Parameters
    ----------
    base : Scenario or dict
        What does not vary.
    axes : dict of str to iterable
        The values of each parameter that varies.
    seeds : int or iterable of int, optional
        A number of seeds from that of `base` on, or the seeds themselves. Then the column `seed`
        comes last, and the runs of a cell are those that differ in it alone.

    Returns
    -------
    Grid
        A sequence of scenarios, each made as it is asked for.

    Raises
    ------
    ValueError
        If nothing varies, a parameter is unknown or has no values, or a value is not allowed or
        given twice; or if there are too many runs. Values that are allowed but contradict each
        other are found as they run.

    Examples
    --------
    >>> points = grid(Scenario(), {"agents": [8, 16], "kv_capacity": [250_000, 500_000]}, seeds=3)
    >>> len(points), points.shape, points.varied(5)["kv_capacity"]
    (12, (2, 2), 500000)
    """
    base = base if isinstance(base, Scenario) else Scenario.from_dict(base)
    axes = {name: _values(base, name, values) for name, values in axes.items()}
    if seeds is not None:
        if "seed" in axes:
            raise ValueError("seed varies twice: as a parameter and by the number of seeds")
        axes["seed"] = _seeds(base, seeds)
    elif "seed" in axes:
        axes["seed"] = axes.pop("seed")  # last
    if not axes:
        raise ValueError("nothing varies: give a parameter with its values, or seeds")
    runs = math.prod(map(len, axes.values()))
    if runs > MAX_RUNS:
        sizes = " × ".join(f"{len(values):,} {name}" for name, values in axes.items())
        raise ValueError(f"{sizes} are {runs:,} runs, at most {MAX_RUNS:,} are allowed")
    return Grid(base.changed(), axes)


def _values(base, name, values):
    if name not in field_names():
        raise ValueError(checks.unknown_name("parameter", name, field_names()))
    if name == "table":
        raise ValueError("table cannot vary in a grid: give a list of scenarios instead")
    if name == "agents" and base.table is not None:
        raise ValueError("agents cannot vary: the table has the sessions of each agent")
    if isinstance(values, (str, bytes)) or not isinstance(values, collections.abc.Iterable):
        raise ValueError(f"{name} = {checks.shown(values)} must be a list of values")
    values = list(itertools.islice(values, MAX_RUNS + 1))
    if not values:
        raise ValueError(f"{name} has no values: give at least one")
    if len(values) > MAX_RUNS:
        raise ValueError(f"{name} has more than {MAX_RUNS:,} values")
    values, seen = [check_field(name, value) for value in values], set()
    for value in values:
        key = tuple(value) if isinstance(value, list) else value
        if key in seen:
            raise ValueError(f"{name} = {checks.shown(value)} is given twice")
        seen.add(key)
    return values


def _seeds(base, seeds):
    if isinstance(seeds, int) and not isinstance(seeds, bool):
        if not 1 <= seeds <= MAX_RUNS:
            raise ValueError(f"seeds = {seeds:,} must be a whole number from 1 to {MAX_RUNS:,}")
        return [(base.seed + i) % SEEDS for i in range(seeds)]
    return _values(base, "seed", seeds)


def listed(scenarios, labels=None):
    """Return the scenarios of a list as the runs of a sweep.

    Parameters
    ----------
    scenarios : iterable of Scenario
    labels : iterable of dict, optional
        Columns that say what each scenario is, the same for all; without them those are the
        fields in which the scenarios differ.

    Raises
    ------
    ValueError
        If there are none or too many, or as many labels as scenarios are not given.
    """
    scenarios = list(scenarios)
    if not scenarios:
        raise ValueError("the list of scenarios is empty")
    if len(scenarios) > MAX_RUNS:
        raise ValueError(f"{len(scenarios):,} runs, at most {MAX_RUNS:,} are allowed")
    labels = None if labels is None else [dict(label) for label in labels]
    if labels is not None:
        if len(labels) != len(scenarios):
            raise ValueError(f"{len(labels)} labels are given for {len(scenarios)} scenarios")
        if any(tuple(label) != tuple(labels[0]) for label in labels):
            raise ValueError("all labels must have the same names in the same order")
    return Listed(scenarios, labels)
