"""Why one cannot listen at a port, and who does."""

import contextlib
import errno
import os
import pathlib
import socket

LISTENS = "0A"
"""State of a socket that listens, in /proc/net/tcp."""


def why_not(address, port, error):
    """Return in one sentence why one cannot listen at an address and port, and what to do.

    Parameters
    ----------
    address : str
    port : int
    error : OSError
    """
    if error.errno == errno.EADDRINUSE:
        by = holder(port)
        taken = f"port {port} is taken" + (f" by {by}" if by else "")
        return f"{taken}: choose another one with --port, or a free one with --port 0"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return (
            f"address {address} is not one of this machine: take localhost for this machine "
            "alone, or 0.0.0.0 for all who can reach it"
        )
    if error.errno == errno.EACCES and port < 1024:
        return (
            f"port {port} needs the rights of an administrator, as all below 1024 do: choose a "
            "higher one with --port, and put a proxy before it if it has to be this one"
        )
    return f"cannot listen at {address}:{port}: {error.strerror or error}"


def holder(port):
    """Return which process listens at a port, such as "nginx (process 123)".

    Returns
    -------
    str
        Empty if it cannot be known: another user's, or this is not Linux.
    """
    sockets = {f"socket:[{inode}]" for inode in _listening(port)}
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            for file in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    if os.readlink(file) in sockets:
                        name = (process / "comm").read_text().strip()
                        return f"{name} (process {process.name})"
    return ""


def _listening(port):
    """Yield the inodes of the sockets that listen at a port."""
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in pathlib.Path(table).read_text().splitlines()[1:]:
                _, local, _, state, *rest = line.split()
                if state == LISTENS and int(local.rpartition(":")[2], 16) == port:
                    yield rest[5]
