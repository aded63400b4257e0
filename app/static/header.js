// Presets, language, display, link and help. Also keeps the address up to date.

function chooseTheme(theme) {
  const root = document.documentElement
  root.dataset.chosenTheme = theme
  root.dispatchEvent(new Event("themechosen"))
}

export function render({model}) {
  const root = element("div", {class: "header"})
  const page = document.documentElement
  const choose = (name, value) => model.send_msg({name, value})

  function presets() {
    const {texts} = model
    const options = model.presets.map(p => element("option", {value: p.name}, [p.title]))
    if (!model.preset) options.unshift(element("option", {value: "", disabled: ""}, [texts.custom]))
    const select = element("select", {
      id: "preset", onchange: event => choose("preset", event.target.value),
    }, options)
    select.value = model.preset
    const look = model.presets.find(p => p.name === model.preset)?.look ?? ""
    return [
      element("label", {class: "preset"}, [element("span", {}, [texts.preset]), select]),
      element("p", {class: "look", title: look}, [look]),
    ]
  }

  function display() {
    const {texts} = model
    const menu = element("details", {class: "menu"}, [
      element("summary", {}, [texts.display]),
      element("div", {class: "sheet"}, [
        element("p", {}, [texts.theme]),
        segments("theme", texts.theme, Object.entries(texts.themes), model.theme, value => {
          chooseTheme(value)
          choose("theme", value)
        }),
        element("p", {}, [texts.palette]),
        segments("palette", texts.palette, Object.entries(texts.palettes), model.palette,
          value => choose("palette", value)),
      ]),
    ])
    menu.addEventListener("keydown", event => {
      if (event.key === "Escape") menu.open = false
    })
    menu.addEventListener("focusout", event => {
      if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false
    })
    return menu
  }

  function help() {
    const {title, body, keys} = model.help
    const rows = Object.entries(keys).map(([key, text]) => element("tr", {}, [
      element("th", {scope: "row"}, key.split(" ").map(k => element("kbd", {}, [k]))),
      element("td", {}, [text]),
    ]))
    const dialog = element("dialog", {"aria-label": title}, [
      element("h2", {}, [title]),
      ...body.map(text => element("p", {}, [text])),
      element("table", {}, rows),
      element("form", {method: "dialog"}, [element("button", {}, [model.texts.close])]),
    ])
    dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close() })
    return dialog
  }

  function build() {
    const {texts} = model
    page.lang = model.language
    document.querySelector(".skip").textContent = texts.skip
    document.querySelector(".page-settings > details > summary").textContent = texts.settings
    const dialog = help()
    const link = element("button", {type: "button", onclick: async () => {
      link.textContent = await copy(location.href) ? texts.copied : texts.copy_failed
      setTimeout(() => { link.textContent = texts.copy }, 2000)
    }}, [texts.copy])
    root.replaceChildren(
      element("div", {class: "presets"}, presets()),
      element("div", {class: "tools"}, [
        display(),
        segments("language", texts.language, Object.entries(model.languages), model.language,
          value => choose("language", value)),
        link,
        element("button", {type: "button", onclick: () => dialog.showModal()}, [texts.help]),
      ]),
      dialog,
    )
  }

  // A page without a server keeps its settings elsewhere and has no query.
  const address = () => {
    if (model.query) history.replaceState(history.state, "", `?${model.query}${location.hash}`)
  }
  const markDark = () => { page.dataset.figures = model.dark ? "dark" : "light" }
  const tellDark = () => choose("dark", page.dataset.theme === "dark")
  const closeMenu = event => {
    const menu = root.querySelector(".menu")
    if (menu?.open && !event.composedPath().includes(menu)) menu.open = false
  }

  function onCommand(event) {
    const {kind, name} = event.detail
    if (kind === "help") root.querySelector("dialog").showModal()
    else if (kind === "theme") {
      chooseTheme(name)
      choose("theme", name)
    } else return
    event.preventDefault()
  }
  const onKey = event => {
    const typed = event.composedPath()[0].matches?.("input:not([type=range]), textarea, select")
    if (event.key !== "?" || typed) return
    const dialog = root.querySelector("dialog")
    if (dialog.open) dialog.close()
    else dialog.showModal()
    event.preventDefault()
  }

  model.on("query", address)
  model.on("dark", markDark)
  model.on(["texts", "language", "presets", "help"], together(build))
  model.on("preset", () => root.querySelector(".presets").replaceChildren(...presets()))
  page.addEventListener("themechange", tellDark)
  page.addEventListener("command", onCommand)
  document.addEventListener("keydown", onKey)
  document.addEventListener("click", closeMenu)
  model.on("remove", () => {
    page.removeEventListener("themechange", tellDark)
    page.removeEventListener("command", onCommand)
    document.removeEventListener("keydown", onKey)
    document.removeEventListener("click", closeMenu)
  })
  build()
  address()
  markDark()
  if ((page.dataset.theme === "dark") !== model.dark) tellDark()
  return root
}
