// The KV caches over time, rebuilt from requests and events.

// What can happen to an entry, in the order within a tick: dropped when its agent compacts or is
// killed; evicted; admitted; and after the work unlocked, or removed.
const [DROPPED, EVICTED, ADMITTED, UNLOCKED, REMOVED] = [0, 1, 2, 3, 4]

// Every change of every cache entry, as columns sorted by worker, agent, tick and kind: `size` is
// that of the entry after the change, `grown` the change in size, `lockGrown` that of its locked
// size.
class Caches {
  constructor(recording) {
    const changes = cacheChanges(recording)
    const order = rowsInOrder([changes.worker, changes.agent, changes.tick, changes.kind])
    for (const name of ["worker", "agent", "tick", "kind"]) {
      this[name] = Int32Array.from(order, row => changes[name][row])
    }
    const count = order.length
    this.size = new Int32Array(count)
    this.locked = new Uint8Array(count)
    this.grown = new Int32Array(count)
    this.lockGrown = new Int32Array(count)
    let size = 0
    let held = 0
    for (let i = 0; i < count; i++) {
      const value = changes.value[order[i]]
      const kind = this.kind[i]
      if (!this._continues(i)) size = held = 0
      const [before, heldBefore] = [size, held]
      if (kind === ADMITTED) size = value
      else if (kind === EVICTED) size -= this._continues(i) ? value : 0
      else if (kind !== UNLOCKED) size = 0
      held = kind === ADMITTED ? size : 0
      this.size[i] = size
      this.locked[i] = kind === ADMITTED && size > 0 ? 1 : 0
      this.grown[i] = size - before
      this.lockGrown[i] = held - heldBefore
    }
  }

  // Whether a change is of the same entry as the one before it.
  _continues(i) {
    return i > 0 && this.worker[i] === this.worker[i - 1] && this.agent[i] === this.agent[i - 1]
  }

  // The entries in the midst of a tick, after its admissions and before its work: {worker, agent,
  // tokens, locked, last_access}, sorted by worker and agent.
  at(tick) {
    const entries = []
    let latest = null
    let accessed = 0
    const keep = () => { if (latest?.tokens > 0) entries.push(latest) }
    for (let i = 0; i < this.tick.length; i++) {
      const kind = this.kind[i]
      if (!this._continues(i)) {
        keep()
        latest = null
      }
      if (kind === ADMITTED || kind === UNLOCKED) accessed = this.tick[i]
      if (this.tick[i] > tick || (this.tick[i] === tick && kind > ADMITTED)) continue
      latest = {
        worker: this.worker[i],
        agent: this.agent[i],
        tokens: this.size[i],
        locked: Boolean(this.locked[i]),
        last_access: accessed,
      }
    }
    keep()
    return entries
  }
}

function cacheChanges(recording) {
  const {requests: r, scenario, events, stages, ended} = recording
  const changes = {worker: [], agent: [], tick: [], kind: [], value: []}
  const add = (worker, agent, tick, kind, value) => {
    changes.worker.push(worker)
    changes.agent.push(agent)
    changes.tick.push(tick)
    changes.kind.push(kind)
    changes.value.push(value)
  }
  const homes = Array.from({length: recording.agents}, () => new Set())
  for (let row = 0; row < recording.count; row++) {
    const [agent, worker, whole] = [r.agent[row], r.worker[row], r.prompt[row] + r.output[row]]
    const end = stages[6][row] - 1
    homes[agent].add(worker)
    if (scenario.prefill_workers) {
      add(worker, agent, r.started[row], ADMITTED, r.prompt[row])
      add(worker, agent, stages[5][row] - 1, UNLOCKED, 0)
      add(r.decode_worker[row], agent, stages[4][row], ADMITTED, whole)
      add(r.decode_worker[row], agent, end, REMOVED, 0)
    } else {
      add(worker, agent, r.started[row], ADMITTED, whole)
      add(worker, agent, end, UNLOCKED, 0)
    }
  }
  const drop = (agent, tick, kind) => {
    for (const worker of homes[agent]) add(worker, agent, tick, kind, 0)
  }
  for (let i = 0; i < events.kind.length; i++) {
    const [kind, agent, tick] = [events.kind[i], events.agent[i], events.tick[i]]
    if (kind === KIND.evict || kind === KIND.reclaim) {
      add(events.worker[i], agent, tick, EVICTED, events.tokens[i])
    } else if (kind === KIND.compact) drop(agent, tick, DROPPED)
  }
  if (scenario.release_finished) {
    for (let agent = 0; agent < recording.agents; agent++) {
      if (ended.killed[agent]) drop(agent, ended.tick[agent], DROPPED)
      else if (ended.tick[agent] >= 0) drop(agent, ended.tick[agent], REMOVED)
    }
  }
  return changes
}
