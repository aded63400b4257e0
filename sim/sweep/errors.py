"""What goes wrong with a sweep as a whole."""


class SweepError(RuntimeError):
    """The sweep cannot go on, though its scenarios could."""
