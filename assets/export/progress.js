// How much work a running request has left at a tick.

const [QUEUED, LOAD, PREFILL, HANDOFF, TRANSFER, DECODE] = STAGES.map((_, number) => number)

// What a request advances in a tick, in units of work.
class Rates {
  constructor(scenario) {
    const step = rate =>
      Math.max(1, Math.floor((rate * scenario.tick_ms / 1000) * UNITS_PER_TOKEN + 0.5))
    this.load = step(scenario.host_load_rate)
    this.prefill = step(scenario.prefill_rate)
    this.transfer = step(scenario.transfer_rate)
    this.decode = step(scenario.decode_rate)
    this.dragged = step(scenario.prefill_rate / scenario.chunk_tokens)
    this.sharing = scenario.prefill_sharing
    this.slowdown = scenario.decode_slowdown
    this.mixedShare = scenario.mixed_share
  }

  // Units that one of `count` requests in stage PREFILL or DECODE advances in a tick of a state.
  step(stage, state, count) {
    const prefills = stage === PREFILL
    const moves = prefills ? ["prefill", "mixed"] : ["decode", "mixed", "dragged"]
    if (!moves.includes(state)) return 0
    const step = prefills
      ? this.sharing ? Math.max(1, Math.floor(this.prefill / count)) : this.prefill
      : Math.max(1, Math.floor(this.decode / (1 + this.slowdown * (count - 1)) + 0.5))
    const share = prefills ? this.mixedShare : 1 - this.mixedShare
    if (state === "mixed") return Math.max(1, Math.floor(step * share))
    return state === "dragged" ? Math.min(step, this.dragged) : step
  }
}

// Tokens, rounded up, that a request has left of its stage as a tick's work begins; 0 while it
// waits.
function tokensLeft(recording, row, stage, tick) {
  const {requests: r, stages, rates, shared} = recording
  const begun = stages[stage][row]
  let total
  let done
  if (stage === LOAD) {
    total = r.loaded[row]
    done = rates.load * (tick - begun)
  } else if (stage === TRANSFER) {
    total = r.prompt[row] + shared
    done = rates.transfer * (tick - begun)
  } else if (stage === PREFILL) {
    total = r.prompt[row] - r.cached[row] + (recording.coldStart[row] ? shared : 0)
    done = unitsAdvanced(recording, r.worker, row, PREFILL, begun, tick)
  } else if (stage === DECODE) {
    total = r.output[row]
    done = unitsAdvanced(recording, r.decode_worker, row, DECODE, begun, tick)
  } else return 0
  return Math.max(0, ceilDiv(total * UNITS_PER_TOKEN - done, UNITS_PER_TOKEN))
}

// Units of work on a request in ticks [start, stop). Between the borders of the worker's state
// runs and those of its requests' stages nothing changes, so it is a sum of rectangles.
function unitsAdvanced(recording, workers, row, stage, start, stop) {
  const {starts, codes} = recording.run.states[workers[row]]
  const begins = []
  const ends = []
  for (let other = 0; other < recording.count; other++) {
    if (workers[other] !== workers[row]) continue
    begins.push(recording.stages[stage][other])
    ends.push(recording.stages[stage + 1][other])
  }
  const rising = (a, b) => a - b
  begins.sort(rising)
  ends.sort(rising)
  const inside = [...starts, ...begins, ...ends].filter(tick => tick > start && tick < stop)
  const borders = [...new Set([start, ...inside, stop])].sort(rising)
  let units = 0
  for (let i = 0; i + 1 < borders.length; i++) {
    const left = borders[i]
    const state = STATES[codes[upperBound(starts, left) - 1]]
    const count = upperBound(begins, left) - upperBound(ends, left)
    units += (borders[i + 1] - left) * recording.rates.step(stage, state, count)
  }
  return units
}
