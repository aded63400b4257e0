// The tabs above the picture; which of them is open stands on the page itself, whose style sheet
// shows the panel that belongs to it.

export function render({model}) {
  const page = document.documentElement
  const root = element("div", {class: "tabs", role: "tablist"})
  const opened = () => root.querySelector("[aria-selected=true]")

  function build() {
    const held = root.getRootNode().activeElement
    root.setAttribute("aria-label", model.label)
    root.replaceChildren(...model.names.map(([name, text]) => element("button", {
      type: "button", role: "tab", "data-tab": name, onclick: () => choose(name)}, [text])))
    show()
    if (held && root !== held && held.role === "tab") opened().focus()
  }

  function choose(name) {
    model.send_msg({tab: name})
    open(name)  // at once; the answer says the same
  }

  function open(name) {
    // what is opened from within a panel takes the focus along, which would be lost with it
    const within = page.dataset.tab !== name &&
      document.activeElement?.closest(`#panel-${page.dataset.tab}`)
    page.dataset.tab = name
    for (const tab of root.children) {
      const chosen = tab.dataset.tab === name
      tab.setAttribute("aria-selected", String(chosen))
      tab.tabIndex = chosen ? 0 : -1
      const panel = document.getElementById(`panel-${tab.dataset.tab}`)
      panel.setAttribute("role", "tabpanel")
      panel.setAttribute("aria-label", tab.textContent)
    }
    if (within) opened().focus()
  }

  const show = () => open(model.tab)

  const STEPS = {ArrowRight: 1, ArrowLeft: -1}
  root.addEventListener("keydown", event => {
    const tabs = [...root.children]
    const ends = {Home: 0, End: tabs.length - 1}
    const place = tabs.indexOf(event.target)
    const next = ends[event.key] ?? (place + (STEPS[event.key] ?? NaN) + tabs.length) % tabs.length
    if (!tabs[next]) return
    choose(tabs[next].dataset.tab)
    tabs[next].focus()
    event.preventDefault()
    event.stopPropagation()
  })

  model.on(["label", "names"], together(build))
  model.on("tab", show)
  build()
  return root
}
