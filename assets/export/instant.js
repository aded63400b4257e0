// One tick looked at closely.

const SERVES = {
  prefill: [PREFILL], prefill_again: [PREFILL], decode: [DECODE], mixed: [PREFILL, DECODE],
}
// Phase policies that count ticks, and the setting that they count to.
const COUNTS = {
  time_slice: "quantum", decode_interval: "decode_interval", prefill_delayer: "max_delay",
}

// What is known of some workers, by default of all, at a tick, after its admissions and before its
// work.
function momentsAt(recording, tick, workers = indices(recording.workers)) {
  const instant = new Instant(recording, tick)
  return workers.map(worker => instant.worker(worker))
}

// What is known of one worker.
function momentOf(recording, worker, tick) {
  return new Instant(recording, tick).worker(worker)
}

class Instant {
  constructor(recording, tick) {
    this.recording = recording
    this.scenario = recording.scenario
    this.tick = tick
    this.split = this.scenario.prefill_workers > 0
    this.cached = recording.kv.at(tick)
    this.live = this._live()
  }

  // [row, stage] of the requests at each worker, in the order of its queue.
  _live() {
    const {requests: r, stages, admissionRank, count} = this.recording
    const found = []
    for (let row = 0; row < count; row++) {
      if (stages[0][row] > this.tick || stages[6][row] <= this.tick) continue
      let stage = 0
      while (stage < 5 && stages[stage + 1][row] <= this.tick) stage++
      const decodes = stage >= HANDOFF
      found.push({
        row,
        stage,
        home: decodes ? r.decode_worker[row] : r.worker[row],
        arrival: decodes && this.split ? r.prefilled[row] : r.created[row],
      })
    }
    found.sort((a, b) => a.arrival - b.arrival || admissionRank[a.row] - admissionRank[b.row])
    const live = new Map()
    for (const {home, row, stage} of found) {
      if (!live.has(home)) live.set(home, [])
      live.get(home).push([row, stage])
    }
    return live
  }

  _at(worker) { return this.live.get(worker) ?? [] }

  worker(worker) {
    const {recording, scenario} = this
    const {starts, codes} = recording.shades[worker]
    const run = upperBound(starts, this.tick) - 1
    const requests = this._at(worker).map(([row, stage]) => this._request(row, stage))
    const waits = ({stage}) => stage === "queued" || stage === "handoff"
    const queue = requests.filter(waits)
    const entries = this._entries(worker)
    const sum = all => all.reduce((total, entry) => total + entry.tokens, 0)
    const used = sum(entries)
    const free = scenario.kv_capacity - recording.shared - used
    return {
      worker,
      role: this._role(worker),
      group: recording.group(worker),
      state: codes[run],
      since: starts[run],
      until: run + 1 < starts.length ? starts[run + 1] : recording.ticks,
      cause: this._cause(worker, SHADES[codes[run]]),
      blocked: this._blocked(queue, entries, free),
      running: requests.filter(request => !waits(request)),
      queue,
      entries,
      capacity: scenario.kv_capacity,
      shared: recording.shared,
      used,
      locked: sum(entries.filter(entry => entry.locked)),
      free,
    }
  }

  _role(worker) {
    if (!this.split) return "both"
    return worker < this.scenario.prefill_workers ? "prefill" : "decode"
  }

  _request(row, stage) {
    const {requests: r, shared, stages} = this.recording
    return {
      row,
      agent: r.agent[row],
      turn: r.turn[row],
      stage: STAGES[stage],
      since: stages[stage][row],
      prompt: r.prompt[row] + shared,
      cached: r.cached[row] + shared,
      loaded: r.loaded[row],
      recomputed: r.recomputed[row],
      recomputed_evicted: r.recomputed_evicted[row],
      output: r.output[row],
      left: tokensLeft(this.recording, row, stage, this.tick),
    }
  }

  _entries(worker) {
    const ended = this.recording.ended.tick
    return this.cached
      .filter(entry => entry.worker === worker)
      .map(({agent, tokens, locked, last_access}) =>
        ({agent, tokens, locked, last_access, ended: ended[agent] < this.tick}))
      .sort((a, b) => b.locked - a.locked || b.last_access - a.last_access || a.agent - b.agent)
  }

  _blocked(queue, entries, free) {
    if (!queue.length) return null
    const [head] = queue
    const own = entries
      .filter(entry => entry.agent === head.agent && !entry.locked)
      .reduce((total, entry) => total + entry.tokens, 0)
    let reserve = head.prompt - this.recording.shared
    if (head.stage === "handoff" || !this.split) reserve += head.output
    const locked = entries
      .filter(entry => entry.locked)
      .sort((a, b) => b.tokens - a.tokens || a.agent - b.agent)
    return {
      agent: head.agent, need: reserve - own, free, locked_by: locked.map(entry => [entry.agent, entry.tokens]),
    }
  }

  _cause(worker, state) {
    const cause = {
      code: state, phase: null, blockers: [], policy: null, limit: null, wants: null, agents: [],
      until: null,
    }
    if (state === "waiting_phase" || state === "dragged") {
      const prefills = state === "waiting_phase" && this._agents(worker, [PREFILL]).length
      this._setPhase(cause, worker, prefills ? "decode" : "prefill")
    } else if (state === "idle") Object.assign(cause, this._coming(worker))
    else if (state !== "waiting_kv") {
      cause.agents = this._agents(worker, SERVES[state] ?? [LOAD, TRANSFER])
    }
    return cause
  }

  // Why the group is in a phase that leaves this worker behind.
  _setPhase(cause, worker, phase) {
    const [first, stop] = this.recording.group(worker)
    const {phase_policy: policy} = this.scenario
    const want = stage => indices(stop - first)
      .reduce((sum, i) => sum + this._agents(first + i, [stage]).length, 0)
    Object.assign(cause, {
      phase, policy, blockers: this._serving(worker, phase), wants: [want(PREFILL), want(DECODE)],
      limit: policy in COUNTS ? this.scenario[COUNTS[policy]] : null,
    })
  }

  _agents(worker, stages) {
    const {agent} = this.recording.requests
    return this._at(worker).filter(([, stage]) => stages.includes(stage)).map(([row]) => agent[row])
  }

  // Workers of the group, and their agents, that the phase serves.
  _serving(worker, phase) {
    const [first, stop] = this.recording.group(worker)
    return indices(stop - first)
      .map(i => [first + i, this._agents(first + i, SERVES[phase])])
      .filter(([, agents]) => agents.length)
  }

  // Agents whose requests are still to come here, the next one first, and the tick of it. Requests
  // come to a decode worker when they are prefilled.
  _coming(worker) {
    const {requests: r, stages, count} = this.recording
    const found = new Map()
    for (let row = 0; row < count; row++) {
      const here = r.worker[row] === worker
      if (!here && !(this.split && r.decode_worker[row] === worker)) continue
      const comes = stages[here ? QUEUED : HANDOFF][row]
      if (comes > this.tick && !found.has(r.agent[row])) found.set(r.agent[row], comes)
    }
    const coming = [...found].sort((a, b) => a[1] - b[1] || a[0] - b[0])
    return {agents: coming.map(([agent]) => agent), until: coming.length ? coming[0][1] : null}
  }
}

// The request to name first: one that advances or waits for the phase, else the queue's head.
function focusOf(moment) {
  const state = SHADES[moment.state]
  const order = {prefill: 0, decode: 1, transfer: 2, load: 3}
  if (state === "decode" || state === "dragged") order.decode = -1
  const working = [...moment.running].sort((a, b) => order[a.stage] - order[b.stage])
  return working[0] ?? moment.queue[0] ?? null
}
