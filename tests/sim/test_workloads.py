"""Named workloads."""

import numpy as np
import pytest

from sim import Scenario
from sim.scenario import DISTRIBUTIONS
from sim.workload import Workload, quantile
from sim.workloads import WORKLOADS, workload


def test_the_article_is_the_default():
    assert Scenario(**workload("article")).changed() == {}


@pytest.mark.parametrize(
    ("name", "mean"),
    [("turns", 69), ("input_tokens", 1380), ("output_tokens", 441), ("think_ms", 29_000)],
)
def test_table_means_are_the_datas(name, mean):
    draws = np.arange(0, 2**32, 2**12, dtype=np.uint32)
    assert quantile(WORKLOADS["realistic"][name], draws).mean() == pytest.approx(mean, rel=0.02)


def test_realistic_tables_are_valid_scenarios():
    scenario = Scenario(**workload("realistic", agents=200))
    assert scenario.shared_prefix == 15_000
    assert scenario.overflow == "compact"
    found = Workload(scenario)
    assert found.turns.mean() == pytest.approx(69, rel=0.15)


def test_waits_can_be_cut():
    fields = workload("realistic", think_cap_ms=10_000)
    assert max(fields["think_ms"]) == 10_000
    assert fields["turns"] == WORKLOADS["realistic"]["turns"]
    assert max(WORKLOADS["realistic"]["think_ms"]) > 10_000


@pytest.mark.parametrize("cap", [-1, 1.5, True, "10"])
def test_a_bad_cap_is_an_error(cap):
    with pytest.raises(ValueError, match=r"think_cap_ms = .* must be a whole number"):
        workload("realistic", think_cap_ms=cap)


def test_an_unknown_workload_names_the_nearest():
    with pytest.raises(ValueError, match="unknown workload 'realstic': did you mean 'realistic'"):
        workload("realstic")


def test_changes_stand_over_the_workload():
    fields = workload("realistic", agents=5, shared_prefix=0)
    assert (fields["agents"], fields["shared_prefix"]) == (5, 0)
    assert all(name in fields for name in DISTRIBUTIONS)
