"""The elementary moves of a request: into a queue, onto a worker's load, into a stage.

Functions take flat indices (`batch`), one entry for each request at hand.
"""

import numpy as np

from sim.result import UNITS_PER_TOKEN

UNITS = np.array([float(UNITS_PER_TOKEN)])


def push(batch, bw, a):
    """Put requests into the queues of their workers, in the order given."""
    for wave in batch.waves(bw):
        at = bw[wave]
        queued = batch.queued_[at]
        slot = (batch.queue_head_[at] + queued) & batch.slot_mask
        batch.queue_[batch.slot_of_bw[at] + slot] = a[wave]
        batch.queued_[at] = queued + batch.one
    batch.has_queue_[bw] = True
    batch.dirty_[bw] = True


def count_outstanding(batch, bw, prompt, sign):
    """Add requests to the loads of workers, or take them away."""
    np.add.at(batch.outstanding_, bw, sign)
    np.add.at(batch.outstanding_tokens_, bw, sign * prompt)


def enter(batch, streams, a, work):
    """Let requests enter stages with so much to do (units).

    Parameters
    ----------
    streams : ndarray of int64
        Where, all different: `bw` for prefill, W * B more for decode.
    """
    target = batch.clock_[streams] + work
    batch.target_[batch.cell_of_stream[streams] + a] = target
    batch.head_[streams] = np.minimum(batch.head_[streams], target)
    batch.count_[streams] = batch.count_[streams] + batch.one


def begin_move(batch, stage, bw, ba, until):
    """Let requests load (or transfer) their KV up to the ticks `until`."""
    batch.stage_[ba] = stage
    batch.due_[ba] = until
    batch.moving_[bw] += 1
