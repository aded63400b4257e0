// The export menu: the scenario as a file, the lines that show it in a post, a link into it; and
// the run as files of several kinds.

export function render({model}) {
  const root = element("details", {class: "menu"})

  function save({file, name, mime}) {
    const url = URL.createObjectURL(new Blob([file], {type: mime}))
    element("a", {href: url, download: name}).click()
    setTimeout(() => URL.revokeObjectURL(url), 1000)
  }

  function build() {
    const {texts} = model
    const item = (name, onclick) => element("button", {
      type: "button", class: "quiet", title: texts[`${name}_help`], onclick}, [texts[name]])
    const say = (button, text) => {
      button.textContent = text
      setTimeout(build, 2000)
    }
    const copier = name => item(name, async event => {
      const button = event.currentTarget
      say(button, await copy(model[name]) ? texts.copied : texts.failed)
    })
    const page = item("page", () => {
      page.textContent = texts.making
      page.disabled = true
      model.send_msg("page")
    })
    const saver = kind => {
      const button = element("button", {
        type: "button", class: "quiet", title: model.names[`${kind}_help`], "data-kind": kind,
        disabled: model.ready ? null : "",
        onclick: () => {
          button.textContent = texts.making
          button.disabled = true
          model.send_msg({kind})
        }}, [model.names[kind]])
      return button
    }
    root.replaceChildren(
      element("summary", {}, [texts.menu]),
      element("div", {class: "sheet"}, [
        page, copier("snippet"), copier("link"),
        element("b", {}, [model.names.title]),
        element("div", {class: "kinds"}, model.kinds.map(saver)),
        element("p", {class: "failed", role: "alert", hidden: ""}),
      ]),
    )
  }

  const close = event => {
    if (root.open && !event.composedPath().includes(root)) root.open = false
  }
  root.addEventListener("keydown", event => { if (event.key === "Escape") root.open = false })
  document.addEventListener("click", close)
  model.on(["texts", "names", "ready"], together(build))
  model.on("msg:custom", message => {
    build()
    if (message.failed) {
      const said = root.querySelector(".failed")
      said.textContent = message.failed
      said.hidden = false
      return
    }
    save(message)
    root.open = false
  })
  model.on("remove", () => document.removeEventListener("click", close))
  build()
  return root
}
