// The replay. Covers over the figures uncover them up to the clock, so that nothing is drawn anew
// and the server need not know until the replay is paused.

const GROWING = ["minimap", "timeline", "events", "shares", "evictions", "hit_rate",
  "oversubscription", "occupancy", "composition", "agent_lanes", "context"]
const STEPS = 40

function cover(view) {
  const sheet = element("div", {class: "cover"})
  Object.assign(sheet.style, {
    position: "absolute", inset: "0", background: "var(--card)", willChange: "transform",
    borderLeft: "1.5px solid var(--ink)", boxSizing: "border-box",
  })
  const frame = element("div", {}, [sheet])
  Object.assign(frame.style, {position: "absolute", overflow: "hidden", pointerEvents: "none"})
  view.shadow_el.append(frame)
  return {frame, sheet}
}

function makePlayer(model, say) {
  const covers = new Map()
  const still = matchMedia("(prefers-reduced-motion: reduce)")
  let clock = model.clock
  let last = null
  let frameAsked = null

  const end = () => timeRange(model).bounds[1]

  function uncover() {
    for (const {frame} of covers.values()) frame.remove()
    covers.clear()
  }

  function draw() {
    scrub.max = end() // first, as a value beyond it would be cut
    scrub.value = clock === null ? end() : clock
    scrub.style.setProperty("--share", `${100 * scrub.value / scrub.max}%`)
    const text = clockText(Math.floor(Number(scrub.value)))
    scrub.setAttribute("aria-valuetext", text)
    time.textContent = text
    stop.disabled = clock === null
    if (clock === null) {
      uncover()
      return
    }
    for (const name of GROWING) {
      const view = figureView(model, name)
      if (!view) continue
      if (!covers.get(name)?.frame.isConnected) covers.set(name, cover(view))
      const {frame, sheet} = covers.get(name)
      const {left, top, width, height} = view.frame.bbox
      const {start, end} = view.model.x_range
      const share = Math.min(Math.max((clock - start) / (end - start), -0.01), 1.01)
      Object.assign(frame.style, {
        left: `${left}px`, top: `${top}px`, width: `${width + 1}px`, height: `${height}px`})
      sheet.style.transform = `translateX(${share * width}px)`
    }
  }

  // The window follows the clock out of sight.
  function follow() {
    const range = timeRange(model)
    const width = range.end - range.start
    if (clock > range.end && range.end < end()) {
      const start = Math.min(clock - 0.02 * width, end() - width)
      range.setv({start, end: start + width})
    }
  }

  function frame(now) {
    frameAsked = null
    clock = Math.min(clock + (now - last) / 1000 * model.speed, end())
    last = now
    follow()
    if (clock >= end()) {
      pause(null)
      return
    }
    draw()
    frameAsked = requestAnimationFrame(frame)
  }

  function play() {
    const range = timeRange(model)
    if (clock === null || clock >= end()) clock = range.start
    if (still.matches) {
      clock = Math.min(clock + (range.end - range.start) / STEPS, end())
      follow()
      pause(clock >= end() ? null : clock)
      return
    }
    last = performance.now()
    frameAsked = requestAnimationFrame(frame)
    label()
  }

  function pause(at = clock) {
    cancelAnimationFrame(frameAsked)
    frameAsked = null
    clock = at
    draw()
    label()
    say({clock})
  }

  const toggle = () => { if (frameAsked === null) play(); else pause() }

  function label() {
    const {player} = model.texts
    const playing = frameAsked !== null
    const hint = playing ? player.pause : still.matches ? player.step : player.play
    button.replaceChildren(playing ? "❚❚" : "▶")
    button.title = hint
    button.setAttribute("aria-label", hint)
    stop.title = player.stop
    stop.setAttribute("aria-label", player.stop)
    scrub.setAttribute("aria-label", player.scrub)
    speed.setAttribute("aria-label", player.speed)
    speed.value = String(model.speed)
  }

  const button = element("button", {type: "button", class: "play", onclick: toggle})
  const stop = element("button", {type: "button", class: "quiet", onclick: () => pause(null)}, ["✕"])
  const time = element("output", {class: "clock"})
  const scrub = element("input", {type: "range", min: "0", max: "1", step: "any", oninput: () => {
    cancelAnimationFrame(frameAsked)
    frameAsked = null
    clock = scrub.valueAsNumber
    draw()
    label()
  }, onchange: () => pause(scrub.valueAsNumber >= end() ? null : scrub.valueAsNumber)})
  const speed = element("select", {onchange: () => say({speed: Number(speed.value)})},
    model.speeds.map(value => element("option", {value}, [`${value}×`])))
  draw()
  label()
  return {
    node: element("div", {class: "player"}, [button, speed, scrub, time, stop]),
    toggle, label, draw,
    set(at) {
      if (frameAsked === null) {
        clock = at
        draw()
      }
    },
    end() { cancelAnimationFrame(frameAsked) },
  }
}
