// The bar above the figures, and how one moves in them: keys, hover, pin. Python is told the
// window once a gesture has come to rest, and bins it anew.

const REST = 80

export function render({model}) {
  const root = element("div", {class: "bar"})
  const legend = makeLegend(model)
  const caption = element("p", {class: "caption", role: "status"})
  const chosen = element("button", {
    type: "button", class: "chosen", onclick: () => model.send_msg({agent: null})})
  const buttons = element("div", {class: "buttons", role: "group"})

  // --- the window ---

  let resting = null
  function rest() {
    player.draw()
    clearTimeout(resting)
    resting = setTimeout(() => {
      nameFigures(model)
      const columns = Math.round(figureView(model, "timeline")?.frame.bbox.width ?? 0)
      model.send_msg({columns})
    }, REST)
  }

  let pointer = null
  const moving = makeWindow(() => timeRange(model), () => pointer)

  const player = makePlayer(model, message => model.send_msg(message))
  // an exported page has no intervals
  const interval = typeof makeInterval === "undefined" ? null : makeInterval(model)

  const KEYS = {...moving.keys, " ": () => player.toggle()}

  function onKey(event) {
    const act = KEYS[event.key.toLowerCase()]
    if (act && isForPage(event)) {
      act()
      event.preventDefault()
    }
  }

  // --- hover and pin ---

  const tip = makeTip(model, hover => [
    element("strong", {}, [hover.title]),
    element("span", {class: "state"}, [swatch(hover.state), hover.label]),
    ...hover.lines.map(line => element("span", {}, [line])),
  ])

  function leave() {
    if (pointer !== null) model.send_msg({hover: null})
    pointer = null
    tip.leave()
  }

  function onMove(event) {
    const view = figureView(model, "timeline")
    const spot = view && event.composedPath().includes(view.el) ? place(view, event) : null
    if (!spot || event.buttons) {
      leave()
      return
    }
    pointer = spot.x
    tip.over(event, [spot.x, spot.y])
  }

  const PINNABLE = ["timeline", "events", "shares", "evictions", "hit_rate", "oversubscription",
    "occupancy", "composition", "context"]
  function onClick(event) {
    const hit = figureAt(model, PINNABLE, event)
    if (!hit) return
    const {x, y} = hit.spot
    model.send_msg({pin: hit.name === "timeline" ? [x, y] : [x]})
  }

  // --- what the bar shows ---

  function swatch(name) {
    const mark = element("i", {class: "swatch", "aria-hidden": "true"})
    mark.style.background = model.states.find(state => state.name === name).color
    return mark
  }

  function showBar() {
    chosen.hidden = !model.chosen
    chosen.replaceChildren(model.chosen, element("i", {"aria-hidden": "true"}, ["×"]))
    chosen.title = model.texts.clear_agent
    chosen.setAttribute("aria-label", `${model.chosen}: ${model.texts.clear_agent}`)
    caption.textContent = model.caption
    caption.title = model.texts.keys
  }

  function showButtons() {
    buttons.replaceChildren(...moving.buttons(model.texts), ...(interval ? [interval.button] : []))
  }

  // --- life ---

  const range = timeRange(model)
  range.properties.start.change.connect(rest)
  range.properties.end.change.connect(rest)
  const listeners = [["keydown", onKey], ["pointermove", onMove], ...plainClicks(onClick)]
  for (const [name, act] of listeners) document.addEventListener(name, act)
  document.documentElement.addEventListener("pointerleave", leave)
  const sized = new ResizeObserver(rest)
  sized.observe(root)
  model.on(["caption", "texts", "chosen"], together(showBar))
  model.on("texts", () => { showButtons(); player.label() })
  model.on("figures", () => nameFigures(model))
  model.on("speed", player.label)
  model.on("clock", () => player.set(model.clock))
  model.on("msg:custom", tip.answered)
  model.on("remove", () => {
    for (const [name, act] of listeners) document.removeEventListener(name, act)
    document.documentElement.removeEventListener("pointerleave", leave)
    sized.disconnect()
    clearTimeout(resting)
    player.end()
    interval?.end()
    legend.end()
  })
  showBar()
  showButtons()
  root.append(
    element("div", {class: "row"}, [legend.node, buttons]),
    element("div", {class: "row"}, [player.node, chosen, caption]),
    tip.node,
  )
  return root
}
