// The controls of the form and what a change of one makes of the settings; app/fields and
// app/problems in Python.

// A scenario in which every value that a field allows by itself is allowed.
const ROOMY = {
  workers: FACTS.limits.workers,
  kv_capacity: FACTS.limits.kv_capacity,
  context_limit: FACTS.limits.context_limit,
}

// Names of the fields that belong to choices not taken.
function hiddenFields(scenario) {
  const names = Object.entries(FACTS.chosenWith)
    .filter(([, [other, values]]) => !values.includes(scenario[other]))
    .map(([name]) => name)
  if (!scenario.host_kv_capacity) names.push("host_load_rate")
  if (!scenario.prefill_workers) names.push("transfer_rate")
  return new Set(names)
}

// Fields that cannot act in this scenario, each with the key of the reason.
function idleFields(scenario) {
  const {pd, one_worker: single, table} = FACTS.idle
  const reasons = {}
  const add = (names, reason) => { for (const name of names) reasons[name] = reason }
  if (scenario.prefill_workers) add(pd, "pd")
  else if (scenario.workers === 1) add(single, "one_worker")
  if (scenario.draws === "table") add(table, "table")
  return reasons
}

// Groups of controls as the form takes them; `layout` holds names by group.
function formGroups(layout, state, texts) {
  const gone = hiddenFields(state.scenario)
  const reasons = idleFields(state.scenario)
  return Object.entries(layout).map(([group, names]) => ({
    name: group,
    title: texts(`controls.groups.${group}`),
    controls: names.map(name => ({
      ...formControl(name, state, texts),
      hidden: gone.has(name),
      reason: name in reasons ? texts(`reasons.${reasons[name]}`) : "",
    })),
  }))
}

function formControl(name, state, texts) {
  const {unit, ...kind} = FACTS.controls[name]
  return {
    name,
    label: texts(`fields.${name}.label`),
    help: texts(`fields.${name}.help`),
    unit: unit ? texts(`units.${unit}`) : "",
    ...kind,
    ...ofState(name, kind, state, texts),
  }
}

// What of a control depends on the settings.
function ofState(name, kind, {scenario, gpus_per_worker: each}, texts) {
  if (name === "gpus") {
    const [value, low, high] = [scenario.workers, kind.low, kind.high].map(count => count * each)
    return {value, low, high, step: each}
  }
  if (name === "gpus_per_worker") return {value: each}
  const value = scenario[name]
  if (kind.kind !== "choice") return {value}
  const options = kind.options.filter(option =>
    name !== "draws" || option !== "table" || value === "table")
  return {
    value,
    options: options.map(option =>
      ({value: option, ...texts.section(`options.${name}.${option}`)})),
  }
}

// What a change of one control makes of the settings; throws if the value is refused.
function changedSettings(state, name, value) {
  if (name === "gpus_per_worker") {
    return {gpus_per_worker: wholeWithin(value, FACTS.limits.gpus_per_worker)}
  }
  if (name === "gpus") {
    const each = state.gpus_per_worker
    const gpus = wholeWithin(value, FACTS.limits.workers * each)
    if (gpus % each) throw new Error(`must be a multiple of ${each}`)
    return changedSettings(state, "workers", gpus / each)
  }
  const changes = {[name]: checkedField(name, value)}
  if (name === "draws" && value !== "table") changes.table = null
  return {scenario: dpascope.validate({...state.scenario, ...changes})}
}

function wholeWithin(value, high) {
  if (Number.isInteger(value) && value >= 1 && value <= high) return value
  throw new Error(`must be a whole number from 1 to ${grouping(high)}`)
}

// A field's value, checked by itself and not against the other fields.
function checkedField(name, value) {
  if (name === "draws" && value === "table") return value
  if (name === "table" && value === null) return null
  const draws = name === "table" ? {draws: "table"} : {}
  return dpascope.validate({...ROOMY, ...draws, [name]: value})[name]
}

// The sentence that stands at a control whose value was refused.
function refusal(name, value, error, state, texts) {
  const shown = shownValue(value)
  const own = ownProblem(name, value, state)
  if (own) return filled(own, {value: shown})
  const among = amongProblem(name, value, state)
  if (among) return texts(`problems.${among.kind}`, among.values)
  return texts("problems.other", {message: error.message})

  // The problem that the value has by itself, as a text to fill in.
  function ownProblem(field, held, settings) {
    if (field === "gpus") {
      const each = settings.gpus_per_worker
      if (each === 1) return ownProblem("workers", held, settings)
      if (typeof held !== "number" || held % each || held < each) {
        const high = grouping(FACTS.limits.workers * each)
        return texts("problems.multiple", {value: "{value}", each: grouping(each), high})
      }
      return ownProblem("workers", held / each, settings)
    }
    if (field === "gpus_per_worker") return problemText(field, held, texts)
    try {
      checkedField(field, held)
    } catch {
      return problemText(field, held, texts)
    }
    return null
  }
}

// What is wrong with a value of a field, as a text to fill in.
function problemText(name, value, texts) {
  const kind = Array.isArray(value) && value.length > 2 ? "quantiles" : "plain"
  const known = FACTS.problems[texts.language][name]
  return known[kind] ?? known.plain
}

// The problem that the value has with other fields.
function amongProblem(name, value, state) {
  const own = name === "gpus" ? {workers: value / state.gpus_per_worker} : {[name]: value}
  const fields = {...state.scenario, ...own}
  if (fields.prefill_workers >= fields.workers) {
    return {kind: "prefill_workers", values: {
      prefill: shownValue(fields.prefill_workers), workers: shownValue(fields.workers),
    }}
  }
  const room = Math.min(fields.kv_capacity, fields.context_limit)
  if (fields.shared_prefix >= room) {
    return {kind: "shared_prefix", values: {
      prefix: shownValue(fields.shared_prefix), room: shownValue(room),
    }}
  }
  return null
}

const exact = new Intl.NumberFormat("en-US", {maximumFractionDigits: 20})

function shownValue(value) {
  if (Array.isArray(value)) return value.map(shownValue).join(", ")
  return typeof value === "number" ? exact.format(value) : String(value)
}
