"""The server of the dashboard, with what a public one needs: headers, a prefix, a proxy."""

import pathlib

APP = pathlib.Path(__file__).parent
ANYWHERE = "*"
"""Any page may show the dashboard in a frame."""

UNUSED_MS = 15_000
"""How long a page that nobody is connected to is kept: its scripts take a while to come."""
CHECK_MS = 5_000

POLICY = {
    "default-src": "'none'",
    # Bokeh makes functions of texts, Panel modules (blob:) of the parts of the page
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self' blob:",
    "base-uri": "'none'",
    "form-action": "'none'",
}
"""Content-Security-Policy: nothing from elsewhere."""


def server(address, port, origins, prefix="", trust_proxy=False, frames=ANYWHERE):
    """Return a server of the dashboard that listens, but is still to be started.

    Parameters
    ----------
    address : str
    port : int
    origins : list of str
        Hosts and ports by which browsers may reach it.
    prefix : str
        What stands before every path; empty, or such as /tools/dpascope.
    trust_proxy : bool
        Whether a proxy says who asks, and by https.
    frames : str
        Pages that may show it in a frame, as Content-Security-Policy has them.

    Returns
    -------
    panel.io.server.Server
    """
    # Imported here so that the command line need not wait for it.
    from panel.io.server import get_server

    made = get_server(
        {"app": application()},
        address=address,
        port=port,
        websocket_origin=origins,
        title="DPA Scope",
        prefix=prefix,
        use_xheaders=trust_proxy,
        check_unused_sessions_milliseconds=CHECK_MS,
        unused_session_lifetime_milliseconds=UNUSED_MS,
    )
    made._tornado.add_transform(with_headers(frames))
    return made


def application():
    """Return the dashboard as `panel serve app` has it, with its hooks."""
    from panel.io.application import build_single_handler_application

    return build_single_handler_application(str(APP))


def headers(frames=ANYWHERE):
    """Return the headers that every answer has."""
    policy = {**POLICY, "frame-ancestors": frames}
    return {
        "Content-Security-Policy": "; ".join(" ".join(part) for part in policy.items()),
        "Referrer-Policy": "no-referrer",  # the address holds the scenario
        "X-Content-Type-Options": "nosniff",
    }


def with_headers(frames):
    """Return what adds the headers to each answer of a server."""
    from tornado.web import OutputTransform

    added = headers(frames)

    class Headers(OutputTransform):
        def __init__(self, request):
            pass

        def transform_first_chunk(self, status, headers, chunk, finishing):
            headers.update(added)
            return status, headers, chunk

    return Headers
