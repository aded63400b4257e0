"""The project runs from a wheel and from a clone, whatever folder one is in."""

import contextlib
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import urllib.request
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
TITLE = "<title>DPA Scope</title>"
ADDRESS = re.compile(r"http://localhost:\d+")
SECONDS = 120


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the path of a wheel of the project."""
    pytest.importorskip("hatchling", reason="hatchling, of the extra test, builds the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
        timeout=SECONDS,
    )
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return a folder in which the wheel is installed, and nothing can be written."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", folder, wheel], check=True, timeout=SECONDS)
    inside = [folder, *folder.rglob("*")]
    for path in inside:
        path.chmod(path.stat().st_mode & ~0o222)
    yield folder
    for path in inside:
        path.chmod(path.stat().st_mode | stat.S_IWUSR)


@pytest.fixture
def clone(tmp_path):
    """Return a copy of the project's packages that is not installed, with a title of its own."""
    for name in ("app", "sim", "assets"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    texts = tmp_path / "app" / "texts" / "page_en.json"
    texts.write_text(texts.read_text("utf-8").replace('"DPA Scope"', '"A copy"'), "utf-8")
    return tmp_path


def bare_environment(**more):
    """Return the environment without a home and without a search path for packages."""
    dropped = ("HOME", "PYTHONPATH", "PYTHONSAFEPATH")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "PYTHONUNBUFFERED": "1", **more}


@contextlib.contextmanager
def serving(command, folder, environment):
    """Run a server in a folder; yield the text of its page."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        printed = ""
        for line in process.stdout:
            printed += line
            if address := ADDRESS.search(line):
                break
        else:
            pytest.fail(f"the server ended: {printed}")
        with urllib.request.urlopen(f"{address[0]}/app", timeout=SECONDS) as page:
            yield page.read().decode("utf-8")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_wheel_holds_every_file(wheel):
    packages = [path for name in ("sim", "app") for path in (ROOT / name).rglob("*")]
    files = {
        path.relative_to(ROOT).as_posix()
        for path in packages
        if path.is_file() and path.suffix != ".pyc"
    }
    assets = {
        f"app/_assets/{path.relative_to(ROOT / 'assets').as_posix()}"
        for path in (ROOT / "assets").rglob("*")
        if path.suffix in (".js", ".css", ".html")
    }
    assert "app/_assets/engine.js" in assets
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held >= files | assets
    assert {name.partition("/")[0] for name in held} == {"sim", "app"}


def test_the_wheel_needs_what_the_code_imports(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = archive.read(name).decode("utf-8")
    for package in ("numpy", "param", "panel", "bokeh"):
        assert f"Requires-Dist: {package}>=" in metadata


def test_installed_packages_work_in_another_folder(installed, tmp_path):
    code = (
        "import app.assets, sim; print(sim.__file__);"
        "print(len(app.assets.shared('engine.js')) > 10_000);"
        "print(sim.simulate(sim.Scenario(agents=2, turns=[1, 1])).ticks > 0)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        env=bare_environment(PYTHONPATH=str(installed)),
        capture_output=True,
        text=True,
        check=True,
        timeout=SECONDS,
    )
    assert done.stdout.split() == [str(installed / "sim" / "__init__.py"), "True", "True"]


def test_the_command_serves_the_dashboard_from_any_folder(installed, tmp_path):
    command = [installed / "bin" / "dpascope", "serve", "--port", "0"]
    environment = bare_environment(PYTHONPATH=str(installed))
    with serving(command, tmp_path, environment) as page:
        assert TITLE in page
    assert list(tmp_path.iterdir()) == []


def test_the_command_exports_a_page_from_any_folder(installed, tmp_path):
    subprocess.run(
        [installed / "bin" / "dpascope", "export", "page.html"],
        cwd=tmp_path,
        env=bare_environment(PYTHONPATH=str(installed)),
        check=True,
        timeout=SECONDS,
    )
    first_words = (ROOT / "assets" / "engine.js").read_text("utf-8").splitlines()[1]
    assert first_words in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize("options", [[], ["--dev"]], ids=["plain", "dev"])
def test_panel_serves_a_clone_that_is_not_installed(clone, options):
    command = [sys.executable, "-P", "-m", "panel", "serve", "app", "--port", "0", *options]
    with serving(command, clone, bare_environment()) as page:
        assert TITLE.replace("DPA Scope", "A copy") in page
