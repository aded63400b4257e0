// The button that opens and closes the comparison.

export function render({model}) {
  const button = element("button", {
    type: "button", class: "open", onclick: () => model.send_msg("toggle")})
  const show = () => {
    button.textContent = model.text
    button.setAttribute("aria-expanded", String(model.opened))
    document.documentElement.toggleAttribute("data-compared", model.opened)
  }
  model.on(["text", "opened"], together(show))
  show()
  return button
}
