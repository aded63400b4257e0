"""The texts of the stories: both languages, every step, and no other."""

import json
import pathlib

import pytest

from sim.stories import STORIES

TEXTS = pathlib.Path(__file__).parents[2] / "app" / "texts"
LANGUAGES = {
    language: json.loads((TEXTS / f"stories_{language}.json").read_text("utf-8"))["stories"]
    for language in ("en", "zh")
}


@pytest.mark.parametrize("texts", LANGUAGES.values(), ids=LANGUAGES)
def test_every_story_and_step_is_told(texts):
    assert list(texts) == list(STORIES)
    for id, story in STORIES.items():
        told = texts[id]
        assert set(told) == {"title", "intro", "steps"}
        assert list(told["steps"]) == [step.id for step in story.steps]
        for step in told["steps"].values():
            assert set(step) == {"title", "text", "look"}
            assert all(step.values())
        assert told["title"]
        assert told["intro"]


def test_the_languages_differ():
    for id in STORIES:
        english, chinese = (LANGUAGES[language][id] for language in ("en", "zh"))
        assert english["intro"] != chinese["intro"]
        for step in english["steps"]:
            assert english["steps"][step]["text"] != chinese["steps"][step]["text"]
