// The row of numbers above the picture; app/views/numbers in Python.

// For each card its value and the line below it.
function cardValues(recording, texts) {
  const {requests, run: {summary: s}, scenario} = recording
  const share = name => percent(s[name], texts)
  const {recomputed_share: again, recomputed_evicted_share: evicted} = s
  const routed = again === null ? null : again - evicted
  const stuck = s.share_waiting_phase + s.share_waiting_kv
  const prompts = requests.prompt.reduce((sum, tokens) => sum + tokens, 0)
  const shared = scenario.shared_prefix * s.requests_finished
  const onset = s.avalanche_onset_s
  const counts = {agents: grouping(scenario.agents), compactions: grouping(s.compactions)}
  const line = (name, values) => texts(`numbers.${name}`, values)
  return {
    utilization: [
      share("utilization"),
      line("utilization.detail",
        {prefill: share("share_prefill"), decode: share("share_decode")}),
    ],
    makespan: [
      duration(s.makespan_s, texts),
      s.lower_bound_s ? line("makespan.detail", {
        ratio: fixed(s.makespan_s / s.lower_bound_s, 1),
        bound: duration(s.lower_bound_s, texts),
      }) : "",
    ],
    waiting: [
      percent(stuck, texts),
      line("waiting.detail",
        {phase: share("share_waiting_phase"), kv: share("share_waiting_kv")}),
    ],
    hit_rate: [
      share("prefix_cache_hit_rate"),
      line("hit_rate.detail", {tokens: shortTokens(prompts + shared)}),
    ],
    recomputed: [
      percent(again, texts),
      line("recomputed.detail",
        {routed: percent(routed, texts), evicted: percent(evicted, texts)}),
    ],
    evictions: [
      grouping(s.evictions),
      line("evictions.detail", {tokens: shortTokens(s.evicted_tokens)}),
    ],
    onset: onset === null ? [line("never"), line("onset.none")] : [
      duration(onset, texts),
      line("onset.detail", {share: percent(onset / s.makespan_s, texts)}),
    ],
    killed: [
      grouping(s.kills),
      line(`killed.${s.compactions ? "compacted" : "detail"}`, counts),
    ],
    ttft: timeValues(s, "ttft", texts),
    e2e: timeValues(s, "e2e", texts),
  }
}

function timeValues(summary, name, texts) {
  return [
    duration(summary[`p50_${name}_s`], texts),
    texts("numbers.times", {p99: duration(summary[`p99_${name}_s`], texts)}),
  ]
}

// The cards as a list of definitions, made once and then filled.
function makeNumbers() {
  const cards = FACTS.cards.map(name => {
    const [label, value, detail] = [element("dt"), element("dd"), element("dd", {class: "detail"})]
    const card = element("div", {class: "card", "data-name": name}, [label, value, detail])
    return {name, card, label, value, detail}
  })
  const node = element("dl", {}, cards.map(({card}) => card))
  return {
    node,
    show(recording, texts) {
      const values = recording ? cardValues(recording, texts) : {}
      node.setAttribute("aria-label", texts("numbers.title"))
      for (const {name, card, label, value, detail} of cards) {
        label.textContent = texts(`numbers.${name}.label`)
        card.title = texts(`numbers.${name}.help`)
        ;[value.textContent, detail.textContent] = values[name] ?? ["", ""]
      }
    },
  }
}
