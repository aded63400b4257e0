// Texts, and numbers as people read them; app/texts and app/format in Python.

// The texts of one language: texts("a.b", {name: value}) is the text at a dotted key, filled in.
function makeTexts(language) {
  const find = key => key.split(".").reduce((found, part) => found[part], FACTS.texts[language])
  const texts = (key, values) => {
    const text = find(key)
    return values ? filled(text, values) : text
  }
  texts.section = find
  texts.language = language
  return texts
}

// Fills in {name}, {name:02d} and {name:.1f}, all that the texts use of Python's formats.
function filled(text, values) {
  return text.replace(/\{(\w+)(?::([^}]*))?\}/g, (_, name, format = "") => {
    const value = values[name]
    const [, width, digits] = /^0?(\d*)(?:\.(\d+))?[df]?$/.exec(format)
    const shown = digits === undefined ? String(value) : fixed(value, Number(digits))
    return shown.padStart(Number(width || 0), "0")
  })
}

// A number with so many digits after the point; a tie goes to the even digit, as in Python.
function fixed(value, digits) {
  const scale = 10 ** digits
  const scaled = value * scale
  const below = Math.floor(scaled)
  const tie = scaled - below === 0.5 && Number.isInteger(value * 2 ** (digits + 1))
  return tie && below % 2 === 0 ? (below / scale).toFixed(digits) : value.toFixed(digits)
}

function percent(share, texts) {
  return share === null ? texts("numbers.none") : `${fixed(100 * share, 1)} %`
}

const wholes = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0})
const grouping = number => wholes.format(number)

// A number of tokens, short: "950", "12.3k", "4.57M".
function shortTokens(number) {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= size) return `${significant(number / size)}${unit}`
  }
  return grouping(number)
}

// Three significant digits, as Python's "g" writes them.
function significant(value) {
  const before = Math.floor(Math.log10(value)) + 1
  const text = fixed(value, Math.max(0, 3 - before))
  if (Number(text) >= 1000) return "1e+03"
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text
}

// A time as its two largest units.
function duration(seconds, texts) {
  if (seconds === null) return texts("numbers.none")
  if (seconds < 1) return texts("numbers.time.ms", {ms: seconds * 1000})
  if (seconds < 60) return texts("numbers.time.s", {s: seconds})
  const whole = rounded(seconds)
  if (whole < 3600) {
    return texts("numbers.time.m", {m: Math.floor(whole / 60), s: whole % 60})
  }
  const minutes = rounded(seconds / 60)
  return texts("numbers.time.h", {h: Math.floor(minutes / 60), m: minutes % 60})
}

// The length of something short.
function spanText(seconds, texts) {
  if (seconds >= 60) return duration(seconds, texts)
  return texts("numbers.time.exact", {s: fixed(seconds, 3).replace(/\.?0+$/, "")})
}
