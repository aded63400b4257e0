// All agents as a table, and the one that is looked at: its turns, and who evicted whom.

export function render({model}) {
  const root = element("div", {class: "agents-list"})
  const parts = element("ul", {class: "legend"})
  const heading = element("h3")
  const all = element("table", {class: "all"})
  const detail = element("section", {class: "detail"})
  const choose = agent => model.send_msg({agent})
  const number = text => element("td", {class: "number"}, [text])

  // What has the focus, if it is within a part.
  function focused(part) {
    const {activeElement} = root.getRootNode()
    return part.contains(activeElement) ? activeElement : null
  }

  // The colours of the chart above, in the order of its bars.
  function showParts() {
    const {texts} = model
    parts.hidden = !model.turns.length
    parts.setAttribute("aria-label", texts.context)
    parts.replaceChildren(...[...model.parts].reverse().map(({name, color}) =>
      element("li", {}, [swatch(color), texts.parts[name]])),
      element("li", {}, [element("span", {class: "evicted", "aria-hidden": "true"}, ["▼"]),
        texts.evicted_mark]))
  }

  // --- all agents ---

  function head() {
    const {texts, order} = model
    const [metric, falls] = [order.replace("-", ""), order.startsWith("-")]
    return element("tr", {}, model.metrics.map(name => {
      const sorts = name === metric
      const next = sorts && !falls ? `-${name}` : name
      const text = name === "context" && model.pinned ? model.pinned : texts.columns[name]
      return element("th", {
        scope: "col", title: texts.helps[name], "data-metric": name,
        "aria-sort": sorts ? (falls ? "descending" : "ascending") : null,
      }, [element("button", {type: "button", onclick: () => model.send_msg({order: next})}, [
        text, element("i", {"aria-hidden": "true"}, [sorts ? (falls ? "↓" : "↑") : ""])])])
    }))
  }

  function line(agent) {
    const {texts} = model
    const place = model.metrics.indexOf("context")
    const cells = model.rows[agent].map((text, i) => i === place ? model.contexts[agent] : text)
    const button = element("button", {type: "button", tabindex: "-1",
      "aria-label": texts.choose.replace("{agent}", agent)}, [cells[0]])
    return element("tr", {"data-agent": agent}, [
      element("th", {scope: "row"}, [button]), ...cells.slice(1).map(number)])
  }

  function showAll() {
    const held = focused(all)?.closest("[data-agent], [data-metric]")?.dataset
    heading.textContent = model.texts.list
    all.setAttribute("aria-label", model.texts.list)
    all.replaceChildren(
      element("thead", {}, [head()]),
      element("tbody", {}, model.ranked.map(line)),
    )
    mark()
    for (const [name, value] of Object.entries(held ?? {})) {
      all.querySelector(`[data-${name}="${value}"] button`)?.focus({preventScroll: true})
    }
  }

  // The one row that the Tab key reaches is the chosen one's, else the first.
  function mark() {
    for (const row of all.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current")
    for (const button of all.querySelectorAll("tbody button")) button.tabIndex = -1
    const chosen = all.querySelector(`[data-agent="${model.agent}"]`)
    chosen?.setAttribute("aria-current", "true")
    const first = (chosen ?? all.querySelector("tbody tr"))?.querySelector("button")
    if (first) first.tabIndex = 0
    if (chosen) show(chosen)
  }

  // Scrolls the list, not the page.
  function show(row) {
    const box = scroller.getBoundingClientRect()
    const {top, bottom} = row.getBoundingClientRect()
    const above = box.top + all.tHead.offsetHeight
    if (top < above) scroller.scrollTop -= above - top
    else if (bottom > box.bottom) scroller.scrollTop += bottom - box.bottom
  }

  all.addEventListener("click", event => {
    const row = event.target.closest("tbody tr")
    if (row) choose(Number(row.dataset.agent))
  })
  all.addEventListener("keydown", event => {
    const row = event.target.closest("tbody tr")
    const rows = row ? [...row.parentNode.children] : []
    const ends = {Home: 0, End: rows.length - 1}
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10}
    if (!row || !(event.key in ends || event.key in steps)) return
    const to = ends[event.key] ?? rows.indexOf(row) + steps[event.key]
    const next = rows[Math.min(Math.max(to, 0), rows.length - 1)]
    next.querySelector("button").focus({preventScroll: true})
    show(next)
    event.preventDefault()
    event.stopPropagation()
  })

  // --- the chosen one ---

  function turn(row) {
    const {texts} = model
    const pin = () => model.send_msg({pin: row.turn})
    const button = element("button", {
      type: "button", "aria-label": texts.pin.replace("{turn}", row.turn)}, [row.cells[0]])
    const worker = number(row.cells[1])
    if (row.hop) {
      worker.classList.add("hop")
      worker.title = texts.hop
    }
    return element("tr", {onclick: pin}, [
      element("th", {scope: "row"}, [button]), worker, ...row.cells.slice(2).map(number)])
  }

  function turns() {
    const {texts} = model
    if (!model.turns.length) return element("p", {class: "muted"}, [texts.no_turns])
    const names = Object.values(texts.turn)
    return scrolled(texts.turns.replace("{agent}", model.agent), [
      element("thead", {}, [
        element("tr", {}, names.map(name => element("th", {scope: "col"}, [name])))]),
      element("tbody", {}, model.turns.map(turn)),
    ])
  }

  function pairs(title, rows) {
    const {texts} = model
    const {agent, times, tokens} = texts.pair
    if (!rows.length) {
      return element("div", {}, [
        element("h4", {}, [title]), element("p", {class: "muted"}, [texts.by_nobody])])
    }
    const lines = rows.map(([other, often, lost]) => element("tr", {onclick: () => choose(other)}, [
      element("th", {scope: "row"}, [element("button", {
        type: "button", "aria-label": texts.choose.replace("{agent}", other)}, [String(other)])]),
      number(often), number(lost)]))
    return element("div", {}, [element("h4", {}, [title]), scrolled(title, [
      element("thead", {}, [element("tr", {}, [agent, times, tokens].map(
        text => element("th", {scope: "col"}, [text])))]),
      element("tbody", {}, lines)])])
  }

  function scrolled(name, children) {
    return element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": name}, [
      element("table", {"aria-label": name}, children)])
  }

  // The focus stays with the agent, or goes back to its row in the list.
  function showDetail() {
    const {texts} = model
    const [held, before] = [focused(detail), detail.dataset.agent]
    detail.dataset.agent = model.agent ?? ""
    detail.setAttribute("aria-label", texts.detail.replace("{agent}", model.agent ?? ""))
    if (model.agent === null) {
      detail.replaceChildren(element("p", {class: "muted"}, [model.missing || texts.nobody]))
      if (held) all.querySelector(`[data-agent="${before}"] button`)?.focus({preventScroll: true})
      return
    }
    detail.replaceChildren(
      element("div", {class: "row"}, [
        element("h3", {}, [texts.detail.replace("{agent}", model.agent)]),
        element("button", {type: "button", title: texts.close, "aria-label": texts.close,
          onclick: () => choose(null)}, ["✕"])]),
      element("div", {class: "parts"}, [
        turns(),
        element("div", {class: "pairs"}, [
          pairs(texts.evicted_by, model.evicted_by),
          pairs(texts.evicted_whom, model.evicted_whom)]),
      ]),
    )
    if (held) detail.querySelector("button").focus({preventScroll: true})
  }

  const scroller = element("div", {class: "scroll"}, [all])
  model.on(["texts", "metrics", "rows", "ranked", "order", "contexts", "pinned"],
    together(showAll))
  model.on("agent", mark)
  model.on(["texts", "parts", "turns"], together(showParts))
  model.on(["texts", "agent", "missing", "turns", "evicted_by", "evicted_whom"], together(showDetail))
  root.append(parts, heading, scroller, detail)
  showParts()
  showAll()
  showDetail()
  return root
}
