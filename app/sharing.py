"""A scenario as text to paste elsewhere: Python, a command line, JSON."""

import json
import shlex

from sim.scenario import DISTRIBUTIONS

LONGEST_TABLE = 4000
"""Characters of a table of sessions that stands in the text; a longer one is read from a file."""

FILE = "dpascope-scenario.json"
"""Name of the file that holds a scenario too long for the text."""


def as_json(scenario):
    """Return all settings as JSON, which `dpascope run` and `Scenario.from_dict` take."""
    return json.dumps(scenario.to_dict(), indent=2) + "\n"


def as_python(scenario, preset=None):
    """Return a program that runs the scenario and prints its metrics.

    Parameters
    ----------
    scenario : Scenario
    preset : str or None
        The preset that the scenario is.

    Returns
    -------
    str
        It names the fields that differ from their defaults. Sessions too long to be read are
        taken from `FILE`, which the program says.
    """
    if _too_long(scenario):
        head = "import json\nimport pathlib\n\nfrom sim import Scenario, simulate\n\n"
        read = f'json.loads(pathlib.Path("{FILE}").read_text("utf-8"))'
        made = f"# the scenario as JSON, saved from the export menu\nfields = {read}\n"
        made += "scenario = Scenario.from_dict(fields)"
    else:
        head = "from sim import Scenario, simulate\n\n"
        made = f"scenario = {_constructed(scenario, preset)}"
    return f"{head}{made}\nresult = simulate(scenario)\nprint(result.summary())\n"


def _constructed(scenario, preset):
    if preset is not None:
        return f'Scenario.preset("{preset}")'
    fields = "".join(f"    {name}={_literal(v)},\n" for name, v in scenario.changed().items())
    return f"Scenario(\n{fields})" if fields else "Scenario()"


def _literal(value):
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def as_command(scenario, preset=None):
    """Return the command that runs the scenario.

    Parameters
    ----------
    scenario : Scenario
    preset : str or None
        The preset that the scenario is.

    Returns
    -------
    str
        It names the fields that differ from their defaults. Given sessions have no flag: with
        them it reads `FILE`, the scenario as JSON.
    """
    if scenario.table is not None:
        return f"dpascope run {FILE}\n"
    if preset is not None:
        return f"dpascope run --preset {preset}\n"
    flags = [
        f"--{name.replace('_', '-')} {shlex.quote(_argument(name, value))}"
        for name, value in scenario.changed().items()
    ]
    return " ".join(["dpascope run", *flags]) + "\n"


def _argument(name, value):
    if name in DISTRIBUTIONS:
        return "-".join(map(str, value))
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _too_long(scenario):
    return scenario.table is not None and len(json.dumps(scenario.table)) > LONGEST_TABLE
