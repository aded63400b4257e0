"""Readers of the page without a browser: what one sends to the server, and what it waits for.

Bokeh's own client in Python does not do: it throws away what arrives while it waits for a reply,
and takes in the rest only while it is asked to, so it sees no change that the server makes later.
"""

import asyncio
import html
import json
import re
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from bokeh.protocol import Protocol
from bokeh.protocol.receiver import Receiver
from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import websocket_connect

PATIENCE = 120
"""Seconds until a server that does not answer has failed."""


class Reader:
    """One page, opened as a browser opens it: its HTML, then the websocket with its token.

    Parameters
    ----------
    address : str
        Of the app.
    query : str
        Of the page.

    Attributes
    ----------
    pictures : int
        Runs that the page has shown.
    values : dict
        Every other value of a part of the page that has changed, by its name.
    received : int
        Bytes.
    """

    def __init__(self, address, query=""):
        self.address, self.query = address, query
        self.pictures, self.received, self.values = 0, 0, {}
        self._parts, self._told, self._sent = {}, asyncio.Event(), 0
        self._socket = self._listening = None

    async def open(self, ready=True):
        """Open the page and wait until it is there; it says that it is `ready` as a browser does.

        Returns
        -------
        float
            Seconds that the HTML took.
        """
        start = time.monotonic()
        page = await fetch(f"{self.address}?{self.query}")
        taken = time.monotonic() - start
        token = _token(page.body.decode())
        self._socket = await websocket_connect(
            _websocket(self.address),
            subprotocols=["bokeh", token],
            connect_timeout=PATIENCE,
            max_message_size=2**28,
        )
        self._receiver = Receiver(Protocol())
        await self._message("ACK")
        self._send("PULL-DOC-REQ", {})
        document = (await self._message("PULL-DOC-REPLY")).content["doc"]
        self._parts = dict(_parts(document))
        self.pictures = next(_values(document, "pictures"), 0)
        self._listening = asyncio.ensure_future(self._listen())
        if ready:
            self._event({"type": "event", "name": "document_ready", "values": {"type": "map"}})
        return taken

    def tell(self, part, message):
        """Send what the script of a part of the page would send."""
        values = [["model", {"id": self._parts[part]}], ["data", _encoded(message)]]
        self._event({"type": "event", "name": "data_event", "values": _map(values)})

    def change(self, name, value, live=False):
        """Change a setting."""
        self.tell("Form", {"name": name, "value": value, "live": live})

    async def until(self, holds):
        """Wait until what the server has told makes this true; return the seconds it took."""
        start = time.monotonic()
        while not holds():
            self._told.clear()
            if self._listening.done():
                raise ConnectionError(f"the server has closed the page: {self._listening}")
            await asyncio.wait_for(self._told.wait(), PATIENCE - (time.monotonic() - start))
        return time.monotonic() - start

    async def picture(self, after=0):
        """Wait until the page has shown more runs than so many; return the seconds it took."""
        return await self.until(lambda: self.pictures > after)

    async def close(self):
        """Close the page."""
        if self._listening is not None:
            self._listening.cancel()
        if self._socket is not None:
            self._socket.close()
            await asyncio.sleep(0)

    def _event(self, event):
        self._send(
            "PATCH-DOC",
            {"events": [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}]},
        )

    def _send(self, kind, content):
        self._sent += 1
        for part in ({"msgid": str(self._sent), "msgtype": kind}, {}, content):
            self._socket.write_message(json.dumps(part))

    async def _message(self, kind=None):
        while True:
            fragment = await asyncio.wait_for(self._socket.read_message(), kind and PATIENCE)
            if fragment is None:
                raise ConnectionError("the server has closed the page")
            self.received += len(fragment)
            message = await self._receiver.consume(fragment)
            if message is not None and kind in (None, message.msgtype):
                return message

    async def _listen(self):
        while True:
            message = await self._message()
            if message.msgtype != "PATCH-DOC":
                continue
            for event in message.content["events"]:
                if event["kind"] == "ModelChanged":
                    self.values[event["attr"]] = event["new"]
            self.pictures = self.values.get("pictures", self.pictures)
            self._told.set()


async def fetch(url):
    """Return the answer to a request."""
    return await AsyncHTTPClient(max_clients=1000).fetch(
        url, connect_timeout=PATIENCE, request_timeout=PATIENCE
    )


def wait_for(coroutine):
    """Run a coroutine to its end in a thread of its own: this one may have an event loop already.

    Returns
    -------
    object
        What it returns.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def _token(page):
    found = re.search(r'"token":"([^"]+)"', html.unescape(page))
    if found is None:
        raise ValueError(f"the page has no token: {page[:200]}")
    return found[1]


def _websocket(address):
    parts = urllib.parse.urlsplit(address)
    return urllib.parse.urlunsplit(("ws", parts.netloc, f"{parts.path}/ws", "", ""))


def _objects(document):
    """Yield every object with an id that a document's JSON holds."""
    waiting = [document]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            if "attributes" in found and "id" in found:
                yield found
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)


def _parts(document):
    """Yield names and ids of the parts of the page that have scripts of their own."""
    for found in _objects(document):
        name = found["attributes"].get("class_name")
        if name:
            yield name, found["id"]


def _values(document, name):
    for found in _objects(document):
        if name in found["attributes"]:
            yield found["attributes"][name]


def _encoded(value):
    if isinstance(value, dict):
        return _map([[key, _encoded(inner)] for key, inner in value.items()])
    if isinstance(value, list | tuple):
        return [_encoded(inner) for inner in value]
    return value


def _map(entries):
    return {"type": "map", "entries": entries}
