// The export menu: the scenario as a file and as text to copy; the run as files of several kinds.

const NAMES = ["address", "python", "command", "json", "snippet", "link"]

export function render({model}) {
  const root = element("details", {class: "menu"})

  // A large file comes in parts, of which the last says what it is.
  const parts = {}

  function save({file, name, mime}) {
    const url = URL.createObjectURL(new Blob([...parts[name] ?? [], file], {type: mime}))
    delete parts[name]
    element("a", {href: url, download: name}).click()
    setTimeout(() => URL.revokeObjectURL(url), 1000)
  }

  // Copies one of the texts; returns what came of it.
  async function copied(name) {
    const text = name === "address" ? location.href : model.copies[name]
    if (!text) return model.copy_names.too_long
    return await copy(text) ? model.texts.copied : model.texts.failed
  }

  // Asked for by name, as in the command palette, the menu opens to say what came of it.
  async function onCommand(event) {
    const {kind, name} = event.detail
    if (kind !== "copy") return
    event.preventDefault()
    const said = await copied(name)
    root.open = true
    const button = root.querySelector(`[data-copy="${name}"]`)
    button.textContent = said
    button.focus()
    setTimeout(() => {
      build()
      root.open = false
    }, 1600)
  }

  function build() {
    const {texts, copy_names} = model
    const item = (name, onclick) => element("button", {
      type: "button", class: "quiet", title: texts[`${name}_help`], onclick}, [texts[name]])
    const say = (button, text) => {
      button.textContent = text
      setTimeout(build, 2000)
    }
    const copier = name => {
      const button = element("button", {
        type: "button", class: "quiet", title: copy_names[`${name}_help`], "data-copy": name,
        onclick: async () => say(button, await copied(name)),
      }, [copy_names[name]])
      return button
    }
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
        page,
        element("b", {}, [copy_names.title]),
        element("div", {class: "kinds"}, NAMES.map(copier)),
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
  document.documentElement.addEventListener("command", onCommand)
  model.on(["texts", "names", "copy_names", "ready"], together(build))
  model.on("msg:custom", message => {
    if ("part" in message) {
      (parts[message.name] ??= []).push(message.part)
      return
    }
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
  model.on("remove", () => {
    document.removeEventListener("click", close)
    document.documentElement.removeEventListener("command", onCommand)
  })
  build()
  return root
}
