// The table of workers at the pinned moment; app/views/moment in Python.

function workerRows(moments, texts, tickS, colors, chosen) {
  return moments.map(moment => {
    const swatch = element("i")
    swatch.style.background = colors[moment.state]
    const cell = (name, children, tip) => element("td", {class: name, title: tip}, children)
    const plain = (name, text) => cell(name, [text], text)
    const state = texts(`states.${SHADES[moment.state]}`)
    const queue = queueSentence(moment, texts)
    const blocked = moment.queue.length ? blockedSentence(moment, texts) : ""
    return element("tr", {class: moment.worker === chosen ? "chosen" : ""}, [
      plain("worker", texts("timeline.worker", {worker: moment.worker})),
      cell("state", [swatch, state], state),
      plain("why", whySentence(moment, texts, tickS)),
      plain("running", moment.running.map(one => requestSentence(one, texts)).join(" · ")),
      cell("queue", [queue], blocked || queue),
    ])
  })
}
