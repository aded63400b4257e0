// What Python says of a place in a figure, in a tip beside the pointer. One question at a time: of
// those that come meanwhile only the last is asked. `shown(hover)` gives the tip's children.

function makeTip(model, shown) {
  const node = element("div", {class: "tip", hidden: "", role: "tooltip"})
  let asked = false
  let wanted = null
  let at = null

  function put() {
    const box = node.getBoundingClientRect()
    const right = at.clientX + 16 + box.width < innerWidth
    const below = at.clientY + 18 + box.height < innerHeight
    node.style.left = `${Math.max(4, right ? at.clientX + 16 : at.clientX - box.width - 12)}px`
    node.style.top = `${Math.max(4, below ? at.clientY + 18 : at.clientY - box.height - 12)}px`
  }

  function ask(question) {
    wanted = asked ? question : null
    if (asked) return
    asked = true
    model.send_msg({hover: question})
  }

  return {
    node,
    // The pointer is over a place; a finger does not hover.
    over(event, question) {
      at = event
      if (!node.hidden) put()
      if (event.pointerType !== "touch") ask(question)
    },
    leave() {
      at = null
      wanted = null
      node.hidden = true
    },
    answered({hover}) {
      asked = false
      if (wanted) ask(wanted)
      else if (hover && at) {
        node.replaceChildren(...shown(hover))
        node.hidden = false
        put()
      } else node.hidden = true
    },
  }
}
