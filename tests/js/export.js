/**
 * Answer questions with the scripts of an exported page: node tests/js/export.js library.cjs
 *
 * Reads questions as JSON lines, {name, ...}, and writes an answer for each as a JSON line;
 * {error: message} if it throws. Typed arrays become lists, NaN becomes null.
 */
"use strict";

const path = require("node:path");
const readline = require("node:readline");
const page = require(path.resolve(process.argv[2]));

function plain(key, value) {
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
}

function recordingOf(scenario) {
  const whole = page.dpascope.validate(scenario);
  return new page.Recording(whole, page.simulated(whole));
}

const QUESTIONS = {
  /** All that is drawn of a window. */
  window({ scenario, window, columns, rows, gap, per_lane }) {
    const recording = recordingOf(scenario);
    const { ticks, tickS } = recording;
    const bins = page.Bins.fit(window, columns, ticks, tickS);
    const lanes = page.timelineLanes(recording, bins, { rows, gap, per_lane });
    return {
      bins: [bins.start, bins.size, bins.count],
      lefts: bins.lefts,
      rights: bins.rights,
      spent: lanes.spent,
      image: lanes.image,
      together: page.lanesTogether(lanes, rows).image,
      shares: page.stateShares(lanes),
      marks: page.eventMarks(recording, bins),
      evictions: page.evictionSeries(recording, bins),
      hit_rate: page.hitRateSeries(recording, bins),
      occupancy: page.occupancySeries(recording, bins, per_lane),
      oversubscription: page.oversubscriptionSeries(recording, bins),
    };
  },

  /** What is known of some ticks, and what is said of them. */
  moments({ scenario, ticks, languages }) {
    const recording = recordingOf(scenario);
    const { tickS } = recording;
    const said = (moment, tick) => languages.map((language) => {
      const texts = page.makeTexts(language);
      return {
        hover: page.hoverTexts(moment, texts, tickS, tick),
        blocked: page.blockedSentence(moment, texts),
        queue: page.queueSentence(moment, texts),
        running: moment.running.map((request) => page.requestSentence(request, texts)),
      };
    });
    return ticks.map((tick) => {
      const moments = page.momentsAt(recording, tick);
      return {
        moments,
        said: moments.map((moment) => said(moment, tick)),
        events: page.eventsAt(recording, tick),
        next: page.nextEvent(recording, tick),
        before: page.nextEvent(recording, tick, ["evict", "miss"], -1),
      };
    });
  },

  /** The row of numbers. */
  cards({ scenario, languages }) {
    const recording = recordingOf(scenario);
    return languages.map((language) => page.cardValues(recording, page.makeTexts(language)));
  },

  /** The form of settings. */
  form({ scenario, gpus_per_worker, layout, language }) {
    const state = { scenario: page.dpascope.validate(scenario), gpus_per_worker };
    return page.formGroups(layout, state, page.makeTexts(language));
  },

  /** What a change of one setting leads to. */
  change({ scenario, gpus_per_worker, field, value, language }) {
    const state = { scenario: page.dpascope.validate(scenario), gpus_per_worker };
    try {
      return page.changedSettings(state, field, value);
    } catch (error) {
      return { refused: page.refusal(field, value, error, state, page.makeTexts(language)) };
    }
  },

  /** Settings to an address and back. */
  address({ state, own, text, language }) {
    if (state) return page.writtenAddress(state, own);
    const { changes, problems } = page.readAddress(text, own);
    const texts = page.makeTexts(language);
    return { changes, said: problems.map((found) => page.addressProblem(found, texts)) };
  },

  /** Numbers as people read them. */
  format({ values, language }) {
    const texts = page.makeTexts(language);
    return values.map((value) => [
      page.percent(value, texts),
      page.shortTokens(Math.round(value * 1e6)),
      page.duration(value * 1e4, texts),
      page.spanText(value * 80, texts),
      page.grouping(Math.round(value * 1e7)),
    ]);
  },
};

function answer(line) {
  try {
    const { name, ...question } = JSON.parse(line);
    return QUESTIONS[name](question);
  } catch (error) {
    return { error: error.stack };
  }
}

readline
  .createInterface({ input: process.stdin })
  .on("line", (line) => process.stdout.write(`${JSON.stringify(answer(line), plain)}\n`));
