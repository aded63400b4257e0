// Marking an interval of the run: a drag with Shift over any figure on the time axis, or a plain one
// after the button; [ and ] set its ends at the pinned moment. Bokeh must not take these drags for
// its own: they are caught before it hears of them.

const MARKABLE = ["timeline", "events", "shares", "evictions", "hit_rate", "oversubscription",
  "occupancy", "composition", "agent_lanes", "context"]
const LEAST = 4

function makeInterval(model) {
  const page = document.documentElement
  let drag = null  // {view, pointer, x, from}
  let armed = false
  let swallow = false

  const box = () => figure(model, "marked_interval")
  const shade = span => box().setv(
    span ? {left: span[0], right: span[1], visible: true} : {visible: false}, {sync: false})

  // The seconds below a pointer, cut to the figure.
  function secondsAt(view, event) {
    const {left, width} = view.frame.bbox
    const across = event.clientX - view.canvas_view.el.getBoundingClientRect().left - left
    const {start, end} = view.model.x_range
    return start + Math.min(Math.max(across / width, 0), 1) * (end - start)
  }

  // Whole ticks from one moment to another.
  function between(a, b) {
    const {tick} = model
    const first = Math.floor(Math.min(a, b) / tick + 1e-9)
    const stop = Math.ceil(Math.max(a, b) / tick - 1e-9)
    return [first * tick, Math.max(stop, first + 1) * tick]
  }

  function arm(on) {
    armed = on
    button.setAttribute("aria-pressed", String(on))
  }

  function onPress(event) {
    swallow = false
    if (event.button !== 0 || !event.isPrimary || !(event.shiftKey || armed)) return
    const hit = figureAt(model, MARKABLE, event)
    if (!hit) return
    drag = {view: hit.view, pointer: event.pointerId, x: event.clientX, from: hit.spot.x}
    event.stopPropagation()
    event.preventDefault()
  }

  function onMove(event) {
    if (event.pointerId === drag?.pointer) shade(between(drag.from, secondsAt(drag.view, event)))
  }

  function onRelease(event) {
    if (event.pointerId !== drag?.pointer) return
    const {view, x, from} = drag
    drag = null
    swallow = true
    if (event.type === "pointercancel" || Math.abs(event.clientX - x) < LEAST) {
      shade(model.span)
      return
    }
    event.stopPropagation()
    arm(false)
    model.send_msg({span: between(from, secondsAt(view, event))})
  }

  function onClick(event) {
    if (!swallow) return
    swallow = false
    event.stopPropagation()
  }

  function onKey(event) {
    if (!isForPage(event)) return
    if (event.key === "[" || event.key === "]") {
      model.send_msg({end: event.key === "[" ? "start" : "stop"})
    } else if (event.key === "Escape" && (drag || armed)) {
      drag = null
      arm(false)
      shade(model.span)
    } else if (event.key === "Escape" && model.span) model.send_msg({span: null})
    else return
    event.preventDefault()
  }

  const button = element("button", {type: "button", class: "mark", "aria-pressed": "false",
    onclick: () => arm(!armed)}, ["[ ]"])

  function show() {
    page.toggleAttribute("data-span", Boolean(model.span))
    button.title = model.texts.mark
    button.setAttribute("aria-label", model.texts.mark)
  }

  const listeners = [
    ["pointerdown", onPress, true], ["pointermove", onMove, true], ["pointerup", onRelease, true],
    ["pointercancel", onRelease, true], ["click", onClick, true], ["keydown", onKey, false],
  ]
  for (const [name, act, first] of listeners) document.addEventListener(name, act, first)
  model.on(["span", "texts"], together(show))
  show()
  return {
    button,
    end() {
      for (const [name, act, first] of listeners) document.removeEventListener(name, act, first)
    },
  }
}
