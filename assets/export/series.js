// Quantities over time, on the bins of the shared axis.

// Share of all workers in each state, a row for each of STACK.
function stateShares({spent, lanes, bins}) {
  const {count} = bins
  const shares = STACK.map(() => new Float64Array(count))
  for (let column = 0; column < count; column++) {
    let total = 0
    for (let place = 0; place < STACK.length; place++) {
      for (let lane = 0; lane < lanes; lane++) {
        shares[place][column] += spent[(place * lanes + lane) * count + column]
      }
      total += shares[place][column]
    }
    for (const share of shares) share[column] /= total
  }
  return shares
}

// Evictions of live contexts: a minute in each bin, and from the start of the run to its end.
function evictionSeries(recording, bins) {
  const rate = new Float64Array(bins.count)
  const {kind, tick} = recording.events
  let before = 0
  for (let i = 0; i < kind.length; i++) {
    if (kind[i] !== KIND.evict) continue
    const column = bins.column(tick[i])
    if (column >= 0) rate[column]++
    else if (tick[i] < bins.start) before++
  }
  const total = rate.map(count => before += count)
  return {rate: rate.map((count, i) => count * 60 / (bins.width(i) * recording.tickS)), total}
}

// Prefix cache hit rate of the requests admitted in each bin, NaN where there are none.
function hitRateSeries(recording, bins) {
  const {started, cached, prompt} = recording.requests
  const [hits, all, requests] = [0, 0, 0].map(() => new Float64Array(bins.count))
  for (let row = 0; row < recording.count; row++) {
    const column = bins.column(started[row])
    if (column < 0) continue
    requests[column]++
    hits[column] += cached[row] + recording.shared
    all[column] += prompt[row] + recording.shared
  }
  return {rate: hits.map((count, i) => count / all[i]), requests}
}

// How full the KV caches of each lane's workers are, averaged over each bin: {used, locked}, row
// after row, as shares of what they hold.
function occupancySeries(recording, bins, perLane = 1) {
  const {kv, scenario, workers} = recording
  const lanes = ceilDiv(workers, perLane)
  const lane = kv.worker.map(worker => Math.floor(worker / perLane))
  const used = integrate(kv.tick, lane, kv.grown, bins, lanes)
  const locked = integrate(kv.tick, lane, kv.lockGrown, bins, lanes)
  for (let row = 0; row < lanes; row++) {
    const members = Math.min(perLane, workers - row * perLane)
    for (let column = 0; column < bins.count; column++) {
      const cell = row * bins.count + column
      const width = bins.width(column)
      const whole = members * scenario.kv_capacity * width
      used[cell] = (used[cell] + members * scenario.shared_prefix * width) / whole
      locked[cell] /= whole
    }
  }
  return {used, locked, lanes}
}

// The KV that agents in flight want over the KV there is, averaged over each bin.
function oversubscriptionSeries(recording, bins) {
  const {requests: r, scenario, ended, count} = recording
  const [ticks, deltas] = [[], []]
  for (let row = 0; row < count; row++) {
    const size = r.prompt[row] + r.output[row]
    const same = other => other >= 0 && other < count && r.agent[other] === r.agent[row]
    const before = same(row - 1) ? r.prompt[row - 1] + r.output[row - 1] : 0
    ticks.push(r.created[row])
    deltas.push(size - before)
    if (same(row + 1)) continue
    ticks.push(ended.tick[r.agent[row]])
    deltas.push(-size)
  }
  const want = integrate(ticks, new Uint8Array(ticks.length), deltas, bins, 1)
  const takers = scenario.prefill_workers || recording.workers
  const room = takers * (scenario.kv_capacity - scenario.shared_prefix)
  return want.map((tokens, i) => tokens / (room * bins.width(i)))
}
