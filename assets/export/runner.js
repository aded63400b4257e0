// Runs scenarios: here if that takes no longer than a frame, else in a worker; the newest request
// wins.

// Milliseconds of a frame, and of a run that is given up for a newer one.
const FRAME = 16
const LONG = 400

// Milliseconds a request, until a run has taken its time.
const GUESS = 0.008

// Finished requests, about, that a scenario makes.
function expectedRequests({agents, turns, table}) {
  if (table) return table.reduce((sum, session) => sum + session.length, 0)
  const knots = turns.length - 1
  const sum = turns.reduce((all, knot, i) => all + (i === 0 || i === knots ? knot / 2 : knot), 0)
  return agents * sum / knots
}

class Runner {
  // `done(scenario, run)` and `failed(error)` are told of the newest request only.
  constructor(done, failed) {
    Object.assign(this, {done, failed})
    this.cost = GUESS
    this.warm = false
    this.worker = null
    this.waiting = null
    this.current = null
  }

  get busy() { return this.current !== null }

  request(scenario) {
    if (this.busy) {
      this.waiting = scenario
      const left = this.current.since + LONG - performance.now()
      clearTimeout(this.patience)
      this.patience = setTimeout(() => this._giveUp(), Math.max(0, left))
      return
    }
    const quick = this.cost * expectedRequests(scenario) <= FRAME
    if (quick || !this._hire()) this._here(scenario)
    else {
      this.current = {scenario, since: performance.now()}
      this.worker.postMessage(scenario)
    }
  }

  _here(scenario) {
    const begin = performance.now()
    try {
      const run = simulated(scenario)
      this._learn(scenario, performance.now() - begin)
      this.done(scenario, run)
    } catch (error) {
      this.failed(error)
    }
  }

  // The first run is slow, as all code is new; it says nothing of the next.
  _learn(scenario, ms) {
    const cost = ms / Math.max(1, expectedRequests(scenario))
    if (this.warm) this.cost = (this.cost + cost) / 2
    this.warm = true
  }

  // Makes the worker, once; false where the browser allows none, as some do in a sandbox.
  _hire() {
    if (this.worker || Runner.alone) return Boolean(this.worker)
    const names = [FACTS.requestFields, FACTS.eventFields, FACTS.eventKinds]
    const text = [
      document.getElementById("engine").textContent,
      packed,
      `const names = ${JSON.stringify(names)}`,
      simulatedIn,
      `onmessage = ({data}) => {
        const begin = performance.now()
        try {
          const run = simulatedIn(data, names)
          const {requests, events, states} = run
          const arrays = [requests, events, ...states].flatMap(columns => Object.values(columns))
          postMessage({run, ms: performance.now() - begin}, arrays.map(array => array.buffer))
        } catch (error) {
          postMessage({error: error.message})
        }
      }`,
    ].join("\n")
    try {
      this.url = URL.createObjectURL(new Blob([text], {type: "text/javascript"}))
      this.worker = new Worker(this.url)
    } catch {
      Runner.alone = true
      return false
    }
    this.worker.onmessage = ({data}) => this._answered(data)
    this.worker.onerror = event => {
      event.preventDefault()
      Runner.alone = true
      const scenario = this.waiting ?? this.current?.scenario
      this._dismiss()
      this.waiting = null
      if (scenario) this._here(scenario)
    }
    return true
  }

  // Gives up a run that takes long, for the newer one.
  _giveUp() {
    if (this.waiting === null) return
    this._dismiss()
    this._next()
  }

  _dismiss() {
    this.worker?.terminate()
    URL.revokeObjectURL(this.url)
    this.worker = null
    this.current = null
  }

  _answered({run, ms, error}) {
    const {scenario} = this.current
    this.current = null
    if (ms !== undefined) this._learn(scenario, ms)
    if (error === undefined) this.done(scenario, run)
    else if (this.waiting === null) this.failed(new Error(error))
    if (this.waiting !== null) this._next()
  }

  _next() {
    const scenario = this.waiting
    this.waiting = null
    this.request(scenario)
  }
}

// A run of the scenario. It stands alone, as `packed` does.
function simulatedIn(scenario, names) {
  const result = dpascope.simulate(scenario)
  return packed(result, dpascope.summary(scenario, result), ...names)
}

function simulated(scenario) {
  return simulatedIn(scenario, [FACTS.requestFields, FACTS.eventFields, FACTS.eventKinds])
}
