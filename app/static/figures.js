// Finding the page's figures and reading places in them; stands before scripts that need it.

// Bokeh looks for a name through all models; figures stay, so once is enough.
const knownFigures = new Map()

function figure(model, name) {
  let found = knownFigures.get(name)
  if (found?.document !== model.document) {
    found = model.document.get_model_by_name(name)
    knownFigures.set(name, found)
  }
  return found
}

function figureView(model, name) {
  const found = figure(model, name)
  return found ? Bokeh.index.find_one_by_id(found.id) : null
}

// Has `act` called with the view of a figure that is still to come, once it has been laid out.
function whenLaidOut(model, name, act, tries = 100) {
  const view = figureView(model, name)
  if (view?.frame?.bbox.height > 0) act(view)
  else if (tries) setTimeout(() => whenLaidOut(model, name, act, tries - 1), 100)
}

// Says to screen readers what each figure of `model.figures` shows, once it is there.
function nameFigures(model) {
  for (const [name, text] of Object.entries(model.figures)) {
    const call = view => {
      view.el.setAttribute("role", "img")
      view.el.setAttribute("aria-label", text)
    }
    const view = figureView(model, name)
    if (view) call(view)
    else whenLaidOut(model, name, call)
  }
}

function timeRange(model) {
  return figure(model, "timeline").x_range
}

// The place of an event in a figure: {x, y} in its axes' units, or null outside its frame.
function place(view, event) {
  const box = view.frame.bbox
  const around = view.canvas_view.el.getBoundingClientRect()
  const across = (event.clientX - around.left - box.left) / box.width
  const up = 1 - (event.clientY - around.top - box.top) / box.height
  if (!(across >= 0 && across <= 1 && up >= 0 && up <= 1)) return null
  const {x_range, y_range} = view.model
  return {
    x: x_range.start + across * (x_range.end - x_range.start),
    y: y_range.start + up * (y_range.end - y_range.start),
  }
}

// Which of some figures an event falls into: {name, view, spot}, or null.
function figureAt(model, names, event) {
  const path = event.composedPath()
  for (const name of names) {
    const view = figureView(model, name)
    const spot = view && path.includes(view.el) ? place(view, event) : null
    if (spot) return {name, view, spot}
  }
  return null
}

// Listeners, [name, listener] each, that have `act` called with a click that does not end a drag.
function plainClicks(act) {
  let pressed = null
  const dragged = event => pressed && Math.hypot(
    event.clientX - pressed.clientX, event.clientY - pressed.clientY) > 4
  return [
    ["pointerdown", event => { pressed = event }],
    ["click", event => { if (!dragged(event)) act(event) }],
  ]
}

// The nearest whole number, and of two the even one, as Python rounds.
function rounded(value) {
  const nearest = Math.round(value)
  return nearest - value === 0.5 && nearest % 2 ? nearest - 1 : nearest
}

// A moment of a run as 1:02:03.25.
function clockText(seconds) {
  const hundredths = rounded(seconds * 100)
  const pad = number => String(number).padStart(2, "0")
  const whole = Math.floor(hundredths / 100)
  const rest = hundredths % 100
  const text = `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}`
  return rest ? `${text}.${pad(rest)}` : text
}

// Whether a key is meant for the page with this tab open (any if null), and not for the control
// that has the focus.
function isForPage(event, tab = "run") {
  if (event.ctrlKey || event.metaKey || event.altKey) return false
  const open = document.documentElement.dataset.tab ?? "run"
  // the agents stand below the run's timeline
  if (tab !== null && tab !== (open === "agents" ? "run" : open)) return false
  const path = event.composedPath()
  if (path.some(node => node.tagName === "DIALOG")) return false
  if (event.key === "Escape") return true
  const target = path[0]
  if (target.matches?.("select, textarea, input:not([type=range], [type=radio], [type=checkbox])")) {
    return false
  }
  if (target.matches?.("input")) return !event.key.startsWith("Arrow") && event.key !== " "
  return !(target.matches?.("button, summary") && event.key === " ")
}
