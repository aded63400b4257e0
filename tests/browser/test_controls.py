"""Each control changes what it should, checked against the simulator."""

import param
import pytest

from app.fields import CHOSEN_WITH, LAYOUT
from app.state import read_query
from sim.scenario import DISTRIBUTIONS, Scenario
from tests.browser.conftest import QUICK
from tests.browser.test_page import check_numbers

NEEDED = {
    "host_load_rate": [("host_kv_capacity", 100_000)],
    "transfer_rate": [("prefill_workers", 2)],
    **{name: [(other, values[-1])] for name, (other, values) in CHOSEN_WITH.items()},
    "group_size": [("prefill_workers", 0), ("lock", "phase")],
    "chunk_tokens": [("prefill_workers", 0), ("lock", "step")],
}
"""What must be set for a control to be shown."""

NEW = {
    "gpus": 6,
    "gpus_per_worker": 2,
    "kv_capacity": 55_000,
    "agents": 9,
    "seed": 4,
    "turns": [2, 3],
    "input_tokens": [500, 5000],
    "output_tokens": [100, 300],
    "think_ms": [100, 9000],
    "prefill_workers": 1,
    "group_size": 2,
    "context_limit": 30_000,
    "shared_prefix": 1500,
    "host_kv_capacity": 150_000,
    "host_load_rate": 900,
    "prefill_rate": 5200,
    "decode_rate": 32.5,
    "decode_slowdown": 0.25,
    "chunk_tokens": 128,
    "transfer_rate": 4000,
    "quantum": 3,
    "decode_interval": 9,
    "max_delay": 12,
    "mixed_share": 0.2,
    "cache_threshold": 0.9,
    "balance_abs": 0,
    "balance_rel": 1,
    "max_concurrent_agents": 2,
    "stagger_ms": 7000,
    "compact_to": 3000,
    "tick_ms": 100,
}
"""What each slider and list is set to; choices and switches take their other values."""


def choices(name):
    kind = Scenario.param[name]
    if isinstance(kind, param.Boolean):
        return [not kind.default]
    return [value for value in kind.objects if value not in (kind.default, "table")]


def enter(page, name, value):
    control = page.locator(f'.control[data-name="{name}"]')
    group = control.locator("xpath=ancestor::details")
    if group.count() and not group.evaluate("node => node.open"):
        group.locator("summary").click()
    if name in DISTRIBUTIONS:
        boxes = control.locator(".range input")
        boxes.nth(0).fill(str(value[0]))
        boxes.nth(1).fill(str(value[1]))
        boxes.nth(1).press("Enter")
    elif isinstance(value, bool):
        control.get_by_role("switch").click()
    elif control.locator("select").count():
        control.locator("select").select_option(value)
    elif control.locator(".segments").count():
        control.locator(f'input[value="{value}"]').check(force=True)
    else:
        box = control.locator("input.value")
        box.fill(str(value))
        box.press("Enter")


def field_of(state, name):
    owner = state if name in ("gpus", "gpus_per_worker") else state.scenario
    return getattr(owner, name)


def set_and_check(page, name, value):
    before, seen = page.query(), page.pictures
    if field_of(read_query(before)[0], name) == value:
        return
    enter(page.page, name, value)
    page.until(lambda: field_of(read_query(page.query())[0], name) == value, name)
    if name != "gpus_per_worker":  # which only counts GPUs
        page.next_picture(seen)
    check_numbers(page)


@pytest.mark.parametrize("group", LAYOUT)
def test_each_control_of(visit, group):
    page = visit()
    for name in LAYOUT[group]:
        for other, value in NEEDED.get(name, ()):
            set_and_check(page, other, value)
        for value in [NEW[name]] if name in NEW else choices(name):
            set_and_check(page, name, value)
    assert page.complaints == []


def test_what_belongs_to_another_choice_is_hidden(visit):
    page = visit()
    quantum = page.page.locator('.control[data-name="quantum"]')
    page.open_groups()
    assert not quantum.is_visible()
    with page.changing():
        enter(page.page, "phase_policy", "time_slice")
    quantum.wait_for()


def test_what_has_no_effect_says_why(visit):
    page = visit(f"{QUICK}&prefill_workers=2")
    policy = page.page.locator('.control[data-name="phase_policy"]')
    assert "prefill–decode disaggregation" in policy.inner_text()
    assert policy.locator("select").is_disabled()


def test_a_refused_value_says_what_is_allowed_and_keeps_the_picture(visit):
    page = visit()
    agents = page.page.locator('.control[data-name="agents"]')
    before = page.query()
    for text in ("0", "many", "2.5"):
        agents.locator("input.value").fill(text)
        agents.locator("input.value").press("Enter")
        note = agents.locator(".note")
        page.page.wait_for_function(
            "([note, text]) => note.textContent.startsWith(text)",
            arg=[note.element_handle(), f"{text} is not allowed: a whole number from 1 to"],
        )
        assert page.query() == before
        assert agents.locator("input.value").input_value() == text
    check_numbers(page)
    with page.changing():
        enter(page.page, "agents", 7)
    assert agents.locator(".note").inner_text() == ""
    assert page.complaints == []


def test_numbers_may_be_typed_beyond_the_slider_and_in_short(visit):
    page = visit()
    with page.changing():
        enter(page.page, "kv_capacity", "1.25M")
    assert read_query(page.query())[0].scenario.kv_capacity == 1_250_000
    box = page.page.locator('.control[data-name="kv_capacity"] input.value')
    assert box.input_value() == "1,250,000"


def test_a_drag_shows_the_picture_of_its_end(visit):
    page = visit()
    slider = page.page.get_by_role("slider", name="Agents", exact=True)
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.page.mouse.move(box["x"] + 20, middle)
    page.page.mouse.down()
    for step in range(10):
        page.page.mouse.move(box["x"] + 20 + 4 * step, middle)
    with page.changing():
        page.page.mouse.up()
    chosen = read_query(page.query())[0].scenario.agents
    assert chosen == int(slider.input_value()) != 6
    check_numbers(page)


def test_the_newest_of_many_changes_wins(visit):
    page = visit()
    slider = page.page.get_by_role("slider", name="GPUs", exact=True)
    slider.focus()
    for _ in range(12):
        page.page.keyboard.press("ArrowRight")
    page.wait_for_query("workers=16")
    page.next_picture(0)
    page.page.wait_for_timeout(1000)
    check_numbers(page)
    assert page.complaints == []


def test_presets_and_reset(visit):
    page = visit()
    presets = page.page.get_by_label("Preset")
    assert presets.input_value() == ""
    with page.changing():
        presets.select_option("article_fig2")
    page.wait_for_query("kv_capacity=600000")
    assert read_query(page.query())[0].preset == "article_fig2"
    check_numbers(page)
    with page.changing():
        page.page.get_by_role("button", name="Reset").click()
    assert read_query(page.query())[0].preset == "default"
