"""nginx in front of the dashboard, as README.md sets it up, without rights and in a folder."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from tests.serving.server import ROOT, answered

NGINX = shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
PATIENCE = 20

CONFIG = """
daemon off;
pid {folder}/pid;
error_log {folder}/errors;
{user}
events {{}}
http {{
  access_log {folder}/requests;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location = /post.html {{ default_type text/html; alias {folder}/post.html; }}
    {location}
  }}
}}
"""


def require():
    """Skip, or fail where a skip is a failure, if there is no nginx."""
    if NGINX is None:
        reason = "there is no nginx on the path"
        if os.environ.get("DPASCOPE_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)


def location():
    """Return the part of a configuration that README.md shows."""
    readme = (ROOT / "README.md").read_text("utf-8")
    return re.search(r"```nginx\n(.*?)```", readme, re.DOTALL)[1]


@contextlib.contextmanager
def proxying(folder, to, port):
    """Run nginx at a port before the server at another; yield the address of the proxy."""
    folder = pathlib.Path(folder)
    text = CONFIG.format(
        folder=folder,
        port=port,
        location=location().replace("127.0.0.1:5006", f"127.0.0.1:{to}"),
        user="user root;" if os.geteuid() == 0 else "",
    )
    config = folder / "nginx.conf"
    config.write_text(text)
    process = subprocess.Popen(
        [NGINX, "-e", str(folder / "errors"), "-p", str(folder), "-c", str(config)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        answered(f"http://localhost:{port}/post.html", process)
        yield f"http://localhost:{port}"
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        process.kill()
        process.wait()
