// What stands above the two timelines, and how one moves in them: keys, clicks. Python is told
// the window once a gesture has come to rest, and bins it anew.

const REST = 80
const TAB = "compare"

export function render({model}) {
  const root = element("div", {class: "versus"})
  const range = () => figure(model, "versus_a").x_range
  const act = name => () => model.send_msg({do: name})

  // --- the window ---

  let pointer = null
  let resting = null
  let followed = null
  const moving = makeWindow(range, () => pointer)

  function rest() {
    clearTimeout(resting)
    resting = setTimeout(() => {
      nameFigures(model)
      const width = figureView(model, "versus_a")?.frame.bbox.width ?? 0
      model.send_msg({columns: Math.round(width)})
    }, REST)
  }

  function unfollow() {
    followed?.properties.start.change.disconnect(rest)
    followed?.properties.end.change.disconnect(rest)
    followed = null
  }

  // The figures come later than this bar, and may come anew.
  function follow() {
    const shown = model.ready ? figure(model, "versus_a")?.x_range : null
    if (shown === followed) return
    unfollow()
    followed = shown ?? null
    followed?.properties.start.change.connect(rest)
    followed?.properties.end.change.connect(rest)
    if (followed) rest()
  }

  // --- keys and pointer ---

  function onKey(event) {
    if (!model.ready || !isForPage(event, TAB)) return
    if (event.key === "Escape") model.send_msg({pin: null})
    else if (moving.keys[event.key.toLowerCase()]) moving.keys[event.key.toLowerCase()]()
    else return
    event.preventDefault()
  }

  function spotOf(event) {
    if (!model.ready) return null
    for (const name of Object.keys(model.figures)) {
      const view = figureView(model, name)
      if (view && event.composedPath().includes(view.el)) return place(view, event)
    }
    return null
  }

  const onMove = event => { pointer = spotOf(event)?.x ?? null }
  function onClick(event) {
    const spot = spotOf(event)
    if (spot) model.send_msg({pin: spot.x})
  }

  // --- what is shown ---

  function invitation() {
    const {texts} = model
    const example = ({name, title, look}) => element("li", {}, [
      element("button", {type: "button", onclick: () => model.send_msg({example: name})}, [title]),
      element("span", {}, [look]),
    ])
    return [
      element("p", {class: "said"}, [texts.intro]),
      element("p", {}, [
        element("button", {type: "button", class: "first", onclick: act("pin")}, [texts.pin]), " ",
        element("span", {class: "muted"}, [texts.keys])]),
      element("p", {}, [texts.ready]),
      element("ul", {class: "examples"}, model.examples.map(example)),
    ]
  }

  function differing() {
    const {texts, settings} = model
    if (!settings.length) return element("p", {class: "muted"}, [texts.alike])
    const row = ({label, a, b}) => element("li", {}, [
      element("span", {class: "muted"}, [`${label} `]), a,
      element("span", {class: "muted", "aria-label": texts.becomes, role: "img"}, [" → "]),
      element("b", {}, [b]),
    ])
    return element("ul", {class: "settings", "aria-label": texts.settings}, settings.map(row))
  }

  function state({label, color, share}) {
    const swatch = element("i", {class: "swatch", "aria-hidden": "true"})
    swatch.style.background = color
    return element("li", {}, [swatch, label, element("b", {}, [share])])
  }

  function status() {
    const {texts} = model
    if (model.busy) {
      const parts = [element("span", {class: "spinner"}), element("span", {}, [model.busy])]
      if (model.ready) {
        parts.push(element("button", {type: "button", onclick: act("cancel")}, [texts.cancel]))
      }
      return [element("p", {class: "status"}, parts)]
    }
    if (!model.failed) return []
    return [element("p", {class: "status failed"}, [
      element("span", {}, [model.failed]),
      element("button", {type: "button", onclick: act("again")}, [texts.again])])]
  }

  function compared() {
    const {texts} = model
    return [
      element("p", {class: "said", role: "status"}, [model.said]),
      ...model.warnings.map(text => element("p", {class: "warning"}, [text])),
      differing(),
      ...status(),
      element("div", {class: "row"}, [
        element("ul", {class: "states", "aria-label": model.keys.legend}, model.states.map(state)),
        element("div", {class: "buttons", role: "group", "aria-label": texts.move},
          moving.buttons(model.keys)),
      ]),
      element("p", {class: "moment", role: "status"}, [model.moment || model.keys.keys]),
    ]
  }

  function show() {
    const held = root.getRootNode().activeElement
    const place = [...root.querySelectorAll("button")].indexOf(held)
    const alone = () => [element("p", {class: "said", role: "status"}, [model.said]), ...status()]
    root.replaceChildren(...(model.ready ? compared() : model.pinned ? alone() : invitation()))
    if (place >= 0) root.querySelectorAll("button")[place]?.focus()
  }

  const listeners = [["keydown", onKey], ["pointermove", onMove], ...plainClicks(onClick)]
  for (const [name, listener] of listeners) document.addEventListener(name, listener)
  const sized = new ResizeObserver(() => {
    follow()
    if (followed) rest()
  })
  sized.observe(root)
  model.on(["texts", "keys", "pinned", "ready", "examples", "said", "warnings", "settings",
    "states", "moment", "busy", "failed"], together(show))
  model.on(["figures", "ready"], () => setTimeout(() => { follow(); nameFigures(model) }))
  model.on("remove", () => {
    for (const [name, listener] of listeners) document.removeEventListener(name, listener)
    sized.disconnect()
    unfollow()
    clearTimeout(resting)
  })
  show()
  return root
}
