// What stands above the agents' lanes, and how one looks into them: hover, click.

const MARGIN = 12

export function render({model}) {
  const root = element("div", {class: "agents-head"})
  const said = element("p", {class: "said", role: "status"})
  const title = element("h2")
  const label = element("span")
  const select = element("select", {onchange: () => sort(select.value)})
  const turn = element("button", {type: "button", class: "turn", onclick: () => {
    sort(model.order.startsWith("-") ? select.value : `-${select.value}`)
  }})
  const legend = element("ul", {class: "legend"})
  const keys = element("p", {class: "keys"})

  const sort = order => model.send_msg({order})

  function show() {
    const {texts, order} = model
    title.textContent = texts.title
    said.textContent = model.said
    label.textContent = texts.order
    select.replaceChildren(...model.metrics.map(
      name => element("option", {value: name}, [texts.columns[name]])))
    select.value = order.replace("-", "")
    const falls = order.startsWith("-")
    turn.textContent = falls ? "↓" : "↑"
    turn.title = falls ? texts.descending : texts.ascending
    turn.setAttribute("aria-label", turn.title)
    keys.textContent = texts.keys
    legend.setAttribute("aria-label", texts.legend)
    legend.replaceChildren(...model.states.map(
      ({name, color}) => element("li", {}, [swatch(color), texts.states[name]])))
    nameFigures(model)
  }

  // Scrolls the lanes, if they scroll, so that the chosen one is in sight.
  function showLane() {
    const view = figureView(model, "agent_lanes")
    const box = view?.el.parentElement ?? view?.el.getRootNode().host
    if (!box || model.lane === null) return
    const at = view.frame.bbox.top + model.lane * view.frame.bbox.height
    const past = at - box.scrollTop
    if (past < MARGIN || past > box.clientHeight - MARGIN) box.scrollTop = at - box.clientHeight / 2
  }

  // --- hover and click ---

  const tip = makeTip(model, hover => [
    element("strong", {}, [hover.title]),
    element("span", {class: "state"}, [
      swatch(model.states.find(state => state.name === hover.state)?.color ?? ""), hover.label]),
    ...hover.lines.map(line => element("span", {}, [line])),
  ])

  let inside = false
  function leave() {
    if (inside) model.send_msg({hover: null})
    inside = false
    tip.leave()
  }

  const spotOf = event => figureAt(model, ["agent_lanes"], event)?.spot

  function onMove(event) {
    const spot = event.buttons ? null : spotOf(event)
    if (!spot) {
      leave()
      return
    }
    inside = true
    tip.over(event, [spot.x, spot.y])
  }

  function onClick(event) {
    const spot = spotOf(event)
    if (spot) model.send_msg({spot: [spot.x, spot.y]})
  }

  const listeners = [["pointermove", onMove], ...plainClicks(onClick)]
  for (const [name, act] of listeners) document.addEventListener(name, act)
  document.documentElement.addEventListener("pointerleave", leave)
  model.on(["texts", "said", "order", "metrics", "states", "figures"], together(show))
  model.on("lane", showLane)
  model.on("msg:custom", tip.answered)
  model.on("remove", () => {
    for (const [name, act] of listeners) document.removeEventListener(name, act)
    document.documentElement.removeEventListener("pointerleave", leave)
  })
  root.append(
    element("div", {class: "row"}, [
      title, said, element("label", {}, [label, select]), turn]),
    element("div", {class: "row"}, [legend, keys]),
    tip.node,
  )
  show()
  // when it is as high as it will be
  whenLaidOut(model, "agent_lanes", () => setTimeout(showLane))
  return root
}
