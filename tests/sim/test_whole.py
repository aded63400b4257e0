"""Files that are written whole or not at all."""

import pathlib

import pytest

from sim.whole import whole


def test_a_file_is_replaced_once_all_of_it_is_written(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with whole(path) as half:
        half.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def fail():
        with whole(path) as half:
            half.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    with whole(link) as half:
        half.write_text("new")
    assert link.is_symlink()
    assert path.read_text() == "new"


def test_an_error_names_the_file(tmp_path):
    path = tmp_path / "missing" / "file"
    with pytest.raises(OSError, match="No such file") as error, whole(path) as half:
        half.write_text("new")
    assert error.value.filename == str(path)


def test_what_is_no_file_is_written_to_directly():
    with whole("/dev/null") as half:
        assert half == pathlib.Path("/dev/null")
        half.write_text("gone")
    assert not pathlib.Path("/dev/null").is_file()
