"""The figures on screen: colours, zoom, pin, hover, replay."""

import pytest

from app.derive import SHADES, worker_at
from app.describe import hover
from app.palette import THEMES, faded_colors, state_colors
from app.runs import run
from app.state import read_query
from app.texts import Texts
from tests.browser.conftest import QUICK


def recorded(query=QUICK):
    return run(read_query(query)[0].scenario, lambda: False).recording


def view_of(visit):
    f = visit.frame()
    return f["start"], f["end"]


@pytest.mark.parametrize(("palette", "theme"), [("default", "light"), ("colorblind", "dark")])
def test_pixels_have_the_colours_of_the_states(visit, palette, theme):
    recording = recorded()
    tick_s, span = recording.tick_s, 40
    colors = state_colors(palette, theme)
    seen = set()
    page = visit()
    for start in (0, 2 * recording.ticks // 5, recording.ticks - span):
        view = f"view={start * tick_s}-{(start + span) * tick_s}"
        page.open(f"{QUICK}&{view}&palette={palette}&theme={theme}")
        places = [
            (worker, tick)
            for worker in range(recording.workers)
            for tick in range(start + 1, start + span - 1, 3)
        ]
        spots = page.spots(
            ((tick + 0.5) * tick_s, recording.workers - worker - 0.55) for worker, tick in places
        )
        wanted = [colors[recording.shade_at(*place)[0]] for place in places]
        assert page.colors(*spots) == wanted
        seen |= {recording.shade_at(*place)[0] for place in places}
    shown = {SHADES[code] for code in seen}
    assert shown >= {"decode", "prefill", "prefill_again", "waiting_phase"}


def test_zoomed_out_a_lane_is_a_stack_of_shares(visit):
    recording = recorded()
    page = visit()
    bottom = page.spot(recording.ticks * recording.tick_s / 2, 0.03)
    colors = state_colors("default", "light")
    across = [(bottom[0] + 7 * i - 280, bottom[1]) for i in range(80)]
    shown = page.colors(*across)
    low = {colors[SHADES.index(s)] for s in ("decode", "prefill", "waiting_phase", "idle")}
    assert len(set(shown) & low) >= 2
    assert colors[SHADES.index("decode")] in shown


def test_the_legend_shows_states_alone(visit):
    recording = recorded()
    full, faded = state_colors(), faded_colors()
    page = visit()

    def colors_of(worker):
        """Colours on screen where a worker is long in one state, and that state."""
        mine = [row for row in zip(*recording.shades, strict=True) if row[0] == worker]
        _, start, stop, shade = max(mine, key=lambda row: row[2] - row[1])
        at = (start + stop) / 2 * recording.tick_s, recording.workers - worker - 0.5
        return page.colors(page.spot(*at))[0], shade

    color, shade = colors_of(0)
    assert color == full[shade]
    texts = Texts("en")
    other = next(name for name in ("decode", "idle") if name != SHADES[shade])
    page.page.get_by_role("button", name=texts(f"states.{other}")).first.click()
    page.wait_for_query(f"isolate={other}")
    page.until(lambda: colors_of(0)[0] == faded[shade])
    button = page.page.locator(".legend button", has_text=texts(f"states.{SHADES[shade]}")).first
    assert button.get_attribute("aria-pressed") == "false"
    button.click(modifiers=["Shift"])
    page.until(lambda: colors_of(0)[0] == full[shade])
    assert set(read_query(page.query())[0].isolate) == {other, SHADES[shade]}
    assert button.get_attribute("aria-pressed") == "true"
    button.press("Enter")
    page.until(lambda: read_query(page.query())[0].isolate == [SHADES[shade]])
    page.page.keyboard.press("Escape")
    page.page.wait_for_function("() => !location.search.includes('isolate=')")
    tax = page.page.locator(".page-tax")
    tax.locator("summary").click()
    shares = tax.locator("tbody td:nth-child(2)").all_inner_texts()
    assert sum(float(share.removesuffix(" %")) for share in shares) == pytest.approx(100, abs=0.5)
    assert page.complaints == []


def test_a_large_run_is_not_blank(visit):
    query = "workers=64&agents=64&turns=60,60&tick_ms=50&routing=round_robin&kv_capacity=250000"
    recording = recorded(query)
    assert recording.ticks > 100_000
    page = visit(query, viewport={"width": 1440, "height": 2600})
    total = recording.ticks * recording.tick_s
    for name, low in (("timeline", 1), ("minimap", 0), ("shares", 0), ("occupancy", 0)):
        f = page.frame(name)
        xs = [total * share for share in (0.02, 0.2, 0.4, 0.6, 0.8)]
        ys = [f["low"] + (f["high"] - f["low"]) * (i + 0.5) / 24 for i in range(24)]
        shown = page.colors(*page.spots([(x, y) for x in xs for y in ys], name))
        assert len(set(shown)) > 1 + low, name
        blank = shown.count(THEMES["light"].surface) / len(shown)
        assert blank < (0.6 if name == "shares" else 0.5), name


def test_keys_zoom_and_move(visit):
    page = visit()
    start, end = view_of(page)
    page.page.keyboard.press("w")
    page.wait_for_query("view=")
    low, high = view_of(page)
    assert high - low == pytest.approx(0.6 * (end - start))
    page.page.keyboard.press("d")
    assert view_of(page)[0] == pytest.approx(low + 0.25 * (high - low))
    page.page.keyboard.press("a")
    assert view_of(page)[0] == pytest.approx(low)
    page.page.keyboard.press("s")
    page.page.keyboard.press("0")
    assert view_of(page) == (start, end)
    page.page.wait_for_function("() => !location.search.includes('view=')")


def test_keys_leave_text_alone(visit):
    page = visit()
    before = view_of(page)
    page.page.locator('.control[data-name="agents"] input.value').focus()
    page.page.keyboard.type("ws 0")
    assert view_of(page) == before


def test_the_wheel_zooms_and_a_drag_pans(visit):
    page = visit()
    f = page.frame()
    page.page.mouse.move(f["left"] + f["width"] / 2, f["top"] + 60)
    page.page.mouse.wheel(0, -600)
    page.wait_for_query("view=")
    low, high = view_of(page)
    assert high - low < f["end"] - f["start"]
    page.page.mouse.down()
    page.page.mouse.move(f["left"] + f["width"] / 2 - 150, f["top"] + 60, steps=4)
    page.page.mouse.up()
    page.until(lambda: view_of(page)[0] > low)
    assert "pin=" not in page.query()


def test_the_window_survives_a_new_run(visit):
    page = visit(f"{QUICK}&view=10-40")
    for routing in ("random", "round_robin"):
        with page.changing():
            page.page.get_by_label("Routing", exact=True).select_option(routing)
        assert view_of(page) == (10, 40)
    page.wait_for_query("view=10-40")


def test_a_click_pins_and_keys_step(visit):
    recording = recorded()
    page = visit()
    worker, tick = 1, recording.ticks // 2
    spot = page.spot((tick + 0.5) * recording.tick_s, recording.workers - worker - 0.5)
    page.page.mouse.click(*spot)
    page.wait_for_query("pin=")
    pinned = read_query(page.query())[0]
    assert pinned.worker == worker
    assert abs(pinned.pin - tick) <= 2
    sheet = page.page.locator(".page-moment")
    page.page.locator("tr.chosen", has_text=f"DP {worker}").wait_for()
    state = SHADES[recording.shade_at(worker, pinned.pin)[0]]
    assert Texts("en")(f"states.{state}") in page.page.locator("tr.chosen").inner_text()
    page.page.keyboard.press("ArrowRight")
    page.wait_for_query(f"pin={pinned.pin + 1}&")
    page.page.keyboard.press("ArrowLeft")
    page.wait_for_query(f"pin={pinned.pin}&")
    page.page.get_by_label("Kind of event").select_option("evict")
    page.page.get_by_role("button", name="Previous event of this kind").click()
    page.page.locator(".happened", has_text="evicts").wait_for()
    evictions = recording.result.of_kind("evict")["tick"]
    before = evictions[evictions < pinned.pin].max()
    page.wait_for_query(f"pin={before}&")
    page.page.keyboard.press("Escape")
    page.page.wait_for_function("() => !location.search.includes('pin=')")
    sheet.wait_for(state="hidden")
    assert page.complaints == []


def test_the_hover_says_what_the_model_says(visit):
    recording = recorded()
    page = visit()
    worker, tick = 2, recording.ticks // 3
    spot = page.spot((tick + 0.5) * recording.tick_s, recording.workers - worker - 0.5)
    page.page.mouse.move(*spot)
    tip = page.page.get_by_role("tooltip")
    tip.wait_for()
    f = page.frame()
    seconds = f["start"] + (spot[0] - f["left"]) / f["width"] * (f["end"] - f["start"])
    tick = recording.tick_at(seconds)
    moment = worker_at(recording, worker, tick)
    said = hover(moment, Texts("en"), recording.tick_s, tick)
    page.until(lambda: said["title"] in tip.inner_text())
    for line in (said["label"], *said["lines"]):
        assert line in tip.inner_text()
    page.page.mouse.move(5, 5)
    tip.wait_for(state="hidden")


def covered(page, name="timeline"):
    """Share of a figure's frame that the replay still covers; None without a replay."""
    return page.page.evaluate(
        """name => {
            const figure = Bokeh.documents[0].get_model_by_name(name)
            const view = Bokeh.index.find_one_by_id(figure.id)
            const sheet = view.shadow_el.querySelector(".cover")
            if (!sheet) return null
            const [inner, outer] = [sheet, sheet.parentNode].map(n => n.getBoundingClientRect())
            return Math.max(0, (outer.right - inner.left) / outer.width)
        }""",
        name,
    )


def test_the_replay_grows_pauses_and_ends(visit):
    recording = recorded()
    page = visit(f"{QUICK}&speed=10")
    total = recording.ticks * recording.tick_s
    blank, bottom = THEMES["light"].surface, 0.5
    late = page.spot(0.9 * total, bottom)
    assert page.colors(late) != [blank]
    page.page.get_by_role("button", name="Play").click()
    page.until(lambda: covered(page) is not None)
    shares = []
    for _ in range(4):
        shares.append(covered(page))
        page.page.wait_for_timeout(250)
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1] > 0
    for name in ("minimap", "events", "shares", "hit_rate", "occupancy"):
        assert covered(page, name) == pytest.approx(covered(page), abs=0.1)
    assert page.colors(late) == [blank]
    page.page.keyboard.press("Escape")
    page.page.get_by_role("button", name="Pause").click()
    page.wait_for_query("clock=")
    at = read_query(page.query())[0].clock
    assert 0 < at < total
    assert covered(page) == pytest.approx(1 - at / total, abs=0.02)
    page.page.wait_for_timeout(300)
    assert covered(page) == pytest.approx(1 - at / total, abs=0.02)
    page.page.get_by_label("Speed").select_option("1000")
    page.wait_for_query("speed=1000")
    page.page.get_by_role("button", name="Play").click()
    page.until(lambda: covered(page) is None)
    page.page.wait_for_function("() => !location.search.includes('clock=')")
    assert page.colors(late) != [blank]
    assert page.complaints == []


def test_the_replay_can_be_scrubbed_and_linked(visit):
    total = recorded().ticks * recorded().tick_s
    page = visit()
    scrub = page.page.get_by_label("Time in the run")
    scrub.evaluate(
        """(node, value) => {
            node.value = value
            node.dispatchEvent(new Event("input"))
            node.dispatchEvent(new Event("change"))
        }""",
        total / 4,
    )
    page.wait_for_query("clock=")
    assert covered(page) == pytest.approx(0.75, abs=0.02)
    again = visit(page.query())
    again.until(lambda: covered(again) is not None)
    assert covered(again) == pytest.approx(0.75, abs=0.02)
    page.page.get_by_role("button", name="Show the whole run").click()
    page.until(lambda: covered(page) is None)


def test_who_asks_for_reduced_motion_gets_steps(visit):
    page = visit(reduced_motion="reduce")
    step = page.page.get_by_role("button", name="Next step")
    step.click()
    page.wait_for_query("clock=")
    first = covered(page)
    page.page.wait_for_timeout(400)
    assert covered(page) == first
    step.click()
    page.until(lambda: covered(page) < first)
