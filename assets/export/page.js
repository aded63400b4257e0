// The page: settings in the address, controls, runs, and the picture of the last good run.

const FEWEST = 120
const MOST = 2400

// Milliseconds that a picture may take while a slider is dragged, and after which a drag rests.
const HURRY = 32
const REST = 160

const PIXELS_A_TIME = 120

const root = document.documentElement
const shell = document.getElementById("page")
const frozen = FACTS.snapshot !== null

class Page {
  // `figures` is the Bokeh document.
  constructor(figures) {
    this.header = document.getElementById("header")
    this.own = {
      scenario: FACTS.scenario, gpus_per_worker: 1, view: null, pin: null, worker: null,
      clock: null,
      speed: FACTS.speed, language: FACTS.language ?? readersLanguage(), theme: FACTS.theme,
      palette: "default", controls: FACTS.shown, charts: FACTS.charts,
    }
    this.state = {...this.own}
    this.board = new Board(figures)
    this.recording = null
    this.columns = FACTS.figures.columns
    this.pictures = 0
    this.pace = 0
    this.live = false
    this.errors = {}
    this.runner = new Runner(
      (scenario, run) => this.showRun(scenario, run), (_, error) => this.failed(error))
    this.makeParts(figures)
    this.readAddress()
  }

  get texts() {
    if (this._texts?.language !== this.state.language) this._texts = makeTexts(this.state.language)
    return this._texts
  }

  get shownTheme() { return root.dataset.theme }

  // --- the parts ---

  makeParts(figures) {
    this.models = {
      header: makeModel({title: "", texts: {}, help: {}, languages: FACTS.languages, presets: [],
        preset: "", language: "", theme: "", palette: "", dark: false, query: ""},
      ({name, value}) => this.choose(name, value)),
      notices: makeModel({busy: false, pictures: 0, error: "", stale: false, problems: [],
        texts: {}},
      message => this.models.notices.update(
        message === "read" ? {problems: []} : {error: ""})),
      lens: makeModel({texts: {}, figures: {}, states: [], caption: "", speeds: FACTS.speeds,
        speed: FACTS.speed, clock: null},
      message => this.fromLens(message), figures),
      moment: makeModel({pinned: false, title: "", happened: "", kinds: {}, texts: {}},
        message => this.fromMoment(message)),
      main: this.formModel(),
      more: this.formModel(),
    }
    this.numbers = makeNumbers()
    this.workers = element("tbody")
  }

  formModel() {
    return makeModel({groups: [], errors: {}, texts: {}}, message => {
      if ("reset" in message) this.change({scenario: this.own.scenario, gpus_per_worker: 1})
      else this.fromForm(message)
    })
  }

  mountParts() {
    const {models} = this
    this.header.toggleAttribute("data-embedded", "embedded" in root.dataset)
    this.showTexts()
    mount("header", renderHeader, models.header, ["header", "export-header"])
    mount("notices", renderNotices, models.notices, ["notices"])
    mount("controls", renderForm, models.main, ["form", "export-form"])
    const drawer = mount("drawer", renderForm, models.more, ["form", "export-form"])
    for (const group of drawer.querySelectorAll("details")) group.open = true
    mount("numbers", () => this.numbers.node, null, ["numbers", "export-numbers"])
    mount("lens", renderLens, models.lens, ["lens", "export-lens"])
    mount("moment", renderMoment, models.moment, ["moment"])
    mount("workers", () => element("table", {}, [this.workers]), null, ["workers"])
  }

  // --- settings ---

  // Takes over what the address asks for; what it does not name is as the file has it.
  readAddress() {
    const text = location.hash.slice(1)
    if (text === this.written) return
    const {changes, problems} = readAddress(text, this.own, !frozen)
    this.written = text
    Object.assign(this.state, {...this.own, ...changes})
    this.problems = problems
  }

  followAddress() {
    const before = this.state.scenario
    this.readAddress()
    this.errors = {}
    root.dataset.chosenTheme = this.state.theme
    root.dispatchEvent(new Event("themechosen"))
    this.showTexts()
    if (!sameScenario(before, this.state.scenario)) this.run()
    else this.showView()
  }

