// Real agents: files on their way to the server, what was found in them, and how they are used.

export function render({model}) {
  const root = element("div", {class: "traces"})
  const head = element("div", {class: "head"})
  const status = element("div", {class: "status", role: "status"})
  const body = element("div", {})
  let waiting = []  // {file, at} still to be sent

  // Files, from the system or from a drop with folders in it.
  function begin(files) {
    if (!files.length) return
    waiting = files.map(({file}) => ({file, at: 0})).filter(({file}) => file.size)
    model.send_msg({begin: files.map(({name, file}) => [name, file.size])})
  }

  const chosen = list => begin([...list].map(file => ({name: file.webkitRelativePath || file.name, file})))

  async function next() {
    const first = waiting[0]
    if (!first) return
    const part = await first.file.slice(first.at, first.at + model.chunk).arrayBuffer().catch(() => null)
    if (waiting[0] !== first) return  // another choice has come in between
    first.at += model.chunk
    if (first.at >= first.file.size) waiting.shift()
    model.send_msg({chunk: part ?? new ArrayBuffer(0)})
  }

  async function within(entry, above = "") {
    const name = above + entry.name
    if (entry.isFile) {
      const file = await new Promise(done => entry.file(done, () => done(null)))
      return file ? [{name, file}] : []
    }
    const reader = entry.createReader()
    const found = []
    for (;;) {
      const some = await new Promise(done => reader.readEntries(done, () => done([])))
      if (!some.length) return found
      for (const inside of some) {
        if (!inside.name.startsWith(".") || above === "") found.push(...await within(inside, `${name}/`))
      }
    }
  }

  async function dropped(event) {
    const entries = [...event.dataTransfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean)
    if (!entries.length) return chosen(event.dataTransfer.files)
    const found = []
    for (const entry of entries) found.push(...await within(entry))
    begin(found)
  }

  function picker(text, attributes) {
    const input = element("input", {
      type: "file", multiple: "", class: "visually-hidden", tabindex: "-1", "aria-hidden": "true",
      onchange: () => {
        chosen(input.files)
        input.value = ""
      },
      ...attributes,
    })
    return [input, element("button", {type: "button", onclick: () => input.click()}, [text])]
  }

  function showHead() {
    const {texts} = model
    const zone = element("div", {
      class: "zone",
      ondragover: event => {
        event.preventDefault()
        zone.classList.add("over")
      },
      ondragleave: () => zone.classList.remove("over"),
      ondrop: event => {
        event.preventDefault()
        zone.classList.remove("over")
        dropped(event)
      },
    }, [
      element("b", {}, [texts.drop]),
      element("span", {class: "pick"}, [
        ...picker(texts.files, {}), ...picker(texts.folder, {webkitdirectory: ""})]),
      element("small", {}, [model.limits]),
    ])
    const named = Object.entries(texts.named_options).map(([name, text]) => element("button", {
      type: "button", title: texts.named_helps[name], "data-workload": name,
      onclick: () => model.send_msg({named: name})}, [text]))
    head.replaceChildren(
      element("h2", {}, [texts.title]),
      element("p", {class: "intro"}, [texts.intro]),
      zone,
      element("p", {class: "private"}, [texts.private]),
      element("p", {class: "named"}, [
        element("b", {}, [texts.named]), ...named, element("small", {}, [texts.named_note])]),
    )
  }

  function showStatus() {
    const {texts} = model
    const parts = []
    if (model.busy) {
      const bar = element("progress", {max: "1", value: `${model.done}`, "aria-label": model.busy})
      parts.push(element("p", {class: "busy"}, [bar, element("span", {}, [model.busy]), element("button", {
        type: "button", onclick: () => {
          waiting = []
          model.send_msg({do: "cancel"})
        }}, [texts.cancel])]))
    }
    if (model.failed) parts.push(element("p", {class: "failed", role: "alert"}, [model.failed]))
    status.replaceChildren(...parts)
  }

  function reportTable() {
    const {texts} = model
    const names = Object.entries(texts.columns)
    const number = name => !["file", "format"].includes(name)
    const cells = row => row.error
      ? [element("td", {class: "unusable", colspan: `${names.length - 2}`}, [row.error])]
      : row.cells.map((text, k) => element("td", {class: "number", "data-label": names[k + 2][1]}, [text]))
    const line = row => element("tr", {class: row.total ? "total" : null}, [
      element("th", {scope: "row", title: row.file}, [
        element("span", {class: "name", translate: "no"}, [row.file]),
        ...row.notes.map(text => element("small", {}, [text]))]),
      element("td", {class: "format", translate: "no"}, [row.format]), ...cells(row)])
    return element("div", {class: "wide"}, [element("table", {"aria-label": texts.report}, [
      element("thead", {}, [element("tr", {}, names.map(([name, text]) =>
        element("th", {scope: "col", class: number(name) ? "number" : null}, [text])))]),
      element("tbody", {}, model.report.map(line))])])
  }

  const form = element("div", {class: "form"})
  const outcome = element("div", {class: "outcome", "aria-live": "polite"})

  function field(label, input, help) {
    return element("label", {title: help ?? null}, [element("span", {}, [label]), input])
  }

  function numberField(name, label, attributes, help) {
    const value = model.choices[name]
    return field(label, element("input", {
      type: "number", class: "value", "data-choice": name, value: value ?? "", ...attributes,
      onchange: event => {
        const text = event.target.value.trim()
        model.send_msg({choose: {[name]: text === "" ? null : Number(text)}})
      },
    }), help)
  }

  function choice(name, label, options) {
    return field(label, element("select", {
      "data-choice": name, onchange: event => model.send_msg({choose: {[name]: event.target.value}}),
    }, Object.entries(options).map(([value, text]) => element("option", {
      value, selected: value === model.choices[name] ? "" : null}, [text]))))
  }

  function showForm() {
    const {texts, choices} = model
    const held = form.getRootNode().activeElement?.dataset?.choice
    form.replaceChildren(
      numberField("agents", texts.agents, {min: "1", step: "1"}, texts.agents_help),
      choice("choose", texts.choose, texts.choose_options),
      choice("start", texts.start, texts.start_options),
      ...choices.start === "staggered" ? [numberField("stagger", texts.stagger, {min: "0", step: "any"})] : [],
      choice("wait", texts.wait, texts.wait_options),
      numberField("scale", texts.scale, {min: "0.01", step: "any"}),
      numberField("max_turns", texts.max_turns, {min: "1", step: "1"}, texts.max_turns_help),
      choice("compaction", texts.compaction, texts.compaction_options),
      numberField("shared_prefix", texts.prefix, {min: "0", step: "1"}, texts.prefix_help),
    )
    if (held) form.querySelector(`[data-choice="${held}"]`)?.focus()
  }

  function showOutcome() {
    const {texts} = model
    const said = model.refused
      ? element("p", {class: "failed", role: "alert"}, [model.refused])
      : element("p", {class: "preview"}, [model.preview])
    outcome.replaceChildren(
      element("button", {
        type: "button", class: "use", disabled: model.refused ? "" : null,
        onclick: () => model.send_msg({do: "use"})}, [texts.use]), said)
  }

  function showBody() {
    const {texts} = model
    if (!model.report.length) {
      body.replaceChildren()
      return
    }
    showForm()
    showOutcome()
    body.replaceChildren(
      element("p", {class: "found"}, [model.found]),
      element("h3", {}, [texts.choices]), form, outcome,
      element("h3", {}, [texts.shape, element("span", {class: "key band"}, [texts.article])]),
      element("div", {class: "charts"}, [
        ...model.bars.map(bar => histogram(bar, texts)),
        growthChart(model.growth, model.growth_said, texts, root.clientWidth)]),
      element("h3", {}, [texts.report]), reportTable(),
    )
  }

  model.on(["texts", "limits"], together(showHead))
  model.on(["texts", "busy", "done", "failed"], together(showStatus))
  model.on(["texts", "found", "report", "bars", "growth"], together(showBody))
  model.on("choices", () => model.report.length && showForm())
  model.on(["preview", "refused"], together(() => model.report.length && showOutcome()))
  model.on("msg:custom", message => message.next && next())
  root.append(head, status, body)
  showHead()
  showStatus()
  showBody()
  return root
}
