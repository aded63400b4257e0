"""Writes files that are there whole or not at all, whatever ends the process."""

import contextlib
import os
import pathlib


@contextlib.contextmanager
def whole(path):
    """Yield a path to write to, which takes the place of `path` once all is written.

    What is no regular file, such as /dev/stdout, is written to directly.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    OSError
        If it cannot be written; it names `path`.
    """
    path = pathlib.Path(path)
    if path.exists() and not path.is_file():
        yield path
        return
    path = path.resolve()  # else a link would be replaced, and not what it leads to
    half = path.with_name(f"{path.name}.new")
    try:
        yield half
        os.replace(half, path)
    except OSError as error:
        if error.filename is not None:  # the one that is written to
            error.filename = str(path)
        raise
    finally:
        half.unlink(missing_ok=True)