  writeAddress() {
    clearTimeout(this.writing)
    this.writing = setTimeout(() => {
      this.written = writtenAddress(this.state, this.own)
      try {
        history.replaceState(null, "", `#${this.written}`)
      } catch {
        location.replace(`#${this.written}`)
      }
    }, 150)
  }

  change(changes) {
    const before = this.state.scenario
    Object.assign(this.state, changes)
    this.showChoices()
    this.writeAddress()
    if (!sameScenario(before, this.state.scenario)) this.run()
  }

  choose(name, value) {
    if (name === "preset") this.change(presetSettings(value))
    else if (name === "dark") this.restyle()
    else {
      this.change({[name]: value})
      if (name === "language") this.showTexts()
      if (name === "palette") this.restyle()
    }
  }

  fromForm({name, value, live}) {
    try {
      const changes = changedSettings(this.state, name, value)
      delete this.errors[name]
      this.live = live
      this.change(changes)
    } catch (error) {
      this.errors = {...this.errors, [name]: refusal(name, value, error, this.state, this.texts)}
      this.showForms()
    }
    requestAnimationFrame(() => {
      this.models.main.answer({})
      this.models.more.answer({})
    })
  }

  // --- runs ---

  run() {
    this.runner.request(this.state.scenario)
    this.models.notices.update({busy: this.runner.busy})
  }

  showRun(scenario, run) {
    const first = this.recording === null
    // Where pictures take long, a drag under way gets coarser ones; they are refined as it rests.
    const coarse = !first && this.live && this.pace > HURRY
    this.time()
    this.recording = new Recording(scenario, run)
    this.board.relabel(this.texts)
    this.board.restyle(this.shownTheme, this.state.palette)
    this.board.show(this.recording, !first, coarse ? Math.ceil(this.columns / 2) : this.columns)
    if (first) this.showView()
    clearTimeout(this.refining)
    if (coarse) this.refining = setTimeout(() => this.board.refine(this.columns), REST)
    this.numbers.show(this.recording, this.texts)
    this.showPin()
    this.looked()
    this.models.notices.update({
      busy: this.runner.busy, error: "", stale: false, pictures: ++this.pictures,
    })
  }

  // Takes the time from a run to its picture.
  time() {
    const begin = performance.now()
    requestAnimationFrame(() => setTimeout(() => { this.pace = performance.now() - begin }))
  }

  failed(error) {
    const stale = this.recording !== null
    this.models.notices.update({busy: false, error: error.message, stale})
  }

  // --- the picture ---

  showView() {
    const {view} = this.state
    if (view === null) this.board.setWindow(0, this.board.end)
    else this.board.setWindow(...view)
    this.board.refine(this.columns)
    this.looked()
    this.showPin()
  }

  look(columns) {
    if (columns) {
      this.columns = Math.min(Math.max(columns, FEWEST), MOST)
      this.board.setTimes(Math.max(2, Math.floor(columns / PIXELS_A_TIME)))
    }
    const {start, end} = this.board.range
    if (this.recording === null || sameValue(this.seen, [start, end, this.columns])) return
    this.board.refine(this.columns)
    this.looked()
  }

  looked() {
    const {start, end} = this.board.range
    this.seen = [start, end, this.columns]
    const whole = start <= 0 && end >= this.board.end
    this.state.view = whole ? null : [start, end]
    this.writeAddress()
    this.showBar()
  }

  fromLens(message) {
    if ("columns" in message) this.look(message.columns)
    else if ("pin" in message) this.pinAt(...message.pin)
    else if ("hover" in message) this.models.lens.answer({hover: this.hover(message.hover)})
    else {
      this.change(message)
      this.models.lens.update(message)
    }
  }

  hover(spot) {
    const {board, recording} = this
    const worker = spot && recording ? board.workerAt(spot[1]) : null
    if (worker === null) {
      board.markCell(null)
      return null
    }
    const tick = recording.tickAt(spot[0])
    const moment = momentOf(recording, worker, tick)
    board.markCell(worker, moment.since * recording.tickS, moment.until * recording.tickS)
    return hoverTexts(moment, this.texts, recording.tickS, tick)
  }

