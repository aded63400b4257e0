"""Arguments that commands share: a flag for each field of a scenario, a preset, a file."""

import argparse
import decimal
import json
import pathlib
import sys

import param

from sim import Scenario
from sim.checks import shown, unknown_name
from sim.scenario import DISTRIBUTIONS, GROUPS, UNITS, check_field, field_names

TITLES = {
    "cluster": "the cluster",
    "scheduling": "scheduling",
    "workload": "the workload",
    "more": "more",
}
FLAGS = {"workers": "--dp-ranks"}
"""Flags of fields that are not named after them: `--workers` of a sweep are processes."""
PREFIXES = {"k": 10**3, "M": 10**6, "G": 10**9}
SWITCHES = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}
MOST_VALUES = 100_000
LARGEST = 10**18
"""No field holds as much; an exponent can write numbers that would fill the memory."""


class _Field(argparse.Action):
    """Notes a field and the text given for it in `fields`, in the order of the command line."""

    def __call__(self, parser, namespace, text, option=None):
        namespace.fields[self.dest] = text


def add_scenario(parser, file_help):
    """Add what a scenario is made of: `file`, `preset`, and a flag for each field.

    The texts of the fields for which flags are given become `fields`, by the fields' names.
    """
    parser.add_argument("file", nargs="?", metavar="FILE", help=file_help)
    parser.add_argument("--preset", metavar="NAME", help="preset to start from")
    parser.set_defaults(fields={})
    for group, names in GROUPS.items():
        section = parser.add_argument_group(TITLES[group])
        for name in names:
            section.add_argument(
                *_flags(name, parser),
                dest=name,
                action=_Field,
                metavar=_metavar(name),
                help=_help(name),
                default=argparse.SUPPRESS,
            )


def _flags(name, parser):
    own = f"--{name.replace('_', '-')}"
    if name not in FLAGS:
        return [own]
    return [FLAGS[name]] if own in parser._option_string_actions else [FLAGS[name], own]


def _metavar(name):
    kind = Scenario.param[name]
    if name in DISTRIBUTIONS:
        return "LOW-HIGH"
    if isinstance(kind, param.Boolean):
        return "on|off"
    return "NAME" if isinstance(kind, param.Selector) else "N"


def _help(name):
    """Return what a field means, in which unit, what is allowed, and its default."""
    kind = Scenario.param[name]
    parts = [UNITS.get(name, ""), _default(kind)]
    if isinstance(kind, param.Selector) and not isinstance(kind, param.Boolean):
        parts.insert(0, ", ".join(kind.objects))
    facts = "; ".join(part for part in parts if part)
    return f"{kind.doc.rstrip('.')} ({facts})".replace("%", "%%")


def _default(kind):
    value = kind.default
    if isinstance(value, bool):
        value = "on" if value else "off"
    elif isinstance(value, list):
        value = "-".join(map(str, value))
    elif isinstance(value, (int, float)):
        value = f"{value:,}" if kind.name != "seed" else value
    return f"default {value}"


def base_fields(options, fields):
    """Return the fields to start from: those of the file, over those of the preset."""
    if options.preset is None:
        return fields
    return {**Scenario.preset(options.preset).changed(), **fields}


def read_json(path):
    """Return what a JSON file holds; ``-`` is the standard input.

    Raises
    ------
    ValueError
        If it cannot be read or is no JSON.
    """
    try:
        text = sys.stdin.read() if path == "-" else pathlib.Path(path).read_text("utf-8")
        return json.loads(text)
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}") from error


def value(name, text):
    """Return the value of a field from its text.

    Numbers may have thousands marked by ``_`` and end in k, M or G; switches are on or off;
    distributions are knots with ``-`` between them.

    Raises
    ------
    ValueError
        If it is not allowed; the message says what is.
    """
    kind = Scenario.param[name]
    if name in DISTRIBUTIONS:
        knots = [_number(part) for part in text.split("-")]
        return check_field(name, text if None in knots else knots)
    if isinstance(kind, param.Boolean):
        return check_field(name, SWITCHES.get(text.lower(), text))
    if isinstance(kind, param.Selector):
        return check_field(name, text)
    number = _number(text)
    return check_field(name, text if number is None else number)


def values(name, text):
    """Return the values of a field from a list such as ``4,8,16`` or ranges ``low:high:step``.

    Both ends of a range belong to it; without a step it goes by 1. Errors as for `value`.
    """
    if name not in field_names():
        raise ValueError(unknown_name("parameter", name, field_names()))
    found = []
    for part in text.split(","):
        found += _range(name, part) if ":" in part else [value(name, part.strip())]
    return found


def _range(name, text):
    parts = [_decimal(part) for part in text.split(":")]
    if len(parts) not in (2, 3) or None in parts:
        raise ValueError(f"{name} = {shown(text)} must be a range low:high or low:high:step")
    low, high, step = (*parts, decimal.Decimal(1))[:3]
    if step <= 0 or high < low:
        raise ValueError(f"{name} = {shown(text)} must rise from low to high by a step above 0")
    count = int((high - low) / step) + 1
    if count > MOST_VALUES:
        raise ValueError(f"{name} = {shown(text)} has {count:,} values, at most {MOST_VALUES:,}")
    return [check_field(name, _plain(low + i * step)) for i in range(count)]


def _number(text):
    found = _decimal(text)
    return None if found is None else _plain(found)


def _decimal(text):
    """Return the number that a text is, None if it is none."""
    text = text.strip()
    factor = PREFIXES.get(text[-1:], 1)
    try:
        found = decimal.Decimal(text[:-1] if factor > 1 else text) * factor
        return found if abs(found) <= LARGEST else None
    except decimal.InvalidOperation:
        return None


def _plain(number):
    return int(number) if number == number.to_integral_value() else float(number)
