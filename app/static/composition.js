// What stands above the KV cache of a worker over time: which worker, what the tones mean, and what
// the hover says.

export function render({model}) {
  const root = element("div", {class: "composition"})
  const title = element("h3", {id: "composition-title"})
  const select = element("select", {
    onchange: () => model.send_msg({worker: Number(select.value)})})
  const legend = element("ul", {class: "legend"})
  const swatch = (...colors) => {
    const mark = element("i", {class: "swatch", "aria-hidden": "true"})
    mark.style.background = colors.length > 1
      ? `linear-gradient(to right, ${colors[0]} 50%, ${colors[1]} 50%)` : colors[0]
    return mark
  }
  const tip = makeTip(model, ({title, color, lines}) => [
    element("strong", {}, [swatch(color), title]), ...lines.map(line => element("span", {}, [line])),
  ])

  function onMove(event) {
    const hit = event.buttons ? null : figureAt(model, ["composition"], event)
    if (hit) tip.over(event, [hit.spot.x, hit.spot.y])
    else tip.leave()
  }

  function show() {
    const {texts} = model
    title.textContent = texts.title
    select.setAttribute("aria-label", texts.worker)
    if (select.options.length !== model.workers || select.dataset.name !== texts.name) {
      select.dataset.name = texts.name
      select.replaceChildren(...Array.from({length: model.workers}, (_, worker) =>
        element("option", {value: worker}, [texts.name.replace("{worker}", worker)])))
    }
    select.value = String(model.worker)
    legend.setAttribute("aria-label", texts.legend)
    legend.replaceChildren(...model.tones.map(
      ({label, colors}) => element("li", {}, [swatch(...colors), label])))
    const view = figureView(model, "composition")
    view?.el.setAttribute("role", "img")
    view?.el.setAttribute("aria-label", model.said)
  }

  document.addEventListener("pointermove", onMove)
  model.on(["texts", "workers", "worker", "tones", "said"], together(show))
  model.on("msg:custom", tip.answered)
  model.on("remove", () => document.removeEventListener("pointermove", onMove))
  root.append(title, select, legend, tip.node)
  show()
  return root
}
