// Events on the time axis: counts of each kind, the first of each column, the next one.

// A row for each kind and bin that has any event: its column, count, and the first event there.
function eventMarks(recording, bins) {
  const {events} = recording
  const first = new Int32Array(EVENT_KINDS.length * bins.count).fill(-1)
  const counts = new Int32Array(first.length)
  for (let i = 0; i < events.tick.length; i++) {
    const column = bins.column(events.tick[i])
    if (column < 0) continue
    const cell = events.kind[i] * bins.count + column
    if (first[cell] < 0) first[cell] = i
    counts[cell]++
  }
  const cells = indices(first.length).filter(cell => counts[cell])
  const rows = cells.map(cell => first[cell])
  const table = Object.fromEntries(
    FACTS.eventFields.map(name => [name, rows.map(row => events[name][row])]))
  return {
    ...table,
    column: cells.map(cell => cell % bins.count),
    count: cells.map(cell => counts[cell]),
    event: rows,
  }
}

// The row of the nearest event of some kinds in another tick, or null: the first one of a later
// tick, or with a step of -1 the first one of the nearest earlier tick.
function nextEvent(recording, tick, kinds = EVENT_KINDS, step = 1) {
  const {events} = recording
  const codes = kinds.map(kind => KIND[kind])
  let found = null
  for (let i = 0; i < events.tick.length; i++) {
    if (!codes.includes(events.kind[i])) continue
    if (step > 0 && events.tick[i] > tick) return i
    if (step > 0) continue
    if (events.tick[i] >= tick) break
    if (found === null || events.tick[i] > events.tick[found]) found = i
  }
  return found
}

// The rows of the events of one tick.
function eventsAt(recording, tick) {
  const {tick: ticks} = recording.events
  const first = lowerBound(ticks, tick)
  return indices(lowerBound(ticks, tick + 1) - first).map(i => first + i)
}
