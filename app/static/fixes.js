// What would fix it: the ranking of changes, each with what it costs.

const NUMBERS = ["utilization", "hit_rate", "evictions", "ttft", "turns", "killed"]

export function render({model}) {
  const root = element("div", {class: "fixes"})
  const head = element("div", {class: "head", role: "status"})
  const body = element("div", {})
  const button = (text, act, attributes = {}) =>
    element("button", {type: "button", onclick: act, ...attributes}, [text])

  function showHead() {
    const {texts} = model
    const parts = [element("h2", {}, [texts.title])]
    if (model.busy) {
      parts.push(element("p", {class: "busy"}, [
        element("span", {class: "spinner"}), model.busy,
        button(texts.cancel, () => model.send_msg({do: "cancel"}))]))
    }
    if (model.failed) {
      parts.push(element("p", {class: "failed"}, [
        model.failed, button(texts.again, () => model.send_msg({do: "again"}))]))
    }
    if (model.said) parts.push(element("p", {class: "said"}, [model.said]))
    head.replaceChildren(...parts)
  }

  // The makespan: a bar to the median, and a whisker over the range.
  function makespan(row) {
    const percent = share => `${(100 * share).toFixed(2)}%`
    const bar = element("i", {class: "bar"})
    bar.style.width = percent(row.middle)
    const whisker = element("i", {class: "whisker"})
    whisker.style.left = percent(row.low)
    whisker.style.width = percent(row.high - row.low)
    return element("td", {class: "makespan"}, [
      element("span", {class: "numbers"}, [
        element("b", {}, [row.makespan]), element("small", {}, [row.failed || row.band])]),
      element("span", {class: "track", "aria-hidden": "true"}, [bar, whisker]),
    ])
  }

  function change(row) {
    const parts = [element("b", {}, [row.title])]
    if (row.now) parts.push(element("em", {class: "mark"}, [model.texts.is_now]))
    if (row.change) parts.push(" ", element("span", {class: "change"}, [row.change]))
    if (row.cost) parts.push(element("span", {class: "cost"}, [row.cost]))
    return element("th", {scope: "row", title: row.details || null}, parts)
  }

  function number(name, row) {
    const cell = element("td", {class: "number", "data-label": model.texts.columns[name]}, [row[name]])
    if (name === "turns" && row.less) {
      cell.classList.add("less")
      cell.title = row.less
      cell.append(element("small", {}, [row.less]))
    }
    return cell
  }

  function line(row) {
    const {texts} = model
    const against = element("td", {class: `against ${row.trend}`}, [
      row.trend ? `${row.trend === "better" ? "▼" : "▲"} ${row.against}` : row.against])
    const load = row.now ? [] : [button(texts.load, () => model.send_msg({load: row.name}), {
      "aria-label": texts.load_help.replace("{title}", row.title)})]
    return element("tr", {class: row.now ? "now" : null, "data-name": row.name}, [
      change(row), makespan(row), against, ...NUMBERS.map(name => number(name, row)),
      element("td", {class: "load"}, load)])
  }

  function heading(name) {
    const {columns, helps} = model.texts
    const kind = NUMBERS.includes(name) ? "number" : name
    const text = name === "load"
      ? element("span", {class: "visually-hidden"}, [columns[name]]) : columns[name]
    return element("th", {scope: "col", class: kind, title: helps[name] ?? null}, [text])
  }

  function showBody() {
    const {texts} = model
    if (!model.rows.length) {
      body.replaceChildren()
      return
    }
    const names = ["change", "makespan", "against", ...NUMBERS, "load"]
    const parts = [element("table", {"aria-label": texts.title}, [
      element("thead", {}, [element("tr", {}, names.map(heading))]),
      element("tbody", {}, model.rows.map(line)),
    ])]
    if (model.obstacles.length) {
      parts.push(
        element("h3", {}, [texts.impossible]),
        element("ul", {class: "obstacles"}, model.obstacles.map(({title, why}) =>
          element("li", {}, [element("b", {}, [title]), `${texts.colon}${why}`]))),
      )
    }
    parts.push(element("p", {class: "note"}, [model.note]))
    body.replaceChildren(...parts)
  }

  const markStale = () => root.classList.toggle("stale", model.stale)
  model.on("stale", markStale)
  model.on(["texts", "busy", "failed", "said"], together(showHead))
  model.on(["texts", "rows", "obstacles", "note"], together(showBody))
  root.append(head, body)
  showHead()
  showBody()
  markStale()
  return root
}
