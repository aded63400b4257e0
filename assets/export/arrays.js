// Searching and sorting columns of whole numbers.

// Place of the first element that is at least `value` in a rising array.
function lowerBound(array, value, low = 0, high = array.length) {
  while (low < high) {
    const middle = (low + high) >> 1
    if (array[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}

// Place after the last element that is at most `value`.
function upperBound(array, value, low = 0, high = array.length) {
  while (low < high) {
    const middle = (low + high) >> 1
    if (array[middle] <= value) low = middle + 1
    else high = middle
  }
  return low
}

// Rows in the order of several columns, the first one most significant, equal rows as they were.
// The columns of a row, and its number, are packed into one double where they fit: numbers alone
// sort many times faster than with a comparison.
function rowsInOrder(columns) {
  const count = columns[0].length
  const keys = new Float64Array(count)
  let room = Math.max(1, count)
  for (const column of columns) {
    let low = Infinity
    let high = -Infinity
    for (let i = 0; i < count; i++) {
      if (column[i] < low) low = column[i]
      if (column[i] > high) high = column[i]
    }
    const span = Math.max(1, high - low + 1)
    room *= span
    for (let i = 0; i < count; i++) keys[i] = keys[i] * span + (column[i] - low)
  }
  if (room >= Number.MAX_SAFE_INTEGER) return rowsCompared(columns)
  for (let i = 0; i < count; i++) keys[i] = keys[i] * count + i
  keys.sort()
  return Int32Array.from(keys, key => key % count)
}

function rowsCompared(columns) {
  const rows = Int32Array.from(columns[0], (_, i) => i)
  return rows.sort((a, b) => {
    for (const column of columns) if (column[a] !== column[b]) return column[a] - column[b]
    return a - b
  })
}

// A property that is worked out when it is first asked for.
function once(object, name, value) {
  Object.defineProperty(object, name, {value})
  return value
}

const ceilDiv = (numerator, denominator) => Math.ceil(numerator / denominator)

const indices = count => Array.from({length: count}, (_, i) => i)
