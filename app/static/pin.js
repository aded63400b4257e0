// The buttons of the baseline: pin, unpin, swap; and the key that pins and unpins.

const KEY = "b"

export function render({model}) {
  const root = element("div", {class: "pin", role: "group"})

  function button(name) {
    const {texts} = model
    return element("button", {
      type: "button", title: texts[`${name}_hint`], "data-do": name,
      "aria-keyshortcuts": name === "swap" ? null : KEY.toUpperCase(),
      onclick: () => model.send_msg(name),
    }, [texts[name]])
  }

  function show() {
    const {texts} = model
    const held = root.getRootNode().activeElement?.dataset.do
    root.setAttribute("aria-label", texts.title)
    const parts = [button("pin")]
    if (model.pinned) {
      const text = texts.pinned.replace("{name}", model.what)
      const name = element("span", {class: "name", title: text, role: "status"}, [text])
      parts.splice(0, 1, name, button("swap"), button("unpin"))
    }
    if (model.failed) parts.unshift(element("span", {class: "failed", role: "alert"}, [model.failed]))
    root.replaceChildren(...parts)
    if (held) (root.querySelector(`[data-do=${held}]`) ?? root.querySelector("button")).focus()
  }

  function onKey(event) {
    if (event.key.toLowerCase() !== KEY || event.repeat || !isForPage(event, null)) return
    model.send_msg(model.pinned ? "unpin" : "pin")
    event.preventDefault()
  }

  function onCommand(event) {
    const {kind, name} = event.detail
    if (kind !== "baseline") return
    event.preventDefault()
    model.send_msg(name)
  }

  document.addEventListener("keydown", onKey)
  document.documentElement.addEventListener("command", onCommand)
  model.on("remove", () => {
    document.removeEventListener("keydown", onKey)
    document.documentElement.removeEventListener("command", onCommand)
  })
  model.on(["texts", "pinned", "what", "failed"], together(show))
  show()
  return root
}
