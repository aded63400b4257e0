"""What is done for one batch of a sweep, in whichever process."""

from sim.runs import MAX_TICKS, simulate_many
from sim.scenario import STATES, Scenario


def run_batch(base, changes, max_ticks=MAX_TICKS, cancel=None):
    """Run some scenarios.

    Parameters
    ----------
    base : dict
        Fields that all of them share.
    changes : list of dict
        For each its own fields.
    max_ticks : int
        Ticks after which a run that has not ended is given up.
    cancel : callable, optional
        Called now and then; a true value ends the runs.

    Returns
    -------
    list of dict or str
        For each its metrics, or why it cannot be run.

    Raises
    ------
    RunCancelled
        If `cancel` said so.
    """
    found = [None] * len(changes)
    scenarios = {}
    for place, change in enumerate(changes):
        try:
            scenarios[place] = Scenario.from_dict({**base, **change})
        except ValueError as error:
            found[place] = str(error)
    outcomes = _outcomes(list(scenarios.values()), max_ticks, cancel)
    for place, outcome in zip(scenarios, outcomes, strict=True):
        found[place] = outcome
    return found


def _outcomes(scenarios, max_ticks, cancel):
    """Run scenarios together, or if one of them cannot be run, one by one."""
    try:
        runs = simulate_many(scenarios, max_ticks=max_ticks, cancel=cancel)
    except ValueError as error:
        if len(scenarios) == 1:
            return [str(error)]
        return [_outcomes([scenario], max_ticks, cancel)[0] for scenario in scenarios]
    return [metrics(run) for run in runs]


def metrics(result):
    """Return the summary of a result as numbers alone: `state_ticks` by the names of the states."""
    summary = result.summary()
    ticks = zip(STATES, summary.pop("state_ticks"), strict=True)
    return {**summary, **{f"ticks_{state}": spent for state, spent in ticks}}
