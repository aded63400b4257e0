"""What would fix it: a scenario with one thing changed at a time.

What a change costs, and why one cannot be made, stand in the interface's texts, by the same
names.
"""

import dataclasses

import numpy as np

from sim.checks import MAX_TOKENS
from sim.hardware import DeploymentError, plan
from sim.scenario import MAX_WORKERS
from sim.sweep.points import Points
from sim.workload import Workload

NEAR = 0.05
"""A plan stands behind a scenario if its numbers are no further off than this share."""

LAYOUT = ("gpus_per_worker", "pipeline", "prefill_gpus", "redundant_experts", "overrides")
"""Arguments of `plan` that hold for one deployment only."""


@dataclasses.dataclass(frozen=True)
class Fix:
    """One change to a scenario.

    Attributes
    ----------
    name : str
        A key of `FIXES`, or `NOW`.
    fields : dict
        The fields that change, with their new values; empty if the change cannot be made.
    cost : str
        Name of what it costs, in the terms of `values`; "": nothing but the setting.
    values : dict
        Numbers for the texts.
    obstacle : str or Exception
        Why it cannot be made: a name, or the error of a deployment that cannot be; "": it can.
    request : dict or None
        Arguments of `sim.hardware.plan` that the fields come from.
    """

    name: str
    fields: dict = dataclasses.field(default_factory=dict)
    cost: str = ""
    values: dict = dataclasses.field(default_factory=dict)
    obstacle: object = ""
    request: dict | None = None

    def scenario(self, present):
        """Return the present scenario with the change made."""
        return present.replace(**self.fields)


NOW = "now"
"""Name of the present scenario among the changes."""


def fixes(scenario, request=None):
    """Return the changes to a scenario, each of them alone.

    Parameters
    ----------
    scenario : Scenario
    request : dict, optional
        Arguments of `sim.hardware.plan` that tell the hardware. Those of other hardware than the
        scenario's do not count.

    Returns
    -------
    list of Fix
        One for each of `FIXES`, in that order, those that cannot be made too.
    """
    behind = _plan_behind(scenario, request)
    return [_made(name, scenario, behind) for name in FIXES]


class Trials(Points):
    """The runs that try changes out, with one seed after another.

    Its cells are the scenario as it is and the changes that can be made, in that order.

    Parameters
    ----------
    scenario : Scenario
    changes : list of Fix
    seeds : list of int
    """

    names = ("change", "seed")

    def __init__(self, scenario, changes, seeds):
        self.base = scenario.changed()
        self._tried = [Fix(NOW), *(fix for fix in changes if not fix.obstacle)]
        self._seeds = seeds
        self.shape = (len(self._tried),)
        self.cells = np.tile(np.arange(len(self._tried)), len(seeds))

    def __len__(self):
        return len(self.cells)

    def _parts(self, index):
        seed, place = divmod(index, len(self._tried))
        return self._tried[place], self._seeds[seed]

    def varied(self, index):
        """Return the name of the change and the seed of that run."""
        fix, seed = self._parts(index)
        return {"change": fix.name, "seed": seed}

    def values(self, name):
        """Return the names of what is tried, or the seeds."""
        return {"change": [fix.name for fix in self._tried], "seed": self._seeds}[name]

    def change(self, index):
        """Return the fields that differ from the scenario as it is."""
        fix, seed = self._parts(index)
        return {**fix.fields, "seed": seed}

    def identity(self):
        """Return the scenario and all runs."""
        return {"base": self.base, "changes": [self.change(i) for i in range(len(self))]}


def _made(name, scenario, behind):
    fix = FIXES[name](scenario, behind)
    fix = dataclasses.replace(fix, name=name)
    if fix.obstacle:
        return fix
    try:
        fix.scenario(scenario)
    except ValueError as error:
        return dataclasses.replace(fix, fields={}, obstacle=error.with_traceback(None))
    return fix


def _plan_behind(scenario, request):
    """Return the plan that the scenario's cluster was worked out by, or None."""
    if request is None:
        return None
    try:
        found = plan(**request)
    except ValueError:
        return None
    alike = all(
        getattr(scenario, name) == found.cluster[name] for name in ("workers", "prefill_workers")
    )
    near = all(
        abs(getattr(scenario, name) / found.cluster[name] - 1) <= NEAR
        for name in ("kv_capacity", "prefill_rate", "decode_rate")
    )
    return found if alike and near else None


def _cannot(obstacle, **values):
    return Fix("", values=values, obstacle=obstacle)


def _can(fields, cost="", request=None, **values):
    return Fix("", fields, cost, values, request=request)


# --- how many agents ---


def _session_limit(s, _):
    fit = agents_that_fit(s)
    held = s.max_concurrent_agents
    if fit >= s.agents:
        return _cannot("all_fit", agents=s.agents)
    if 0 < held <= fit:
        return _cannot("limited", agents=held)
    return _can({"max_concurrent_agents": fit}, "wait", agents=s.agents - fit, limit=fit)


