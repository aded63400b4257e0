// What the components' scripts share; it stands before each of them.

function element(tag, attributes = {}, children = []) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") node.className = value
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value)
    else if (value !== null) node.setAttribute(name, value)
  }
  node.append(...children)
  return node
}

// A row of choices of which one holds. `options` are [value, text, hint] each.
function segments(name, label, options, chosen, onchoose) {
  const labels = options.map(([value, text, hint]) => element("label", {title: hint ?? null}, [
    element("input", {
      type: "radio", name, value, checked: value === chosen ? "" : null,
      onchange: () => onchoose(value),
    }),
    element("span", {}, [text]),
  ]))
  return element("div", {class: "segments", role: "radiogroup", "aria-label": label}, labels)
}

// A small square of a colour, beside a text that says the same.
function swatch(color) {
  const mark = element("i", {class: "swatch", "aria-hidden": "true"})
  mark.style.background = color
  return mark
}

// Has `act` called once after several properties have changed together, as one update from Python
// sets one after another.
function together(act) {
  let due = false
  return () => {
    if (due) return
    due = true
    queueMicrotask(() => {
      due = false
      act()
    })
  }
}

// Puts text on the clipboard; whether it could. Not even asked where it is not allowed, as in a
// frame: the browser would complain.
async function copy(text) {
  const allowed = document.featurePolicy?.allowsFeature("clipboard-write") ?? true
  const done = allowed && await navigator.clipboard?.writeText(text).then(() => true, () => false)
  return done || copySelected(text)
}

// Without HTTPS, as on an intranet, browsers only know this way.
function copySelected(text) {
  const area = element("textarea", {readonly: ""})
  area.value = text
  document.body.append(area)
  area.select()
  const done = document.execCommand("copy")
  area.remove()
  return done
}
