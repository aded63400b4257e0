// Cutting a span of ticks into equal bins, and integrating step functions over them.

class Bins {
  // Neighbouring bins of `size` ticks from `start` on; the last one ends with the run.
  constructor(start, size, count, ticks, tickS = 1) {
    Object.assign(this, {start, size, count, ticks, tickS})
  }

  // The smallest bins of which at most `columns` cover the window [first, last).
  static fit([first, last], columns, ticks, tickS = 1, least = 1) {
    let start = Math.max(0, first)
    const stop = Math.min(ticks, last)
    if (stop <= start) return new Bins(0, least, 0, ticks, tickS)
    const size = Math.max(least, ceilDiv(stop - start, Math.max(1, columns)))
    start -= start % size
    return new Bins(start, size, ceilDiv(stop - start, size), ticks, tickS)
  }

  get stop() { return Math.min(this.ticks, this.start + this.size * this.count) }

  width(i) { return Math.min(this.size, this.ticks - this.start - this.size * i) }

  left(i) { return (this.start + this.size * i) * this.tickS }

  right(i) { return (this.start + this.size * i + this.width(i)) * this.tickS }

  get lefts() { return Float64Array.from({length: this.count}, (_, i) => this.left(i)) }

  get rights() { return Float64Array.from({length: this.count}, (_, i) => this.right(i)) }

  // The bin of a tick, -1 if it lies in none.
  column(tick) {
    if (tick < this.start || tick >= this.stop) return -1
    return Math.floor((tick - this.start) / this.size)
  }

  equals({start, size, count}) {
    return this.start === start && this.size === size && this.count === count
  }
}

// The integral over each bin of `height` step functions, row after row. A function starts at 0
// and changes by deltas[i] at ticks[i], that tick included.
function integrate(ticks, rows, deltas, bins, height) {
  const {start, size, count, stop} = bins
  const level = new Float64Array(height * count)
  if (!count) return level
  const late = new Float64Array(height * count)
  for (let i = 0; i < ticks.length; i++) {
    if (ticks[i] >= stop) continue
    const offset = Math.max(0, ticks[i] - start)
    const column = Math.floor(offset / size)
    const cell = rows[i] * count + column
    level[cell] += deltas[i]
    late[cell] += deltas[i] * (offset - column * size)
  }
  for (let row = 0; row < height; row++) {
    let value = 0
    for (let column = 0; column < count; column++) {
      const cell = row * count + column
      value += level[cell]
      level[cell] = value * bins.width(column) - late[cell]
    }
  }
  return level
}
