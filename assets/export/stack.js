// The timeline as an image: for each worker a lane, for each pixel column its states' shares.

// Codes of SHADES from the bottom of a lane to its top, and that of a pixel of none.
const STACK = FACTS.stack
const EMPTY = SHADES.length

// The timeline of a window: {spent, image, bins, perLane, lanes, rows}. `spent` holds worker-ticks
// by state (in the order of STACK), lane and column; `image` codes by pixel row and column, the
// bottom row first, the last lane at the bottom.
function timelineLanes(recording, bins, {rows, gap, per_lane: perLane}) {
  const spent = stateTicks(recording, bins, perLane)
  const lanes = ceilDiv(recording.workers, perLane)
  const image = stackImage(spent, lanes, bins.count, rows, gap)
  return {spent, image, bins, perLane, lanes, rows: lanes * (rows + gap)}
}

// All lanes as one of `rows` rows.
function lanesTogether({spent, bins, perLane, lanes}, rows) {
  const {count} = bins
  const whole = new Float64Array(SHADES.length * count)
  for (let place = 0; place < SHADES.length; place++) {
    for (let lane = 0; lane < lanes; lane++) {
      const from = (place * lanes + lane) * count
      for (let column = 0; column < count; column++) {
        whole[place * count + column] += spent[from + column]
      }
    }
  }
  const image = stackImage(whole, 1, count, rows, 0)
  return {spent: whole, image, bins, perLane: perLane * lanes, lanes: 1, rows}
}

function stateTicks(recording, bins, perLane) {
  const {start, size, count, stop} = bins
  const lanes = ceilDiv(recording.workers, perLane)
  const spent = new Float64Array(SHADES.length * lanes * count)
  if (!count) return spent
  const place = SHADES.map((_, code) => STACK.indexOf(code))
  recording.shadesWithin(start, stop, (worker, from, until, code) => {
    const row = (place[code] * lanes + Math.floor(worker / perLane)) * count
    const first = Math.floor((from - start) / size)
    const last = Math.floor((until - 1 - start) / size)
    if (first === last) {
      spent[row + first] += until - from
      return
    }
    spent[row + first] += start + (first + 1) * size - from
    for (let column = first + 1; column < last; column++) spent[row + column] += size
    spent[row + last] += until - start - last * size
  })
  return spent
}

// Where in a lane each state's pixels end, counted in rows from the bottom: the nearest row, but
// no state that occurs may vanish, as long as there are rows enough. Reads `spent` from `at` on,
// `step` apart, and writes `tops`.
function stackTops(spent, at, step, rows, tops) {
  let total = 0
  let above = 0
  for (let state = 0; state < STACK.length; state++) {
    const ticks = spent[at + state * step]
    total += ticks
    if (ticks > 0) above++
  }
  if (total === 0) {
    tops.fill(0)
    return
  }
  const owed = above <= rows
  let count = 0
  let top = 0
  for (let state = 0; state < STACK.length; state++) {
    const ticks = spent[at + state * step]
    const own = owed && ticks > 0 ? 1 : 0
    count += ticks
    above -= own
    const nearest = Math.floor((2 * rows * count + total) / (2 * total))
    top = Math.min(Math.max(nearest, top + own), rows - (owed ? above : 0))
    tops[state] = top
  }
}

function stackImage(spent, lanes, columns, rows, gap) {
  const pitch = rows + gap
  const image = new Uint8Array(lanes * pitch * columns).fill(EMPTY)
  const tops = new Uint8Array(STACK.length)
  for (let lane = 0; lane < lanes; lane++) {
    const bottom = (lanes - 1 - lane) * pitch * columns
    for (let column = 0; column < columns; column++) {
      stackTops(spent, lane * columns + column, lanes * columns, rows, tops)
      let row = 0
      for (let state = 0; state < STACK.length; state++) {
        for (; row < tops[state]; row++) image[bottom + row * columns + column] = STACK[state]
      }
    }
  }
  return image
}
