"""Serving runs: the fitted rates explain them as closely as their sources say."""

import numpy as np
import pytest

from sim import simulate_many
from sim.validation import serving


@pytest.fixture(scope="module")
def results():
    return simulate_many([serving.scenario(run) for run in serving.RUNS])


@pytest.mark.parametrize(("index", "within"), [(0, 0.06), (1, 0.13), (2, 0.27)])
def test_the_model_meets_the_run(results, index, within):
    run = serving.RUNS[index]
    found = serving.measured(run, results[index])
    reported = (run.throughput, run.ttft, run.tpot)
    assert np.abs(np.divide(found, reported) - 1).max() < within


def test_every_request_ends(results):
    for run, result in zip(serving.RUNS, results, strict=True):
        assert result.summary()["requests_finished"] == run.requests
        assert result.summary()["kills"] == 0


def test_clients_beyond_the_servers_room_wait_in_ttft(results):
    run, result = serving.RUNS[0], results[0]
    _, ttft, _ = serving.measured(run, result)
    assert ttft > 2 * result.summary()["mean_ttft_s"]
