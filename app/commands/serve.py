"""`dpascope serve`: the dashboard."""

import argparse
import pathlib
import socket

APP = pathlib.Path(__file__).parent.parent


def add(commands):
    """Add the command to those of the parser."""
    parser = commands.add_parser("serve", help="serve the dashboard")
    parser.add_argument(
        "--address", default="localhost", help="address to listen at; 0.0.0.0: all of this machine"
    )
    parser.add_argument("--port", type=_port, default=5006, help="port to listen at; 0: a free one")
    parser.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="HOST[:PORT]",
        help="another name by which browsers reach this server, such as that of a proxy; may be "
        "given several times",
    )
    parser.add_argument("--show", action="store_true", help="open a browser")
    parser.set_defaults(run=run)


def _port(text):
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from 0 to 65,535")
    return int(text)


def run(options):
    """Serve the dashboard until it is interrupted."""
    # Imported here so that the other commands need not wait for it.
    import panel

    import app.session  # noqa: F401  so that the first page is quick

    try:
        # The server wants to know by which names and port it is reached before it listens.
        options.port = options.port or _free_port(options.address)
        panel.serve(
            {"app": str(APP / "main.py")},
            address=options.address,
            port=options.port,
            websocket_origin=_origins(options),
            show=options.show,
            title="DPA Scope",
        )
    except OSError as error:
        reason = f"cannot listen at {options.address}:{options.port}: {error.strerror or error}"
        raise ValueError(reason) from error
    return 0


def _free_port(address):
    with socket.create_server((address, 0)) as probe:
        return probe.getsockname()[1]


def _origins(options):
    """Return the names by which browsers may reach this server."""
    names = {"localhost", "127.0.0.1", options.address, socket.gethostname(), socket.getfqdn()}
    return [*options.origin, *(f"{name}:{options.port}" for name in names)]
