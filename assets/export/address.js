// The settings in the address, behind the #: agents=48&routing=pinned&lang=zh. Only what differs
// from the file's own settings stands there, so that links stay short; the file they name does
// not change.

const LISTS = new Set(FACTS.distributions)

// What stands in an address besides the scenario's fields, and how it is read.
const CHOICES = {
  gpus_per_worker: text => wholeWithin(readNumber(text), FACTS.limits.gpus_per_worker),
  view: readView,
  isolate: text => text.split(",").map(name => oneOf(name, FACTS.shades)),
  pin: readPlace,
  worker: readPlace,
  clock: readSeconds,
  speed: text => Number(oneOf(text, FACTS.speeds.map(String))),
  lang: text => oneOf(text, Object.keys(FACTS.texts)),
  theme: text => oneOf(text, FACTS.themes),
  palette: text => oneOf(text, FACTS.palettes),
  controls: text => text === "all" ? null : readNames(text, FACTS.controlNames),
  charts: text => readNames(text, FACTS.chartNames),
}
const NAMES = {lang: "language"}

// What stands in an address of the dashboard and says nothing more here.
const ELSEWHERE = [
  "v", "deployment", "baseline", "story", "tab", "explore", "span", "agent", "order",
]

// Characters shown of each part of an address that could not be read.
const LONGEST = {key: 40, value: 80, problem: 400}

const sameValue = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b)

const sameScenario = (a, b) =>
  Object.keys(a).every(name => a[name] === b[name] || sameValue(a[name], b[name]))

// The text behind the #, without it; `own` are the file's own settings.
function writtenAddress(state, own) {
  const pairs = []
  const preset = sameScenario(state.scenario, own.scenario) ? null : presetOf(state.scenario)
  const base = preset === null ? own : {...own, ...presetSettings(preset)}
  if (preset !== null) pairs.push(["preset", preset])
  for (const [name, value] of Object.entries(state.scenario)) {
    if (name === "table" || sameValue(value, base.scenario[name])) continue
    pairs.push([name, writtenValue(value)])
  }
  for (const key of Object.keys(CHOICES)) {
    const name = NAMES[key] ?? key
    if (sameValue(state[name], base[name]) || state[name] === null) continue
    const value = state[name]
    pairs.push([key, key === "view" ? value.map(shortNumber).join("-") : writtenValue(value)])
  }
  const encoded = text => encodeURIComponent(text).replace(/%2C/g, ",")
  return pairs.map(([key, text]) => `${key}=${encoded(text)}`).join("&")
}

function writtenValue(value) {
  if (Array.isArray(value)) return value.join(",") || "none"
  if (typeof value === "boolean") return value ? "on" : "off"
  return String(value)
}

// without an exponent, whose minus would part the ends of a window
const shortNumber = value => String(Number(value.toFixed(6)))

// The settings that an address asks for: {changes, problems}. What cannot be read is left out,
// and said in `problems`.
function readAddress(text, own, engine = true) {
  const problems = []
  const fields = {}
  const changes = {}
  const known = Object.keys(own.scenario)
  let base = own.scenario
  let preset = {}
  const attempt = (key, value, read) => {
    try {
      read()
    } catch (error) {
      const {form, limits, message} = error
      problems.push({kind: form ? "refused" : "value", key, value, problem: message, form, limits})
    }
  }
  for (const [key, value] of new URLSearchParams(text)) {
    if (ELSEWHERE.includes(key)) continue
    if (!engine && (known.includes(key) || key === "preset")) {
      problems.push({kind: "fixed", key})
    } else if (known.includes(key)) {
      attempt(key, value, () => { fields[key] = checkedField(key, readField(key, value)) })
    } else if (key === "preset") {
      attempt(key, value, () => {
        const {scenario, ...rest} = presetSettings(oneOf(value, Object.keys(FACTS.presets)))
        base = scenario
        preset = rest
      })
    } else if (key in CHOICES) {
      attempt(key, value, () => { changes[NAMES[key] ?? key] = CHOICES[key](value) })
    } else {
      const near = nearest(key, [...known, "preset", ...Object.keys(CHOICES)])
      problems.push({kind: near ? "near" : "unknown", key, near})
    }
  }
  if (engine) {
    try {
      const asked = {...base, ...fields}
      if (asked.draws !== "table" && !("table" in fields)) asked.table = null
      changes.scenario = dpascope.validate(asked)
    } catch (error) {
      problems.push({kind: "conflict", problem: error.message})
      changes.scenario = own.scenario
    }
  }
  return {changes: {...preset, ...changes}, problems}
}

