// The parts of the page are the dashboard's own scripts. Here they find what Panel gives them
// there: a model with values, messages and listeners, and a shadow root with their styles.

function makeModel(values, onmessage) {
  const listeners = new Map()
  const tell = names => {
    const acts = new Set(names.flatMap(name => listeners.get(name) ?? []))
    for (const act of acts) act()
  }
  return {
    ...values,
    on(names, act) {
      for (const name of [names].flat()) {
        listeners.set(name, [...(listeners.get(name) ?? []), act])
      }
    },
    send_msg: onmessage,
    // Changes values and tells those who listen for what differs.
    update(changes) {
      const changed = Object.keys(changes).filter(name => !sameValue(this[name], changes[name]))
      Object.assign(this, changes)
      tell(changed)
    },
    // Hands the part a message, as the server would.
    answer(message) { for (const act of listeners.get("msg:custom") ?? []) act(message) },
  }
}

// `figures` is the Bokeh document, where the scripts look for figures and listen.
function mount(id, render, model, styles, figures) {
  if (model) model.document = figures
  const root = document.getElementById(id).attachShadow({mode: "open"})
  for (const name of ["base", ...styles]) {
    root.append(element("style", {}, [FACTS.styles[name]]))
  }
  root.append(render({model}))
  return root
}
