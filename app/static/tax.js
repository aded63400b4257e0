// Where the GPU time went: a bar, and its table once that is opened.

// Least share of a part that is named within the bar.
const NAMED = 0.09

export function render({model}) {
  const title = element("h2")
  const said = element("p")
  const bar = element("div", {class: "bar", role: "img"})
  const table = element("table")
  const note = element("p", {class: "note"})
  const root = element("details", {class: "tax", ontoggle: fill}, [
    element("summary", {}, [title, bar]), said, table, note,
  ])

  const label = ({name}) => model.texts.parts[name].label

  function piece(part) {
    const text = `${label(part)} ${part.percent}`
    const node = element("span", {
      class: part.name, title: `${text} · ${part.time}\n${model.texts.parts[part.name].help}`,
    }, part.share < NAMED ? [] : [
      element("b", {}, [part.percent]), " ", element("em", {}, [label(part)])])
    Object.assign(node.style, {
      flexGrow: part.share, backgroundColor: part.color, color: part.ink})
    return node
  }

  function row(part) {
    const swatch = element("i", {class: part.name})
    swatch.style.backgroundColor = part.color
    return element("tr", {class: part.share ? null : "none"}, [
      element("th", {scope: "row"}, [swatch, label(part)]),
      element("td", {}, [part.percent]),
      element("td", {}, [part.time]),
      element("td", {class: "help"}, [model.texts.parts[part.name].help]),
    ])
  }

  function fill() {
    if (!root.open) return
    const {texts, parts} = model
    const heads = [texts.part, texts.share, texts.time, texts.means]
    table.replaceChildren(
      element("thead", {}, [element("tr", {}, heads.map(text =>
        element("th", {scope: "col"}, [text])))]),
      element("tbody", {}, parts.map(row)),
    )
    note.textContent = texts.note
  }

  function show() {
    const {texts, parts} = model
    title.textContent = texts.title
    said.textContent = model.said
    const shown = parts.filter(({share}) => share)
    bar.replaceChildren(...shown.map(piece))
    bar.setAttribute("aria-label",
      `${texts.bar}: ${shown.map(part => `${label(part)} ${part.percent}`).join(", ")}`)
    fill()
  }

  model.on(["texts", "said", "parts"], together(show))
  show()
  return root
}
