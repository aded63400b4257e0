// Where the figures stand: built when they are needed, the first ones at once, so that the page is
// ready early; and how they behave under the wheel and a finger.

const FIRST = ["minimap", "timeline", "events"]

class Stage {
  constructor(board) {
    this.board = board
    this.figures = document.getElementById("figures")
    this.places = new Map(FACTS.figureNames.map(name => {
      const place = element("div", {"data-figure": name})
      document.getElementById(name === "kv" ? "bars" : "figures").append(place)
      return [name, place]
    }))
    this.charts = new Set()
    this.building = null
    this.built = new Set()
    this.observer = new IntersectionObserver(
      entries => entries.forEach(({target, isIntersecting}) =>
        board.see(target.dataset.figure, isIntersecting)),
      {rootMargin: "80px"})
  }

  get width() { return this.figures.clientWidth }

  // Shows these charts and no others.
  show(charts) {
    this.charts = new Set(charts)
    for (const name of FACTS.chartNames) this.places.get(name).hidden = !this.charts.has(name)
    if (this.building) this._build()
  }

  // Shows the inspector's bars.
  showBars() {
    this.bars = true
    if (this.building) this._build()
  }

  // Builds the first figures, then the others.
  async open() {
    const {board, places} = this
    const {document: figures, models} = board
    const wanted = name => !places.get(name).hidden && FIRST.includes(name)
    const first = FACTS.figureNames.filter(wanted)
    for (const name of FACTS.figureNames) if (!wanted(name)) figures.remove_root(models[name])
    // Bokeh takes the place of each root by its number; later ones are added to the list.
    this.targets = first.map(name => places.get(name))
    await Bokeh.embed.add_document_standalone(figures, this.figures, this.targets)
    first.forEach(name => this._adopt(name))
    this._letWheelPass()
    await painted()
    root.dataset.ready = performance.now()
    this.building = Promise.resolve()
    this._build()
    await this.building
    tellHeight(document.getElementById("page"))
  }

  // Builds what is wanted and not there yet; tests wait until the page is complete.
  _build() {
    root.removeAttribute("data-complete")
    this.building = this.building.then(async () => {
      for (const name of [...this.charts, ...(this.bars ? ["kv"] : [])]) {
        if (this.built.has(name)) continue
        this.targets.push(this.places.get(name))
        this.board.document.add_root(this.board.models[name])
        while (!viewOf(this.board.models[name])) await painted()
        this._adopt(name)
      }
      root.dataset.complete = ""
    })
  }

  _adopt(name) {
    this.built.add(name)
    if (this.charts.has(name)) this.observer.observe(this.places.get(name))
    // Up and down, a finger scrolls the page.
    const rule = "{ touch-action: pan-y pinch-zoom !important; outline: none !important }"
    const {shadow_el: canvas} = viewOf(this.board.models[name]).canvas_view
    canvas.append(element("style", {}, [`.bk-events ${rule}`]))
  }

  // The wheel scrolls the page; a click into the timeline gives it the wheel until the pointer
  // leaves the figures.
  _letWheelPass() {
    const {timeline} = this.board.models
    const wheel = timeline.toolbar.tools.find(tool => tool.type === "WheelZoomTool")
    const hint = document.getElementById("hint")
    let hiding = null
    const give = active => {
      wheel.active = active
      hint.hidden = true
    }
    const place = this.places.get("timeline")
    place.addEventListener("click", () => give(true))
    this.figures.addEventListener("pointerleave", () => give(false))
    addEventListener("keydown", event => { if (event.key === "Escape") give(false) })
    place.addEventListener("wheel", () => {
      if (wheel.active) return
      hint.hidden = false
      clearTimeout(hiding)
      hiding = setTimeout(() => { hint.hidden = true }, 1200)
    }, {passive: true})
  }
}

// Bokeh writes the style sheets of all it draws at every paint, mostly as they were, and asks style
// sheets for every colour, width and font size, though none of ours speaks of them and all sizes
// are in pixels; and it keeps an element where each glyph is, which nothing here looks at. Each
// write and the next question have the browser work out all styles anew: half of the time of a
// paint. And it selects rows one by one where all are wanted. A later Bokeh may be built
// otherwise; then it goes its own way.
function spareBokeh() {
  try {
    const {prototype: sheet} = Bokeh.require("core/dom").InlineStyleSheet
    const update = sheet._update
    sheet._update = function (css) {
      if (css !== this.css) update.call(this, css)
    }
    Bokeh.require("core/visuals/visual").VisualProperties.prototype._get_css_value = () => ""
    const {prototype: plot} = Bokeh.require("models/plots/plot_canvas").PlotView
    Object.defineProperty(plot, "base_font_size", {get: () => 13})
    const {prototype: glyph} = Bokeh.require("models/renderers/glyph_renderer").GlyphRendererView
    glyph.update_position = () => {}
    const {prototype: rows} = Bokeh.require("core/util/bitset").BitSet
    const select = rows.select
    rows.select = function (column) {
      const all = this.count === this.size && this.size <= column.length
      return all ? column.slice(0, this.size) : select.call(this, column)
    }
  } catch (error) {
    console.info(error)
  }
}

const viewOf = model => Bokeh.index.find_one_by_id(model.id)

// Waits until what is due is painted; a frame out of sight is not, and waits no longer than that.
function painted() {
  return new Promise(resolve => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, 100)
  })
}
