// All figures of one run, built in Python and kept in step here; app/figures/board in Python. Only
// sources, ranges and colours change, so that zoom survives and nothing flickers.

const SIZES = FACTS.figures

// Milliseconds of rest after which charts out of sight are brought up to date, and between them.
const SOON = 200
const APART = 30

// How many pixels each lane of the timeline gets.
function laneLayout(workers) {
  const perLane = ceilDiv(workers, SIZES.most_lanes)
  const lanes = ceilDiv(workers, perLane)
  const thinnest = lanes <= 80 ? SIZES.thinnest : 3
  const pitch = Math.min(SIZES.tallest, Math.max(thinnest, Math.floor(SIZES.height / lanes)))
  const gap = pitch < 16 ? 1 : pitch < 40 ? 2 : 4
  return {rows: pitch - gap, gap, per_lane: perLane}
}

class Board {
  // `document` is the Bokeh document.
  constructor(document) {
    this.document = document
    const find = id => document.get_model_by_id(id)
    const differing = [...Object.values(FACTS.looks), ...Object.values(FACTS.wordings)]
    this.byId = new Map(differing.flatMap(Object.keys).map(id => [id, find(id)]))
    this.models = Object.fromEntries(
      Object.entries(FACTS.models).map(([name, id]) => [name, find(id)]))
    this.range = this.models.x_range
    this.end = 1
    this.recording = null
    this.language = this.theme = this.palette = null
    colorQuickly(this.models.states)
    this.charts = makeCharts(this)
    this.inSight = new Set()
    this.kv = new KvBars(this)
  }

  // Shows another run; the window is kept as far as the run reaches.
  show(recording, keep, columns) {
    this.recording = recording
    this._setRun(keep)
    this._layOut()
    const bins = this._bins([0, recording.ticks], columns)
    this.whole = timelineLanes(recording, bins, laneLayout(recording.workers))
    showImage(this.models.coarse, this.whole)
    this._showMinimap()
    this.onset = recording.run.summary.avalanche_onset_s
    this._place(this.models.onset, this.onset)
    this.peak = Math.max(0, ...oversubscriptionSeries(recording, bins))
    this.evictions = recording.run.summary.evictions
    return this.refine(columns)
  }

  // Bins the window anew, and returns the bins.
  refine(columns) {
    const {recording, window} = this
    const bins = this._bins(window, columns)
    const minute = Math.max(1, rounded(60 / recording.tickS))
    const whole = bins.equals(this.whole.bins)
    const lanes = whole ? this.whole : timelineLanes(recording, bins, laneLayout(recording.workers))
    showImage(this.models.fine, whole ? null : lanes)
    this._nameOnset()
    this.lanes = lanes
    this.made = {
      bins,
      coarse: this._bins(window, SIZES.bars),
      minutes: this._bins(window, SIZES.bars, minute),
    }
    for (const chart of this.charts) {
      chart.stale = true
      if (chart.name === "events") this._refresh(chart)
      else this.models[chart.name].hold_render = true
    }
    // The timeline is painted first, and the charts in sight in the frame after it.
    painted().then(() => this._refreshInSight())
    this._catchUpLater()
    return bins
  }

  _refreshInSight() {
    for (const chart of this.charts) {
      if (chart.stale && this.inSight.has(chart.name)) this._refresh(chart)
    }
  }

  // Charts out of sight wait until they come near, or until there is nothing else to do.
  see(name, visible) {
    if (!visible) this.inSight.delete(name)
    else {
      this.inSight.add(name)
      if (this.made) this._refresh(this.charts.find(chart => chart.name === name))
    }
  }

  _refresh(chart) {
    if (chart.stale) chart.refine(this.recording, this.lanes, this.made)
    chart.stale = false
    this.models[chart.name].hold_render = false
  }

  _catchUpLater(wait = SOON) {
    later("charts", wait, () => {
      const chart = this.charts.find(({stale}) => stale)
      if (chart) {
        this._refresh(chart)
        this._catchUpLater(APART)
      } else for (const each of this.charts) each.hovered()
    })
  }

