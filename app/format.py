"""Numbers as people read them."""


def percent(share, texts, digits=1):
    """Return a share such as 0.123 as "12.3 %", None as a dash."""
    return texts("numbers.none") if share is None else f"{100 * share:.{digits}f} %"


def count(number):
    """Return a whole number with its thousands grouped."""
    return f"{number:,}"


def tokens(number):
    """Return a number of tokens, short: "950", "12.3k", "4.57M"."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:,}"


def duration(seconds, texts):
    """Return a time as its two largest units, None as a dash."""
    if seconds is None:
        return texts("numbers.none")
    if seconds < 1:
        return texts("numbers.time.ms", ms=seconds * 1000)
    if seconds < 60:
        return texts("numbers.time.s", s=seconds)
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return texts("numbers.time.m", m=minutes, s=rest)
    hours, minutes = divmod(round(seconds / 60), 60)
    return texts("numbers.time.h", h=hours, m=minutes)


def span(seconds, texts):
    """Return the length of something short, to the hundredth of a second."""
    if seconds >= 60:
        return duration(seconds, texts)
    return texts("numbers.time.exact", s=f"{seconds:.3f}".rstrip("0").rstrip("."))


def clock(seconds):
    """Return a moment of a run as "1:02:03.25"; fractions only where there are any."""
    hundredths = round(seconds * 100)
    whole, rest = divmod(hundredths, 100)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" + (f".{rest:02d}" if rest else "")
