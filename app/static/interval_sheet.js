// The sheet about the marked interval: its times, what to do with it, and its tables.

export function render({model}) {
  const root = element("div", {class: "interval"})
  const title = element("h2", {role: "status"})
  const length = element("span", {class: "length"})
  const tables = element("div", {class: "tables"})

  const quoted = cell => /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  const written = (between, each) => model.cells.map(
    row => row.map(cell => each(String(cell ?? ""))).join(between)).join("\n") + "\n"

  function copier(text, hint, make) {
    const button = element("button", {type: "button", title: hint, onclick: async () => {
      button.textContent = await copy(make()) ? model.texts.copied : model.texts.failed
      setTimeout(() => { button.textContent = text }, 2000)
    }}, [text])
    return button
  }

  function table({title, head, rows}) {
    const name = row => [
      ...(row.color ? [swatch(row.color)] : []), row.label,
    ]
    const beside = head.at(-1) === model.texts.run
    return element("table", {class: beside ? "beside" : null}, [
      element("thead", {}, [element("tr", {}, [
        element("th", {scope: "col"}, [title]),
        ...head.map(text => element("th", {scope: "col"}, [text])),
      ])]),
      element("tbody", {}, rows.map(row => element("tr", {class: row.level ? "part" : null}, [
        element("th", {scope: "row"}, name(row)),
        ...row.cells.map(text => element("td", {}, [text])),
      ]))),
    ])
  }

  function swatch(color) {
    const mark = element("i", {"aria-hidden": "true"})
    mark.style.background = color
    return mark
  }

  const fold = element("button", {type: "button", class: "fold",
    onclick: () => model.send_msg("fold")})

  function build() {
    const {texts} = model
    root.replaceChildren(
      element("div", {class: "head"}, [
        element("div", {class: "chip"}, [
          title, length,
          element("button", {type: "button", class: "quiet", title: texts.clear,
            "aria-label": texts.clear, onclick: () => model.send_msg("clear")}, ["×"]),
        ]),
        fold,
        element("button", {type: "button", onclick: () => model.send_msg("zoom")}, [texts.zoom]),
        element("span", {class: "copies"}, [
          copier(texts.tsv, texts.tsv_help, () => written("\t", cell => cell)),
          copier(texts.csv, texts.csv_help, () => written(",", quoted)),
        ]),
      ]),
      tables,
    )
    show()
  }

  function show() {
    title.textContent = model.title
    length.textContent = model.length
    fold.textContent = `${model.texts.table} ${model.folded ? "▸" : "▾"}`
    fold.setAttribute("aria-expanded", String(!model.folded))
    tables.hidden = model.folded
    tables.replaceChildren(...model.tables.map(table))
  }

  model.on("texts", together(build))
  model.on(["title", "length", "tables", "folded"], together(show))
  build()
  return root
}
