"""Work away from the event loop: who waits for whom, and what is done only once."""

import threading
import time

import pytest

from app.jobs import Aside, Cancelled, Job, Memory, Turns

PATIENCE = 30


class Listener:
    """Notes what it is told."""

    def __init__(self):
        self.reports, self.job, self.told = [], None, threading.Event()

    def reported(self, found):
        self.reports.append(found)

    def ended(self, job):
        self.job = job
        self.told.set()

    @property
    def found(self):
        assert self.told.wait(PATIENCE)
        return self.job.found


class Work:
    """Work that goes on until it is let go or nobody wants it."""

    def __init__(self):
        self.begun, self.go, self.times = threading.Event(), threading.Event(), 0
        self.given_up = threading.Event()

    def __call__(self, job, report=None):
        self.times += 1
        self.begun.set()
        while not self.go.is_set():
            if job.cancelled():
                self.given_up.set()
                raise Cancelled
            time.sleep(0.001)
        return "found"


@pytest.fixture
def turns():
    return Turns(slots=1, heavy=2, quantum=0.01)


@pytest.fixture
def memory(turns):
    return Memory(2, turns)


def test_what_two_ask_for_at_the_same_time_is_found_out_once(memory):
    work, one, other = Work(), Listener(), Listener()
    assert memory.ask("key", work, one) is None
    assert work.begun.wait(PATIENCE)
    assert memory.ask("key", work, other) is None
    work.go.set()
    assert (one.found, other.found) == ("found", "found")
    assert work.times == 1
    assert memory.ask("key", work, Listener()) == "found"


def test_who_leaves_does_not_take_it_from_the_other(memory):
    work, one, other = Work(), Listener(), Listener()
    memory.ask("key", work, one)
    memory.ask("key", work, other)
    memory.leave("key", one)
    work.go.set()
    assert other.found == "found"
    assert not one.told.is_set()


def test_what_nobody_waits_for_is_given_up_and_can_be_asked_for_again(memory):
    work, again, one, other = Work(), Work(), Listener(), Listener()
    memory.ask("key", work, one)
    assert work.begun.wait(PATIENCE)
    memory.leave("key", one)
    memory.ask("key", again, other)
    again.go.set()
    assert other.found == "found"
    assert work.given_up.wait(PATIENCE)
    assert not one.told.is_set()


def test_who_comes_late_is_told_what_has_been_found_so_far(memory):
    work, one, other = Work(), Listener(), Listener()

    def reporting(job, report):
        report("some")
        return work(job)

    memory.ask("key", reporting, one)
    assert work.begun.wait(PATIENCE)
    memory.ask("key", reporting, other)
    assert one.reports == other.reports == ["some"]
    work.go.set()
    assert other.found == "found"


def test_an_error_reaches_all_and_is_not_remembered(memory):
    def fail(job, report):
        raise ValueError("wrong")

    for _ in range(2):
        listener = Listener()
        assert memory.ask("key", fail, listener) is None
        assert listener.found is None
        assert str(listener.job.error) == "wrong"


def test_what_was_asked_for_longest_ago_is_forgotten(memory):
    for key in "abac":
        listener = Listener()
        if memory.ask(key, lambda job, report: "found", listener) is None:
            assert listener.found == "found"
    assert [memory.ask(key, None, None) for key in "ac"] == ["found", "found"]
    listener = Listener()
    assert memory.ask("b", lambda job, report: "new", listener) is None
    assert listener.found == "new"


def test_quick_work_comes_before_long_work_that_goes_on(turns):
    """One slot, and both long ones are still at it when the quick one has been done."""
    long, done = [Work() for _ in range(2)], threading.Event()
    for work in long:
        Job(work, lambda job: None, heavy=True, turns=turns)
    assert all(work.begun.wait(PATIENCE) for work in long)  # they take turns
    Job(lambda job: None, lambda job: done.set(), turns=turns)
    assert done.wait(PATIENCE)
    for work in long:
        work.go.set()


def test_only_some_heavy_work_is_begun_at_a_time(turns):
    heavy, ended = [Work() for _ in range(3)], threading.Semaphore(0)
    for work in heavy:
        Job(work, lambda job: ended.release(), heavy=True, turns=turns)
    assert heavy[0].begun.wait(PATIENCE)
    assert heavy[1].begun.wait(PATIENCE)
    quick = threading.Event()
    Job(lambda job: None, lambda job: quick.set(), turns=turns)
    assert quick.wait(PATIENCE)
    assert not heavy[2].begun.is_set()
    heavy[0].go.set()
    assert heavy[2].begun.wait(PATIENCE)
    for work in heavy:
        work.go.set()
    assert all(ended.acquire(timeout=PATIENCE) for _ in heavy)


def test_what_is_cancelled_before_its_turn_is_never_begun(turns):
    work, never, done = Work(), Work(), threading.Event()
    # never asked to give way
    Job(lambda job: work.go.wait(PATIENCE), lambda job: None, turns=turns)
    Job(never, lambda job: None, turns=turns).cancel()
    Job(lambda job: None, lambda job: done.set(), turns=turns)
    work.go.set()
    assert done.wait(PATIENCE)
    assert not never.begun.is_set()


def test_time_spent_waiting_is_not_time_spent(turns):
    work = Work()
    first = Job(work, lambda job: None, turns=turns)
    assert work.begun.wait(PATIENCE)
    blocking = threading.Event()
    Job(lambda job: blocking.wait(PATIENCE), lambda job: None, turns=turns)
    while not first.used:  # it has given way
        time.sleep(0.001)
    used = first.used
    time.sleep(0.2)
    assert first.used == used
    blocking.set()
    work.go.set()


def test_aside_returns_results_and_errors():
    aside = Aside()
    assert aside.submit(max, 1, 2, key=lambda n: -n).result(PATIENCE) == 1
    assert isinstance(aside.submit(lambda: 1 / 0).exception(PATIENCE), ZeroDivisionError)