function readField(name, text) {
  if (name === "table") return JSON.parse(text)
  if (LISTS.has(name)) return text.split(",").map(readNumber)
  const {kind} = FACTS.controls[name] ?? {}
  if (kind === "switch") {
    return {on: true, off: false, true: true, false: false}[text.toLowerCase()] ?? text
  }
  return kind === "choice" ? text : readNumber(text)
}

// The number that a text means, the text itself if it means none.
function readNumber(text) {
  const value = Number(text)
  return text.trim() === "" || Number.isNaN(value) ? text : value
}

// The error about a value that may not stand in an address: `form` is the text that says what may.
function refused(form, limits) {
  return Object.assign(new Error(form), {form, limits})
}

function oneOf(text, known) {
  if (known.includes(text)) return text
  const near = nearest(text, known)
  throw refused(near ? "choice_near" : "choice", {near, known: known.join(", ")})
}

function readPlace(text) {
  const value = readNumber(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw refused("integer", {low: "0", high: shownValue(Number.MAX_SAFE_INTEGER)})
}

function readSeconds(text) {
  const value = readNumber(text)
  if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value
  throw refused("number", {low: "0", high: shownValue(Number.MAX_SAFE_INTEGER)})
}

function readView(text) {
  const ends = text.split("-").map(readNumber)
  if (ends.length === 2 && ends[0] >= 0 && ends[0] < ends[1]
    && ends[1] <= Number.MAX_SAFE_INTEGER) return ends
  throw refused("such_as", {example: "0-3600"})
}

// Names with commas between them, or "none".
function readNames(text, known) {
  return text === "none" ? [] : text.split(",").map(name => oneOf(name, known))
}

// What a preset makes of the settings.
function presetSettings(name) {
  const {scenario, ...rest} = FACTS.presets[name]
  return {scenario: dpascope.validate(scenario), ...rest}
}

let knownPresets = null

// The name of the preset that a scenario is, or null.
function presetOf(scenario) {
  if (knownPresets === null) {
    knownPresets = Object.keys(FACTS.presets).map(name => [name, presetSettings(name)])
  }
  return knownPresets.find(([, known]) => sameScenario(scenario, known.scenario))?.[0] ?? null
}

// The sentence about a part of an address that could not be read.
function addressProblem(problem, texts) {
  const cut = (text, most) => text.length > most ? `${text.slice(0, most - 1)}…` : text || '""'
  const found = {...problem}
  for (const [part, most] of Object.entries(LONGEST)) {
    if (part in found) found[part] = cut(found[part], most)
  }
  if (found.kind === "refused") {
    const said = texts(`problems.${found.form}`, {value: found.value, ...found.limits})
    return texts("status.link_field", {key: found.key, problem: said})
  }
  if (found.kind === "value" && FACTS.problems[texts.language][found.key]) {
    const problem = filled(problemText(found.key, found.value, texts), {value: found.value})
    return texts("status.link_field", {key: found.key, problem})
  }
  if (found.kind === "fixed") return texts("export.fixed", found)
  return texts(`status.link_${found.kind}`, found)
}

// The name among `known` that takes the fewest edits, null if none is near.
function nearest(name, known) {
  let best = null
  let least = Math.min(Math.max(2, Math.floor(name.length / 3)), name.length - 1) + 1
  for (const other of known) {
    const edits = editDistance(name, other)
    if (edits < least) [best, least] = [other, edits]
  }
  return best
}

function editDistance(a, b) {
  let row = indices(b.length + 1)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1))
    }
    row = next
  }
  return row[b.length]
}