def agents_that_fit(scenario):
    """Return how many agents at their longest context the KV caches hold, one a worker at least.

    The longest context is the median over agents of all that they bring and get, as far as the
    context limit goes.
    """
    s, load = scenario, Workload(scenario)
    each = (load.inputs + load.outputs)[: load.agent_of.size]  # a stream holds more than is used
    tokens = np.bincount(load.agent_of, each, load.turns.size)
    room = s.kv_capacity - s.shared_prefix
    limit = min(s.context_limit, s.kv_capacity) - s.shared_prefix
    longest = min(float(np.median(tokens[load.turns > 0])), limit)
    return (s.prefill_workers or s.workers) * max(1, int(room / longest))


def _fewer_agents(s, _):
    if s.draws == "table":
        return _cannot("table")
    if s.agents == 1:
        return _cannot("one_agent")
    return _can({"agents": s.agents // 2}, "fewer", agents=s.agents - s.agents // 2)


# --- scheduling ---


def _phase_policy(policy, cost):
    def make(s, _):
        if s.prefill_workers:
            return _cannot("pd_phases")
        if s.phase_policy == policy:
            return _cannot("already")
        return _can({"phase_policy": policy}, cost)

    return make


def _no_lock(s, _):
    if s.prefill_workers:
        return _cannot("pd_phases")
    if s.workers == 1:
        return _cannot("one_worker")
    if s.lock == "none":
        return _cannot("already")
    return _can({"lock": "none"}, "own_experts")


def _cache_aware(s, _):
    if (s.prefill_workers or s.workers) == 1:
        return _cannot("one_worker")
    if s.routing == "cache_aware":
        return _cannot("already")
    return _can({"routing": "cache_aware"}, "router")


# --- cache ---


def _more_kv(s, _):
    if 2 * s.kv_capacity > MAX_TOKENS:
        return _cannot("largest", tokens=MAX_TOKENS)
    return _can({"kv_capacity": 2 * s.kv_capacity}, "memory", tokens=s.kv_capacity)


def _host_tier(s, _):
    size = 2 * s.kv_capacity
    if s.host_kv_capacity:
        return _cannot("already")
    return _can({"host_kv_capacity": size}, "host", tokens=size)


def _tail(s, _):
    if s.eviction == "tail":
        return _cannot("already")
    return _can({"eviction": "tail"})


# --- deployment ---


def _pd(times):
    def make(s, behind):
        if s.prefill_workers:
            return _cannot("already")
        if times * s.workers < 2:
            return _cannot("one_worker")
        if times * s.workers > MAX_WORKERS:
            return _cannot("most_workers", workers=MAX_WORKERS)
        if behind is not None:
            return _deployed("pd", behind, times)
        workers = times * s.workers
        fields = {"workers": workers, "prefill_workers": workers // 2}
        return _can(fields, "gpus" if times > 1 else "split", times=times)

    return make


def _tp(s, behind):
    if behind is None:
        return _cannot("no_plan")
    if behind.request["deployment"] == "tp":
        return _cannot("already")
    fix = _deployed("tp", behind, 1)
    if fix.obstacle or s.prefill_sharing:
        return fix
    # one worker serves all agents, who cannot each have the whole of its rate
    return dataclasses.replace(fix, fields={**fix.fields, "prefill_sharing": True})


def _deployed(deployment, behind, times):
    """Return the change to another deployment: the fields in which its plan differs."""
    kept = {name: value for name, value in behind.request.items() if name not in LAYOUT}
    request = {**kept, "deployment": deployment, "gpus": times * behind.request["gpus"]}
    try:
        found = plan(**request)
    except DeploymentError as error:
        # an error with its traceback keeps alive whoever it passes
        return dataclasses.replace(_cannot(error.with_traceback(None)), request=request)
    fields = {
        name: value for name, value in found.cluster.items() if value != behind.cluster.get(name)
    }
    cost = "gpus" if times > 1 else "worked_out"
    return _can(fields, cost, request, times=times, gpus=request["gpus"], name=found.name)


FIXES = {
    "session_limit": _session_limit,
    "fewer_agents": _fewer_agents,
    "majority": _phase_policy("majority", "hypothetical"),
    "decode_interval": _phase_policy("decode_interval", "prefill_waits"),
    "mixed": _phase_policy("mixed", "both_slower"),
    "no_lock": _no_lock,
    "cache_aware": _cache_aware,
    "more_kv": _more_kv,
    "host_tier": _host_tier,
    "tail": _tail,
    "pd": _pd(1),
    "pd_twice": _pd(2),
    "tp": _tp,
}
"""Makers of each change, in the order in which a list shows them."""
