// The page: settings, runs, and the last good run in numbers and as a picture.

class Page {
  constructor() {
    this.settings = new Settings(before => this.changed(before))
    this.panels = new Panels(this.settings)
    this.picture = null
    this.recording = null
    this.runner = new Runner(
      (scenario, run) => this.done(new Recording(scenario, run)), error => this.failed(error))
    // A run that takes long does so in a worker while Bokeh is read; opening waits for it.
    this.first = new Promise(resolve => { this.started = resolve })
    if (frozen) this.done(new Recording(FACTS.scenario, unpacked()))
    else this.run()
  }

  async open() {
    spareBokeh()
    Bokeh.set_log_level("warn")
    const {Document} = Bokeh.require("document/index")
    const figures = Document.from_json(FACTS.document)
    this.applyTheme()
    this.picture = new Picture(this.settings, figures)
    this.panels.mount(figures)
    this.picture.mount(figures)
    root.addEventListener("themechange", () => this.paint())
    await this.first
    if (this.recording) this.showRun()
    await this.picture.stage.open()
  }

  changed(before) {
    const {now} = this.settings
    const differs = names => names.some(name => !sameValue(before[name], now[name]))
    const other = !sameScenario(before.scenario, now.scenario)
    if (other || differs(["gpus_per_worker"])) this.panels.errors = this.panels.left
    if (this.picture !== null) this.showChanges(differs, other)
    if (other) this.run()
  }

  // Shows the settings that differ; those of the picture after the run if there is to be one.
  showChanges(differs, other) {
    const {picture} = this
    this.applyTheme()
    if (differs(["language", "theme", "palette", "charts"])) this.paint()
    else this.panels.showChoices()
    if (differs(["clock", "speed"])) picture.showClock()
    if (differs(["isolate"])) picture.showIsolated()
    if (differs(["view"])) picture.showView(other)
    if (differs(["pin", "worker"]) && !other) picture.showPin()
  }

  applyTheme() {
    const {theme} = this.settings.now
    if (root.dataset.chosenTheme === theme) return
    root.dataset.chosenTheme = theme
    root.dispatchEvent(new Event("themechosen"))
  }

  // Shows texts, colours and choices anew.
  paint() {
    this.panels.show(this.recording)
    this.picture.show()
  }

  run() {
    postpone()
    this.runner.request(this.settings.now.scenario)
    this.panels.running(this.runner.busy)
  }

  done(recording) {
    root.removeAttribute("data-empty")
    this.recording = recording
    if (this.picture) this.showRun()
    this.started()
  }

  showRun() {
    this.picture.showRun(this.recording, this.panels.live)
    this.panels.succeeded(this.recording, this.runner.busy)
  }

  failed(error) {
    root.toggleAttribute("data-empty", this.recording === null)
    this.panels.failed(error, this.recording !== null)
    this.started()
  }
}

// The run that a file without the engine holds.
function unpacked() {
  const {summary, ...result} = FACTS.snapshot
  return packed(result, summary, FACTS.requestFields, FACTS.eventFields, FACTS.eventKinds)
}

// In a narrow window the inspector stands below the figures.
function followWidth() {
  const narrow = matchMedia("(max-width: 860px)")
  const follow = () => root.toggleAttribute("data-narrow", narrow.matches)
  narrow.addEventListener("change", follow)
  follow()
}

// The address holds settings, so the link past the settings must not change it.
function skipByHand() {
  document.querySelector(".skip").addEventListener("click", event => {
    event.preventDefault()
    document.getElementById("picture").focus()
  })
}

root.toggleAttribute("data-frozen", frozen)
skipByHand()
followWidth()
addEventListener("beforeprint", finishAll)
const page = new Page()
document.addEventListener("DOMContentLoaded", () => page.open())
