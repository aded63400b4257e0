// What stands above the heatmap, and how one moves in it: the pointer opens the cell it clicks,
// the keyboard goes from cell to cell.

export function render({model}) {
  const root = element("div", {class: "explore"})
  const choices = element("div", {class: "choices"})
  const status = element("div", {class: "status"})
  const about = element("p", {class: "about"})
  const reader = element("div", {class: "reader", tabindex: "0", role: "application"})
  const said = element("span", {role: "status"})
  const open = element("button", {type: "button", onclick: () => model.send_msg({open: null})})
  const choose = what => model.send_msg({choose: what})

  function axis(name) {
    const select = element("select", {onchange: event => choose({[name]: event.target.value})},
      model.axes.map(([value, text]) => element("option", {value}, [text])))
    select.value = model[name]
    return element("label", {}, [element("span", {}, [model.texts[name]]), select])
  }

  function showChoices() {
    const {texts} = model
    const swap = element("button", {
      type: "button", title: texts.swap, "aria-label": texts.swap,
      onclick: () => choose({x: model.y, y: model.x}),
    }, ["⇄"])
    const held = choices.getRootNode().activeElement
    const place = [...choices.querySelectorAll("select, button, input")].indexOf(held)
    choices.replaceChildren(
      axis("x"), swap, axis("y"),
      element("div", {class: "metric"}, [
        segments("metric", texts.metric, model.metrics, model.metric, metric => choose({metric}))]),
    )
    if (place >= 0) {  // what had the focus keeps it
      const again = choices.querySelectorAll("select, button, input")[place]
      const chosen = again?.type === "radio" ? choices.querySelector("input:checked") : again
      chosen?.focus()
    }
  }

  function showStatus() {
    const {texts} = model
    const button = (text, act) => element("button", {
      type: "button", onclick: () => model.send_msg({do: act})}, [text])
    const parts = []
    if (model.busy) {
      parts.push(
        element("progress", {max: model.total, value: model.done, "aria-label": texts.progress}),
        element("span", {}, [model.busy]), button(texts.cancel, "cancel"))
    } else if (model.failed) {
      parts.push(element("span", {class: "failed"}, [model.failed]), button(texts.again, "again"))
    } else {
      parts.push(element("span", {}, [model.complete]))
    }
    const keys = element("span", {class: "keys"}, [
      element("i", {class: "border", "aria-hidden": "true"}), texts.avalanche,
      element("i", {class: "present", "aria-hidden": "true"}), texts.here])
    status.replaceChildren(...parts, keys)
  }

  function showReader() {
    const {texts} = model
    reader.setAttribute("aria-label", model.figure)
    said.textContent = model.cell || texts.note
    open.textContent = texts.open
    open.hidden = !model.cell
    const view = figureView(model, "heatmap")
    view?.el.setAttribute("role", "img")
    view?.el.setAttribute("aria-label", model.figure)
  }

  // --- moving ---

  const STEPS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1]}
  reader.addEventListener("keydown", event => {
    if (event.target !== reader || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === "Enter") model.send_msg({open: null})
    else if (event.key === "Escape") model.send_msg({move: null})
    else if (STEPS[event.key]) model.send_msg({move: STEPS[event.key]})
    else return
    event.preventDefault()
    event.stopPropagation()
  })
  reader.addEventListener("focusin", () => { if (!model.cell) model.send_msg({move: [0, 0]}) })
  reader.addEventListener("focusout", event => {
    if (!reader.contains(event.relatedTarget)) model.send_msg({move: null})
  })

  function onClick(event) {
    const view = figureView(model, "heatmap")
    if (!view || !event.composedPath().includes(view.el)) return
    const spot = place(view, event)
    if (spot) model.send_msg({open: [spot.x, spot.y]})
  }
  function onMove(event) {
    const view = figureView(model, "heatmap")
    if (!view || !event.composedPath().includes(view.el)) return
    view.el.style.cursor = place(view, event) ? "pointer" : ""
  }

  const listeners = [...plainClicks(onClick), ["pointermove", onMove]]
  for (const [name, act] of listeners) document.addEventListener(name, act)
  model.on(["texts", "axes", "metrics", "x", "y", "metric"], together(showChoices))
  model.on(["texts", "done", "total", "busy", "complete", "failed"], together(showStatus))
  model.on(["texts", "cell", "figure"], together(showReader))
  const showAbout = () => { about.textContent = model.about }
  model.on("about", showAbout)
  model.on("remove", () => {
    for (const [name, act] of listeners) document.removeEventListener(name, act)
  })
  reader.append(said, open)
  root.append(choices, status, reader, about)
  showAbout()
  showChoices()
  showStatus()
  showReader()
  return root
}
