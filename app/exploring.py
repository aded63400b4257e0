"""Two parameters swept against each other: what runs, in which order, and what it makes to draw."""

import dataclasses
import json
import time

import numpy as np

from app.axes import values
from app.limits import Demand
from app.runs import Cancelled, key_of, seeds_of
from sim import RunCancelled, Scenario
from sim.sweep import Progress, Table, grid
from sim.sweep.batch import run_batch
from sim.sweep.progress import Clock

SEEDS = 3

METRICS = {
    "utilization": ("utilization", True),
    "makespan": ("makespan_s", False),
    "hit_rate": ("prefix_cache_hit_rate", True),
    "recomputed": ("recomputed_share", False),
}
"""What is shown: the metric, and whether more of it is better."""

ONSET = "avalanche_onset_s"

MAJORITY = 0.5
"""Share of the seeds with an avalanche from which on a cell lies beyond the border."""

ALONE = 36
"""So many runs are made in small batches first, so that there is soon something to see."""
FEWEST, MOST = 6, 400
"""Runs in a batch."""
PIECE_S = 4
"""Seconds that the runs of the first large batch would take one after another."""
LONG_S = 8
"""Batches that take less grow, those that take longer shrink: large ones take less time a run."""


@dataclasses.dataclass(frozen=True)
class Question:
    """What is swept.

    Attributes
    ----------
    scenario : Scenario
        Its own values of the two parameters do not count.
    x, y : str
        The parameters across and up, two of `app.axes.AXES`.
    xs, ys : tuple
        Their values.
    """

    scenario: Scenario
    x: str
    y: str
    xs: tuple
    ys: tuple

    @classmethod
    def about(cls, scenario, x, y):
        """Return the question whose values are those of `app.axes.values`."""
        return cls(scenario, x, y, tuple(values(x, scenario)), tuple(values(y, scenario)))

    @property
    def key(self):
        """A string that two questions share only if they are equal."""
        axes = [self.x, self.y, self.xs, self.ys]
        return json.dumps(axes) + key_of(self.base)

    @property
    def demand(self):
        """How much is asked for, a `Demand`."""
        swept = {self.x: self.xs, self.y: self.ys}
        runs = len(self.xs) * len(self.ys) * len(seeds_of(self.scenario, SEEDS))
        return Demand.of(self.scenario, runs, swept.get("agents"), swept.get("workers"))

    @property
    def base(self):
        """The scenario but for the two parameters."""
        default = Scenario()
        fields = {name: getattr(default, name) for name in (self.x, self.y)}
        rest = {k: v for k, v in self.scenario.to_dict().items() if k not in fields}
        return Scenario(**rest)

    def holds(self, scenario):
        """Return whether a scenario is one of the cells."""
        if self.place(scenario) is None:
            return False
        return Question(scenario, self.x, self.y, self.xs, self.ys).key == self.key

    def place(self, scenario):
        """Return the column and the row of a scenario's values, None if they are not there."""
        across, up = getattr(scenario, self.x), getattr(scenario, self.y)
        if across not in self.xs or up not in self.ys:
            return None
        return self.xs.index(across), self.ys.index(up)

    def cell(self, column, row):
        """Return the scenario of a cell; a ValueError if its values contradict each other."""
        return self.scenario.replace(**{self.x: self.xs[column], self.y: self.ys[row]})


@dataclasses.dataclass(frozen=True)
class Explored:
    """What came of it, so far.

    Attributes
    ----------
    question : Question
    table : sim.sweep.Table
        Of a grid of shape (columns, rows).
    progress : sim.sweep.Progress
    seeds : int
        Runs of a cell.
    """

    question: Question
    table: Table
    progress: Progress
    seeds: int


def begun(question):
    """Return the `Explored` of which nothing has been run yet."""
    points, seeds = _points(question)
    return Explored(question, Table(points), Clock(len(points)).progress(), seeds)


def _points(question):
    q = question
    seeds = seeds_of(q.scenario, SEEDS)
    return grid(q.scenario, {q.x: q.xs, q.y: q.ys}, seeds=seeds), len(seeds)


def explore(question, cancelled, report):
    """Run the grid: the first seed on a coarse grid, then on ever finer ones, then the others.

    Parameters
    ----------
    question : Question
    cancelled : callable
        Asked now and then; the runs end when it returns true.
    report : callable
        Called with what came of it, an `Explored`, after each batch.

    Returns
    -------
    Explored
    """
    points, seeds = _points(question)
    table, clock = Table(points), Clock(len(points))
    for runs in _batches(order(points, seeds)):
        changes = [points.change(run) for run in runs]
        try:
            outcomes = run_batch(points.base, changes, cancel=cancelled)
        except RunCancelled:
            raise Cancelled from None
        table.add([_row(*pair) for pair in zip(runs, outcomes, strict=True)])
        found = Explored(question, table, clock.add(len(runs)), seeds)
        report(found)
    return found


