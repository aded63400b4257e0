"""What goes on from a tick on, once what happened in it is known: phases, rates, dues."""

import math
from heapq import heappush

from sim.result import ceil_div
from sim.single.admission import admit
from sim.single.groups import DECODE, PREFILL
from sim.single.record import BLOCKED, HAS_DECODE, HAS_PREFILL, MOVES
from sim.single.state import ID_BITS, NEVER


def settle(run, now):
    """Admit what fits, let groups decide, and work out what is due when."""
    changed, deciding = run.changed, run.deciding
    for worker in changed:
        if worker.queue:
            admit(run, worker, now)
        _note_kind(worker, now)
        run.touch_group(worker.group)
    for group in deciding:
        phase = group.decide(now)
        if group.until is not NEVER:
            heappush(run.agenda, group.until << ID_BITS | run.first_group + group.id)
            group.until = NEVER
        if phase != group.phase:
            _change_phase(run, group, phase, now)
    for worker in changed:
        worker.changed = False
        if not run.constant:
            _set_rates(run, worker, now)
        _expect_end(worker.prefill)
        _expect_end(worker.decode)
    for group in deciding:
        group.changed = False
        _expect_due(run.agenda, group.prefill)
        _expect_due(run.agenda, group.decode)
    changed.clear()
    deciding.clear()


def _note_kind(worker, now):
    """Note what a worker has from the tick `now` on."""
    kind = HAS_PREFILL if worker.prefill.targets else 0
    if worker.decode.targets:
        kind |= HAS_DECODE
    if worker.moving:
        kind |= MOVES
    if worker.queue:
        kind |= BLOCKED
    if kind != worker.kind:
        worker.group.prefilling += (kind & HAS_PREFILL) - (worker.kind & HAS_PREFILL)
        worker.kind = kind
        worker.since.append(now)
        worker.kinds.append(kind)


def _change_phase(run, group, phase, now):
    group.phase = phase
    group.since.append(now)
    group.phases.append(phase)
    group.prefill.let(phase & PREFILL, now)
    group.decode.let(phase & DECODE or run.drags, now)
    if run.drags:
        for worker in group.workers:
            if worker.decode.targets:
                run.touch(worker)


def _set_rates(run, worker, now):
    """Set how fast a worker's requests advance while their clocks run."""
    p, d = len(worker.prefill.targets), len(worker.decode.targets)
    prefill, decode = run.prefill_step, run.decode_step
    if run.sharing and p > 1:
        prefill = max(1, prefill // p)
    if run.slowdown and d > 1:
        decode = max(1, math.floor(decode / (1 + run.slowdown * (d - 1)) + 0.5))
    if run.mixes and p and d:
        prefill = max(1, math.floor(prefill * run.mixed_share))
        decode = max(1, math.floor(decode * (1 - run.mixed_share)))
    if run.drags and worker.group.phase == PREFILL:
        decode = 0 if p else min(decode, run.drag_step)
    _set_rate(worker.prefill, prefill, now)
    _set_rate(worker.decode, decode, now)


def _set_rate(stream, rate, now):
    if rate != stream.rate:
        time = stream.clock.time(now)
        stream.work += stream.rate * (time - stream.since)
        stream.since, stream.rate = time, rate


def _expect_end(stream):
    """Work out when the first request of a stream is done, by the stream's clock."""
    due = NEVER
    if stream.targets and stream.rate:
        todo = (stream.targets[0] >> ID_BITS) - stream.work
        due = stream.since + ceil_div(todo, stream.rate)
    if due != stream.due:
        stream.due = due
        if due is not NEVER:
            heappush(stream.clock.dues, due << ID_BITS | stream.id)


def _expect_due(agenda, clock):
    """Work out in which tick the first stream of a clock is due."""
    due = clock.next_due()
    if due != clock.due:
        clock.due = due
        if due is not NEVER:
            heappush(agenda, due << ID_BITS | clock.id)
