"""Workloads by name: what agents ask for, apart from the cluster that serves them."""

import json
import pathlib

from sim.checks import unknown_name
from sim.scenario import DISTRIBUTIONS, Scenario

DATA = pathlib.Path(__file__).parent / "data" / "workloads.json"

WORKLOADS = {
    "article": {name: list(Scenario.param[name].default) for name in DISTRIBUTIONS},
    "realistic": json.loads(DATA.read_text(encoding="utf-8"))["realistic"]["fields"],
}
"""Scenario fields of each workload. ``article``: the article's synthetic agents. ``realistic``:
quantiles measured on real coding agents, with 15k tokens of tools and system prompt that all
share, and contexts compacted from 165k to 45k (30k and the shared prefix)."""


def workload(name, *, think_cap_ms=None, **changes):
    """Return the scenario fields of a workload.

    Parameters
    ----------
    name : str
        A key of `WORKLOADS`.
    think_cap_ms : int, optional
        Longest wait between turns; real logs hold waits of minutes while a person is away.
    **changes
        Fields to put over it.

    Returns
    -------
    dict
        For ``Scenario(**fields)`` or ``plan(...).scenario(**fields)``.

    Raises
    ------
    ValueError
        For an unknown name, with the nearest one, or a cap that is no whole number of ms.
    """
    if name not in WORKLOADS:
        raise ValueError(unknown_name("workload", name, WORKLOADS))
    fields = {**WORKLOADS[name], **changes}
    if think_cap_ms is not None:
        if isinstance(think_cap_ms, bool) or not isinstance(think_cap_ms, int) or think_cap_ms < 0:
            raise ValueError(f"think_cap_ms = {think_cap_ms!r} must be a whole number of ms")
        fields["think_ms"] = [min(knot, think_cap_ms) for knot in fields["think_ms"]]
    return fields
