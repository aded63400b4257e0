"""A scenario's fields as they stand in the address of the page."""

import difflib
import json
import math

import param

from sim.scenario import DISTRIBUTIONS, Scenario, check_field

LONGEST_TABLE = 4000
"""Characters of a table of sessions that a link still carries."""


class Refused(ValueError):
    """A value that may not stand in an address.

    Parameters
    ----------
    form : str
        Key of the text, below "problems", that says what may.
    limits : dict
        What the text needs besides the value, as text.
    """

    def __init__(self, form, **limits):
        super().__init__(form, limits)
        self.form, self.limits = form, limits


def written(name, value):
    """Return a field as it stands in an address; None if it does not stand there."""
    if name == "table":
        if value is None or sum(map(len, value)) > LONGEST_TABLE // len("[0,1,1],"):
            return None
        text = json.dumps(value, separators=(",", ":"))
        return text if len(text) <= LONGEST_TABLE else None
    if name in DISTRIBUTIONS:
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def field(name, text):
    """Return the value of a field that stands in an address, a `ValueError` if it may not be."""
    return check_field(name, _parsed(name, text))


def _parsed(name, text):
    if name == "table":
        try:
            return json.loads(text)
        except RecursionError:
            raise ValueError("is nested too deeply") from None
    if name in DISTRIBUTIONS:
        return [number(part) for part in text.split(",")]
    kind = Scenario.param[name]
    if isinstance(kind, param.Boolean):
        return {"on": True, "off": False, "true": True, "false": False}.get(text.lower(), text)
    return text if isinstance(kind, param.Selector) else number(text)


def number(text):
    """Return the number that a text means, the text itself if it means none."""
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if math.isfinite(value) and value == int(value) else value


def choice(text, known):
    """Return the text, `Refused` if it is none of those known."""
    if text not in known:
        limits = {"known": ", ".join(known)}
        near = _nearest(text, known)
        raise Refused("choice_near", near=near, **limits) if near else Refused("choice", **limits)
    return text


def whole(text, low, high):
    """Return the whole number that a text means, `Refused` if it is not within bounds."""
    value = number(text)
    if not isinstance(value, int) or not low <= value <= high:
        raise Refused("integer", low=f"{low:,}", high=f"{high:,}")
    return value


def read_into(problems, key, text, into, read):
    """Read one part of an address into a dict, or add why it cannot be read to the problems."""
    try:
        into[key] = read(key, text)
    except Refused as error:
        problems.append({"kind": "refused", "key": key, "value": text, **vars(error)})
    except ValueError as error:
        problems.append({"kind": "value", "key": key, "value": text, "problem": str(error)})


def unknown(key, known):
    """Return the problem of a key that is none of those known, with the nearest that is."""
    near = _nearest(key, known)
    return {"key": key, **({"kind": "near", "near": near} if near else {"kind": "unknown"})}


def _nearest(name, known):
    return next(iter(difflib.get_close_matches(name, known, n=1, cutoff=0.6)), None)
