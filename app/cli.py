"""The command `dpascope`."""

import argparse
import pathlib
import socket
import sys

from app.commands import export

APP = pathlib.Path(__file__).parent


def main(arguments=None):
    """Run the command.

    Parameters
    ----------
    arguments : list of str, optional
        Instead of those of the command line.

    Returns
    -------
    int
        Exit status.
    """
    options = _parser().parse_args(arguments)
    return options.run(options)


def _parser():
    parser = argparse.ArgumentParser(
        prog="dpascope", description="See a DP-attention serving cluster think."
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    _add_serve(commands)
    export.add(commands)
    return parser


def _add_serve(commands):
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
    parser.set_defaults(run=serve)


def _port(text):
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from 0 to 65,535")
    return int(text)


def serve(options):
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
        print(f"dpascope: cannot listen at {options.address}:{options.port}: {error}")
        return 1
    return 0


def _free_port(address):
    with socket.create_server((address, 0)) as probe:
        return probe.getsockname()[1]


def _origins(options):
    """Return the names by which browsers may reach this server."""
    names = {"localhost", "127.0.0.1", options.address, socket.gethostname(), socket.getfqdn()}
    return [*options.origin, *(f"{name}:{options.port}" for name in names)]


if __name__ == "__main__":
    sys.exit(main())
