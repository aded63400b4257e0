// Beside the matrix of evictions: what it means, its order, and the pairs with the most tokens.

export function render({model}) {
  const root = element("div", {class: "evictors"})
  const choose = agent => model.send_msg({agent})

  function most() {
    const {columns, most} = model.texts
    const lines = model.pairs.map(([evictor, victim, times, tokens]) => element("tr", {
      onclick: () => choose(victim)}, [
      element("td", {class: "number"}, [String(evictor)]),
      element("td", {class: "number"}, [element("button", {
        type: "button", "aria-label": model.choose.replace("{agent}", victim)}, [String(victim)])]),
      element("td", {class: "number"}, [times]), element("td", {class: "number"}, [tokens])]))
    return [element("h4", {}, [most]), element("div", {class: "scroll"}, [
      element("table", {"aria-label": most}, [
        element("thead", {}, [element("tr", {}, Object.values(columns).map(
          text => element("th", {scope: "col"}, [text])))]),
        element("tbody", {}, lines)])])]
  }

  function show() {
    const {texts} = model
    const held = root.getRootNode().activeElement?.value
    const parts = [element("h3", {}, [texts.title])]
    if (model.pairs.length) {
      parts.push(
        element("p", {class: "muted"}, [texts.about]),
        segments("evictors-order", texts.order, Object.entries(texts.orders), model.order,
          order => model.send_msg({order})),
        ...most(),
      )
    } else parts.push(element("p", {class: "muted"}, [texts.none]))
    if (model.reclaimed) parts.push(element("p", {class: "muted"}, [model.reclaimed]))
    root.replaceChildren(...parts)
    if (held) root.querySelector(`input[value="${held}"]`)?.focus()
    nameFigure()
  }

  function nameFigure() {
    const view = figureView(model, "evictors")
    view?.el.setAttribute("role", "img")
    view?.el.setAttribute("aria-label", model.figure)
  }

  const spotOf = event => figureAt(model, ["evictors"], event)?.spot
  function onMove(event) {
    const view = figureView(model, "evictors")
    if (view) view.el.style.cursor = spotOf(event) ? "pointer" : ""
  }
  function onClick(event) {
    const spot = spotOf(event)
    if (spot) model.send_msg({spot: [spot.x, spot.y]})
  }

  const listeners = [["click", onClick], ["pointermove", onMove]]
  for (const [name, act] of listeners) document.addEventListener(name, act)
  model.on(["texts", "pairs", "order", "reclaimed", "figure", "choose"], together(show))
  model.on("remove", () => {
    for (const [name, act] of listeners) document.removeEventListener(name, act)
  })
  show()
  whenLaidOut(model, "evictors", nameFigure)
  return root
}
