"""Values from outside, checked: what comes back is plain, what is wrong is a ValueError.

Each message names the field, its value and what is allowed, and for a misspelt name the nearest
right one.
"""

import difflib
import itertools
import numbers

MAX_TOKENS = 2**26
"""Largest token count a field may hold: 2^26 tokens are 2^46 units, exact in a double."""
MAX_MS = 2**31 - 1
MAX_AGENTS = 65_536


def unknown_name(kind, name, known):
    """Say that `name` is not one of `known`, and which one is nearest."""
    near = difflib.get_close_matches(str(name), [str(k) for k in known], n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(map(str, known))
    return f"unknown {kind} {name!r}: {hint}"


def switch(name, value):
    """Return a bool."""
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return bool(value)
    raise ValueError(f"{name} = {shown(value)} must be true or false")


def choice(name, value, known):
    """Return one of the names in `known`."""
    if value in known:
        return value
    near = difflib.get_close_matches(str(value), known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"{name} = {shown(value)} must be one of {', '.join(known)}{hint}")


def integer(name, value, low, high):
    """Return a whole number from `low` to `high`."""
    allowed = f"{name} = {shown(value)} must be a whole number from {low:,} to {high:,}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(allowed)
    if not low <= value <= high or value != int(value):
        raise ValueError(allowed)
    return int(value)


def number(name, value, low, high, inclusive):
    """Return a number between `low` and `high`."""
    least = f"at least {low:,}" if inclusive[0] else f"above {low:,}"
    most = f"at most {high:,}" if inclusive[1] else f"below {high:,}"
    allowed = f"{name} = {shown(value)} must be a number {least} and {most}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(allowed)
    above = value >= low if inclusive[0] else value > low
    below = value <= high if inclusive[1] else value < high
    if not (above and below):
        raise ValueError(allowed)
    return int(value) if isinstance(value, numbers.Integral) else float(value)


def knots(name, value, least, most):
    """Return a distribution: a range or quantiles, never falling."""
    if not isinstance(value, (list, tuple)) or len(value) < 2:
        raise ValueError(
            f"{name} = {shown(value)} must be a range [low, high] or a list of three or more "
            "quantiles"
        )
    values = [integer(f"{name}[{i}]", knot, least, most) for i, knot in enumerate(value)]
    for i, (low, high) in enumerate(itertools.pairwise(values)):
        if high < low:
            raise ValueError(
                f"{name} = {shown(value)} must never fall, but {high:,} at position {i + 1} "
                f"follows {low:,}"
            )
    return values


def table(value):
    """Return explicit sessions."""
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError(
            f"table = {shown(value)} must be a list with one list of turns for each agent"
        )
    if len(value) > MAX_AGENTS:
        raise ValueError(f"table has {len(value):,} agents, at most {MAX_AGENTS:,} are allowed")
    sessions = [_session(a, session) for a, session in enumerate(value)]
    if not any(sessions):
        raise ValueError("table holds no turn: at least one agent must have one")
    return sessions


def _session(agent, session):
    if not isinstance(session, (list, tuple)):
        raise ValueError(f"table[{agent}] = {shown(session)} must be a list of turns")
    return [
        list(turn) if _is_turn(turn) else _turn(f"table[{agent}][{k}]", turn)
        for k, turn in enumerate(session)
    ]


def _is_turn(turn):
    """Return whether a turn is plainly right: a table may hold 100,000s, looked at often."""
    if type(turn) not in (list, tuple) or len(turn) not in (3, 4):
        return False
    wait, given, made, carried = turn if len(turn) == 4 else (*turn, 0)
    return (
        type(wait) is type(given) is type(made) is type(carried) is int
        and 0 <= wait <= MAX_MS
        and 1 <= given <= MAX_TOKENS
        and 1 <= made <= MAX_TOKENS
        and 0 <= carried <= MAX_TOKENS
    )


def _turn(where, turn):
    if not isinstance(turn, (list, tuple)) or len(turn) not in (3, 4):
        raise ValueError(
            f"{where} = {shown(turn)} must be [wait_ms, input, output] or "
            "[wait_ms, input, output, carried]"
        )
    lows = (0, 1, 1, 0)
    highs = (MAX_MS, MAX_TOKENS, MAX_TOKENS, MAX_TOKENS)
    return [integer(f"{where}[{i}]", turn[i], lows[i], highs[i]) for i in range(len(turn))]


def shown(value):
    """Return a value as text, cut to a line."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
