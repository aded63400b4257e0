"""What one session may ask for: what is refused, and how that is said."""

import pytest

from app import limits
from app.comparison import Question as Comparison
from app.exploring import Question as Grid
from app.fixing import Question as Changes
from app.jobs import Cancelled, Memory
from app.limits import Demand, LimitError, Limits
from app.problems import failure
from app.runs import Runner
from app.state import AppState
from app.texts import LANGUAGES, Texts
from app.views.page import Page
from sim import Scenario
from tests.app.test_views import QUICK, loop, page, settle  # noqa: F401


@pytest.fixture
def allowed():
    """Set limits for a test."""

    def use(**most):
        limits.use(Limits(**most))

    yield use
    limits.use(None)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("most", "numbers"),
    [
        ({"requests": 29}, ["6", "5", "30", "29"]),
        ({"cells": 23}, ["6", "4", "24", "23"]),
        ({"total": 89}, ["3", "90", "89"]),
    ],
)
def test_what_is_above_is_refused_with_numbers(most, numbers, language):
    with pytest.raises(LimitError) as error:
        Limits(**most).check(Demand.of(QUICK, runs=3))
    said = failure(error.value, Texts(language))
    assert all(number in said for number in numbers), said
    if language == "en":
        assert "agents" in str(error.value)


def test_what_is_at_a_limit_is_taken():
    Limits(requests=30, cells=24, total=90).check(Demand.of(QUICK, runs=3))


def test_the_defaults_take_what_the_dashboard_offers():
    for scenario in (Scenario(), Scenario(agents=128, workers=64)):
        request = {"model": "glm-5.2", "gpu": "h100", "gpus": 16, "deployment": "dpa"}
        for demand in (
            Demand.of(scenario),
            Changes(scenario, request).demand,
            Comparison(request, scenario).demand,
            Grid.about(scenario, "agents", "kv_capacity").demand,
        ):
            Limits().check(demand)


def test_demands_count_changes_deployments_and_cells():
    assert Changes(QUICK, {}).demand.runs == 14 * 3
    assert Comparison({}, QUICK).demand.runs == 3 * 5
    grid = Grid(QUICK, "agents", "workers", (2, 4, 12), (1, 8)).demand
    assert (grid.runs, grid.agents, grid.workers, grid.cells) == (18, 12, 8, 96)
    assert (grid.requests, grid.total) == (60, 18 * 30)
    table = Scenario(draws="table", table=[[[0, 10, 10]] * 7, [[0, 10, 10]] * 5])
    assert Demand.of(table).requests == 12


def test_a_page_keeps_its_picture_and_says_what_is_allowed(page, loop, allowed):  # noqa: F811
    allowed(requests=50)
    run, area = page.numbers.run, page.notices._area
    page.controls.change("agents", 60)
    assert not page.runner.busy
    assert area.error.startswith("60 agents with 5 turns each make 300 requests. At most 50 ")
    assert area.stale
    assert page.numbers.run is run
    page.controls.change("agents", 7)
    settle(page, loop)
    assert (area.error, area.stale) == ("", False)


def test_an_address_above_the_limits_opens_a_page_that_says_so(loop, allowed):  # noqa: F811
    allowed(cells=10)
    refused = Page(AppState(scenario=QUICK, language="zh"), [], loop.posted.put)
    refused.run()
    assert "6 个智能体 × 4 个 worker = 24" in refused.notices._area.error


@pytest.mark.parametrize("tab", ["fixes", "explore"])
def test_tabs_say_what_is_allowed(page, loop, allowed, tab):  # noqa: F811
    allowed(total=100)
    page.app.tab = tab
    room = page.rooms[tab].room
    loop.run(lambda: "At most 100 are allowed" in said(room))
    assert not room.busy


def said(room):
    head = getattr(room, "_head", None) or room._sheet
    return head.failed


def test_what_computes_for_too_long_is_stopped(loop, allowed):  # noqa: F811
    failed = []

    def forever(subject, cancelled):
        while not cancelled():
            pass
        raise Cancelled

    allowed(seconds=0.05)
    runner = Runner(loop.posted.put, forever, memory=Memory(1))
    runner.request(QUICK, pytest.fail, failed.append)
    loop.run(lambda: not runner.busy)
    assert failed[0].kind == "seconds"


def test_the_environment_sets_limits():
    found = limits.from_environment({"DPASCOPE_MAX_REQUESTS": "20k", "DPASCOPE_MAX_UPLOAD": "2G"})
    assert found == Limits(requests=20_000, upload=2_000_000_000)
    for text in ("", "many", "0", "-5", "1.5", "1e99", "inf", "nan"):
        with pytest.raises(ValueError, match="DPASCOPE_MAX_CELLS"):
            limits.from_environment({"DPASCOPE_MAX_CELLS": text})