  // First tick of the window and the tick after its last.
  get window() {
    const {tickS, ticks} = this.recording
    const start = Math.floor(this.range.start / tickS + 1e-6)
    const stop = Math.ceil(this.range.end / tickS - 1e-6)
    return [Math.max(0, start), Math.min(ticks, Math.max(start + 1, stop))]
  }

  _bins(window, columns, least = 1) {
    return Bins.fit(window, columns, this.recording.ticks, this.recording.tickS, least)
  }

  _setRun(keep) {
    const {ticks, tickS} = this.recording
    const before = this.end
    this.end = Math.max(ticks, 1) * tickS
    let {start, end} = this.range
    if (!keep || (start <= 0 && end >= before)) [start, end] = [0, this.end]
    else if (end > this.end) [start, end] = [Math.max(0, this.end - (end - start)), this.end]
    // In two steps, as Bokeh cuts a window to the bounds that hold already.
    const least = Math.min(SIZES.least_ticks * tickS, this.end)
    this.range.setv({bounds: [0, this.end], min_interval: least})
    this.range.setv({start, end})
  }

  // Shows these seconds, cut to the run and no less than a few ticks.
  setWindow(start, end) {
    const width = Math.min(Math.max(end - start, this.range.min_interval ?? 0), this.end)
    const left = Math.min(Math.max(0, start + (end - start - width) / 2), this.end - width)
    this.range.setv({start: left, end: left + width})
  }

  // Lays the timeline's lanes out.
  _layOut() {
    const {workers} = this.recording
    const {rows, gap, per_lane: perLane} = laneLayout(workers)
    const pitch = rows + gap
    const lanes = ceilDiv(workers, perLane)
    const needed = pitch * lanes
    const height = workers <= SIZES.few ? needed : Math.max(SIZES.height, needed)
    Object.assign(this, {lanesShown: lanes, perLane})
    const {timeline} = this.models
    timeline.y_range.setv({start: lanes - height / pitch, end: lanes + SIZES.head / pitch})
    timeline.frame_height = height + SIZES.head
    const every = [1, 2, 4, 8, 16, 32, 64, 128].find(n => n * pitch >= SIZES.label_pitch)
    const named = indices(lanes).filter(lane => lane % every === 0)
    this.nameAxis("timeline", named.map(lane => [lanes - lane - 0.5, lane * perLane]))
  }

  // Names lanes at some heights of a figure after their workers.
  nameAxis(figure, places) {
    const [axis] = this.models[figure].left
    const names = new Map(places.map(([y, worker]) => [y, this.texts("timeline.worker", {worker})]))
    const ticks = places.map(([y]) => y).sort((a, b) => a - b)
    const before = axis.major_label_overrides
    const same = before instanceof Map && before.size === names.size &&
      [...names].every(([y, name]) => before.get(y) === name)
    if (same) return
    axis.ticker.ticks = ticks
    axis.major_label_overrides = names
  }

  _showMinimap() {
    const {minimap, minimap_image: source} = this.models
    minimap.x_range.setv({start: 0, end: this.end})
    showImage(source, lanesTogether(this.whole, SIZES.minimap))
  }

  _nameOnset() {
    const {start, end} = this.range
    const late = this.onset !== null && this.onset - start > 0.5 * (end - start)
    this.models.onset_label.setv({
      x: this.onset ?? 0,
      y: this.lanesShown,
      visible: this.onset !== null,
      text_align: late ? "right" : "left",
      x_offset: late ? -5 : 5,
    })
  }

  _place(line, seconds) {
    line.setv({location: seconds ?? 0, visible: seconds !== null})
  }

  // Pins a tick and shows the caches then, of too many workers those around `worker`; null unpins.
  // Returns what is known of the workers shown.
  pin(tick, worker) {
    this._place(this.models.pin, tick === null ? null : (tick + 0.5) * this.recording.tickS)
    if (tick === null) return []
    const {workers} = this.recording
    const shown = Math.min(workers, SIZES.most_bars)
    const around = (worker ?? 0) - Math.floor(SIZES.most_bars / 2)
    const first = Math.min(Math.max(0, around), workers - shown)
    const moments = momentsAt(this.recording, tick, indices(shown).map(i => first + i))
    this.kv.update(moments)
    return moments
  }

