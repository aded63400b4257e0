"""Exported pages, and readers of them."""

import contextlib

import pytest

from app.export import export_html
from app.state import read_query
from tests.browser.conftest import QUICK
from tests.browser.export.reader import PHONE, WINDOW, Reader, address


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A folder with the pages that the tests open."""
    folder = tmp_path_factory.mktemp("pages")
    export_html(folder / "page.html")
    few = ["agents", "routing", "preset"]
    export_html(folder / "few.html", controls=few, charts=["shares"], transparent=True)
    quick = read_query(QUICK)[0].scenario
    export_html(folder / "snapshot.html", quick, snapshot=True, title="A run & its end")
    return folder


def make_reader(browser, offline=True, **options):
    """Return a reader; keywords are those of a browser context."""
    context = browser.new_context(**{"viewport": WINDOW, "locale": "en-US", **options})
    context.set_offline(offline)
    return Reader(context)


@pytest.fixture
def reader(browser):
    """Return a function that makes a reader, who leaves with the test."""
    with contextlib.ExitStack() as leaving:

        def make(**options):
            made = make_reader(browser, **options)
            leaving.callback(made.page.context.close)
            return made

        yield make


@pytest.fixture(scope="session")
def staying(files):
    """Return a function that gives the reader of a name, who has the page open for all tests."""
    readers = {}

    def get(browser, name, **options):
        known = readers.get(name)
        if known is None or known.page.context.browser is not browser:
            readers[name] = make_reader(browser, **options).open(address(files, QUICK))
        readers[name].show(QUICK)
        return readers[name]

    return get


@pytest.fixture
def page(browser, staying):
    """The page with a quick run, as if it had just been opened."""
    return staying(browser, "desk")


@pytest.fixture
def phone(browser, staying):
    """The page on a phone."""
    return staying(browser, "phone", **PHONE)
