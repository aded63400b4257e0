"""Each control changes what it should, checked against the simulator."""

import pytest

from app.fields import CHOSEN_WITH, LAYOUT
from app.state import read_query
from sim.scenario import DISTRIBUTIONS, PRESETS, Scenario
from tests.browser.conftest import QUICK
from tests.browser.test_page import check_numbers

NEEDED = {
    "host_load_rate": "host_kv_capacity=100000",
    "transfer_rate": "prefill_workers=2",
    **{
        name: f"{other}={values[-1] if other == 'lock' else values[0]}"
        for name, (other, values) in CHOSEN_WITH.items()
    },
    "group_size": "lock=phase",
}
"""What an address must hold for a control to be shown."""

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

NAMES = [name for group in LAYOUT.values() for name in group]


def choices(name):
    kind = Scenario.param[name]
    known = (
        [True] if type(kind).__name__ == "Boolean" else [o for o in kind.objects if o != "table"]
    )
    return [value for value in known if value != kind.default] or [not kind.default]


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
    elif isinstance(value, str) and control.locator("select").count():
        control.locator("select").select_option(value)
    elif isinstance(value, str):
        control.locator(f'input[value="{value}"]').check(force=True)
    else:
        box = control.locator("input.value")
        box.fill(str(value))
        box.press("Enter")


def field_of(state, name):
    return (
        getattr(state, name)
        if name in ("gpus", "gpus_per_worker")
        else getattr(state.scenario, name)
    )


@pytest.mark.parametrize("group", LAYOUT)
def test_each_control_of(visit, group):
    page = visit()
    for name in LAYOUT[group]:
        for value in [NEW[name]] if name in NEW else choices(name):
            query = f"{QUICK}&{NEEDED.get(name, '')}"
            page.open(query)
            enter(page.page, name, value)
            page.page.wait_for_function("q => location.search.slice(1) !== q", arg=query)
            page.page.wait_for_function(
                "pair => location.search.includes(pair)",
                arg=f"{'workers' if name == 'gpus' else name}=",
            )
            seen = field_of(read_query(page.query())[0], name)
            if seen != value:
                page.page.wait_for_timeout(500)
                seen = field_of(read_query(page.query())[0], name)
            assert seen == value, name
            page.next_picture(0)
            check_numbers(page)
    assert page.complaints == []
