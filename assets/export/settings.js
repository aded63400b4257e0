// What the reader chose, and the address in which it stands.

const frozen = FACTS.snapshot !== null
const root = document.documentElement

class Settings {
  // `changed(before)` is told of every change, with the settings before it.
  constructor(changed) {
    this.changed = changed
    this.own = {
      scenario: FACTS.scenario, gpus_per_worker: FACTS.gpusPerWorker, view: null, isolate: [], pin: null,
      worker: null, clock: null, speed: FACTS.speed, language: FACTS.language ?? readersLanguage(),
      theme: FACTS.theme, palette: "default", controls: FACTS.shown, charts: FACTS.charts,
    }
    this.now = this.own
    this.problems = []
    this.read()
    addEventListener("hashchange", () => this.follow())
  }

  get texts() {
    const {language} = this.now
    if (this.spoken?.language !== language) this.spoken = makeTexts(language)
    return this.spoken
  }

  get theme() { return root.dataset.theme }

  // Key of the theme and the palette in the facts about colours.
  get look() { return `${this.theme} ${this.now.palette}` }

  get stateColors() { return FACTS.stateColors[this.look] }

  // What a pixel of each state has: of those not shown alone, if any are, a faint colour.
  get pixelColors() {
    const {isolate} = this.now
    const faded = FACTS.fadedColors[this.look]
    const full = name => !isolate.length || isolate.includes(name)
    return this.stateColors.map((color, i) => full(SHADES[i]) ? color : faded[i])
  }

  change(changes) {
    const before = this.now
    this.now = {...before, ...changes}
    this.write()
    this.changed(before)
  }

  // Notes what the picture itself knows already.
  note(changes) {
    this.now = {...this.now, ...changes}
    this.write()
  }

  // Takes over what the address asks for; what it does not name is as the file has it.
  read() {
    this.written = location.hash.slice(1)
    const {changes, problems} = readAddress(this.written, this.own, !frozen)
    this.now = {...this.own, ...changes}
    this.problems = problems
  }

  follow() {
    if (location.hash.slice(1) === this.written) return
    const before = this.now
    this.read()
    this.changed(before)
  }

  write() {
    later("address", 150, () => {
      if (location.hash.slice(1) !== this.written) return // changed, and about to be followed
      this.written = writtenAddress(this.now, this.own)
      if (this.written === location.hash.slice(1)) return
      try {
        history.replaceState(null, "", `#${this.written}`)
      } catch {
        location.replace(`#${this.written}`) // in a sandbox, where the page has no origin
      }
    })
  }
}

// The first of the reader's languages that the page speaks.
function readersLanguage() {
  const known = Object.keys(FACTS.texts)
  const wanted = (navigator.languages ?? [navigator.language]).map(tag => tag.slice(0, 2))
  return wanted.find(language => known.includes(language)) ?? known[0]
}
