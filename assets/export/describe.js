// A worker's moment in sentences; app/describe in Python.

const MOST_NAMED = 3

function whySentence(moment, texts, tickS) {
  const {cause} = moment
  if (cause.code === "waiting_phase") return phaseSentence("phase", cause, texts)
  if (cause.code === "dragged") return phaseSentence("dragged", cause, texts)
  if (cause.code === "waiting_kv") return blockedSentence(moment, texts)
  if (cause.code === "idle") {
    if (cause.until === null) return texts("why.over")
    const agents = agentsText(cause.agents, texts)
    return texts("why.idle", {agents, time: clockText(cause.until * tickS)})
  }
  return texts(`why.${cause.code}`, {agents: agentsText(cause.agents, texts)})
}

function phaseSentence(key, {blockers, phase, policy, limit, wants}, texts) {
  const workers = blockers.map(([worker, agents]) =>
    texts("why.worker", {worker, agents: agentsText(agents, texts)}))
  const why = texts(`why.${key}_${phase}`, {workers: listed(workers, texts)})
  const [prefill, decode] = wants
  const reason = texts(`why.policies.${policy}_${phase}`, {prefill, decode, ticks: limit})
  return texts("why.as", {why, policy: reason})
}

function blockedSentence({blocked, role}, texts) {
  if (blocked === null) return ""
  const known = {
    agent: blocked.agent,
    need: shortTokens(blocked.need),
    free: shortTokens(Math.max(0, blocked.free)),
  }
  const holders = blocked.locked_by.map(([agent, held]) =>
    texts("why.holder", {agent, tokens: shortTokens(held)}))
  const key = role === "prefill" ? "why.blocked_prefill" : "why.blocked"
  return texts(key, {holders: listed(holders, texts), ...known})
}

function requestSentence({stage, agent, turn, left}, texts) {
  return texts(`why.request_${stage}`, {agent, turn, left: shortTokens(left)})
}

function queueSentence({queue}, texts) {
  if (!queue.length) return texts("numbers.none")
  const agents = agentsText(queue.map(request => request.agent), texts)
  return texts("why.queue", {count: queue.length, agents})
}

// What the hover shows: {title, state, label, lines}.
function hoverTexts(moment, texts, tickS, tick) {
  const state = SHADES[moment.state]
  const [since, until] = [moment.since, moment.until].map(at => clockText(at * tickS))
  const lines = [whySentence(moment, texts, tickS), texts("hover.span", {since, until})]
  const focus = focusOf(moment)
  if (focus !== null) {
    const queued = focus.stage === "queued"
    const sizes = {prompt: shortTokens(focus.prompt), cached: shortTokens(focus.cached)}
    lines.push(requestSentence(focus, texts))
    lines.push(texts(`hover.${queued ? "queued" : "cached"}`, sizes))
    if (!queued && focus.recomputed) {
      lines.push(texts("hover.recomputed", {tokens: shortTokens(focus.recomputed)}))
    }
  }
  lines.push(texts("hover.queue", {count: moment.queue.length}))
  if (moment.blocked !== null && state !== "waiting_kv") lines.push(blockedSentence(moment, texts))
  const title = texts("hover.title", {worker: moment.worker, time: clockText(tick * tickS)})
  return {title, state, label: texts(`states.${state}`), lines}
}

// What the event in a row of the run's events was.
function happenedSentence({events}, row, texts) {
  const event = Object.fromEntries(FACTS.eventFields.map(name => [name, events[name][row]]))
  const kind = EVENT_KINDS[event.kind]
  return texts(`happened.${kind}`, {...event, tokens: shortTokens(event.tokens)})
}

function agentsText(agents, texts) {
  return listed(agents.map(agent => texts("why.agent", {agent})), texts)
}

function listed(names, texts) {
  const shown = names.slice(0, MOST_NAMED).join(texts("why.comma"))
  const more = names.length - MOST_NAMED
  return more > 0 ? texts("why.more", {names: shown, more}) : shown
}
