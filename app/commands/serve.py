"""`dpascope serve`: the dashboard."""

import argparse
import gc
import re
import signal
import socket
import webbrowser

from app import limits, serving
from app.commands.ports import why_not


def add(commands):
    """Add the command to those of the parser."""
    parser = commands.add_parser("serve", help="serve the dashboard")
    parser.add_argument(
        "--address", default="localhost", help="address to listen at; 0.0.0.0: all of this machine"
    )
    parser.add_argument("--port", type=_port, default=5006, help="port to listen at; 0: a free one")
    parser.add_argument("--show", action="store_true", help="open a browser")
    _add_public(parser.add_argument_group("for others, such as behind a proxy"))
    _add_limits(parser.add_argument_group("what one session may ask for; k, M and G may follow"))
    parser.set_defaults(run=run)


def _add_public(group):
    group.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="HOST[:PORT]",
        help="another name by which browsers reach this server, such as that of a proxy; may be "
        "given several times",
    )
    group.add_argument(
        "--prefix",
        type=_prefix,
        default="",
        metavar="/PATH",
        help="what stands before every path, such as /tools/dpascope",
    )
    group.add_argument(
        "--trust-proxy",
        action="store_true",
        help="take the reader's address and https from the headers X-Real-IP, X-Forwarded-For and "
        "X-Forwarded-Proto, which only a proxy may be able to send",
    )
    group.add_argument(
        "--frames",
        default=serving.ANYWHERE,
        metavar="SOURCES",
        help="pages that may show this one in a frame, as in Content-Security-Policy, such as "
        "\"'self' https://blog.example\" or \"'none'\" (default: any)",
    )


def _add_limits(group):
    for name, most in vars(_environment()).items():
        group.add_argument(
            f"--max-{name}",
            type=_number,
            default=most,
            metavar="N",
            help=f"{limits.HELP[name]} (default {most:,}; or {limits.variable(name)})",
        )


def _environment():
    """Return the limits of the environment; what is wrong there is said when it is served."""
    try:
        return limits.from_environment()
    except ValueError:
        return limits.Limits()


def _port(text):
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from 0 to 65,535")
    return int(text)


def _prefix(text):
    path = text.strip("/")
    if path and not re.fullmatch(r"[\w.~-]+(/[\w.~-]+)*", path, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} must be a path such as /tools/dpascope")
    return path and f"/{path}"


def _number(text):
    try:
        return limits.number(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(options):
    """Serve the dashboard until it is interrupted."""
    limits.from_environment()  # says what is wrong there
    try:
        # The server wants to know by which names and port it is reached before it listens.
        options.port = _free_port(options.address, options.port)
        server = _server(options)
    except OSError as error:
        raise ValueError(why_not(options.address, options.port, error)) from error
    limits.use(limits.Limits(**{name: getattr(options, f"max_{name}") for name in limits.names()}))
    print(f"DPA Scope is at {_url(options)} (Ctrl-C ends it)", flush=True)
    loop = server.io_loop
    if options.show:
        loop.add_callback(webbrowser.open, _url(options))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: loop.add_callback_from_signal(loop.stop))
    server.start()
    loop.start()
    return 0


def _server(options):
    gc.disable()  # collecting while modules are made is a third of the time to start
    try:
        return serving.server(
            address=options.address,
            port=options.port,
            origins=_origins(options),
            prefix=options.prefix,
            trust_proxy=options.trust_proxy,
            frames=options.frames,
        )
    finally:
        gc.enable()


def _free_port(address, port):
    """Return the port, or a free one for 0; an OSError if it cannot be listened at."""
    family, *_, where = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
    with socket.create_server(where, family=family) as probe:
        return probe.getsockname()[1]


def _origins(options):
    """Return the names by which browsers may reach this server."""
    names = {"localhost", "127.0.0.1"}
    if options.address not in names:  # else no other machine gets here
        names |= {options.address, socket.gethostname(), socket.getfqdn()}
    names = {name for name in names if ":" not in name}  # Bokeh takes no IPv6
    return [*options.origin, *(f"{name}:{options.port}" for name in sorted(names))]


def _url(options):
    host = "localhost" if options.address in ("0.0.0.0", "::") else options.address
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{options.port}{options.prefix}/app"
