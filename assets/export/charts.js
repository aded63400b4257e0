// The charts below the timeline, the track of events, and the bars of the inspector; app/figures
// in Python. Each chart has refine(recording, lanes, {bins, coarse, minutes}) and redraw(); what
// only a hover needs waits for hovered().

function makeCharts(board) {
  const kinds = {
    events: EventTrack,
    shares: Shares,
    evictions: Evictions,
    hit_rate: HitRate,
    oversubscription: Oversubscription,
    occupancy: Occupancy,
  }
  return Object.entries(kinds).map(([name, Kind]) => new Kind(board, name))
}

// Draws again with the same numbers: only what carries texts or colours has something to do.
class Chart {
  constructor(board, name) { Object.assign(this, {board, name, stale: true}) }

  redraw() {}

  // Makes ready what only a hover needs.
  hovered() {}
}

class EventTrack extends Chart {
  refine(recording, lanes, {bins}) {
    this.marks = eventMarks(recording, bins)
    this.tickS = bins.tickS
    this.redraw()
  }

  redraw() {
    const {board, marks} = this
    const kinds = marks.kind.map(kind => EVENT_KINDS[kind])
    const rows = kinds.map(kind => SIZES.event_rows[kind])
    const colors = FACTS.eventColors[`${board.theme} ${board.palette}`]
    const orNone = ids => ids.map(id => id >= 0 ? String(id) : "–")
    const {count, tick, agent, turn, tokens, event} = marks
    board.models.event_marks.data = {
      x: tick.map(at => (at + 0.5) * this.tickS),
      low: rows.map(row => row + 0.2),
      middle: rows.map(row => row + 0.5),
      high: rows.map(row => row + 0.8),
      name: kinds.map(kind => board.texts(`events.${kind}`)),
      color: kinds.map(kind => colors[kind]),
      count, tick, agent, turn, tokens, event,
      worker: orNone(marks.worker),
      by: orNone(marks.by),
    }
  }
}

class Shares extends Chart {
  refine(recording, lanes, {bins}) {
    const shares = stateShares(lanes)
    const {count} = bins
    const tops = [...STACK, EMPTY].map(() => new Float32Array(count + 1))
    for (let column = 0; column < count; column++) {
      let top = 0
      shares.forEach((share, place) => {
        top += share[column]
        tops[place + 1][column] = top
      })
    }
    for (const top of tops) top[count] = top[count - 1]
    this.board.models.share_areas.data = {
      x: borders(bins),
      ...Object.fromEntries(tops.map((top, place) => [`y${place}`, top])),
    }
    this.hovered = () => {
      this.board.models.share_bins.data = {
        left: bins.lefts,
        right: bins.rights,
        ...Object.fromEntries(shares.map((share, place) => [SHADES[STACK[place]], share])),
      }
    }
    const occurs = shares.map(share => share.some(part => part > 0))
    if (!sameValue(occurs, this.occurs)) {
      this.occurs = occurs
      this._areas().forEach((area, place) => { area.visible = occurs[place] })
      this.redraw()
    }
  }

  // What draws the states, from the bottom up.
  _areas() {
    const {renderers} = this.board.models.shares
    return renderers.filter(({glyph}) => glyph.type === "VAreaStep")
  }

  // The tooltip names only states that occur.
  redraw() {
    const {board} = this
    const colors = FACTS.stateColors[`${board.theme} ${board.palette}`]
    const rows = STACK.filter((_, place) => this.occurs[place]).map(code =>
      [board.texts(`states.${SHADES[code]}`), `@${SHADES[code]}{0.0%}`, colors[code]])
    board.models.share_hover.tooltips = tooltipTable([
      [board.texts("figures.hover_time"), SIZES.time_row],
      ...rows.reverse(),
    ])
  }
}

class Evictions extends Chart {
  refine(recording, lanes, {minutes: bins}) {
    const {rate, total} = evictionSeries(recording, bins)
    const {models} = this.board
    models.eviction_bars.data = {left: bins.lefts, right: bins.rights, rate, total}
    models.evictions.y_range.end = Math.max(1, ...rate) * 1.1
    models.eviction_total.end = Math.max(1, this.board.evictions) * 1.1
  }
}

class HitRate extends Chart {
  refine(recording, lanes, {coarse: bins}) {
    const {rate, requests} = hitRateSeries(recording, bins)
    const filled = indices(bins.count).filter(column => requests[column] > 0)
    const [left, right] = [filled.map(i => bins.left(i)), filled.map(i => bins.right(i))]
    this.board.models.hit_rates.data = {
      left,
      right,
      x: left.map((start, i) => (start + right[i]) / 2),
      rate: filled.map(i => rate[i]),
      requests: filled.map(i => requests[i]),
    }
  }
}

class Oversubscription extends Chart {
  refine(recording, lanes, {bins}) {
    const want = oversubscriptionSeries(recording, bins)
    const y = new Float64Array(bins.count + 1)
    y.set(want)
    y[bins.count] = want[bins.count - 1]
    const {models} = this.board
    models.wants.data = {x: borders(bins), y, zero: new Float64Array(y.length)}
    this.hovered = () => {
      models.want_bins.data = {left: bins.lefts, right: bins.rights, want}
    }
    models.oversubscription.y_range.end = Math.max(1.2, this.board.peak * 1.1)
  }
}

