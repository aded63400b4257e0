"""KV caches: who is evicted for whom, the host tier, and what is dropped at an end."""

import numpy as np

from sim.batch import LOCKED, SEQUENCE_BITS


def make_room(batch, log, bw, a, need, full):
    """Evict idle contexts, least recently used first, until each request fits or none is left.

    Parameters
    ----------
    bw, a, need : ndarray of int64, shape (requests,)
        The workers, all different, the agents to admit on them and the tokens they need.
    full : ndarray of bool, shape (requests,)
        Which do not fit as it is.

    Returns
    -------
    ndarray of bool, shape (requests,)
        Which requests fit now.
    """
    room = batch.capacity[batch.b_of_bw[bw]]
    fits = ~full
    trying = full.nonzero()[0]
    while trying.size:
        at, by = bw[trying], a[trying]
        recency = batch.recency_rows.take(at, 0)
        rows = np.arange(trying.size) * batch.agents
        recency.reshape(-1)[rows + by] = LOCKED
        victim = recency.argmin(1)
        found = recency.reshape(-1)[rows + victim] < LOCKED
        if np.count_nonzero(found) < found.size:
            trying, at, by, victim = trying[found], at[found], by[found], victim[found]
            if not trying.size:
                break
        excess = batch.used_[at] + need[trying] - room[trying]
        evict(batch, log, at, victim, by, excess)
        still = batch.used_[at] + need[trying] > room[trying]
        fits[trying[~still]] = True
        trying = trying[still]
    return fits


def evict(batch, log, bw, victim, by, excess):
    """Take its tokens from one idle context on each of the workers `bw`."""
    b = batch.b_of_bw[bw]
    bwa, ba = bw * batch.agents + victim, victim * batch.size + b
    size = batch.entry_[bwa]
    lost = np.where(batch.tail[b], np.minimum(size, excess), size)
    batch.entry_[bwa] = size - lost
    batch.used_[bw] -= lost
    batch.recency_[bwa[lost == size]] = LOCKED
    t, ended = batch.t[b], batch.left_[ba] == 0
    turn = batch.turns_[ba] - batch.left_[ba]
    ids, worker = batch.ids[b], bw // batch.size
    log.evicted.append((ids, t, worker, batch.key_of_ba[ba], turn, lost, by, ended))
    log.used.append((ids, t, -lost))
    if batch.has_host:
        kept = ~ended
        store(batch, bw[kept], victim[kept], size[kept])


def store(batch, bw, a, size):
    """Put evicted contexts into the host tier of their workers, all different."""
    bwa, b = bw * batch.agents + a, batch.b_of_bw[bw]
    size = np.maximum(size, batch.host_[bwa])
    fit = size <= batch.host_capacity[b]
    bw, a, bwa, b, size = bw[fit], a[fit], bwa[fit], b[fit], size[fit]
    batch.host_used_[bw] -= batch.host_[bwa]
    batch.host_[bwa] = 0
    batch.host_recency_[bwa] = LOCKED
    full = np.flatnonzero(batch.host_used_[bw] + size > batch.host_capacity[b])
    while full.size:
        at = bw[full]
        oldest = at * batch.agents + batch.host_rows[at].argmin(1)
        batch.host_used_[at] -= batch.host_[oldest]
        batch.host_[oldest] = 0
        batch.host_recency_[oldest] = LOCKED
        full = full[batch.host_used_[at] + size[full] > batch.host_capacity[b[full]]]
    batch.host_[bwa] = size
    batch.host_used_[bw] += size
    batch.host_recency_[bwa] = recency(batch.t[b], batch.next_sequence())


def unlock(batch, bwa, ba, last):
    """Let the entries of agents be evicted again, last used in the ticks `last`."""
    batch.recency_[bwa] = recency(last, batch.sequence_[ba])


def recency(last, sequence):
    """Return numbers that sort by (last access, sequence)."""
    return (last.astype(np.int64) << SEQUENCE_BITS) + sequence


def drop(batch, log, b, ba, t):
    """Remove all that agents have cached, on every worker; none of it is locked.

    Parameters
    ----------
    b, ba : ndarray of int64, shape (agents,)
    t : ndarray of float, shape (agents,)
        The first ticks in which the space counts as free.
    """
    workers = b[:, None] + batch.first_worker
    entries = workers * batch.agents + batch.a_of_ba[ba][:, None]
    size = batch.entry_[entries]
    np.subtract.at(batch.used_, workers, size)
    log.used.append((batch.ids[b], t, -size.sum(1)))
    batch.entry_[entries] = 0
    batch.recency_[entries] = LOCKED
    batch.held_[entries] = 0
    batch.dirty_[workers] = True
    if batch.has_host:
        np.subtract.at(batch.host_used_, workers, batch.host_[entries])
        batch.host_[entries] = 0
        batch.host_recency_[entries] = LOCKED
