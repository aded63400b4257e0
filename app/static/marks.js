// Numbered marks over places of the page: a lane at a time, a chart, a number. They lie in a layer
// of their own over the page and follow whatever moves below them.

const MARK_STYLE = `
  .mark { position: absolute; border: 2px solid var(--focus); border-radius: 6px;
    box-shadow: 0 0 0 2px var(--card), inset 0 0 0 1px var(--card); pointer-events: none; }
  .mark b { position: absolute; left: -10px; top: -10px; width: 19px; height: 19px;
    border-radius: 50%; background: var(--focus); color: var(--card); font: 600 11px/19px var(--font);
    text-align: center; box-shadow: 0 0 0 1.5px var(--card); }
  .mark.called { animation: call 0.45s ease-out 3; }
  @keyframes call { from { outline: 0 solid var(--focus); outline-offset: 0; }
    to { outline: 3px solid transparent; outline-offset: 14px; } }
  @media (prefers-reduced-motion: reduce) { .mark.called { animation: none; outline: 4px solid var(--focus); } }
`
const NARROWEST = 40
const SHARE = 0.02

// The first element that fits, also inside of shadow roots.
function deepFind(root, selector) {
  const found = root.querySelector(selector)
  if (found) return found
  for (const node of root.querySelectorAll("*")) {
    const inner = node.shadowRoot && deepFind(node.shadowRoot, selector)
    if (inner) return inner
  }
  return null
}

// Where a place is on the page now: {left, top, width, height} in pixels, or null if out of sight.
function boxOf(model, place) {
  if (place.target === "number") {
    const card = deepFind(document.querySelector(".page-numbers"), `.card[data-name="${place.name}"]`)
    const {left, top, width, height} = card?.getBoundingClientRect() ?? {width: 0}
    return width ? {left: left + 2, top: top + 2, width: width - 4, height: height - 4} : null
  }
  const view = figureView(model, place.name)
  if (!view?.canvas_view) return null
  const frame = view.frame.bbox
  const canvas = view.canvas_view.el.getBoundingClientRect()
  const box = {
    left: canvas.left + frame.left, top: canvas.top + frame.top,
    width: frame.width, height: frame.height,
  }
  const {x_range, y_range} = view.model
  if (place.at !== null) {
    const share = (place.at - x_range.start) / (x_range.end - x_range.start)
    if (share < 0 || share > 1) return null
    const width = Math.max(NARROWEST, SHARE * box.width)
    const middle = box.left + share * box.width
    box.left = Math.min(Math.max(middle - width / 2, box.left), box.left + box.width - width)
    box.width = width
  }
  if (place.low !== undefined) {
    const span = y_range.end - y_range.start
    box.top += (y_range.end - place.high) / span * box.height - 2
    box.height = (place.high - place.low) / span * box.height + 4
  }
  return box
}

function makeMarks(model) {
  const host = element("div", {"aria-hidden": "true", class: "story-marks"})
  const layer = host.attachShadow({mode: "open"})
  layer.append(element("style", {}, [MARK_STYLE]))
  Object.assign(host.style, {position: "absolute", left: "0", top: "0", zIndex: "7"})
  document.body.append(host)
  let marks = []

  function put() {
    model.places.forEach((place, index) => {
      const box = boxOf(model, place)
      marks[index].hidden = !box
      marks[index].style.display = box ? "" : "none"
      if (!box) return
      for (const side of ["left", "top", "width", "height"]) {
        const moved = side === "left" ? scrollX : side === "top" ? scrollY : 0
        marks[index].style[side] = `${box[side] + moved}px`
      }
    })
  }

  function show() {
    for (const mark of marks) mark.remove()
    marks = model.places.map((_, index) => element("div", {class: "mark"}, [
      element("b", {}, [String(index + 1)])]))
    layer.append(...marks)
    put()
  }

  // Figures are laid out some frames after what they show has changed.
  let left = 0
  function settle() {
    put()
    if (left-- > 0) requestAnimationFrame(settle)
  }
  function moved() {
    const idle = left <= 0
    left = 20
    if (idle) requestAnimationFrame(settle)
  }

  // Brings a place into sight and has its mark flash.
  function call(index) {
    put()
    const mark = marks[index]
    if (mark.hidden) return
    const {top, height} = mark.getBoundingClientRect()
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches
    const middle = scrollY + top + height / 2 - innerHeight / 2
    scrollTo({top: middle, behavior: still ? "auto" : "smooth"})
    mark.classList.remove("called")
    requestAnimationFrame(() => mark.classList.add("called"))
  }

  const range = timeRange(model)
  range.properties.start.change.connect(moved)
  range.properties.end.change.connect(moved)
  const sized = new ResizeObserver(moved)
  for (const part of document.querySelectorAll(".page-main, .page-main > *")) sized.observe(part)
  addEventListener("resize", moved)
  return {
    show() { show(); moved() },
    call,
    end() {
      removeEventListener("resize", moved)
      sized.disconnect()
      host.remove()
    },
  }
}
