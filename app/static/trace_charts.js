// Charts of recorded sessions: bars of equal width with the article's range behind them, and how
// contexts grow from turn to turn.

function shape(tag, attributes, children = []) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  node.append(...children)
  return node
}

function histogram({name, title, bars, marks, band, said}, texts) {
  const [width, height, foot] = [300, 96, 18]
  const step = width / bars.length
  const top = Math.max(...bars, 1e-9)
  const every = Math.ceil(bars.length / 7)
  const [left, right] = band.map(place => place * step)
  const parts = [shape("rect", {
    class: "band", x: left, y: 0, width: Math.max(2, right - left), height})]
  bars.forEach((share, place) => {
    const tall = share ? Math.max(1.5, share / top * (height - 8)) : 0
    const upto = place + 1 < marks.length ? `${marks[place]}–${marks[place + 1]}` : `≥ ${marks[place]}`
    parts.push(shape("rect", {
      class: "bar", x: place * step + 0.5, y: height - tall, width: step - 1, height: tall,
    }, [shape("title", {}, [`${upto}: ${(100 * share).toFixed(1)} %`])]))
    if (place % every === 0) {
      parts.push(shape("text", {x: place * step, y: height + 13, "text-anchor": place ? "middle" : "start"},
        [marks[place]]))
    }
  })
  parts.push(shape("line", {class: "axis", x1: 0, x2: width, y1: height, y2: height}))
  const svg = shape("svg", {
    viewBox: `0 0 ${width} ${height + foot}`, role: "img",
    "aria-label": `${title}: ${said}. ${texts.article}: ${marks[Math.floor(band[0])]}–${marks[Math.min(marks.length - 1, Math.ceil(band[1]))]}`,
  }, parts)
  return element("figure", {"data-name": name}, [
    element("figcaption", {}, [title]), svg, element("p", {class: "spread"}, [said])])
}

function rounded(value) {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return [1, 2, 2.5, 5, 10].map(k => k * size).find(k => k >= value)
}

// `room` is the width in pixels that there is.
function growthChart({own, article}, said, texts, room) {
  const [height, side, foot] = [190, 44, 20]
  const width = Math.min(1100, Math.max(300, (room || 620) - 4))
  const most = Math.max(own.turns.at(-1), 10)
  const within = article.turns.map((turn, k) => [turn, k]).filter(([turn]) => turn <= most)
  const high = rounded(Math.max(...own.high, ...within.map(([, k]) => article.high[k])))
  const x = turn => side + (width - side - 8) * (turn - 1) / Math.max(1, most - 1)
  const y = value => height - (height - 8) * value / high
  const short = value => value >= 1e6 ? `${value / 1e6}M` : value >= 1000 ? `${value / 1000}k` : `${value}`
  const parts = []
  for (let k = 0; k <= 4; k += 1) {
    const value = high * k / 4
    parts.push(
      shape("line", {class: "grid", x1: side, x2: width, y1: y(value), y2: y(value)}),
      shape("text", {x: side - 6, y: y(value) + 4, "text-anchor": "end"}, [short(value)]))
  }
  const gap = rounded(most / Math.min(8, width / 60))
  for (let turn = 1; turn <= most; turn = turn === 1 ? Math.max(2, gap) : turn + gap) {
    parts.push(shape("text", {x: x(turn), y: height + 15, "text-anchor": "middle"}, [`${Math.round(turn)}`]))
  }
  const draw = (series, name) => {
    const rows = series.turns.map((turn, k) => [turn, k]).filter(([turn]) => turn <= most)
    const line = values => rows.map(([turn, k]) => `${x(turn).toFixed(1)},${y(values[k]).toFixed(1)}`)
    parts.push(
      shape("polygon", {
        class: `spread-${name}`, points: [...line(series.low), ...line(series.high).reverse()].join(" ")}),
      shape("polyline", {class: `line-${name}`, points: line(series.middle).join(" ")}))
  }
  draw(article, "article")
  draw(own, "own")
  const key = [["own", texts.own], ["article", texts.article_line]].map(([name, text]) =>
    element("span", {class: `key ${name}`}, [text]))
  return element("figure", {class: "growth", "data-name": "growth"}, [
    element("figcaption", {}, [texts.growth, ...key]),
    shape("svg", {viewBox: `0 0 ${width} ${height + foot}`, role: "img", "aria-label": `${texts.growth}. ${said}`}, parts),
    element("p", {class: "spread"}, [said]),
  ])
}
