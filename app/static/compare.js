// The head of the comparison.

export function render({model}) {
  const root = element("div", {class: "head", role: "status"})
  const button = (text, message, kind = "") => element("button", {
    type: "button", class: kind, onclick: () => model.send_msg(message)}, [text])

  function show() {
    const {texts} = model
    const close = button("✕", "close", "quiet")
    close.title = texts.close
    close.setAttribute("aria-label", texts.close)
    const parts = [element("div", {class: "title"}, [element("h2", {}, [model.title]), close])]
    if (model.busy) {
      parts.push(element("p", {class: "busy"}, [
        element("span", {class: "spinner"}), model.busy, button(texts.cancel, "cancel")]))
    }
    if (model.failed) {
      parts.push(element("p", {class: "failed"}, [model.failed, button(texts.again, "again")]))
    }
    if (model.stale) {
      parts.push(element("p", {class: "stale"}, [texts.stale, button(texts.again, "again")]))
    }
    if (model.said) parts.push(element("p", {class: "said"}, [model.said]))
    parts.push(element("p", {class: "note"}, [model.note]))
    root.replaceChildren(...parts)
  }

  model.on(["texts", "title", "note", "said", "busy", "failed", "stale"], together(show))
  show()
  return root
}
