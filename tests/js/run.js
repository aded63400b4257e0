/**
 * Call the engine: node tests/js/run.js [simulate|validate]
 *
 * Reads scenarios as JSON lines and writes an answer for each as a JSON line: what `simulate`
 * returns, with `summary` added, or what `validate` returns; {error: message} if it throws.
 */
"use strict";

const readline = require("node:readline");
const { simulate, summary, validate } = require("../../assets/engine.js");

function withSummary(scenario) {
  const result = simulate(scenario);
  return { ...result, summary: summary(scenario, result) };
}

const CALLS = { simulate: withSummary, validate };

function answer(call, line) {
  try {
    return call(JSON.parse(line));
  } catch (error) {
    return { error: error.message };
  }
}

const name = process.argv[2] ?? "simulate";
if (!Object.keys(CALLS).includes(name)) {
  console.error(`"${name}" must be one of ${Object.keys(CALLS).join(", ")}`);
  process.exit(2);
}
readline
  .createInterface({ input: process.stdin })
  .on("line", (line) => process.stdout.write(`${JSON.stringify(answer(CALLS[name], line))}\n`));
