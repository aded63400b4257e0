"""`dpascope export`, and the functions behind it."""

import html
import json
import re
import urllib.parse

import pytest

from app.cli import main
from app.export import ExportError, address, export_html, page_html, snippet
from app.state import AppState, read_query
from sim import Scenario


def facts_of(text):
    """Return what a page's script knows."""
    return json.loads(re.search(r'id="facts">(.*?)</script>', text)[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["page.html", "--preset", "artcle_fig1"], "did you mean 'article_fig1'?"),
        (["page.html", "--controls", "agnets"], "unknown control 'agnets': did you mean 'agents'?"),
        (["page.html", "--charts", "shares,kv"], "unknown chart 'kv': known: shares, "),
        (["page.html", "--theme", "drak"], "unknown theme 'drak': did you mean 'dark'?"),
        (["page.html", "--lang", "fr"], "unknown language 'fr': known: en, zh"),
        (["page.html", "--scenario", "none.json"], "cannot read none.json: No such file"),
        (["page.html", "--scenario", "bad.json"], "bad.json is no JSON: "),
        (["page.html", "--scenario", "list.json"], "a scenario must be a mapping"),
        (["page.html", "--scenario", "wrong.json"], "agents = 0 must be a whole number"),
        (["none/page.html"], "cannot write none/page.html: No such file or directory"),
        ([], "a file to write is missing"),
    ],
)
def test_what_is_wrong_is_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in {"bad": "{", "list": "[]", "wrong": '{"agents": 0}'}.items():
        (tmp_path / f"{name}.json").write_text(text)
    assert main(["export", *arguments]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.startswith("dpascope export: ")
    assert printed.err.count("\n") == 1
    assert printed.out == ""
    assert not list(tmp_path.glob("*.html"))


def test_options_reach_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text('{"agents": 5, "routing": "random"}')
    arguments = "page.html --scenario mine.json --controls agents,preset --charts none"
    arguments += " --theme dark --transparent --lang zh --title"
    assert main(["export", *arguments.split(), "Yours & <mine>"]) == 0
    assert capsys.readouterr().out == ""
    text = (tmp_path / "page.html").read_text("utf-8")
    facts = facts_of(text)
    assert facts["scenario"] == Scenario(agents=5, routing="random").to_dict()
    assert facts["shown"] == ["agents", "preset"]
    assert (facts["charts"], facts["theme"], facts["language"]) == ([], "dark", "zh")
    assert facts["title"] == "Yours & <mine>"
    assert "<title>Yours &amp; &lt;mine></title>" in text
    assert 'lang="zh" data-chosen-theme="dark" data-transparent>' in text
    assert facts["snapshot"] is None


def test_preset_and_snapshot(tmp_path):
    path = str(tmp_path / "page.html")
    assert main(["export", path, "--preset", "article_fig2", "--snapshot"]) == 0
    facts = facts_of((tmp_path / "page.html").read_text("utf-8"))
    assert facts["scenario"] == Scenario.preset("article_fig2").to_dict()
    assert facts["snapshot"]["summary"]["kills"] == 31


def test_a_file_is_replaced_and_returned(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    assert export_html(path) == path
    assert path.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_refused_choice_leaves_a_file_as_it_was(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(ExportError, match="unknown theme"):
        export_html(path, theme="x")
    assert path.read_text() == "old"


def test_text_from_outside_cannot_end_a_script():
    title = "</script><script>alert(1)</script><!--"
    text = page_html(title=title)
    assert facts_of(text)["title"] == title
    assert text.count("<script") == page_html().count("<script")


def test_snippet_of_a_written_file(tmp_path, capsys):
    path = tmp_path / "page.html"
    assert main(["export", str(path), "--snippet", "--title", 'A "figure"']) == 0
    printed = capsys.readouterr().out
    assert path.exists()
    assert 'src="page.html"' in printed
    assert 'title="A &quot;figure&quot;"' in printed
    for part in ('loading="lazy"', 'sandbox="allow-scripts"', "addEventListener"):
        assert part in printed


def test_snippet_of_another_figure_of_the_same_file(capsys):
    arguments = "--snippet --preset article_fig2 --controls agents --charts none --lang zh"
    assert main(["export", *arguments.split(), "--src", "/figures/page.html"]) == 0
    src = html.unescape(re.search('src="([^"]*)"', capsys.readouterr().out)[1])
    assert src == "/figures/page.html#preset=article_fig2&lang=zh&controls=agents&charts=none"


@pytest.mark.parametrize(
    "state",
    [
        AppState(),
        AppState(scenario=Scenario(agents=48, routing="random", turns=[1, 2, 5]), pin=7),
        AppState(scenario=Scenario.preset("article_fig1"), theme="dark", view=(0, 60)),
        AppState(gpus_per_worker=2, palette="colorblind"),
    ],
)
def test_address_brings_the_state_back(state):
    found, problems = read_query(address(state))
    assert problems == []
    assert found.query() == state.query()


def test_address_says_only_what_differs():
    assert address(AppState()) == "preset=default"
    many = AppState(scenario=Scenario(agents=48))
    assert address(many, "zh") == "preset=default&agents=48&lang=zh"
    asked = urllib.parse.parse_qs(address(AppState(), controls=[], charts=["shares"]))
    assert asked == {"preset": ["default"], "controls": ["none"], "charts": ["shares"]}


def test_snippet_escapes_what_it_is_given():
    text = snippet('a"b.html#x=1&y=2', "<title>")
    assert 'src="a&quot;b.html#x=1&amp;y=2"' in text
    assert 'title="&lt;title&gt;"' in text
