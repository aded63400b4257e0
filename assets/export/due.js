// What is put off until the reader rests. While something is, the page says so in an attribute;
// a printer does not wait, so it has everything done at once.

const due = new Map()

// Has `act` called after so many milliseconds without another call by this name.
function later(name, ms, act) {
  clearTimeout(due.get(name)?.timer)
  due.set(name, {act, ms, timer: setTimeout(() => finish(name), ms)})
  root.toggleAttribute("data-due", true)
}

// Puts off all of it anew, so that nothing comes between a step of a slider and its picture.
function postpone() {
  for (const [name, {act, ms}] of due) later(name, ms, act)
}

function finish(name) {
  const {act, timer} = due.get(name)
  clearTimeout(timer)
  due.delete(name)
  act()
  root.toggleAttribute("data-due", due.size > 0)
}

function finishAll() {
  while (due.size) finish(due.keys().next().value)
}
