// The form of settings: native controls, made once and then updated in place, so that focus and
// a drag under way survive. Values go out as messages {name, value, live}; live while dragging.

const grouped = new Intl.NumberFormat("en-US", {maximumFractionDigits: 6})
const SETTLE_MS = 500
const REST_MS = 200 // a key on a slider is a step of a drag, which ends when the keys rest
const SCALE = {k: 1e3, K: 1e3, m: 1e6, M: 1e6}

function shown(value) {
  return typeof value === "number" ? grouped.format(value) : String(value)
}

// "250 000", "250,000", "250k" and "0.25M" are numbers; anything else stays text, to be refused.
function parsed(text) {
  const plain = text.replace(/[\s,_\u00a0\u202f]/g, "")
  const match = /^(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([kKmM]?)$/.exec(plain)
  return match ? Number((Number(match[1]) * (SCALE[match[2]] ?? 1)).toPrecision(15)) : text.trim()
}

// Each maker returns {node, update(control)}; `node` holds the inputs.

// A box for text. What is being typed is not overwritten by what arrives meanwhile: use `put`.
function box(id, onchange, attributes = {}) {
  const input = element("input", {
    id, type: "text", class: "value", autocomplete: "off",
    oninput: () => { input.dataset.typing = "yes" },
    onblur: () => { delete input.dataset.typing },
    onchange: () => {
      delete input.dataset.typing
      onchange()
    },
    ...attributes,
  })
  return input
}

function put(input, text) {
  if (!input.dataset.typing) input.value = text
}

function numberInput(form, control, id) {
  const send = () => form.send(control.name, parsed(input.value), false)
  const input = box(id, send, {
    inputmode: "decimal", "aria-describedby": `${id}-note`,
    onkeydown: event => { if (event.key === "Enter") input.blur() },
  })
  return input
}

function sliderControl(form, control, id) {
  const value = numberInput(form, control, id)
  value.setAttribute("aria-label", `${control.label}, ${form.texts.value}`)
  let keyed = false
  let rest = null
  const slider = element("input", {
    id: `${id}-slider`, type: "range", "aria-label": control.label,
    "aria-describedby": `${id}-note`,
    oninput: () => {
      value.value = shown(slider.valueAsNumber)
      fill()
      form.send(control.name, slider.valueAsNumber, true)
    },
    onkeydown: () => { keyed = true },
    onpointerdown: () => { keyed = false },
    onchange: () => {
      const send = form.send.bind(null, control.name, slider.valueAsNumber, false)
      clearTimeout(rest)
      if (keyed) rest = setTimeout(send, REST_MS)
      else send()
    },
  })
  const fill = () => {
    const share = (slider.value - slider.min) / (slider.max - slider.min)
    slider.style.setProperty("--share", `${100 * share}%`)
    slider.setAttribute("aria-valuetext", `${value.value} ${control.unit}`)
  }
  const unit = element("span", {class: "unit"})
  return {
    node: slider, beside: element("span", {class: "amount"}, [value, unit]), labelFor: value,
    update(next) {
      control = next
      slider.min = next.low
      slider.max = next.high
      slider.step = next.step
      slider.value = next.value
      slider.setAttribute("aria-label", next.label)
      put(value, shown(next.value))
      unit.textContent = next.unit
      fill()
    },
  }
}

function numberControl(form, control, id) {
  const value = numberInput(form, control, id)
  return {
    node: null, beside: element("span", {class: "amount wide"}, [value]), labelFor: value,
    update(next) { put(value, String(next.value)) },
  }
}

function choiceControl(form, control, id) {
  const few = control.options.length <= 3
  const said = element("p", {class: "said"})
  const node = element("div", {class: "choice"})
  const send = value => form.send(control.name, value, false)
  let inputs = []
  const build = next => {
    if (few) {
      const options = next.options.map(option => [option.value, option.label, option.help])
      node.replaceChildren(segments(id, next.label, options, next.value, send), said)
    } else {
      const select = element("select", {
        id, "aria-describedby": `${id}-note`, onchange: event => send(event.target.value),
      }, next.options.map(option => element("option", {value: option.value}, [option.label])))
      node.replaceChildren(select, said)
    }
    inputs = [...node.querySelectorAll("input, select")]
  }
  let built = ""
  return {
    node, labelFor: few ? null : {id},
    update(next) {
      control = next
      const wanted = JSON.stringify(next.options)
      if (wanted !== built) build(next)
      built = wanted
      if (few) for (const input of inputs) input.checked = input.value === next.value
      else inputs[0].value = next.value
      said.textContent = next.options.find(option => option.value === next.value)?.help ?? ""
    },
  }
}

function switchControl(form, control, id) {
  const box = element("input", {
    id, type: "checkbox", role: "switch", "aria-describedby": `${id}-note`,
    onchange: () => form.send(control.name, box.checked, false),
  })
  return {
    node: null, beside: box, labelFor: box,
    update(next) { box.checked = next.value },
  }
}

function distributionControl(form, control, id) {
  const texts = form.texts
  const numbers = text => text.split(/[;,\s]+/).filter(Boolean).map(parsed)
  const sendRange = () => form.send(control.name, [parsed(low.value), parsed(high.value)], false)
  const sendList = () => form.send(control.name, numbers(list.value), false)
  const low = box(id, sendRange, {inputmode: "numeric"})
  const high = box(`${id}-high`, sendRange, {inputmode: "numeric"})
  const list = box(`${id}-list`, sendList, {class: "value list"})
  const dash = element("span", {class: "unit"}, ["–"])
  const unit = element("span", {class: "unit"})
  const range = element("span", {class: "range"}, [low, dash, high, unit])
  const toggle = element("button", {type: "button", class: "quiet", onclick: () => {
    const value = control.value
    if (value.length > 2) form.send(control.name, [value[0], value.at(-1)], false)
    else form.send(control.name, [value[0], Math.round((value[0] + value[1]) / 2), value[1]], false)
  }})
  return {
    node: element("div", {class: "distribution"}, [range, list, toggle]), labelFor: null,
    update(next) {
      control = next
      const quantiles = next.value.length > 2
      range.hidden = quantiles
      list.hidden = !quantiles
      toggle.textContent = quantiles ? texts.range : texts.quantiles
      toggle.title = quantiles ? "" : texts.quantiles_help
      unit.textContent = next.unit
      low.setAttribute("aria-label", `${next.label}, ${texts.from}`)
      high.setAttribute("aria-label", `${next.label}, ${texts.to}`)
      list.setAttribute("aria-label", `${next.label}, ${texts.quantiles}`)
      put(low, shown(next.value[0]))
      put(high, shown(next.value[1]))
      put(list, next.value.join(", "))
    },
  }
}

const MAKERS = {
  slider: sliderControl, number: numberControl, choice: choiceControl, switch: switchControl,
  distribution: distributionControl,
}

function field(form, control) {
  const id = `control-${control.name}`
  const made = MAKERS[control.kind](form, control, id)
  const label = element("label", {class: "name", for: made.labelFor?.id ?? null})
  const help = element("p", {class: "help", id: `${id}-help`, hidden: ""})
  const about = element("button", {
    type: "button", class: "about", "aria-expanded": "false", "aria-controls": `${id}-help`,
    onclick: () => {
      help.hidden = !help.hidden
      about.setAttribute("aria-expanded", String(!help.hidden))
    },
  }, ["?"])
  const note = element("p", {class: "note", id: `${id}-note`, role: "status"})
  const head = element("div", {class: "head"}, [label, about])
  if (made.beside) head.append(made.beside)
  const node = element("div", {class: `control ${control.kind}`, "data-name": control.name}, [head])
  if (made.node) node.append(made.node)
  node.append(note, help)
  let before = ""
  return {
    node,
    update(next, error) {
      // the answer to an earlier step of a slider must not set it back
      const sent = form.sent.get(next.name)
      const settling = sent && performance.now() < sent.until
      if (settling && !error && JSON.stringify(next.value) !== sent.value) return
      const now = JSON.stringify([next, error])
      if (now === before) return
      before = now
      label.textContent = next.label
      help.textContent = next.help
      about.title = next.help
      about.setAttribute("aria-label", `${form.texts.about} ${next.label}`)
      if (!error && form.dragged !== next.name) made.update(next)
      node.hidden = next.hidden
      node.classList.toggle("failed", Boolean(error))
      note.textContent = error || next.reason || next.mark || ""
      note.classList.toggle("mark", !error && !next.reason && Boolean(next.mark))
      for (const input of node.querySelectorAll("input, select, .distribution button")) {
        input.disabled = Boolean(next.reason)
        input.setAttribute("aria-invalid", String(Boolean(error)))
      }
    },
  }
}

export function render({model}) {
  const form = {texts: model.texts, dragged: null, sent: new Map(), send}
  const root = element("form", {class: "fields", onsubmit: event => event.preventDefault()})
  let fields = new Map()
  let built = ""

  // While one message is under way, only the newest of the next ones is kept.
  let waiting = null
  let asked = false
  let settled = null
  function send(name, value, live) {
    form.dragged = live ? name : null
    form.sent.set(name, {value: JSON.stringify(value), until: performance.now() + SETTLE_MS})
    clearTimeout(settled)
    settled = setTimeout(update, SETTLE_MS)
    if (live && asked) {
      waiting = {name, value, live}
      return
    }
    waiting = null
    asked = true
    model.send_msg({name, value, live})
  }
  function answered() {
    asked = false
    if (waiting) send(waiting.name, waiting.value, waiting.live)
  }

  function build() {
    form.texts = model.texts
    fields = new Map()
    const reset = element("button", {
      type: "button", class: "quiet", title: model.texts.reset_help,
      onclick: () => {
        form.sent.clear()
        model.send_msg({reset: true})
      },
    }, [model.texts.reset])
    const head = element("div", {class: "title"}, [
      element("h2", {}, [model.texts.title]), reset])
    root.replaceChildren(head, ...model.groups.map(group => {
      const body = group.controls.map(control => {
        const made = field(form, control)
        fields.set(control.name, made)
        return made.node
      })
      if (group.name === "main") return element("div", {class: "group main"}, body)
      const opened = root.dataset[group.name] === "open"
      return element("details", {
        class: "group", "data-name": group.name, open: opened ? "" : null,
        ontoggle: event => { root.dataset[group.name] = event.target.open ? "open" : "" },
      }, [element("summary", {}, [group.title]), ...body])
    }))
    update()
  }

  function update() {
    const shape = JSON.stringify([model.texts, model.groups.map(g => g.controls.map(c => c.kind))])
    if (shape !== built) {
      built = shape
      build()
      return
    }
    for (const group of model.groups) {
      for (const control of group.controls) {
        fields.get(control.name).update(control, model.errors[control.name])
      }
    }
  }

  // Brings a control in sight and gives it the focus.
  function onCommand(event) {
    const {kind, name} = event.detail
    if (kind !== "field") return
    event.preventDefault()
    const node = fields.get(name)?.node
    if (!node) return
    document.querySelector(".page-settings > details").open = true
    const group = node.closest("details")
    if (group) group.open = true
    node.hidden = false
    node.scrollIntoView({block: "center"})
    node.querySelector(":is(input, select):not(:disabled)")?.focus()
  }

  document.documentElement.addEventListener("command", onCommand)
  model.on("remove", () => document.documentElement.removeEventListener("command", onCommand))
  model.on(["groups", "errors", "texts"], together(update))
  model.on("msg:custom", answered)
  update()
  return root
}