  // --- the pinned moment ---

  // Pins the moment at a time, and chooses the worker of a lane of the timeline.
  pinAt(seconds, lane) {
    if (this.recording === null) return
    const worker = lane === undefined ? null : this.board.workerAt(lane)
    if (worker !== null) this.state.worker = worker
    this.pin(this.recording.tickAt(seconds))
  }

  pin(tick) {
    this.state.pin = tick
    this.showPin()
    this.writeAddress()
  }

  fromMoment(message) {
    if ("step" in message) this.go(this.state.pin + message.step)
    else if ("event" in message) this.toEvent(message.event, message.by)
    else this.pin(null)
  }

  toEvent(kind, by) {
    const kinds = kind === "any" ? EVENT_KINDS : [kind]
    const row = nextEvent(this.recording, this.state.pin, kinds, by)
    if (row === null) this.models.moment.update({happened: this.texts("moment.nothing")})
    else this.go(this.recording.events.tick[row])
  }

  go(tick) {
    if (this.recording === null || this.state.pin === null) return
    const {recording, board} = this
    const pin = Math.min(Math.max(0, tick), recording.ticks - 1)
    const seconds = pin * recording.tickS
    const {start, end} = board.range
    if (seconds < start || seconds >= end) {
      board.setWindow(seconds - (end - start) / 2, seconds + (end - start) / 2)
    }
    this.pin(pin)
  }

  showPin() {
    const {recording, texts, board} = this
    if (this.state.pin === null || recording === null) {
      if (recording) board.pin(null)
      this.models.moment.update({pinned: false})
      return
    }
    const tick = Math.min(this.state.pin, recording.ticks - 1)
    const moments = board.pin(tick, this.state.worker)
    this.stage.showBars()
    const colors = FACTS.stateColors[`${this.shownTheme} ${this.state.palette}`]
    this.workers.replaceChildren(...workerRows(
      moments, texts, recording.tickS, colors, this.state.worker))
    const time = clockText(tick * recording.tickS)
    this.models.moment.update({
      pinned: true,
      title: texts("moment.at", {time, tick: grouping(tick)}),
      happened: eventsAt(recording, tick)
        .map(row => happenedSentence(recording, row, texts)).join(" · "),
    })
  }

  // --- what the parts show ---

  showTexts() {
    const {texts} = this
    document.title = FACTS.title ?? texts("app.title")
    this.models.header.update({
      title: FACTS.title ?? texts("app.title"),
      texts: texts.section("header"),
      help: texts.section("help"),
      presets: Object.keys(FACTS.presets).map(name =>
        ({name, ...texts.section(`presets.${name}`)})),
      language: this.state.language,
    })
    this.models.notices.update({
      texts: texts.section("status"),
      problems: this.problems.map(problem => addressProblem(problem, texts)),
    })
    const kinds = Object.fromEntries(EVENT_KINDS.map(kind => [kind, texts(`events.${kind}`)]))
    this.models.moment.update({
      texts: texts.section("moment"), kinds: {any: texts("moment.any"), ...kinds}})
    for (const node of document.querySelectorAll("[data-text]")) {
      node.textContent = texts(node.dataset.text)
    }
    this.showChoices()
    this.numbers.show(this.recording, texts)
    this.board.relabel(texts)
    this.showBar()
    this.showPin()
  }

  showChoices() {
    const {state} = this
    this.models.header.update({
      preset: (frozen ? "" : presetOf(state.scenario)) ?? "",
      theme: state.theme,
      palette: state.palette,
      dark: this.shownTheme === "dark",
    })
    this.models.lens.update({speed: state.speed, clock: state.clock})
    this.stage.show(state.charts)
    if (frozen) this.showStill()
    else this.showForms()
  }

