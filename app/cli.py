"""The command `dpascope`."""

import os
import sys

WRONG = 2
"""Exit status if what was asked for is not possible."""
INTERRUPTED = 130
CLOSED = 141
"""Exit status if nobody reads the output any more."""


def main(arguments=None):
    """Run the command.

    Parameters
    ----------
    arguments : list of str, optional
        Instead of those of the command line.

    Returns
    -------
    int
        Exit status: 0, 2 if something is wrong, which is said in one line, 130 after Ctrl-C, or
        what the command says.
    """
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        print("dpascope: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED


def _run(arguments):
    # Imported here so that Ctrl-C ends it quietly from the start.
    from app.commands.parser import parsed
    from sim.sweep import SweepError

    options = parsed(arguments)
    try:
        status = options.run(options)
        sys.stdout.flush()
        return status
    except (ValueError, SweepError) as error:
        return _complain(options, error)
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(options, f"{where}{error.strerror or error}")


def _complain(options, message):
    print(f"dpascope {options.command}: {message}", file=sys.stderr)
    return WRONG


if __name__ == "__main__":
    sys.exit(main())
