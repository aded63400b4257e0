// The deployment panel: choices, the memory of one GPU as a bar, the arithmetic, what was changed
// by hand. The choices are made once and then updated in place, so that focus survives.

export function render({model}) {
  const root = element("details", {class: "deployment"})
  const title = element("span", {class: "title"})
  const short = element("span", {class: "short"})
  const choices = element("div", {class: "choices"})
  const notes = element("div", {role: "status"})
  const memory = element("div", {class: "memory"})
  const steps = element("details", {class: "steps"})
  const change = (name, value) => model.send_msg({change: name, value})
  let inputs = {}

  function row(name, label, input) {
    const problem = element("p", {class: "refused", id: `deploy-${name}-note`, role: "status"})
    inputs[name] = {input, problem}
    return element("div", {class: `row ${name}`}, [
      element("label", {for: input.id || null}, [label]), input, problem])
  }

  // Names of models and GPUs are the same in every language.
  function select(name) {
    return element("select", {
      id: `deploy-${name}`, translate: "no", onchange: event => change(name, event.target.value)})
  }

  function number(name) {
    const input = element("input", {
      id: `deploy-${name}`, class: "value", inputmode: "decimal", autocomplete: "off",
      "aria-describedby": `deploy-${name}-note`,
      onchange: () => {
        const plain = input.value.replace(/[\s,_]/g, "")
        change(name, plain && Number.isFinite(Number(plain)) ? Number(plain) : input.value)
      },
    })
    return input
  }

  function build() {
    const {texts} = model
    inputs = {}
    title.textContent = texts.title
    const speculation = element("input", {
      id: "deploy-speculation", type: "checkbox", role: "switch",
      onchange: event => change("speculation", event.target.checked)})
    choices.replaceChildren(
      row("model", texts.model, select("model")),
      row("gpu", texts.gpu, select("gpu")),
      row("gpus", texts.gpus, number("gpus")),
      row("deployment", texts.deployment, element("div", {})),
      row("precision", texts.precision, select("precision")),
      row("speculation", texts.speculation, speculation),
      row("accept", texts.accept, number("accept")),
    )
    update()
  }

  function update() {
    const {values, options, refused} = model
    for (const [name, {input, problem}] of Object.entries(inputs)) {
      problem.textContent = refused[name] ?? ""
      input.setAttribute("aria-invalid", String(name in refused))
      if (name === "speculation") input.checked = values[name]
      else if (name === "deployment") {
        input.replaceChildren(segments("deploy-deployment", model.texts.deployment,
          options.deployment, values.deployment, value => change(name, value)))
      } else if (name in options) {
        input.replaceChildren(...options[name].map(([value, label]) => element(
          "option", {value}, [label])))
        input.value = values[name]
      } else if (!(name in refused)) input.value = String(values[name])
    }
    inputs.accept.input.parentElement.hidden = !values.speculation
    short.textContent = model.used ? model.short || model.texts.impossible : model.texts.none
    root.classList.toggle("failed", model.used && Boolean(model.error))
  }

  const button = (text, act, hint = null, kind = "") => element("button", {
    type: "button", class: kind, title: hint, onclick: act}, [text])

  function error() {
    const {texts, works} = model
    const lines = [element("strong", {}, [texts.impossible]), element("p", {}, [model.error])]
    if (works.length) {
      lines.push(element("p", {}, [texts.works]), element("div", {class: "works"}, works.map(
        (text, index) => button(text, () => model.send_msg({alternative: index})))))
    }
    if (model.nothing) lines.push(element("p", {}, [texts.nothing]))
    if (model.used) lines.push(element("p", {class: "quiet"}, [texts.kept]))
    return element("div", {class: "error"}, lines)
  }

  function hand() {
    const {texts} = model
    const rows = model.hand.map(({name, label, text, hint}) => {
      const back = button("↺", () => model.send_msg({restore: name}), hint, "quiet")
      back.setAttribute("aria-label", hint)
      return element("li", {"data-name": name}, [
        element("span", {}, [element("b", {}, [label]), ` ${text}`]), back])
    })
    const all = button(texts.restore_all, () => model.send_msg({restore: ""}))
    return element("div", {class: "hand"}, [
      element("strong", {}, [texts.hand]), element("ul", {}, rows), all])
  }

  function showNotes() {
    const {texts} = model
    const shown = []
    const leave = button(texts.leave, () => model.send_msg({leave: true}), texts.leave_help, "quiet")
    if (model.error) shown.push(error())
    else if (!model.used) {
      shown.push(element("p", {class: "quiet"}, [texts.choose]),
        button(texts.fill, () => model.send_msg({fill: true}), null, "fill"))
    } else if (model.hand.length) shown.push(hand())
    else shown.push(element("p", {class: "quiet"}, [texts.filled]))
    if (model.used) shown.push(leave)
    notes.replaceChildren(...shown)
  }

  function showMemory() {
    memory.hidden = !model.memory.length
    const bar = element("div", {class: "bar", role: "img",
      "aria-label": `${model.texts.memory}: ${model.memory.map(part => part.text).join(", ")}`,
    }, model.memory.map(({name, share, text}) => {
      const part = element("i", {class: name, title: text})
      part.style.flexGrow = String(share)
      return part
    }))
    memory.replaceChildren(
      element("strong", {}, [model.texts.memory]), bar,
      element("ul", {}, model.memory.map(({name, text}) => element("li", {}, [
        element("i", {class: name, "aria-hidden": "true"}), text]))),
      element("p", {class: "buys"}, [`→ ${model.buys}`]),
    )
  }

  function showSteps() {
    steps.hidden = !model.steps.length
    const rows = model.steps.map(step => {
      const head = [element("span", {}, [step.label]), element("b", {}, [step.value])]
      const about = [element("span", {class: `basis ${step.basis}`}, [step.basis_label])]
      if (step.given) {
        const hint = model.texts.free.replace("{label}", step.label)
        const free = button("↺", () => model.send_msg({free: step.name}), hint, "quiet")
        free.setAttribute("aria-label", hint)
        about.push(free)
      }
      if (step.formula) about.push(element("span", {class: "formula", lang: "en"}, [step.formula]))
      const lines = [
        element("div", {class: "head"}, head), element("div", {class: "about"}, about)]
      if (step.source) lines.push(element("div", {class: "source", lang: "en"}, [step.source]))
      return element("li", {"data-name": step.name}, lines)
    })
    steps.replaceChildren(
      element("summary", {}, [model.texts.steps]), element("ol", {}, rows))
  }

  function show() {
    update()
    showNotes()
    showMemory()
    showSteps()
  }

  root.open = model.used
  // A deployment that cannot be must be seen.
  model.on("error", () => { if (model.used && model.error) root.open = true })
  model.on("texts", build)
  model.on(["texts", "options", "values", "used", "short", "error", "works", "nothing", "refused", "memory",
    "buys", "steps", "hand"], together(show))
  root.append(element("summary", {}, [title, short]),
    element("div", {class: "body"}, [choices, notes, memory, steps]))
  build()
  show()
  return root
}
