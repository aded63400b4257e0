// The story bar: which story, which step of it, what it says, and the places it points at.

export function render({model}) {
  const root = element("section", {class: "story"})
  const bar = element("div", {class: "bar"})
  const body = element("div", {class: "body", "aria-live": "polite"})
  const marks = makeMarks(model)
  const go = steps => model.send_msg({go: steps})
  const told = () => Boolean(model.told.story)

  const select = element("select", {
    id: "story", onchange: () => model.send_msg({story: select.value})})
  const label = element("label", {for: "story"})
  const invite = element("span", {class: "invite"})
  const count = element("span", {class: "count"})
  const button = (text, act) => element("button", {type: "button", onclick: act}, [text])
  const previous = button("←", () => go(-1))
  const next = button("→", () => go(1))
  const close = button("✕", () => { model.send_msg({story: ""}); select.focus() })
  close.className = "quiet"

  function showBar() {
    const {texts} = model
    label.textContent = texts.label
    select.replaceChildren(
      element("option", {value: ""}, [texts.choose]),
      ...model.stories.map(([value, title]) => element("option", {value}, [title])))
    select.value = model.told.story ?? ""
    invite.textContent = texts.invite
    invite.hidden = told()
    previous.textContent = `← ${texts.previous}`
    previous.title = texts.previous_help
    next.textContent = `${texts.next} →`
    next.title = texts.next_help
    close.title = texts.close
    close.setAttribute("aria-label", texts.close)
    count.textContent = model.told.step ?? ""
    previous.disabled = !(model.told.index > 0)
    next.disabled = !(model.told.index < model.told.count - 1)
    next.classList.toggle("first", !next.disabled)
    for (const node of [previous, next, close, count]) node.hidden = !told()
  }

  function showBody() {
    body.hidden = !told()
    if (!told()) {
      body.replaceChildren()
      return
    }
    const {title, text, look, intro, report, error, index} = model.told
    const parts = []
    if (index === 0) {
      parts.push(element("p", {class: "intro"}, [report ? `${intro} ${report}.` : intro]))
    }
    parts.push(element("h2", {}, [title]), element("p", {}, [text]))
    if (error) parts.push(element("p", {class: "error"}, [error]))
    parts.push(element("p", {class: "look"}, [element("b", {}, [model.texts.look]), ` ${look}`]))
    body.replaceChildren(...parts, places())
  }

  function places() {
    if (model.changed) {
      return element("p", {class: "changed"}, [
        model.texts.changed, " ", button(model.texts.back, () => model.send_msg({again: true}))])
    }
    return element("div", {class: "places", role: "group", "aria-label": model.texts.places},
      model.places.map(({text}, index) => element("button", {
        type: "button", onclick: () => marks.call(index),
      }, [element("b", {}, [String(index + 1)]), text])))
  }

  const KEYS = {n: () => go(1), p: () => go(-1)}
  function onKey(event) {
    const act = KEYS[event.key.toLowerCase()]
    const typed = /^(input|select|textarea)$/i.test(event.composedPath()[0].tagName ?? "")
    if (!act || !told() || typed || event.ctrlKey || event.metaKey || event.altKey) return
    act()
    event.preventDefault()
  }

  document.addEventListener("keydown", onKey)
  model.on(["texts", "stories", "told"], together(showBar))
  model.on(["texts", "told", "places", "changed"], together(showBody))
  model.on(["places", "texts"], together(marks.show))
  model.on("remove", () => {
    document.removeEventListener("keydown", onKey)
    marks.end()
  })
  bar.append(label, select, invite, count, previous, next, close)
  root.append(bar, body)
  showBar()
  showBody()
  marks.show()
  return root
}
