// The command palette: everything that can be done, found by typing a few letters of it.

const APPLE = /Mac|iPhone|iPad/.test(navigator.platform)
const MOST = 60

// Whether all words occur, and how early: the least is the best.
function fit(words, command) {
  const text = command.text.toLowerCase()
  const all = `${text} ${command.group.toLowerCase()} ${command.id.replaceAll("_", " ")}`
  let sum = 0
  for (const word of words) {
    const at = all.indexOf(word)
    if (at < 0) return null
    // a word within another, as fix in prefix, is found last
    const within = /[a-z0-9]/.test(all[at - 1] ?? "") ? all.length : 0
    sum += text.startsWith(word) ? -1 : at + within
  }
  return sum
}

export function render({model}) {
  const root = element("div", {class: "commands"})
  const list = element("ul", {id: "command-list", role: "listbox"})
  const none = element("p", {class: "none", role: "status", hidden: ""})
  const input = element("input", {
    type: "text", role: "combobox", autocomplete: "off", spellcheck: "false",
    "aria-autocomplete": "list", "aria-expanded": "true", "aria-controls": "command-list",
    oninput: () => show(),
  })
  const dialog = element("dialog", {class: "palette"}, [input, list, none])
  const button = element("button", {type: "button", class: "opener", "aria-haspopup": "dialog"})
  let shown = []
  let chosen = 0

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    shown = model.commands
      .map((command, place) => ({command, place, fit: fit(words, command)}))
      .filter(found => found.fit !== null)
      .sort((a, b) => words.length ? a.fit - b.fit || a.place - b.place : a.place - b.place)
      .slice(0, words.length ? MOST : undefined)
      .map(found => found.command)
    chosen = 0
    list.replaceChildren(...shown.map((command, place) => element("li", {
      id: `command-${place}`, role: "option", "data-id": command.id,
      onclick: () => run(command),
      onpointermove: () => { if (chosen !== place) choose(place, false) },
    }, [
      element("span", {class: "group"}, [command.group]),
      element("span", {class: "text"}, [command.text]),
    ])))
    none.hidden = shown.length > 0
    choose(0)
  }

  function choose(place, scroll = true) {
    list.children[chosen]?.setAttribute("aria-selected", "false")
    chosen = place
    const option = list.children[place]
    option?.setAttribute("aria-selected", "true")
    if (option) input.setAttribute("aria-activedescendant", option.id)
    else input.removeAttribute("aria-activedescendant")
    if (scroll) option?.scrollIntoView({block: "nearest"})
  }

  // What the browser does by itself is done by the part of the page that can.
  function run(command) {
    dialog.close()
    const [kind, name] = command.id.split(":")
    const event = new CustomEvent("command", {detail: {kind, name}, cancelable: true})
    if (document.documentElement.dispatchEvent(event)) model.send_msg({kind, name})
  }

  const STEPS = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8}
  input.addEventListener("keydown", event => {
    if (event.key === "Enter") {
      if (shown[chosen] && !event.isComposing) run(shown[chosen])
    } else if (STEPS[event.key] && shown.length) {
      const to = chosen + STEPS[event.key]
      const single = Math.abs(STEPS[event.key]) === 1
      choose(single ? (to + shown.length) % shown.length : Math.min(Math.max(to, 0), shown.length - 1))
    } else return
    event.preventDefault()
  })

  function open() {
    if (dialog.open) return
    input.value = ""
    dialog.showModal()
    show()
    input.focus()
  }

  function onKey(event) {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return
    event.preventDefault()
    if (dialog.open) dialog.close()
    else open()
  }

  function build() {
    const {texts} = model
    const keys = APPLE ? "⌘ K" : "Ctrl K"
    button.replaceChildren(element("kbd", {"aria-hidden": "true"}, [keys]))
    button.title = `${texts.open} (${keys})`
    button.setAttribute("aria-label", texts.open)
    dialog.setAttribute("aria-label", texts.title)
    input.placeholder = texts.find
    input.setAttribute("aria-label", texts.find)
    list.setAttribute("aria-label", texts.title)
    none.textContent = texts.none
    if (dialog.open) show()
  }

  button.addEventListener("click", open)
  dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close() })
  document.addEventListener("keydown", onKey)
  model.on(["texts", "commands"], together(build))
  model.on("remove", () => document.removeEventListener("keydown", onKey))
  build()
  root.append(button, dialog)
  return root
}
