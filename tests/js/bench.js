/**
 * Time the engine: node tests/js/bench.js [runs]
 *
 * Prints, for the default scenario and the article's, the median of so many runs (50 unless
 * told) after a few to warm up, as milliseconds, finished requests a second and simulated
 * seconds a second, beside the article's demo, measured in Node 20 on two cores.
 */
"use strict";

const { simulate } = require("../../assets/engine.js");

const ARTICLE = { draws: "article", release_finished: false };
const FIGURE_2 = { workers: 8, kv_capacity: 600000, prefill_rate: 10000, decode_rate: 150 };
const SCENARIOS = {
  default: {},
  "article, figure 1": ARTICLE,
  "article, figure 1, majority": { ...ARTICLE, phase_policy: "majority" },
  "article, figure 1, round_robin": { ...ARTICLE, routing: "round_robin" },
  "article, figure 1, random": { ...ARTICLE, routing: "random" },
  "article, figure 2": { ...ARTICLE, ...FIGURE_2 },
};
const ARTICLE_DEMO = [
  "article's own demo, figure 1",
  "1,200–1,700",
  "68,068",
  "560–860",
  "10,000–15,000",
];
const WARM_UP = 5;

function medianMs(scenario, runs) {
  const times = [];
  for (let i = 0; i < WARM_UP + runs; i++) {
    const begin = performance.now();
    simulate(scenario);
    if (i >= WARM_UP) times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b)[runs >> 1];
}

function row(name, scenario, runs) {
  const { totals, requests } = simulate(scenario);
  const ms = medianMs(scenario, runs);
  const simulated = (totals.ticks * (scenario.tick_ms ?? 250)) / 1000;
  const perSecond = (amount) => Math.round((amount / ms) * 1000).toLocaleString("en-US");
  const ticks = totals.ticks.toLocaleString("en-US");
  return [name, ms.toFixed(1), ticks, perSecond(requests.length), perSecond(simulated)];
}

function print(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((cells) => cells[i].length)));
  for (const cells of rows) {
    const padded = cells.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i])));
    console.log(padded.join("  "));
  }
}

const runs = Number(process.argv[2] ?? 50);
if (!Number.isInteger(runs) || runs < 1) {
  console.error(`runs = ${process.argv[2]} must be a whole number of at least 1`);
  process.exit(2);
}
const head = ["scenario", "median ms", "ticks", "requests/s", "simulated s/s"];
const measured = Object.entries(SCENARIOS).map(([name, scenario]) => row(name, scenario, runs));
print([head, ...measured, ARTICLE_DEMO]);
