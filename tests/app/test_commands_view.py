"""The command palette names everything that can be done, and does it."""

import pytest

from app.state import TABS, AppState
from app.texts import LANGUAGES
from app.views.commands import Commands
from app.views.controls import Controls
from app.views.export import COPIES, SHOWN, Export
from app.views.header import Header
from app.views.picture import Picture
from app.views.stories import Stories
from sim import PRESETS
from sim.stories import STORIES

IN_THE_BROWSER = ("copy", "field", "theme", "help", "baseline")


class Made:
    def __init__(self, **values):
        self.app = AppState(**values)
        self.export = Export(self.app, lambda callback: None)
        stories = Stories(self.app, Picture(self.app).board)
        self.commands = Commands(
            self.app, Header(self.app), Controls(self.app), stories, self.export
        )

    @property
    def ids(self):
        return [command["id"] for command in self.commands._palette.commands]


@pytest.fixture(scope="module")
def made():
    return Made()


def test_everything_is_named_once_and_in_each_language(made):
    for language in LANGUAGES:
        made.app.language = language
        commands = made.commands._palette.commands
        assert all(command["text"] and command["group"] for command in commands)
        assert len(set(made.ids)) == len(made.ids)
    for kind, names in (
        ("tab", TABS),
        ("copy", COPIES),
        ("save", SHOWN),
        ("preset", PRESETS),
        ("story", STORIES),
    ):
        assert [f"{kind}:{name}" for name in names] == [
            command for command in made.ids if command.startswith(f"{kind}:")
        ]
    assert "field:kv_capacity" in made.ids


def test_each_command_does_something(made, monkeypatch):
    """Each one that the browser leaves to Python is run; none is unknown."""
    done = []
    monkeypatch.setattr(made.export, "save", lambda: done.append("page"))
    for command in made.ids:
        kind, _, name = command.partition(":")
        if kind not in IN_THE_BROWSER:
            made.commands.run(kind, name)
    assert done == ["page"]


def test_what_commands_do():
    made = Made()
    made.commands.run("tab", "explore")
    assert made.app.tab == "explore"
    made.commands.run("preset", "article_fig2")
    assert made.app.preset == "article_fig2"
    made.commands.run("language", "zh")
    assert made.commands._palette.commands[0]["group"] == "前往"
    made.commands.run("reset", "")
    assert made.app.preset == "default"
    made.commands.run("story", "article")
    assert made.app.story.startswith("article.")


def test_what_is_copied_follows_the_scenario():
    made = Made()
    made.commands.run("preset", "article_fig2")
    copies = made.export._menu.copies
    assert set(copies) == {*COPIES} - {"address"}
    assert copies["command"] == "dpascope run --preset article_fig2\n"
    assert 'Scenario.preset("article_fig2")' in copies["python"]
    assert '"kv_capacity": 600000' in copies["json"]