  // The settings of a file that holds one run.
  showStill() {
    const {texts, state} = this
    const fields = Object.keys(FACTS.controls).filter(name => name in state.scenario)
    const said = fields.filter(name => !sameValue(state.scenario[name], FACTS.defaults[name]))
      .map(name => `${texts(`fields.${name}.label`)} ${shownSetting(name, state.scenario[name], texts)}`)
    const still = document.getElementById("still")
    still.hidden = false
    still.textContent = `${texts("export.still")} ${said.join(" · ") || texts("export.defaults")}`
  }

  showForms() {
    const {texts, state, models} = this
    const main = state.controls?.filter(name => name !== "preset") ?? FACTS.layout.main
    const rest = state.controls ? {} : FACTS.layout.rest
    const shape = {errors: this.errors, texts: texts.section("controls")}
    models.main.update({groups: formGroups({main}, state, texts), ...shape})
    models.more.update({groups: formGroups(rest, state, texts), ...shape})
    const names = state.controls
    document.getElementById("more").hidden = names !== null
    document.getElementById("settings").parentElement.hidden = names !== null && !main.length
    this.header.toggleAttribute("data-no-presets", names !== null && !names.includes("preset"))
  }

  restyle() {
    this.board.restyle(this.shownTheme, this.state.palette)
    this.models.header.update({dark: this.shownTheme === "dark"})
    this.showBar()
    this.showPin()
  }

  showBar() {
    const {texts, recording} = this
    const colors = FACTS.stateColors[`${this.shownTheme} ${this.state.palette}`]
    const states = STACK.map(code => {
      const name = STATES[code]
      const share = recording ? recording.run.summary[`share_${name}`] : 0
      return {
        name, label: texts(`states.${name}`), color: colors[code],
        share: share ? percent(share, texts) : "",
      }
    })
    this.models.lens.update({
      states,
      figures: Object.fromEntries(FACTS.figureNames.map(name => [name, texts(`figures.${name}`)])),
      caption: recording ? this.caption() : "",
      texts: {...texts.section("timeline"), player: texts.section("player")},
    })
  }

  caption() {
    const {size, tickS} = this.board.lanes.bins
    const key = size > 1 ? "timeline.caption" : "timeline.caption_ticks"
    return this.texts(key, {span: spanText(size * tickS, this.texts)})
  }
}

// On a phone the inspector stands below the figures, and the settings start closed if they are
// many.
function followWidth(page) {
  const narrow = matchMedia("(max-width: 860px)")
  const follow = () => root.toggleAttribute("data-narrow", narrow.matches)
  narrow.addEventListener("change", follow)
  follow()
  const many = page.state.controls === null || page.state.controls.length > 4
  if (narrow.matches && innerWidth < 600 && many) document.getElementById("settings").open = false
}

// A setting as a sentence names it.
function shownSetting(name, value, texts) {
  const {kind, unit} = FACTS.controls[name]
  if (kind === "choice") return texts(`options.${name}.${value}.label`)
  if (kind === "switch") return texts(`controls.${value ? "on" : "off"}`)
  const shown = Array.isArray(value) ? value.map(shownValue).join("–") : shownValue(value)
  return unit ? `${shown} ${texts(`units.${unit}`)}` : shown
}

// The first of the reader's languages that the page speaks.
function readersLanguage() {
  const known = Object.keys(FACTS.texts)
  const wanted = (navigator.languages ?? [navigator.language]).map(tag => tag.slice(0, 2))
  return wanted.find(language => known.includes(language)) ?? known[0]
}

function start() {
  spareStyles()
  const {Document} = Bokeh.require("document/index")
  const figures = Document.from_json(FACTS.document)
  const page = new Page(figures)
  const stage = new Stage(page.board)
  page.stage = stage
  page.mountParts()
  followWidth(page)
  page.columns = stage.width - FACTS.figures.margins
  if (frozen) page.showRun(FACTS.scenario, unpacked())
  else page.run()
  stage.open()
  addEventListener("hashchange", () => page.followAddress())
  root.addEventListener("themechange", () => page.restyle())
}

// The run that a file without the engine holds.
function unpacked() {
  const {summary, ...result} = FACTS.snapshot
  return packed(result, summary, FACTS.requestFields, FACTS.eventFields, FACTS.eventKinds)
}

start()