def _batches(runs):
    """Yield runs in batches: small ones first, then ever larger ones as long as they are quick."""
    done, spent, size = 0, 0.0, FEWEST
    while done < runs.size:
        left = runs.size - done
        size = left if left < 1.5 * size else size
        start = time.thread_time()
        yield runs[done : done + size].tolist()
        last = time.thread_time() - start
        done, spent = done + size, spent + last
        if done == ALONE:
            size = int(PIECE_S * ALONE / max(spent, 0.1))
        elif done > ALONE:
            size = 3 * size if last < LONG_S else size // 3
        size = min(max(size, FEWEST), MOST)


def _row(run, outcome):
    if isinstance(outcome, str):
        return {"index": run, "error": outcome}
    return {"index": run, "error": None, **outcome}


def order(points, seeds):
    """Return the runs of a grid in the order in which they are made."""
    coarse = points.coarse_first()
    return coarse[np.argsort(coarse % seeds, kind="stable")]


@dataclasses.dataclass(frozen=True)
class Cells:
    """The grid as it is drawn, all arrays of shape (columns, rows).

    Attributes
    ----------
    value : ndarray of float
        Median over the seeds that are done, NaN where there is none.
    near : ndarray of float
        The same, and where no run is done yet that of the nearest cell.
    pending : ndarray of bool
        Where no run is done yet.
    errors : dict of (int, int) to str
        Cells whose runs could not be made, and why.
    avalanche : ndarray of float
        Share of the seeds with an avalanche, NaN where no run is done.
    evictions, kills : ndarray of float
        Medians.
    """

    value: np.ndarray
    near: np.ndarray
    pending: np.ndarray
    errors: dict
    avalanche: np.ndarray
    evictions: np.ndarray
    kills: np.ndarray


def cells(explored, metric):
    """Return the `Cells` of one of `METRICS`."""
    table = explored.table
    value = table.bands(METRICS[metric][0])[1]
    done = np.zeros(value.size, bool)
    done[table.points.cells[table.done]] = True
    done = done.reshape(value.shape)
    errors = {}
    for run, why in table.errors.items():
        errors[tuple(np.unravel_index(table.points.cells[run], value.shape))] = why
    return Cells(
        value=value,
        near=np.where(done, value, _nearest(value)),
        pending=~done,
        errors={cell: why for cell, why in errors.items() if np.isnan(value[cell])},
        avalanche=table.share_with(ONSET),
        evictions=table.bands("evictions")[1],
        kills=table.bands("kills")[1],
    )


def _nearest(value):
    """Return for each cell the value of the nearest one that has any, NaN if none has."""
    known = np.argwhere(~np.isnan(value))
    if not known.size:
        return value
    size = np.maximum(np.array(value.shape) - 1, 1)
    every = np.argwhere(np.ones(value.shape, bool))
    apart = (((every[:, None] - known) / size) ** 2).sum(-1)
    found = known[apart.argmin(1)]
    return value[found[:, 0], found[:, 1]].reshape(value.shape)


def border(avalanche):
    """Return the line between cells with an avalanche and cells without.

    Parameters
    ----------
    avalanche : ndarray of float, shape (columns, rows)
        Shares of the seeds; NaN where it is not known.

    Returns
    -------
    list of list of (int, int)
        Paths along the edges of the cells; cell (c, r) reaches from (c, r) to (c + 1, r + 1).
    """
    beyond = np.where(np.isnan(avalanche), np.nan, avalanche >= MAJORITY)
    edges = [
        ((c + 1, r), (c + 1, r + 1)) for c, r in np.argwhere(np.abs(np.diff(beyond, axis=0)) == 1)
    ]
    edges += [
        ((c, r + 1), (c + 1, r + 1)) for c, r in np.argwhere(np.abs(np.diff(beyond, axis=1)) == 1)
    ]
    return _joined([tuple(tuple(map(int, end)) for end in edge) for edge in edges])


def _joined(edges):
    """Return edges as paths, each as long as there is one way on."""
    left, paths = set(edges), []
    while left:
        path = list(min(left))
        left.remove(tuple(path))
        for _ in range(2):
            while (step := _onward(path[-1], left)) is not None:
                left.remove(step)
                path.append(step[1] if step[0] == path[-1] else step[0])
            path.reverse()
        paths.append(path)
    return paths


def _onward(end, left):
    ways = [edge for edge in left if end in edge]
    return min(ways) if ways else None
