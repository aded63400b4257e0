"""The process of a server: how it ends, whatever is under way, and that it starts again."""

import os
import pathlib
import signal
import socket

import pytest

from app.commands.parser import parsed
from app.commands.ports import holder, why_not
from app.commands.serve import run as serve
from tests.browser.conftest import free_port
from tests.serving.reader import Reader, wait_for
from tests.serving.server import PATIENCE, answered, launch

LONG = "agents=1200&overflow=compact"


async def begin(address):
    """Open a page whose run takes long."""
    reader = Reader(address, LONG)
    await reader.open()
    assert reader.pictures == 0
    return reader


def test_a_server_killed_during_a_run_starts_again_and_ends_when_told(tmp_path):
    port = free_port()
    for number, status in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 0)):
        process = launch("--port", str(port))
        try:
            answered(f"http://localhost:{port}/app?agents=2&turns=1,1", process)
            wait_for(begin(f"http://localhost:{port}/app"))
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
            assert not children.exists() or children.read_text() == ""
            process.send_signal(number)
            assert process.wait(PATIENCE) == status
        finally:
            process.kill()
            process.wait()


def test_a_port_that_is_taken_is_said_with_who_holds_it(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        options = parsed(["serve", "--address", "127.0.0.1", "--port", str(port)])
        with pytest.raises(ValueError, match=f"port {port} is taken") as error:
            serve(options)
    assert "--port 0" in str(error.value)
    if pathlib.Path("/proc/net/tcp").exists():
        assert f"(process {os.getpid()})" in str(error.value)


def test_an_address_of_another_machine_and_a_low_port_are_said():
    options = parsed(["serve", "--address", "192.0.2.1", "--port", "0"])
    with pytest.raises(ValueError, match=r"192\.0\.2\.1 is not one of this machine"):
        serve(options)
    said = why_not("localhost", 80, PermissionError(13, "Permission denied"))
    assert said.startswith("port 80 needs the rights of an administrator")
    assert why_not("localhost", 5006, OSError(12, "No memory")).endswith("5006: No memory")


def test_a_port_that_nobody_listens_at_has_no_holder():
    assert holder(free_port()) == ""
