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
    spareStyles()
    const {Document} = Bokeh.require("document/index")
    this.picture = new Picture(this.settings, Document.from_json(FACTS.document))
    this.panels.mount()
    this.picture.mount()
    root.addEventListener("themechange", () => this.show())
    await this.first
    if (this.recording) this.showRun()
    await this.picture.stage.open()
  }

  changed(before) {
    const {now} = this.settings
    const differs = names => names.some(name => !sameValue(before[name], now[name]))
    if (differs(["language", "theme", "palette", "charts"])) this.show()
    else this.panels.showChoices()
    if (!sameScenario(before.scenario, now.scenario)) this.run()
    else if (differs(["view"])) this.picture.showView()
    else if (differs(["pin", "worker"])) this.picture.showPin()
  }

  // Shows texts, colours and choices anew.
  show() {
    root.dataset.chosenTheme = this.settings.now.theme
    this.panels.show(this.recording)
    this.picture.show()
  }

  run() {
    this.runner.request(this.settings.now.scenario)
    this.panels.running(this.runner.busy)
  }

  done(recording) {
    this.recording = recording
    if (this.picture) this.showRun()
    this.started()
  }

  showRun() {
    this.picture.showRun(this.recording, this.panels.live)
    this.panels.succeeded(this.recording, this.runner.busy)
  }

  failed(error) {
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

root.toggleAttribute("data-frozen", frozen)
followWidth()
const page = new Page()
document.addEventListener("DOMContentLoaded", () => page.open())
