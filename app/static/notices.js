// What goes wrong, and the sign that a run takes its time. Shown only after 150 ms, so that quick
// runs do not flicker.

const PATIENCE = 150

export function render({model}) {
  const page = document.documentElement
  const root = element("div", {class: "notices"})
  const running = element("div", {class: "running", role: "status", hidden: ""})
  let timer = null
  let lost = false

  function busy() {
    page.toggleAttribute("data-busy", model.busy)
    clearTimeout(timer)
    if (model.busy) timer = setTimeout(() => { running.hidden = false }, PATIENCE)
    else running.hidden = true
  }

  // For tests and scripts: how many runs the page has shown.
  const count = () => { page.dataset.pictures = model.pictures }

  function banner(kind, title, lines, act, onclose) {
    const body = element("div", {}, [
      element("strong", {}, [title]),
      ...lines.map(line => element("p", {}, [line])),
    ])
    const close = element("button", {type: "button", class: "quiet", onclick: onclose}, [act])
    return element("div", {class: `banner ${kind}`, role: "alert"}, [body, close])
  }

  function show() {
    const {texts} = model
    running.replaceChildren(element("span", {class: "spinner"}), texts.running)
    const banners = []
    if (lost) {
      banners.push(banner("bad", texts.disconnected, [], texts.reload, () => location.reload()))
    }
    if (model.error) {
      const lines = model.stale ? [model.error, texts.stale] : [model.error]
      banners.push(banner("bad", texts.failed, lines, texts.dismiss,
        () => model.send_msg("dismiss")))
    }
    if (model.problems.length) {
      banners.push(banner("note", texts.link, model.problems, texts.dismiss,
        () => model.send_msg("read")))
    }
    root.replaceChildren(running, ...banners)
    page.toggleAttribute("data-stale", model.stale)
  }

  model.on(["error", "stale", "problems", "texts"], together(show))
  model.document.on_event("connection_lost", () => {
    lost = true
    show()
  })
  model.document.on_event("client_reconnected", () => {
    lost = false
    show()
  })
  model.on("busy", busy)
  model.on("pictures", count)
  model.on("remove", () => clearTimeout(timer))
  show()
  busy()
  count()
  return root
}
