"""Golden cases: scenarios with their right answers, and what of a result differs from them."""

import hashlib
import json
import math

from sim.checks import shown, unknown_name
from sim.scenario import Scenario

ROWS = ("states", "requests", "events")


def read_cases(cases):
    """Yield the name, the scenario and the answers of each case.

    Parameters
    ----------
    cases : list of dict
        As read from JSON: `name`, `scenario` (the fields that differ from the defaults) and
        `expect`: totals, metrics, check sums of the rows, and for some the rows themselves.

    Raises
    ------
    ValueError
        If they do not have this form.
    """
    if not isinstance(cases, list) or not cases:
        raise ValueError(f"golden cases must be a list of cases, not {shown(cases)}")
    for place, case in enumerate(cases):
        if not isinstance(case, dict) or not isinstance(case.get("expect"), dict):
            raise ValueError(f"case {place} must have name, scenario and expect")
        name = case.get("name", place)
        try:
            yield name, Scenario.from_dict(case.get("scenario")), case["expect"]
        except ValueError as error:
            raise ValueError(f"case {name}: {error}") from error


def differences(result, expect):
    """Return where a result is not what a case expects, to the last bit; metrics to 9 digits.

    Parameters
    ----------
    result : Result
    expect : dict

    Returns
    -------
    list of str
        Empty if all is as expected.

    Raises
    ------
    ValueError
        If something is expected that no result has.
    """
    found = result.to_dict()
    totals = {**found["totals"], "requests_finished": len(found["requests"])}
    known = {*totals, "metrics", *ROWS, *(f"{name}_sha256" for name in ROWS)}
    for name in expect:
        if name not in known:
            raise ValueError(unknown_name("answer", name, sorted(known)))
    wrong = [
        f"{name} = {shown(totals[name])}, expected {shown(expect[name])}"
        for name in totals
        if name in expect and totals[name] != expect[name]
    ]
    for name in ROWS:
        if name in expect and found[name] != expect[name]:
            wrong.append(_first_difference(name, found[name], expect[name]))
        elif f"{name}_sha256" in expect and sha256(found[name]) != expect[f"{name}_sha256"]:
            wrong.append(f"{name} differ")
    return wrong + _metric_differences(result.summary(), expect.get("metrics", {}))


def sha256(rows):
    """Return the SHA-256 sum of rows as compact JSON."""
    return hashlib.sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest()


def _first_difference(name, found, expected):
    if len(found) != len(expected):
        return f"{name}: {len(found):,} rows, expected {len(expected):,}"
    pairs = enumerate(zip(found, expected, strict=True))
    place = next(i for i, (a, b) in pairs if a != b)
    return f"{name}[{place}] = {shown(found[place])}, expected {shown(expected[place])}"


def _metric_differences(summary, metrics):
    wrong = []
    for name, value in metrics.items():
        found = summary.get(name)
        if None in (found, value):
            equal = found is value
        else:
            equal = math.isclose(found, value, rel_tol=1e-9, abs_tol=1e-12)
        if not equal:
            wrong.append(f"{name} = {found}, expected {value}")
    return wrong
