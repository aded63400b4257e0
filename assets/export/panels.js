// What stands around the picture: header, banners, the form of settings, the row of numbers.

class Panels {
  // `show(recording)` has the settings and the last good run shown.
  constructor(settings) {
    this.settings = settings
    this.errors = {}
    this.left = {} // errors that outlast a change of the settings
    this.live = false
    this.numbers = makeNumbers()
    this.header = makeModel({
      texts: {}, help: {}, languages: FACTS.languages, presets: [], preset: "",
      language: "", theme: "", palette: "", dark: false, query: "",
    }, ({name, value}) => this.choose(name, value))
    this.notices = makeModel({
      busy: false, pictures: 0, error: "", stale: false, problems: [], texts: {},
    }, message => this.dismiss(message))
    this.main = this.formModel()
    this.more = this.formModel()
  }

  formModel() {
    return makeModel({groups: [], errors: {}, texts: {}}, message => {
      if (!("reset" in message)) this.enter(message)
      else {
        const {scenario, gpus_per_worker} = this.settings.own
        this.settings.change({scenario, gpus_per_worker})
      }
    })
  }

  mount(figures) {
    this.show(null)
    document.getElementById("header").toggleAttribute("data-embedded", "embedded" in root.dataset)
    mount("header", renderHeader, this.header, ["header", "export-header"], figures)
    mount("notices", renderNotices, this.notices, ["notices"], figures)
    mount("numbers", () => this.numbers.node, null, ["numbers", "export-numbers"])
    if (frozen) return
    mount("controls", renderForm, this.main, ["form", "export-form"], figures)
    const drawer = mount("drawer", renderForm, this.more, ["form", "export-form"], figures)
    for (const group of drawer.querySelectorAll("details")) group.open = true
    closeOnPhone(this.settings.now.controls)
  }

  // --- what the reader does ---

  choose(name, value) {
    if (name === "preset") this.settings.change(presetSettings(value))
    else if (name !== "dark") this.settings.change({[name]: value})
  }

  dismiss(what) {
    if (what === "read") this.settings.problems = []
    this.notices.update(what === "read" ? {problems: []} : {error: ""})
  }

  enter({name, value, live}) {
    const {settings} = this
    this.live = live
    try {
      const changes = changedSettings(settings.now, name, value)
      const {[name]: corrected, ...left} = this.errors
      this.errors = this.left = left
      settings.change(changes)
      this.left = {}
    } catch (error) {
      const said = refusal(name, value, error, settings.now, settings.texts)
      this.errors = {...this.errors, [name]: said}
      this.showForms()
    }
    // The next step of a drag may come once this one is painted.
    requestAnimationFrame(() => {
      this.main.answer({})
      this.more.answer({})
    })
  }

  // --- what is shown ---

  show(recording) {
    const {texts} = this.settings
    const title = FACTS.title ?? texts("app.title")
    document.title = title
    document.querySelector("h1").textContent = title
    for (const node of document.querySelectorAll("[data-text]")) {
      node.textContent = texts(node.dataset.text)
    }
    this.header.update({
      texts: texts.section("header"),
      help: texts.section("help"),
      presets: Object.keys(FACTS.presets).map(name =>
        ({name, ...texts.section(`presets.${name}`)})),
      language: texts.language,
    })
    this.notices.update({texts: texts.section("status")})
    this.numbers.show(recording, texts)
    this.showChoices()
  }

  showChoices() {
    const {now, problems, texts, theme} = this.settings
    this.notices.update({problems: problems.map(problem => addressProblem(problem, texts))})
    this.header.update({
      preset: (frozen ? null : presetOf(now.scenario)) ?? "",
      theme: now.theme,
      palette: now.palette,
      dark: theme === "dark",
    })
    if (frozen) this.showStill()
    else this.showForms()
  }

  showForms() {
    const {now, texts} = this.settings
    const {controls} = now
    const main = controls?.filter(name => name !== "preset") ?? FACTS.layout.main
    const rest = controls ? {} : FACTS.layout.rest
    const shape = {errors: this.errors, texts: texts.section("controls")}
    this.main.update({groups: formGroups({main}, now, texts), ...shape})
    this.more.update({groups: formGroups(rest, now, texts), ...shape})
    document.getElementById("more").hidden = controls !== null
    root.toggleAttribute("data-no-controls", controls !== null && !main.length)
    const presets = controls === null || controls.includes("preset")
    document.getElementById("header").toggleAttribute("data-no-presets", !presets)
  }

  // The settings of a file that holds one run.
  showStill() {
    const {now, texts} = this.settings
    const said = Object.keys(FACTS.controls)
      .filter(name => name in now.scenario && !sameValue(now.scenario[name], FACTS.defaults[name]))
      .map(name => shownSetting(name, now.scenario[name], texts))
    const still = document.getElementById("still")
    still.hidden = false
    still.textContent = `${texts("export.still")} ${said.join(" · ") || texts("export.defaults")}`
    document.getElementById("header").toggleAttribute("data-no-presets", true)
  }

  // --- runs ---

  running(busy) { this.notices.update({busy}) }

  succeeded(recording, busy) {
    this.numbers.show(recording, this.settings.texts)
    this.notices.update({busy, error: "", stale: false, pictures: this.notices.pictures + 1})
  }

  failed(error, stale) { this.notices.update({busy: false, error: error.message, stale}) }
}

// A setting as a sentence names it.
function shownSetting(name, value, texts) {
  const {kind, unit} = FACTS.controls[name]
  let said = Array.isArray(value) ? value.map(shownValue).join("–") : shownValue(value)
  if (kind === "choice") said = texts(`options.${name}.${value}.label`)
  if (kind === "switch") said = texts(`controls.${value ? "on" : "off"}`)
  return `${texts(`fields.${name}.label`)} ${said}${unit ? ` ${texts(`units.${unit}`)}` : ""}`
}

// On a phone many settings start closed, so that the picture is in sight.
function closeOnPhone(controls) {
  const many = controls === null || controls.length > 4
  if (many && matchMedia("(max-width: 599px)").matches) {
    document.getElementById("settings").open = false
  }
}
