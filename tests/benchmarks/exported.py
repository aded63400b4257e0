"""How large an exported page is and how quick: python -m tests.benchmarks.exported [loads] [steps].

Prints the size of a page of the defaults, how long it takes from opening it from a disk to its
first picture, and from a step of a slider to the frame that shows what follows in the timeline,
and in the charts in sight too; medians over so many loads (5 unless told) and steps (40), in
Chromium without a network, 1440 × 900 pixels.
"""

import gzip
import pathlib
import statistics
import sys
import tempfile

from app.export import export_html
from tests.browser.conftest import ARGUMENTS, CHROMIUM

WARM_UP = 10
"""Steps of the slider that do not count."""

DRAG = """async steps => {
  const form = document.getElementById("controls").shadowRoot
  const slider = form.getElementById("control-agents-slider")
  const page = document.documentElement
  const frame = () => new Promise((resolve, reject) => {
    requestAnimationFrame(resolve)
    setTimeout(() => reject(new Error("no frame within 10 s")), 10_000)
  })
  const painted = () => new Promise(resolve => {
    const {port1, port2} = new MessageChannel()
    port1.onmessage = resolve
    port2.postMessage(0)
  })
  const charts = Bokeh.documents[0].get_model_by_name("shares")
  const times = []
  for (let i = 0; i < steps; i++) {
    slider.value = 20 + (i * 7) % 40
    const seen = page.dataset.pictures
    const begin = performance.now()
    slider.dispatchEvent(new Event("input"))
    do {
      await frame()
      if (performance.now() - begin > 10_000) throw new Error("no picture within 10 s")
    } while (page.dataset.pictures === seen)
    await painted()
    const first = performance.now() - begin
    while (charts.hold_render) await frame()
    await painted()
    times.push([first, performance.now() - begin])
    await new Promise(resolve => setTimeout(resolve, 120))
  }
  return times
}"""
"""A message sent in a frame arrives when the frame has been painted."""


def main(loads=5, steps=40):
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        path = export_html(pathlib.Path(folder) / "page.html")
        text = path.read_bytes()
        ready, steps = measured(path.as_uri(), loads, steps)
    print(f"size                {len(text) / 1e6:6.2f} MB")
    print(f"gzipped             {len(gzip.compress(text)) / 1e6:6.2f} MB")
    painted, charted = zip(*steps, strict=True)
    for name, times in (("ready", ready), ("slider to painted", painted), ("charts too", charted)):
        print(f"{name:19} {statistics.median(times):6.0f} ms, least {min(times):.0f}")


def measured(address, loads, steps):
    """Return milliseconds until a page is ready, and until each step is painted."""
    from playwright.sync_api import sync_playwright

    ready = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for _ in range(loads):
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            context.set_offline(True)
            page = context.new_page()
            page.goto(address)
            page.wait_for_selector("html[data-complete]", state="attached")
            ready.append(float(page.locator("html").get_attribute("data-ready")))
            if len(ready) < loads:
                context.close()
        painted = page.evaluate(DRAG, WARM_UP + steps)[WARM_UP:]
        browser.close()
    return ready, painted


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