  // Has about so many times written on the axes.
  setTimes(count) {
    for (const name of ["timeline", "occupancy"]) {
      this.models[name].below[0].ticker.desired_num_ticks = count
    }
  }

  // The worker whose lane holds this y (the first of several), or null.
  workerAt(y) {
    const lane = this.lanesShown - 1 - Math.floor(y)
    return lane >= 0 && lane < this.lanesShown ? lane * this.perLane : null
  }

  // Outlines a worker's lane between two times in seconds; null: nothing.
  markCell(worker, left, right) {
    const {cell} = this.models
    if (worker === null) {
      cell.visible = false
      return
    }
    const bottom = this.lanesShown - 1 - Math.floor(worker / this.perLane)
    cell.setv({left, right, bottom, top: bottom + 1, visible: true})
  }

  restyle(theme, palette) {
    if (theme === this.theme && palette === this.palette) return
    Object.assign(this, {theme, palette})
    this._apply(FACTS.looks[`${theme} ${palette}`])
    this._redraw()
  }

  // Colours the pixels of each state.
  colorStates(colors) {
    const {states} = this.models
    const palette = [...colors, states.palette.at(-1)]
    if (!sameValue(states.palette, palette)) states.palette = palette
  }

  relabel(texts) {
    if (texts.language === this.language) return
    this.language = texts.language
    this.texts = texts
    this._apply(FACTS.wordings[texts.language])
    this._redraw()
  }

  // Sets what Python found to differ between themes, or between languages.
  _apply(changes) {
    for (const [id, values] of Object.entries(changes)) {
      const model = this.byId.get(id)
      for (const [name, value] of Object.entries(values)) {
        model.setv({[name]: Array.isArray(value?.entries) ? new Map(value.entries) : value})
      }
    }
  }

  // Draws again what carries colours or texts in its data.
  _redraw() {
    if (this.recording === null) return
    this._layOut()
    for (const chart of this.charts) if (!chart.stale) chart.redraw()
    this.kv.update(this.kv.moments)
  }
}

// Shows lanes, as from `timelineLanes`, one unit of y a lane; null: nothing.
function showImage(source, lanes) {
  const shown = lanes !== null && lanes.bins.count > 0
  if (!shown && source.data.image[0].length === 1) return
  if (!shown) putImage(source, Uint8Array.of(EMPTY), [1, 1], {x: [0], y: [0], dw: [1], dh: [1]})
  else {
    const {image, rows, bins: {start, size, count, tickS}} = lanes
    putImage(source, image, [rows, count],
      {x: [start * tickS], y: [0], dw: [size * count * tickS], dh: [lanes.lanes]})
  }
}

// Bokeh's own arrays have a shape; a new one is made by the class of the one that is there.
function putImage(source, pixels, shape, place) {
  const {constructor: Shaped} = source.data.image[0]
  source.data = {image: [new Shaped(pixels, shape)], ...place}
}

// Has a mapper of whole numbers from 0 on take colours from a table, many times faster than it
// works out the place of each in its range.
function colorQuickly(mapper) {
  const table = () => Uint8Array.from(mapper.palette.flatMap(color => {
    const [, ...digits] = color.slice(0, 9).padEnd(9, "f")
    return indices(4).map(i => parseInt(digits[2 * i] + digits[2 * i + 1], 16))
  }))
  const compute = codes => {
    const colors = new Uint32Array(table().buffer)
    const pixels = new Uint32Array(codes.length)
    for (let i = 0; i < codes.length; i++) pixels[i] = colors[codes[i]]
    return new Uint8ClampedArray(pixels.buffer)
  }
  Object.defineProperty(mapper, "rgba_mapper", {value: {v_compute: compute}})
}
