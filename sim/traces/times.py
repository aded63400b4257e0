"""Times and counts as logs write them."""

import datetime

from sim.checks import MAX_TOKENS


def milliseconds(text):
    """Return an ISO 8601 time as milliseconds since 1970, or None if it is none.

    A time without a zone is taken as UTC.
    """
    if not isinstance(text, str):
        return None
    try:
        time = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    if time.tzinfo is None:
        time = time.replace(tzinfo=datetime.UTC)
    return round(time.timestamp() * 1000)


def number(value):
    """Return a count or a time that a record holds as a number or as text.

    Raises
    ------
    ValueError
        If it is no number, or not finite.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError("no number")
    found = float(value)
    if not -(2**50) < found < 2**50:
        raise ValueError("no number within reason")
    return int(found) if found == int(found) else found


def tokens(value):
    """Return a number of tokens, 0 for None.

    Raises
    ------
    ValueError
        If it is no number, negative, or more than a scenario can hold.
    """
    found = 0 if value is None else int(number(value))
    if not 0 <= found <= MAX_TOKENS:
        raise ValueError("no number of tokens within reason")
    return found
