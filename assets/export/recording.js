// A run indexed for drawing: flat runs of states, the stages of requests, the KV caches. What
// app/derive makes of a result in Python is made of it here, to the last bit.

const STATES = FACTS.states
const SHADES = FACTS.shades
const STAGES = FACTS.stages
const EVENT_KINDS = FACTS.eventKinds
const UNITS_PER_TOKEN = 2 ** 20

const KIND = Object.fromEntries(EVENT_KINDS.map((kind, code) => [kind, code]))

// What a run yields, as columns that a worker hands over without copying them. It stands alone:
// the worker is made of its text.
function packed(result, summary, requestFields, eventFields, eventKinds) {
  const columns = (rows, names) => Object.fromEntries(names.map((name, i) => {
    const column = new Int32Array(rows.length)
    for (let row = 0; row < rows.length; row++) column[row] = rows[row][i]
    return [name, column]
  }))
  const states = result.states.map(runs => {
    const count = runs.length / 2
    const starts = new Int32Array(count)
    const codes = new Uint8Array(count)
    for (let i = 0, tick = 0; i < count; i++) {
      starts[i] = tick
      codes[i] = runs[2 * i]
      tick += runs[2 * i + 1]
    }
    return {starts, codes}
  })
  const events = result.events.map(([tick, kind, ...rest]) =>
    [tick, eventKinds.indexOf(kind), ...rest])
  return {
    ticks: result.totals.ticks,
    summary,
    states,
    requests: columns(result.requests, requestFields),
    events: columns(events, eventFields),
  }
}

class Recording {
  // `scenario` with all its fields, `run` as from `packed`.
  constructor(scenario, run) {
    this.scenario = scenario
    this.run = run
    this.requests = run.requests
    this.events = run.events
    this.count = run.requests.agent.length
    this.ticks = run.ticks
    this.tickS = scenario.tick_ms / 1000
    this.workers = run.states.length
    this.agents = scenario.agents
    this.shared = scenario.shared_prefix
    this.rates = new Rates(scenario)
  }

  // The states of each worker as they are drawn: prefill that recomputes apart from the rest of it.
  get shades() { return once(this, "shades", shadesOf(this)) }

  // Worker-ticks in each of SHADES.
  get shadeTicks() {
    const spent = new Float64Array(SHADES.length)
    this.shadesWithin(0, this.ticks, (worker, start, stop, shade) => { spent[shade] += stop - start })
    return once(this, "shadeTicks", spent)
  }

  // Calls visit(worker, start, stop, shade) for the parts of all shades in [first, last).
  shadesWithin(first, last, visit) {
    this.shades.forEach(({starts, codes}, worker) => {
      let i = Math.max(0, upperBound(starts, first) - 1)
      for (; i < starts.length && starts[i] < last; i++) {
        const stop = i + 1 < starts.length ? starts[i + 1] : this.ticks
        if (stop > first) visit(worker, Math.max(starts[i], first), Math.min(stop, last), codes[i])
      }
    })
  }

  // Rows of the requests in the order of admission.
  get admissionOrder() {
    const {started, worker, created, agent} = this.requests
    return once(this, "admissionOrder", rowsInOrder([started, worker, created, agent]))
  }

  get admissionRank() {
    const rank = new Int32Array(this.count)
    this.admissionOrder.forEach((row, place) => { rank[row] = place })
    return once(this, "admissionRank", rank)
  }

  // First tick of each stage, a column for each of STAGES, and the tick after the last stage.
  get stages() {
    const {created, started, loaded, prefilled, prompt, finished} = this.requests
    const load = this.rates.load
    const ready = prefilled.map(tick => tick + 1)
    let admitted = ready
    let decode = ready
    if (this.scenario.prefill_workers) {
      const {transfer} = this.rates
      admitted = this._decodeAdmissions()
      decode = admitted.map((tick, row) =>
        tick + ceilDiv((prompt[row] + this.shared) * UNITS_PER_TOKEN, transfer))
    }
    return once(this, "stages", [
      created,
      started,
      started.map((tick, row) => tick + ceilDiv(loaded[row] * UNITS_PER_TOKEN, load)),
      ready,
      admitted,
      decode,
      finished.map(tick => tick + 1),
    ])
  }

  // Tick at which each request is admitted on its decode worker: first come, first served in the
  // order in which the prefills ended; nothing is evicted, so a request waits until enough of
  // those before it have finished.
  _decodeAdmissions() {
    const {worker, decode_worker: home, prefilled, finished, prompt, output} = this.requests
    const room = this.scenario.kv_capacity - this.shared
    const admitted = new Int32Array(this.count)
    const places = Array.from({length: this.workers}, () => ({used: 0, now: 0, running: []}))
    for (const row of rowsInOrder([prefilled, worker, this.admissionRank])) {
      const place = places[home[row]]
      const {running} = place
      const size = prompt[row] + output[row]
      place.now = Math.max(place.now, prefilled[row] + 1)
      while (running.length && (running[0][0] < place.now || place.used + size > room)) {
        const [end, freed] = running.shift()
        place.used -= freed
        place.now = Math.max(place.now, end + 1)
      }
      admitted[row] = place.now
      place.used += size
      let at = running.length
      while (at && compareRuns(running[at - 1], finished[row], size) > 0) at--
      running.splice(at, 0, [finished[row], size])
    }
    return admitted
  }

  // Whether a request is its worker's first and so prefills the shared prefix.
  get coldStart() {
    const first = new Uint8Array(this.count)
    const seen = new Set()
    for (const row of this.admissionOrder) {
      const worker = this.requests.worker[row]
      if (!seen.has(worker)) first[row] = 1
      seen.add(worker)
    }
    return once(this, "coldStart", first)
  }

  // Tick in which each agent ends, -1 for one without turns, and whether by a kill.
  get ended() {
    const tick = new Int32Array(this.agents).fill(-1)
    const killed = new Uint8Array(this.agents)
    const {agent, finished} = this.requests
    for (let row = 0; row < this.count; row++) {
      tick[agent[row]] = Math.max(tick[agent[row]], finished[row])
    }
    const {events} = this
    for (let i = 0; i < events.kind.length; i++) {
      if (events.kind[i] !== KIND.kill) continue
      killed[events.agent[i]] = 1
      tick[events.agent[i]] = events.tick[i]
    }
    return once(this, "ended", {tick, killed})
  }

  get kv() { return once(this, "kv", new Caches(this)) }

  // The workers that share a lock with this one: the first and the one after the last.
  group(worker) {
    const {prefill_workers: split, lock, group_size: size} = this.scenario
    let [first, stop] = [0, this.workers]
    if (split) [first, stop] = worker < split ? [0, split] : [split, this.workers]
    const wide = lock === "none" ? 1 : size || stop - first
    const start = first + Math.floor((worker - first) / wide) * wide
    return [start, Math.min(stop, start + wide)]
  }

  // The tick that holds this time, cut to the run.
  tickAt(seconds) {
    const tick = Math.trunc(seconds / this.tickS + 1e-9)
    return Math.min(Math.max(0, tick), Math.max(0, this.ticks - 1))
  }
}

const compareRuns = ([end, freed], finished, size) => end - finished || freed - size
