// The picture of the last good run, how one moves in it, and the moment that is pinned.

const FEWEST = 120
const MOST = 2400
const PIXELS_A_TIME = 120

// Milliseconds that a picture may take while a slider is dragged, and after which a drag rests.
const HURRY = 32
const REST = 160

class Picture {
  // `figures` is the Bokeh document.
  constructor(settings, figures) {
    this.settings = settings
    this.board = new Board(figures)
    this.stage = new Stage(this.board)
    this.recording = null
    this.columns = FACTS.figures.columns
    this.pace = 0
    this.turned = false
    this.lens = makeModel({
      texts: {}, figures: {}, states: [], caption: "", speeds: FACTS.speeds, speed: FACTS.speed,
      clock: null, isolate: [], chosen: "",
    }, message => this.fromLens(message))
    this.moment = makeModel({pinned: false, title: "", happened: "", kinds: {}, texts: {}},
      message => this.fromMoment(message))
    this.workers = element("tbody")
  }

  mount(figures) {
    this.show()
    mount("lens", renderLens, this.lens, ["lens", "export-lens"], figures)
    mount("moment", renderMoment, this.moment, ["moment"], figures)
    mount("workers", () => element("table", {}, [this.workers]), null, ["workers"])
    this.columns = this.stage.width - FACTS.figures.margins
  }

  // Shows texts, colours and choices anew.
  show() {
    const {settings, board} = this
    const {now, texts} = settings
    this.stage.show(now.charts)
    board.relabel(texts)
    board.restyle(settings.theme, now.palette)
    this.showIsolated()
    const kinds = Object.fromEntries(EVENT_KINDS.map(kind => [kind, texts(`events.${kind}`)]))
    this.moment.update({
      texts: texts.section("moment"), kinds: {any: texts("moment.any"), ...kinds}})
    this.showClock()
    this.showBar()
    this.showPin()
  }

  showIsolated() {
    const {now, pixelColors} = this.settings
    this.board.colorStates(pixelColors)
    this.lens.update({isolate: now.isolate})
  }

  showClock() {
    const {speed, clock} = this.settings.now
    this.lens.update({speed, clock})
  }

  // Shows another run; `live` if it is one of a drag under way.
  showRun(recording, live) {
    const first = this.recording === null
    // Where pictures take long, a drag gets coarser ones, which are refined once it rests.
    this.coarse = !first && live && this.pace > HURRY
    this._time()
    this.recording = recording
    this.board.show(recording, !first, this.coarse ? Math.ceil(this.columns / 2) : this.columns)
    if (this.coarse) later("refine", REST, () => { if (this.coarse) this._refine() })
    if (first || this.turned) this.showView()
    else this._looked()
    this.showPin()
  }

  // Shows the window that the settings ask for, at once or `later` with the next run.
  showView(later = false) {
    this.turned = later
    if (later || this.recording === null) return
    this.board.setWindow(...(this.settings.now.view ?? [0, this.board.end]))
    this._refine()
  }

  // Takes the time from a run to its picture.
  _time() {
    const begin = performance.now()
    requestAnimationFrame(() => setTimeout(() => { this.pace = performance.now() - begin }))
  }

  _refine() {
    this.board.refine(this.columns)
    this._looked()
  }

  _looked() {
    const {start, end} = this.board.range
    this.seen = [start, end, this.columns]
    const whole = start <= 0 && end >= this.board.end
    this.settings.note({view: whole ? null : [start, end]})
    this.showBar()
  }

  // --- what the reader does ---

  fromLens(message) {
    if ("columns" in message) this.look(message.columns)
    else if ("pin" in message) this.pinAt(...message.pin)
    else if ("hover" in message) this.lens.answer({hover: this.hover(message.hover)})
    else {
      this.settings.note(message)
      this.lens.update(message)
      if ("isolate" in message) this.showIsolated()
    }
  }