class Occupancy extends Chart {
  refine(recording, lanes, {bins}) {
    const perLane = ceilDiv(recording.workers, SIZES.occupancy)
    const {used, lanes: count} = occupancySeries(recording, bins, perLane)
    const image = new Uint8Array(used.length)
    for (let lane = 0; lane < count; lane++) {
      const [from, to] = [lane * bins.count, (count - 1 - lane) * bins.count]
      for (let i = 0; i < bins.count; i++) image[to + i] = rounded(used[from + i] * 100)
    }
    const {models} = this.board
    const span = bins.size * Math.max(1, bins.count) * bins.tickS
    putImage(models.occupancies, image, [count, bins.count],
      {x: [bins.start * bins.tickS], y: [0], dw: [span], dh: [count]})
    models.occupancy.y_range.end = count
    const ends = count > 1 ? [0, count - 1] : [0]
    this.named = ends.map(lane => [count - 0.5 - lane, lane * perLane])
    this.redraw()
  }

  redraw() { this.board.nameAxis("occupancy", this.named) }
}

// The caches of workers at one tick, a bar each.
class KvBars {
  constructor(board) {
    this.board = board
    this.moments = []
  }

  update(moments) {
    this.moments = moments
    if (!moments.length) return
    const {board} = this
    const {kv, kv_tracks: tracks, kv_bars: bars, kv_needs: needs, kv_names: names} = board.models
    const count = moments.length
    const {capacity} = moments[0]
    const many = count > SIZES.many
    const reach = Math.max(capacity, ...moments.map(needEnd))
    kv.x_range.setv({start: -0.018 * reach, end: reach * 1.01})
    kv.y_range.setv({start: 0, end: count})
    kv.frame_height = (many ? SIZES.thin_pitch : SIZES.pitch) * count
    board.models.kv_end.location = capacity
    board.nameAxis("kv", moments
      .map((moment, i) => [count - 0.5 - i, moment.worker])
      .filter((_, i) => !many || i % 2 === 0))
    const colors = FACTS.themeColors[board.theme]
    fill(tracks, this._tracks(capacity, reach, colors))
    fill(bars, this._contexts(colors))
    fill(needs, this._needs())
    fill(names, this._names(many ? reach : 0.035 * reach, colors))
  }

  // Each moment with the borders of its bar.
  _lines() {
    const last = this.moments.length - 1
    return this.moments.map((moment, i) =>
      ({moment, bottom: last - i + 0.16, top: last - i + 0.84}))
  }

  _tracks(capacity, reach, colors) {
    const states = FACTS.stateColors[`${this.board.theme} ${this.board.palette}`]
    return this._lines().flatMap(({moment, bottom, top}) => [
      {left: 0, right: capacity, bottom, top, color: colors.grid},
      {left: -0.014 * reach, right: -0.004 * reach, bottom, top, color: states[moment.state]},
    ])
  }

  _contexts(colors) {
    const color = {
      shared: colors.axis, locked: colors.locked, idle: colors.resting, ended: colors.ended,
    }
    const shown = []
    for (const {moment, bottom, top} of this._lines()) {
      const place = {bottom, top, worker: moment.worker}
      let left = moment.shared
      const add = (is, agent, tokens, from) => shown.push({
        ...place, is, agent, tokens, left: from, right: from + tokens, color: color[is],
        kind: this.board.texts(`figures.kv_${is}`),
      })
      if (left) add("shared", "–", left, 0)
      for (const {agent, tokens, locked, ended} of moment.entries) {
        add(locked ? "locked" : ended ? "ended" : "idle", String(agent), tokens, left)
        left += tokens
      }
    }
    return shown
  }

  _needs() {
    return this._lines().filter(({moment}) => moment.blocked).map(({moment, bottom, top}) => {
      const {agent, need, free} = moment.blocked
      const right = needEnd(moment)
      return {left: right - need, right, bottom, top, agent, need, free}
    })
  }

  _names(least, colors) {
    const ink = {locked: colors.surface, idle: colors.text, ended: colors.muted}
    return this._contexts(colors)
      .filter(({is, tokens}) => is in ink && tokens > least)
      .map(({is, left, bottom, top, agent}) =>
        ({x: left, y: (bottom + top) / 2, text: agent, color: ink[is]}))
  }
}

// Where in the bar the need of the queue's head would end; 0 without one.
function needEnd({shared, used, blocked}) { return blocked ? shared + used + blocked.need : 0 }

// Fills a source's columns from rows.
function fill(source, rows) {
  source.data = Object.fromEntries(
    Object.keys(source.data).map(name => [name, rows.map(row => row[name])]))
}

// The borders of all bins, one more than there are bins.
function borders(bins) {
  const x = new Float64Array(bins.count + 1)
  x.set(bins.lefts)
  x[bins.count] = bins.count ? bins.right(bins.count - 1) : 0
  return x
}

const TAGS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"}
const escaped = text => text.replace(/[&<>"']/g, sign => TAGS[sign])

// The tooltip that shows rows of label, value in Bokeh's notation, and the colour of a swatch.
function tooltipTable(rows) {
  const {open, plain, colored, close} = FACTS.tooltip
  const cells = rows.map(([label, value, color]) => (color ? colored : plain)
    .replace("COLOR", () => color)
    .replace("LABEL", () => escaped(label))
    .replace("VALUE", () => value))
  return open + cells.join("") + close
}
