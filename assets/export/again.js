// Prefill of context that its agent had had computed before: work done again. A prompt is prefilled
// in its order: on a worker's first admission the shared prefix, then what is recomputed, then the
// new input. A tick recomputes for a request if the middle of what the request advances in it lies
// in the second part.

const PREFILLS = STATES.indexOf("prefill")
const MIXES = STATES.indexOf("mixed")
const PREFILL_AGAIN = SHADES.indexOf("prefill_again")

// The states of each worker as they are drawn, runs of SHADES: {starts, codes}.
function shadesOf(recording) {
  const rows = recording.run.states.map(() => [])
  recording.requests.worker.forEach((worker, row) => rows[worker].push(row))
  return recording.run.states.map((runs, worker) => {
    const own = rows[worker]
    const {recomputed} = recording.requests
    return own.some(row => recomputed[row]) ? shadedRuns(recording, runs, own) : runs
  })
}

function shadedRuns(recording, runs, rows) {
  const {stages, ticks} = recording
  const sorted = pick => Int32Array.from(rows, pick).sort()
  const prefills = [PREFILL, PREFILL + 1].map(stage => sorted(row => stages[stage][row]))
  const again = againTicks(recording, runs, rows, prefills)
  const recomputes = [0, 1].map(end => Int32Array.from(again[end]).sort())
  const [starts, codes] = [[], []]
  splitRuns(runs, ticks, prefills, recomputes, (left, right, code, prefilling, redone) => {
    const most = code === PREFILLS && redone > 0 && 2 * redone >= prefilling
    const shade = most ? PREFILL_AGAIN : code
    if (shade === codes[codes.length - 1]) return
    starts.push(left)
    codes.push(shade)
  })
  return {starts: Int32Array.from(starts), codes: Uint8Array.from(codes)}
}

// Calls visit(left, right, code, prefilling, recomputing) for a worker's runs, those in which it
// prefills cut where a request begins or ends to prefill or to recompute, with the number of those
// that do. All ticks are sorted.
function splitRuns({starts, codes}, ticks, [begins, stops], [firsts, ends], visit) {
  let [begun, stopped, first, ended] = [0, 0, 0, 0]
  for (let i = 0; i < starts.length; i++) {
    const stop = i + 1 < starts.length ? starts[i + 1] : ticks
    let left = starts[i]
    if (codes[i] !== PREFILLS && codes[i] !== MIXES) visit(left, stop, codes[i], 0, 0)
    else while (left < stop) {
      while (begins[begun] <= left) begun++
      while (stops[stopped] <= left) stopped++
      while (firsts[first] <= left) first++
      while (ends[ended] <= left) ended++
      let right = stop
      if (begins[begun] < right) right = begins[begun]
      if (stops[stopped] < right) right = stops[stopped]
      if (firsts[first] < right) right = firsts[first]
      if (ends[ended] < right) right = ends[ended]
      visit(left, right, codes[i], begun - stopped, first - ended)
      left = right
    }
  }
}

// When each of a worker's requests recomputes: first ticks, and ticks after the last, in the order
// of `rows`; the same where none does. Between them the worker may wait.
function againTicks(recording, runs, rows, prefills) {
  const {requests: {prompt, cached, recomputed}, stages, rates, coldStart, shared} = recording
  const parts = {left: [], right: [], step: []}
  splitRuns(runs, recording.ticks, prefills, [[], []], (left, right, code, count) => {
    if (!count) return
    const step = rates.step(PREFILL, STATES[code], count)
    parts.left.push(left)
    parts.right.push(right)
    parts.step.push(step)
  })
  const [firsts, ends] = [[], []]
  for (const row of rows) {
    const [begin, stop] = [stages[PREFILL][row], stages[PREFILL + 1][row]]
    const from = (coldStart[row] ? shared : 0) * UNITS_PER_TOKEN
    const to = from + recomputed[row] * UNITS_PER_TOKEN
    const total = from + (prompt[row] - cached[row]) * UNITS_PER_TOKEN
    let [first, end] = [begin, begin]
    let found = false
    let done = 0
    for (let i = upperBound(parts.right, begin); done < total && end < stop; i++) {
      const step = parts.step[i]
      const left = Math.max(begin, parts.left[i])
      const right = Math.min(stop, parts.right[i])
      // Ticks of this part whose middle is not past a place; the last one of all ends with the work.
      const before = units => {
        const last = right === stop ? 1 : 0
        const whole = right - left - last
        const turns = Math.ceil((2 * (units - done) - step) / (2 * step))
        if (turns < whole) return Math.max(0, turns)
        return whole + (last && done + whole * step + total < 2 * units ? 1 : 0)
      }
      const [low, high] = [before(from), before(to)]
      if (low < high) {
        if (!found) first = left + low
        found = true
        end = left + high
      } else if (found) break
      done += (right - left) * step
      if (right === stop) break
    }
    firsts.push(first)
    ends.push(found ? end : first)
  }
  return [firsts, ends]
}
