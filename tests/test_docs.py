"""What the README files say about fields, states, commands and files is so."""

import pathlib
import re

import param
import pytest

from app.derive import SHADES
from sim.scenario import DISTRIBUTIONS, STATES, UNITS, Scenario, field_names

ROOT = pathlib.Path(__file__).resolve().parent.parent
README, MODEL = ROOT / "README.md", ROOT / "sim" / "README.md"
POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def table_rows(path):
    """Return the rows of all tables of a page as lists of cells, without the code marks."""
    lines = path.read_text("utf-8").splitlines()
    rows = [line.strip() for line in lines if line.strip().startswith("|")]
    return [[cell.strip().replace("`", "") for cell in row.split("|")[1:-1]] for row in rows]


FIELDS = {row[0]: row[1:] for row in table_rows(MODEL) if len(row) == 5 and row[0] in field_names()}


def number(text):
    """Return the number that a page writes as 250,000, 0.3, 10⁸ or 2³¹−1."""
    text = text.replace(",", "")
    power = re.fullmatch(r"(\d+)([⁰-⁹¹²³]+)(−1)?", text)
    if power is None:
        return float(text)
    return int(power[1]) ** int(power[2].translate(POWERS)) - bool(power[3])


def bounds(text):
    """Return the bounds that a page writes as "1 … 4,096", and which of them are included."""
    text = text.partition(", below")[0].removeprefix("knots ")
    if "…" in text:
        return tuple(number(part) for part in text.split(" … ")), (True, True)
    if above := re.fullmatch(r"above (\S+), at most (\S+)", text):
        return (number(above[1]), number(above[2])), (False, True)
    between = re.fullmatch(r"between (\S+) and (\S+)", text)
    return (number(between[1]), number(between[2])), (False, False)


def test_every_field_is_described():
    assert set(FIELDS) == set(field_names())


@pytest.mark.parametrize("name", field_names())
def test_a_field_has_the_default_and_the_unit_that_is_said(name):
    default, _, unit, meaning = FIELDS[name]
    value = Scenario.param[name].default
    if isinstance(value, bool) or value is None:
        assert default == str(value).lower()
    elif isinstance(value, (int, float)):
        assert number(default) == value
    else:
        assert default == str(value)
    assert unit == UNITS.get(name, "")
    assert meaning


@pytest.mark.parametrize("name", field_names())
def test_a_field_allows_what_is_said(name):
    allowed, kind = FIELDS[name][1], Scenario.param[name]
    if name in DISTRIBUTIONS:
        (low, high), _ = bounds(allowed)
        for knot in (low, high):
            assert getattr(Scenario(**{name: [int(knot), int(high)]}), name)[0] == knot
        for wrong in ([low - 1, high], [low, high + 1]):
            with pytest.raises(ValueError, match=name):
                Scenario(**{name: [int(knot) for knot in wrong]})
    elif isinstance(kind, param.Number):
        assert bounds(allowed) == (kind.bounds, kind.inclusive_bounds)
    elif isinstance(kind, param.Selector) and not allowed.startswith("see "):
        assert allowed.split(", ") == kind.objects


@pytest.mark.parametrize("name", ["routing", "phase_policy", "lock"])
def test_every_choice_is_described(name):
    described = {row[0] for row in table_rows(MODEL)}
    assert set(Scenario.param[name].objects) <= described


def test_every_state_is_described():
    codes = {row[1]: int(row[0]) for row in table_rows(MODEL) if row[0].isdigit()}
    assert {name: codes[name] for name in STATES} == {name: i for i, name in enumerate(STATES)}
    states = {re.sub(r":? ", "_", row[1]).lower() for row in table_rows(README) if len(row) == 3}
    assert set(SHADES) <= states


@pytest.mark.parametrize("page", [README, MODEL], ids=["README", "sim/README"])
def test_links_lead_somewhere(page):
    text = page.read_text("utf-8")
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("#"):
            assert target[1:] in anchors
        elif not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_integration_runs_the_command_of_the_readme():
    commands = re.findall(
        r"^python3 -m venv .*bin/pytest$", README.read_text("utf-8"), re.MULTILINE
    )
    assert len(commands) == 1
    assert "bin/pytest$' README.md" in (ROOT / ".ci" / "run").read_text("utf-8")
