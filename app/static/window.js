// Moving a window of time: what keys and buttons do, for the figures that share a range.

const ZOOM = 0.6
const STEP = 0.25

// `range` returns the figures' range, `pointer` the seconds about which to zoom, or null.
function makeWindow(range, pointer) {
  function show(start, end) {
    const shown = range()
    const [low, high] = shown.bounds
    const width = Math.min(Math.max(end - start, shown.min_interval ?? 0), high - low)
    const left = Math.min(Math.max(low, (start + end - width) / 2), high - width)
    shown.setv({start: left, end: left + width})
  }

  // Zooms about the pointer if it is over a figure, else about the middle.
  function zoom(factor) {
    const {start, end} = range()
    const at = pointer()
    const about = at !== null && at > start && at < end ? at : (start + end) / 2
    show(about - (about - start) * factor, about + (end - about) * factor)
  }

  function move(share) {
    const {start, end, bounds} = range()
    const by = Math.min(Math.max(share * (end - start), bounds[0] - start), bounds[1] - end)
    show(start + by, end + by)
  }

  const whole = () => show(...range().bounds)

  const keys = {
    w: () => zoom(ZOOM), s: () => zoom(1 / ZOOM), a: () => move(-STEP), d: () => move(STEP),
    "+": () => zoom(ZOOM), "=": () => zoom(ZOOM), "-": () => zoom(1 / ZOOM), 0: whole,
  }

  // Buttons for all of it; `texts` are those of the timeline.
  function buttons(texts) {
    const button = (text, hint, act) => element("button", {
      type: "button", title: hint, "aria-label": hint, onclick: act}, [text])
    return [
      button("←", texts.left, keys.a), button("→", texts.right, keys.d),
      button("−", texts.zoom_out, keys.s), button("+", texts.zoom_in, keys.w),
      button("⟷", texts.all, whole),
    ]
  }

  return {keys, buttons}
}
