// The bar above the figures, and how one moves in them: keys, hover, pin. Python is told the
// window once a gesture has come to rest, and bins it anew.

const REST = 80
const ZOOM = 0.6
const STEP = 0.25

// States that the legend always names; the others only where they occur.
const USUAL = ["decode", "prefill", "waiting_phase", "waiting_kv", "idle"]

export function render({model}) {
  const root = element("div", {class: "bar"})
  const legend = element("ul", {class: "legend"})
  const caption = element("p", {class: "caption", role: "status"})
  const tip = element("div", {class: "tip", hidden: "", role: "tooltip"})
  const buttons = element("div", {class: "buttons", role: "group"})

  // --- the window ---

  let resting = null
  function rest() {
    player.draw()
    clearTimeout(resting)
    resting = setTimeout(() => {
      nameFigures()
      const columns = Math.round(figureView(model, "timeline")?.frame.bbox.width ?? 0)
      model.send_msg({columns})
    }, REST)
  }

  function show(start, end) {
    const range = timeRange(model)
    const [low, high] = range.bounds
    const width = Math.min(Math.max(end - start, range.min_interval ?? 0), high - low)
    const left = Math.min(Math.max(low, (start + end - width) / 2), high - width)
    range.setv({start: left, end: left + width})
  }

  // Zooms about the pointer if it is over the timeline, else about the middle.
  let pointer = null
  function zoom(factor) {
    const {start, end} = timeRange(model)
    const about = pointer !== null && pointer > start && pointer < end ? pointer : (start + end) / 2
    show(about - (about - start) * factor, about + (end - about) * factor)
  }

  function move(share) {
    const {start, end, bounds} = timeRange(model)
    const by = Math.min(Math.max(share * (end - start), bounds[0] - start), bounds[1] - end)
    show(start + by, end + by)
  }

  const whole = () => show(...timeRange(model).bounds)

  const player = makePlayer(model, message => model.send_msg(message))

  const KEYS = {
    w: () => zoom(ZOOM), s: () => zoom(1 / ZOOM), a: () => move(-STEP), d: () => move(STEP),
    "+": () => zoom(ZOOM), "=": () => zoom(ZOOM), "-": () => zoom(1 / ZOOM), 0: whole,
    " ": () => player.toggle(),
  }

  function onKey(event) {
    const act = KEYS[event.key.toLowerCase()]
    if (act && isForPage(event)) {
      act()
      event.preventDefault()
    }
  }

  // --- hover and pin ---

  let asked = false
  let wanted = null
  function ask(question) {
    if (asked) {
      wanted = question
      return
    }
    asked = true
    wanted = null
    model.send_msg({hover: question})
  }

  function answered({hover}) {
    asked = false
    if (wanted) ask(wanted)
    else if (hover && pointer !== null) {
      tip.replaceChildren(
        element("strong", {}, [hover.title]),
        element("span", {class: "state"}, [swatch(hover.state), hover.label]),
        ...hover.lines.map(line => element("span", {}, [line])),
      )
      tip.hidden = false
      putTip()
    }
  }

  let at = {clientX: 0, clientY: 0}
  function putTip() {
    const box = tip.getBoundingClientRect()
    const right = at.clientX + 16 + box.width < innerWidth
    const below = at.clientY + 18 + box.height < innerHeight
    tip.style.left = `${Math.max(4, right ? at.clientX + 16 : at.clientX - box.width - 12)}px`
    tip.style.top = `${Math.max(4, below ? at.clientY + 18 : at.clientY - box.height - 12)}px`
  }

  function leave() {
    if (pointer !== null) model.send_msg({hover: null})
    pointer = null
    wanted = null
    tip.hidden = true
  }

  function onMove(event) {
    const view = figureView(model, "timeline")
    const spot = view && event.composedPath().includes(view.el) ? place(view, event) : null
    if (!spot || event.buttons) {
      leave()
      return
    }
    pointer = spot.x
    at = event
    if (!tip.hidden) putTip()
    if (event.pointerType !== "touch") ask([spot.x, spot.y])
  }

  let pressed = null
  const onPress = event => { pressed = event }

  const PINNABLE = ["timeline", "events", "shares", "evictions", "hit_rate", "oversubscription",
    "occupancy"]
  function onClick(event) {
    const moved = pressed && Math.hypot(event.clientX - pressed.clientX,
      event.clientY - pressed.clientY) > 4
    if (moved) return
    for (const name of PINNABLE) {
      const view = figureView(model, name)
      const spot = view && event.composedPath().includes(view.el) ? place(view, event) : null
      if (spot) model.send_msg({pin: name === "timeline" ? [spot.x, spot.y] : [spot.x]})
    }
  }

  // --- what the bar shows ---

  function swatch(name) {
    const mark = element("i", {class: "swatch", "aria-hidden": "true"})
    mark.style.background = model.states.find(state => state.name === name).color
    return mark
  }

  function showBar() {
    legend.setAttribute("aria-label", model.texts.legend)
    const shown = model.states.filter(state => state.share || USUAL.includes(state.name))
    legend.replaceChildren(...shown.map(state => element(
      "li", {}, [swatch(state.name), state.label, element("b", {}, [state.share])])))
    caption.textContent = model.caption
    caption.title = model.texts.keys
  }

  function showButtons() {
    const {texts} = model
    const button = (text, hint, act) => element("button", {
      type: "button", title: hint, "aria-label": hint, onclick: act}, [text])
    buttons.replaceChildren(
      button("←", texts.left, KEYS.a), button("→", texts.right, KEYS.d),
      button("−", texts.zoom_out, KEYS.s), button("+", texts.zoom_in, KEYS.w),
      button("⟷", texts.all, whole),
    )
  }

  function nameFigures() {
    for (const [name, text] of Object.entries(model.figures)) {
      const view = figureView(model, name)
      view?.el.setAttribute("role", "img")
      view?.el.setAttribute("aria-label", text)
    }
  }

  // --- life ---

  const range = timeRange(model)
  range.properties.start.change.connect(rest)
  range.properties.end.change.connect(rest)
  const listeners = [
    ["keydown", onKey], ["pointermove", onMove], ["pointerdown", onPress], ["click", onClick],
  ]
  for (const [name, act] of listeners) document.addEventListener(name, act)
  document.documentElement.addEventListener("pointerleave", leave)
  const sized = new ResizeObserver(rest)
  sized.observe(root)
  model.on(["states", "caption", "texts"], together(showBar))
  model.on("texts", () => { showButtons(); player.label() })
  model.on("figures", nameFigures)
  model.on("speed", player.label)
  model.on("clock", () => player.set(model.clock))
  model.on("msg:custom", answered)
  model.on("remove", () => {
    for (const [name, act] of listeners) document.removeEventListener(name, act)
    document.documentElement.removeEventListener("pointerleave", leave)
    sized.disconnect()
    clearTimeout(resting)
    player.end()
  })
  showBar()
  showButtons()
  root.append(
    element("div", {class: "row"}, [legend, buttons]),
    element("div", {class: "row"}, [player.node, caption]),
    tip,
  )
  return root
}
