"""The reference gives the known right answers."""

import pytest

from sim.scenario import Scenario
from tests.cases import check, golden
from tests.reference import reference


@pytest.mark.parametrize("name", golden())
def test_golden(name):
    fields, expect = golden()[name]
    check(reference(Scenario.from_dict(fields)), expect)
