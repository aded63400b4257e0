"""The scripts of an exported page, asked in Node."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

from app.export.facts import page_facts
from app.export.figures import PageFigures
from app.export.page import library_script

TESTS = pathlib.Path(__file__).parents[1]
ENGINE = TESTS.parent / "assets" / "engine.js"


def missing(what):
    """Skip the test because `what` is missing, or fail if the environment forbids that."""
    if os.environ.get("DPASCOPE_REQUIRE_BROWSER") == "1":
        pytest.fail(f"{what} is missing and DPASCOPE_REQUIRE_BROWSER=1")
    pytest.skip(f"{what} is missing")


@pytest.fixture(scope="session")
def ask(tmp_path_factory):
    """Return a function that asks the page's scripts questions, (name, dict) each."""
    node = shutil.which("node")
    if node is None:
        missing("node")
    library = tmp_path_factory.mktemp("export") / "library.cjs"
    facts = page_facts(PageFigures())
    library.write_text(library_script(facts, ENGINE), encoding="utf-8")

    def call(questions):
        lines = [json.dumps({"name": name, **question}) for name, question in questions]
        done = subprocess.run(
            [node, TESTS / "js" / "export.js", library],
            input="\n".join(lines) + "\n",
            capture_output=True,
            encoding="utf-8",
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(answers) == len(lines)
        for answer in answers:
            assert not (isinstance(answer, dict) and "error" in answer), answer["error"]
        return answers

    return call