  // Bins for what is in sight, on so many pixel columns; 0 if they are not known yet.
  look(columns) {
    if (columns) {
      this.columns = Math.min(Math.max(columns, FEWEST), MOST)
      this.board.setTimes(Math.max(2, Math.floor(columns / PIXELS_A_TIME)))
    }
    const {start, end} = this.board.range
    if (this.recording && !sameValue(this.seen, [start, end, this.columns])) this._refine()
  }

  hover(spot) {
    const {board, recording} = this
    const worker = spot && recording ? board.workerAt(spot[1]) : null
    if (worker === null) {
      board.markCell(null)
      return null
    }
    const {tickS} = recording
    const tick = recording.tickAt(spot[0])
    const moment = momentOf(recording, worker, tick)
    board.markCell(worker, moment.since * tickS, moment.until * tickS)
    return hoverTexts(moment, this.settings.texts, tickS, tick)
  }

  // Pins the moment at a time, and chooses the worker of a lane of the timeline.
  pinAt(seconds, lane) {
    if (this.recording === null) return
    const worker = lane === undefined ? null : this.board.workerAt(lane)
    if (worker !== null) this.settings.note({worker})
    this.pin(this.recording.tickAt(seconds))
  }

  pin(tick) {
    this.settings.note({pin: tick})
    this.showPin()
  }

  fromMoment(message) {
    if ("step" in message) this.go(this.tick + message.step)
    else if ("event" in message) this.toEvent(message.event, message.by)
    else this.pin(null)
    this.moment.answer("done")
  }

  // The tick that is shown: that of the pin, or the last one of a shorter run.
  get tick() {
    return Math.min(this.settings.now.pin, this.recording.ticks - 1)
  }

  toEvent(kind, by) {
    const kinds = kind === "any" ? EVENT_KINDS : [kind]
    const row = nextEvent(this.recording, this.tick, kinds, by)
    if (row !== null) this.go(this.recording.events.tick[row])
    else this.moment.update({happened: this.settings.texts("moment.nothing")})
  }

  // Pins another tick, and brings it in sight.
  go(tick) {
    const {recording, board} = this
    const pin = Math.min(Math.max(0, tick), recording.ticks - 1)
    const seconds = pin * recording.tickS
    const {start, end} = board.range
    const half = (end - start) / 2
    if (seconds < start || seconds >= end) board.setWindow(seconds - half, seconds + half)
    this.pin(pin)
  }

  // --- what is shown ---

  showPin() {
    const {recording, board, settings} = this
    const {now, texts} = settings
    if (now.pin === null || recording === null) {
      if (recording) board.pin(null)
      this.moment.update({pinned: false})
      return
    }
    const {tick} = this
    const moments = board.pin(tick, now.worker)
    this.stage.showBars()
    this.workers.replaceChildren(
      ...workerRows(moments, texts, recording.tickS, settings.stateColors, now.worker))
    const time = clockText(tick * recording.tickS)
    const events = eventsAt(recording, tick)
    this.moment.update({
      pinned: true,
      title: texts("moment.at", {time, tick: grouping(tick)}),
      happened: events.map(row => happenedSentence(recording, row, texts)).join(" · "),
    })
  }

  showBar() {
    const {recording, settings: {texts, stateColors}} = this
    const states = STACK.map(code => {
      const name = SHADES[code]
      const share = recording ? recording.shadeTicks[code] / (recording.ticks * recording.workers) : 0
      const text = share ? percent(share, texts) : ""
      return {name, label: texts(`states.${name}`), color: stateColors[code], share: text}
    })
    this.lens.update({
      states,
      figures: Object.fromEntries(FACTS.figureNames.map(name => [name, texts(`figures.${name}`)])),
      caption: recording ? this._caption() : "",
      texts: {...texts.section("timeline"), player: texts.section("player")},
    })
  }

  _caption() {
    const {texts} = this.settings
    const {size, tickS} = this.board.lanes.bins
    const key = size > 1 ? "timeline.caption" : "timeline.caption_ticks"
    return texts(key, {span: spanText(size * tickS, texts)})
  }
}
