"""Who evicts whom: the evictions of contexts that were still needed, between pairs of agents."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Evictions:
    """Evictions between pairs of agents, without the reclaiming of what ended agents left.

    Attributes
    ----------
    victim, evictor : ndarray
        int64; each pair once, sorted by victim and evictor. The evictor is the agent for whose
        request the victim's context had to go.
    times, tokens : ndarray
        int64; how often, and how many tokens went.
    """

    victim: np.ndarray
    evictor: np.ndarray
    times: np.ndarray
    tokens: np.ndarray

    def of(self, agent, as_victim):
        """Return the rows in which an agent is the victim, or the evictor; most tokens first."""
        rows = np.flatnonzero((self.victim if as_victim else self.evictor) == agent)
        return self.most(rows)

    def most(self, rows=None):
        """Return rows, all by default, in the order of their tokens, most first."""
        rows = np.arange(self.victim.size) if rows is None else rows
        other = self.victim[rows], self.evictor[rows]
        return rows[np.lexsort((*other, -self.times[rows], -self.tokens[rows]))]

    def matrix(self, order, per_cell=1):
        """Return the tokens as a matrix.

        Parameters
        ----------
        order : ndarray
            Agents in the order of the rows, which are the victims, and of the columns.
        per_cell : int
            Neighbours taken together.

        Returns
        -------
        ndarray
            int64, shape (cells, cells).
        """
        place = np.empty(order.size, np.int64)
        place[order] = np.arange(order.size) // per_cell
        cells = -(-order.size // per_cell)
        index = place[self.victim] * cells + place[self.evictor]
        total = np.bincount(index, self.tokens, cells * cells)
        return total.astype(np.int64).reshape(cells, cells)


def evictions_between(recording):
    """Return the `Evictions` of a run."""
    evict, agents = recording.result.of_kind("evict"), max(1, recording.agents)
    pair, index = np.unique(evict["agent"] * agents + evict["by"], return_inverse=True)
    times = np.bincount(index, minlength=pair.size)
    tokens = np.bincount(index, evict["tokens"], pair.size).astype(np.int64)
    return Evictions(pair // agents, pair % agents, times, tokens)


def home_workers(recording):
    """Return the worker that took most requests of each agent, the lowest of several.

    Returns
    -------
    ndarray
        int64; -1 for an agent without a finished request.
    """
    r, workers = recording.result.requests, recording.workers
    pair, count = np.unique(r["agent"] * workers + r["worker"], return_counts=True)
    pair = pair[np.lexsort((pair, -count))]
    agents, first = np.unique(pair // workers, return_index=True)
    home = np.full(recording.agents, -1, np.int64)
    home[agents] = pair[first] % workers
    return home
