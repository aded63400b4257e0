// The head of the sheet about the pinned moment: when, what happens, and steps from there.

export function render({model}) {
  const page = document.documentElement
  const root = element("div", {class: "moment"})
  const step = by => go({step: by})
  const jump = by => go({event: kinds.value, by})
  const unpin = () => model.send_msg({unpin: true})
  const kinds = element("select", {})
  let going = false
  const title = element("h2", {role: "status"})
  const happened = element("p", {class: "happened"})

  function go(message) {
    going = true
    model.send_msg(message)
  }

  function build() {
    const {texts} = model
    const chosen = kinds.value
    kinds.setAttribute("aria-label", texts.of)
    kinds.replaceChildren(...Object.entries(model.kinds).map(
      ([value, text]) => element("option", {value}, [text])))
    if (chosen) kinds.value = chosen
    const button = (text, hint, act) => element("button", {
      type: "button", title: hint, "aria-label": hint, onclick: act}, [text])
    root.replaceChildren(
      title,
      element("div", {class: "steps"}, [
        button("←", texts.back, () => step(-1)), button("→", texts.forward, () => step(1)),
      ]),
      element("div", {class: "steps"}, [
        button("⇤", texts.previous, () => jump(-1)), kinds, button("⇥", texts.next, () => jump(1)),
      ]),
      happened,
      button("✕", texts.unpin, unpin),
    )
    show()
  }

  function show() {
    title.textContent = model.title
    happened.textContent = model.happened
    happened.title = model.happened
    page.toggleAttribute("data-pinned", model.pinned)
  }

  const KEYS = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), ",": () => step(-1), ".": () => step(1),
    p: () => jump(-1), n: () => jump(1), Escape: unpin,
  }
  function onKey(event) {
    if (!model.pinned || !KEYS[event.key] || !isForPage(event)) return
    if (event.key === "Escape" && page.hasAttribute("data-span")) return  // the interval goes first
    event.preventDefault()
    // a key that is held goes on once the last step is drawn, and stops when it is let go
    if (!(event.repeat && going)) KEYS[event.key]()
  }

  document.addEventListener("keydown", onKey)
  model.on(["texts", "kinds"], together(build))
  model.on(["title", "happened", "pinned"], together(show))
  model.on("msg:custom", () => requestAnimationFrame(() => { going = false }))
  model.on("remove", () => document.removeEventListener("keydown", onKey))
  build()
  return root
}
