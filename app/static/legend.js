// What the colours mean, and what share of all time each has. A click on a state has the timeline
// show it alone, the others faint; with Shift or Ctrl held it is added to those shown, or taken
// away. Another click, or Escape, shows all again.

// States that the legend always names; the others only where they occur.
const USUAL = ["decode", "prefill", "waiting_phase", "waiting_kv", "idle"]

function makeLegend(model) {
  const node = element("ul", {class: "legend"})
  const entries = new Map()

  function entry(name) {
    if (!entries.has(name)) {
      const mark = element("i", {class: "swatch", "aria-hidden": "true"})
      const label = element("span")
      const share = element("b")
      const button = element("button", {
        type: "button", onclick: event => choose(name, event)}, [mark, label, share])
      entries.set(name, {item: element("li", {}, [button]), button, mark, label, share})
    }
    return entries.get(name)
  }

  function choose(name, event) {
    const now = model.isolate
    const adds = event.shiftKey || event.ctrlKey || event.metaKey
    const alone = now.length === 1 && now[0] === name
    let next = alone ? [] : [name]
    if (adds) next = now.includes(name) ? now.filter(other => other !== name) : [...now, name]
    // in one order, whatever was clicked first; all is as none
    next = model.states.map(state => state.name).filter(other => next.includes(other))
    model.send_msg({isolate: next.length === model.states.length ? [] : next})
  }

  function show() {
    const {states, isolate, texts} = model
    node.setAttribute("aria-label", texts.legend)
    const shown = states.filter(({name, share}) =>
      share || USUAL.includes(name) || isolate.includes(name))
    for (const state of shown) {
      const {button, mark, label, share} = entry(state.name)
      const chosen = isolate.includes(state.name)
      mark.style.background = state.color
      label.textContent = state.label
      share.textContent = state.share
      button.setAttribute("aria-pressed", chosen)
      button.classList.toggle("faint", isolate.length > 0 && !chosen)
      button.title = texts.isolate
    }
    const items = shown.map(({name}) => entry(name).item)
    // nothing is moved without need, as that would lose the focus
    if (items.length !== node.children.length || items.some((item, i) => item !== node.children[i])) {
      const focused = node.getRootNode().activeElement
      node.replaceChildren(...items)
      if (node.contains(focused)) focused.focus()
    }
  }

  // Before whatever else Escape does: but a marked interval goes first.
  function onEscape(event) {
    const ours = event.key === "Escape" && model.isolate.length && isForPage(event)
    if (!ours || document.documentElement.hasAttribute("data-span")) return
    model.send_msg({isolate: []})
    event.stopPropagation()
  }

  document.addEventListener("keydown", onEscape, true)
  model.on(["states", "texts", "isolate"], together(show))
  show()
  return {node, end: () => document.removeEventListener("keydown", onEscape, true)}
}
