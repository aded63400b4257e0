/*!
 * DPA Scope engine: a DP-attention serving cluster, simulated from event to event.
 *
 * One file without dependencies, for Node (require, import), a plain <script> and Web Workers:
 *
 *   const { simulate, summary } = require("./engine.js");   // in a page: globalThis.dpascope
 *   const result = simulate({ agents: 32, routing: "round_robin" });
 *   console.log(summary({ agents: 32, routing: "round_robin" }, result).utilization);
 *
 * The same model as the Python package `sim`, to the last bit. All state is integer: times are
 * ticks, sizes are tokens without the shared prefix, work is counted in units of 2^-20 token.
 * Every number stays below 2^53, where a double holds integers exactly; only kv_token_ticks can
 * pass it, in very long runs of very large clusters, and is then rounded.
 *
 * SPDX-License-Identifier: MIT
 */
(() => {
  "use strict";

  // ===== 1. Scenario: the fields, their defaults and bounds ==================================

  const STATES = [
    "idle",
    "waiting_phase",
    "waiting_kv",
    "prefill",
    "decode",
    "transfer",
    "mixed",
    "dragged",
  ];
  const STATE = codes(STATES); // name -> code

  const REQUEST_FIELDS = [
    "agent",
    "turn",
    "worker",
    "decode_worker",
    "created",
    "started",
    "prefilled",
    "finished",
    "prompt",
    "cached",
    "loaded",
    "recomputed",
    "recomputed_evicted",
    "output",
  ];
  const EVENT_FIELDS = ["tick", "kind", "worker", "agent", "turn", "tokens", "by"];

  const MAX_TOKENS = 2 ** 26; // 2^46 units: exact in a double, with room for a step beyond
  const MAX_TICKS = 20000000;
  const MAX_RATE = 1e8;
  const MAX_MS = 2 ** 31 - 1;
  const MAX_AGENTS = 65536;
  const MAX_WORKERS = 4096;

  /** Every field: its default, and a check that returns the value or throws. */
  const FIELDS = {
    // --- cluster
    workers: whole(16, 1, MAX_WORKERS), // DP attention ranks, each with its own KV cache
    prefill_workers: whole(0, 0, MAX_WORKERS - 1), // 0: all do both; P > 0: 0..P-1 only prefill
    lock: choice("phase", ["phase", "step", "none"]), // how the workers of a group are coupled
    group_size: whole(0, 0, MAX_WORKERS), // workers that share a lock; 0: all of one role
    kv_capacity: whole(250000, 1, MAX_TOKENS), // tokens, of one worker
    context_limit: whole(200000, 1, MAX_TOKENS), // tokens, longest context accepted
    shared_prefix: whole(0, 0, MAX_TOKENS), // tokens that every agent shares
    host_kv_capacity: whole(0, 0, 2 ** 40), // tokens, host-memory tier of one worker; 0: none
    host_load_rate: rate(200000), // tokens/s
    prefill_rate: rate(3000), // tokens/s, of one worker
    decode_rate: rate(50), // tokens/s, of one request
    prefill_sharing: flag(false), // whether a worker's prefilling requests share the rate
    decode_slowdown: real(0, 0, 1000), // a in rate / (1 + a (n - 1)) with n decoding requests
    chunk_tokens: whole(512, 1, MAX_TOKENS), // prefill chunk: the dragged rate of lock "step"
    transfer_rate: rate(400000), // tokens/s, KV from a prefill to a decode worker
    // --- scheduling
    routing: choice("pinned", [
      "pinned",
      "round_robin",
      "random",
      "consistent_hash",
      "total_requests",
      "total_tokens",
      "power_of_two",
      "cache_aware",
    ]),
    cache_threshold: real(0.3, 0, 1), // cache_aware: cached share of the prompt that decides
    balance_abs: whole(64, 0, 2 ** 31), // cache_aware: requests; difference of loads and
    balance_rel: real(1.5, 0, 1e6), // ratio of loads beyond which balance comes first
    phase_policy: choice("prefill_first", [
      "prefill_first",
      "decode_first",
      "majority",
      "time_slice",
      "decode_interval",
      "prefill_delayer",
      "mixed",
    ]),
    quantum: whole(8, 1, 2 ** 31), // time_slice: ticks of one phase in a row
    decode_interval: whole(4, 0, 2 ** 31), // decode_interval: ticks of decode after one of prefill
    max_delay: whole(4, 1, 2 ** 31), // prefill_delayer: ticks, longest delay of a prefill
    mixed_share: real(0.5, 0, 1, { open: true }), // mixed: prefill's share of a tick
    max_concurrent_agents: whole(0, 0, 2 ** 31), // agents in flight at most; 0: no limit
    eviction: choice("whole", ["whole", "tail"]), // a context goes as one, or from its end
    overflow: choice("kill", ["kill", "compact"]), // what happens beyond the context limit
    compact_to: whole(20000, 1, MAX_TOKENS), // tokens, context left after compaction
    release_finished: flag(true), // whether an agent's KV is freed when it ends
    tick_ms: whole(250, 1, 60000), // ms
    // --- workload
    agents: whole(32, 1, MAX_AGENTS),
    stagger_ms: whole(0, 0, MAX_MS), // ms; agent a starts at a times this
    draws: choice("paired", ["paired", "article", "table"]), // see section 2
    seed: whole(20260707, 0, 2 ** 32 - 1),
    turns: distribution([30, 80], 1, MAX_TOKENS), // of a session
    input_tokens: distribution([1000, 10000], 1, MAX_TOKENS), // new tokens of a turn
    output_tokens: distribution([500, 1500], 1, MAX_TOKENS), // generated tokens of a turn
    think_ms: distribution([0, 3000], 0, MAX_MS), // ms, wait before the next turn
    table: { default: null, check: (name, value) => (value === null ? null : sessions(value)) },
  };

  /** The value of every field that is left out of a scenario. */
  const DEFAULTS = Object.freeze(
    Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, field.default])),
  );

  function codes(names) {
    return Object.fromEntries(names.map((name, code) => [name, code]));
  }

  function whole(initial, low, high) {
    return { default: initial, check: (name, value) => wholeNumber(name, value, low, high) };
  }

  function real(initial, low, high, { open = false, openLow = open } = {}) {
    const least = openLow ? `above ${grouped(low)}` : `at least ${grouped(low)}`;
    const most = open ? `below ${grouped(high)}` : `at most ${grouped(high)}`;
    const fits = (x) => (openLow ? x > low : x >= low) && (open ? x < high : x <= high);
    return {
      default: initial,
      check(name, value) {
        demand(Number.isFinite(value) && fits(value), name, value, `a number ${least} and ${most}`);
        return value;
      },
    };
  }

  function rate(initial) {
    return real(initial, 0, MAX_RATE, { openLow: true });
  }

  function flag(initial) {
    return {
      default: initial,
      check(name, value) {
        demand(typeof value === "boolean", name, value, "true or false");
        return value;
      },
    };
  }

  function choice(initial, known) {
    return {
      default: initial,
      check(name, value) {
        if (known.includes(value)) return value;
        const near = nearest(value, known);
        const hint = near ? `; did you mean "${near}"?` : "";
        throw new Error(`${name} = ${shown(value)} must be one of ${known.join(", ")}${hint}`);
      },
    };
  }

  function distribution(initial, low, high) {
    return {
      default: Object.freeze(initial),
      check(name, value) {
        const allowed = "a range [low, high] or a list of three or more quantiles";
        demand(Array.isArray(value) && value.length >= 2, name, value, allowed);
        value.forEach((knot, i) => wholeNumber(`${name}[${i}]`, knot, low, high));
        const fall = value.findIndex((knot, i) => i > 0 && knot < value[i - 1]);
        const where = `${value[fall]} at position ${fall} follows ${value[fall - 1]}`;
        demand(fall < 0, name, value, `a list that never falls, but ${where}`);
        return [...value];
      },
    };
  }

  /** Check explicit sessions: for each agent its turns [wait_ms, input, output, carried?]. */
  function sessions(value) {
    const allowed = "a list with one list of turns for each agent";
    demand(Array.isArray(value) && value.length > 0, "table", value, allowed);
    if (value.length > MAX_AGENTS) {
      const most = `at most ${grouped(MAX_AGENTS)} are allowed`;
      throw new Error(`table has ${grouped(value.length)} agents, ${most}`);
    }
    value.forEach((session, agent) => {
      demand(Array.isArray(session), `table[${agent}]`, session, "a list of turns");
      session.forEach((turn, k) => checkTurn(`table[${agent}][${k}]`, turn));
    });
    if (value.every((session) => session.length === 0)) {
      throw new Error("table holds no turn: at least one agent must have one");
    }
    return value;
  }

  function checkTurn(name, turn) {
    const allowed = "[wait_ms, input, output] or [wait_ms, input, output, carried]";
    demand(Array.isArray(turn) && (turn.length === 3 || turn.length === 4), name, turn, allowed);
    const lows = [0, 1, 1, 0];
    turn.forEach((number, i) => {
      wholeNumber(`${name}[${i}]`, number, lows[i], i === 0 ? MAX_MS : MAX_TOKENS);
    });
  }

  function wholeNumber(name, value, low, high) {
    const allowed = `a whole number from ${grouped(low)} to ${grouped(high)}`;
    demand(Number.isInteger(value) && value >= low && value <= high, name, value, allowed);
    return value;
  }

  function demand(holds, name, value, allowed) {
    if (!holds) throw new Error(`${name} = ${shown(value)} must be ${allowed}`);
  }

  function shown(value) {
    const plain = typeof value === "object" || typeof value === "string";
    const text = plain ? JSON.stringify(value) : String(value);
    return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
  }

  function grouped(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  }

  /** The known name most like `name`, or undefined if none is like it. */
  function nearest(name, known) {
    const distances = known.map((other) => editDistance(String(name), other));
    const least = Math.min(...distances);
    const other = known[distances.indexOf(least)];
    return least <= 0.4 * Math.max(String(name).length, other.length) ? other : undefined;
  }

  /** Levenshtein's distance: insertions, deletions and changes of a letter. */
  function editDistance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        const change = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
        next.push(Math.min(change, row[j] + 1, next[j - 1] + 1));
      }
      row = next;
    }
    return row[b.length];
  }

  /**
   * Check a scenario and fill in the defaults.
   *
   * @param {object} fields field names to values; what is left out has its default
   * @returns {object} a new object with all fields
   * @throws {Error} naming the field, the value and what is allowed; for an unknown field the
   *   nearest known one
   */
  function validate(fields) {
    if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
      throw new Error(`a scenario must be an object of fields to values, not ${shown(fields)}`);
    }
    const names = Object.keys(FIELDS);
    const unknown = Object.keys(fields).find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Error(unknownName("field", unknown, names));
    const scenario = {};
    for (const name of names) {
      const { [name]: value = DEFAULTS[name] } = fields;
      scenario[name] = FIELDS[name].check(name, value);
    }
    checkTogether(scenario);
    if (scenario.table) scenario.agents = scenario.table.length;
    return scenario;
  }

  function unknownName(kind, name, known) {
    const near = nearest(name, known);
    const hint = near ? `did you mean "${near}"?` : `known: ${known.join(", ")}`;
    return `unknown ${kind} "${name}": ${hint}`;
  }

  /** Check the fields against each other. */
  function checkTogether(s) {
    if (s.prefill_workers >= s.workers) {
      const allowed = `below workers = ${s.workers}: at least one worker has to decode`;
      throw new Error(`prefill_workers = ${s.prefill_workers} must be ${allowed}`);
    }
    const room = Math.min(s.kv_capacity, s.context_limit);
    if (s.shared_prefix >= room) {
      const allowed = `below the smaller of kv_capacity and context_limit, ${room}`;
      const why = "no room is left for a context";
      throw new Error(`shared_prefix = ${s.shared_prefix} must be ${allowed}: ${why}`);
    }
    if (s.draws === "table" && !s.table) {
      const needed = "for each agent its turns [wait_ms, input, output]";
      throw new Error(`draws = "table" needs a table: ${needed}`);
    }
    if (s.draws !== "table" && s.table) {
      const way = 'set draws = "table" or leave the table out';
      throw new Error(`table is given but draws = "${s.draws}": ${way}`);
    }
  }

  // ===== 2. Workload: draws, distributions, sessions =========================================

  const UNITS_PER_TOKEN = 2 ** 20;
  const TWO_32 = 2 ** 32;

  /** What a draw is for: the last value that is hashed. */
  const TURNS = 0;
  const INPUT = 1;
  const OUTPUT = 2;
  const WAIT = 3;
  const ROUTE = 4;
  const DECODE_ROUTE = 5;
  const SECOND_CHOICE = 2; // added to a route's field for power_of_two's other candidate

  /** Units of work that `perSecond` tokens/s do in one tick, at least 1. */
  function stepUnits(perSecond, tickMs) {
    return Math.max(1, Math.floor(((perSecond * tickMs) / 1000) * UNITS_PER_TOKEN + 0.5));
  }

  /** Scramble a 32-bit integer. */
  function mix(x) {
    x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
    x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
    return (x ^ (x >>> 16)) >>> 0;
  }

  /** A 32-bit draw that is a pure function of what it is for. */
  function hashed(...values) {
    let hash = 0;
    for (const value of values) hash = mix((hash + value + 0x9e3779b9) >>> 0);
    return hash;
  }

  /** A stream of 32-bit draws. */
  function mulberry32(seed) {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return (t ^ (t >>> 14)) >>> 0;
    };
  }

  /**
   * A function from 32-bit draws to the integers of a distribution.
   *
   * @param {number[]} knots quantiles, never falling; two mean every integer from the first to
   *   the second, both included, alike
   */
  function quantile(knots) {
    const q = knots.length === 2 ? [knots[0], knots[1] + 1] : knots;
    const pieces = q.length - 1;
    return (draw) => {
      const x = (draw / TWO_32) * pieces;
      const i = Math.min(Math.floor(x), pieces - 1);
      return Math.floor(q[i] + (x - i) * (q[i + 1] - q[i]));
    };
  }

  /**
   * @typedef {object} Workload what the agents will ask for
   * @property {number[]} turns turns of each agent
   * @property {number[]} firstReady tick from which each agent's first request can be made
   * @property {(agent: number, turn: number) => number} route 32-bit draw for random routing
   * @property {(agent: number, turn: number) => number[]} size [input, output, carried] in
   *   tokens; carried is the context that a compaction by the agent itself leaves, or undefined
   * @property {(agent: number, turn: number) => number} wait ticks before that turn
   */

  /** The workload of a scenario. With `article` draws, calls must come in the run's order. */
  function makeWorkload(scenario) {
    return { paired, article, table: explicit }[scenario.draws](scenario);
  }

  function distributions(s) {
    return {
      turns: quantile(s.turns),
      input: quantile(s.input_tokens),
      output: quantile(s.output_tokens),
      think: quantile(s.think_ms),
    };
  }

  function perAgent(scenario, make) {
    return Array.from({ length: scenario.agents }, (_, agent) => make(agent));
  }

  function staggered(s) {
    return perAgent(s, (agent) => Math.ceil((agent * s.stagger_ms) / s.tick_ms));
  }

  /** Each draw depends on what it is for alone: every policy meets the same workload. */
  function paired(s) {
    const of = distributions(s);
    const draw = (agent, turn, field) => hashed(s.seed, agent, turn, field);
    return {
      turns: perAgent(s, (agent) => of.turns(draw(agent, 0, TURNS))),
      firstReady: staggered(s),
      route: (agent, turn) => draw(agent, turn, ROUTE),
      size: (agent, turn) => [
        of.input(draw(agent, turn, INPUT)),
        of.output(draw(agent, turn, OUTPUT)),
      ],
      wait: (agent, turn) => Math.ceil(of.think(draw(agent, turn, WAIT)) / s.tick_ms),
    };
  }

  /** One stream, used in the order in which things happen. */
  function article(s) {
    const of = distributions(s);
    const draw = mulberry32(s.seed);
    return {
      turns: perAgent(s, () => of.turns(draw())),
      firstReady: staggered(s),
      route: draw,
      size: () => [of.input(draw()), of.output(draw())],
      wait: () => Math.ceil(of.think(draw()) / s.tick_ms),
    };
  }

  /** Explicit sessions. */
  function explicit(s) {
    const wait = (agent, turn) => Math.ceil(s.table[agent][turn][0] / s.tick_ms);
    return {
      turns: s.table.map((session) => session.length),
      firstReady: s.table.map((session, agent) => (session.length ? wait(agent, 0) : 0)),
      route: (agent, turn) => hashed(s.seed, agent, turn, ROUTE),
      size: (agent, turn) => s.table[agent][turn].slice(1),
      wait,
    };
  }

  // ===== 3. Schedule: when which item is due =================================================

  /**
   * Ticks at which items 0..size-1 are due: a binary tree of minima, so that the next due tick
   * is known at once and the items that are due are found in the order of their ids.
   */
  class Schedule {
    constructor(size) {
      this.leaves = 2 ** Math.ceil(Math.log2(Math.max(size, 1)));
      this.ticks = new Float64Array(2 * this.leaves).fill(Infinity);
    }

    /** The earliest tick at which anything is due; Infinity if nothing is. */
    get earliest() {
      return this.ticks[1];
    }

    /** Make item `id` due at `tick`. */
    set(id, tick) {
      const ticks = this.ticks;
      let node = this.leaves + id;
      ticks[node] = tick;
      for (node >>= 1; node >= 1; node >>= 1) {
        const least = Math.min(ticks[2 * node], ticks[2 * node + 1]);
        if (ticks[node] === least) return;
        ticks[node] = least;
      }
    }

    /** The least id of at least `from` that is due by `tick`, or -1. */
    next(from, tick) {
      if (this.ticks[1] > tick || from >= this.leaves) return -1;
      let node = this.leaves + from;
      while (this.ticks[node] > tick) {
        while (node & 1) node >>= 1; // a right child, or the root: all of it is behind us
        if (node === 0) return -1;
        node += 1;
      }
      while (node < this.leaves) node = 2 * node + (this.ticks[2 * node] > tick ? 1 : 0);
      return node - this.leaves;
    }
  }

  // ===== 4. Cache: each worker's KV entries and its host-memory tier =========================

  /**
   * @typedef {object} Entry one agent's context in a worker's KV cache or host tier
   * @property {object} agent
   * @property {number} tokens
   * @property {number} last tick of the last access
   * @property {number} sequence rises over the whole run; breaks ties between equal `last`
   * @property {?Entry} older @property {?Entry} newer neighbours in a Recency
   */

  function makeEntry(run, agent, tokens, now) {
    return { agent, tokens, last: now, sequence: run.sequence++, older: null, newer: null };
  }

  /** Entries in the order of (last access, sequence): a linked list. */
  class Recency {
    constructor() {
      this.oldest = null;
      this.newest = null;
    }

    /** Insert an entry; quick because its last access is as late as any here. */
    insert(entry) {
      let older = this.newest;
      while (older && isMoreRecent(older, entry)) older = older.older;
      const newer = older ? older.newer : this.oldest;
      this.link(older, entry);
      this.link(entry, newer);
    }

    remove(entry) {
      this.link(entry.older, entry.newer);
    }

    link(older, newer) {
      if (older) older.newer = newer;
      else this.oldest = newer;
      if (newer) newer.older = older;
      else this.newest = older;
    }
  }

  function isMoreRecent(a, b) {
    return a.last > b.last || (a.last === b.last && a.sequence > b.sequence);
  }

  /** Add to (or, negative, take from) the KV tokens in use on a worker. */
  function use(run, worker, tokens) {
    worker.used += tokens;
    run.used += tokens;
  }

  /** Evict other agents' idle contexts until `need` more tokens fit; say whether they do. */
  function makeRoom(run, worker, need, agent, now) {
    while (worker.used + need > run.capacity) {
      const oldest = worker.idle.oldest;
      const victim = oldest && oldest.agent === agent ? oldest.newer : oldest;
      if (!victim) return false;
      evict(run, worker, victim, worker.used + need - run.capacity, agent, now);
    }
    return true;
  }

  function evict(run, worker, victim, excess, by, now) {
    const { agent, tokens } = victim;
    const lost = run.scenario.eviction === "tail" ? Math.min(tokens, excess) : tokens;
    const kind = agent.ended ? "reclaim" : "evict";
    run.events.push([now, kind, worker.id, agent.id, agent.turn, lost, by.id]);
    if (!agent.ended) storeInHost(run, worker, agent, tokens, now);
    victim.tokens -= lost;
    use(run, worker, -lost);
    if (victim.tokens === 0) {
      worker.idle.remove(victim);
      agent.entries.delete(worker);
    }
  }

  /** Keep an evicted context in the worker's host tier, if it can hold it at all. */
  function storeInHost(run, worker, agent, tokens, now) {
    const capacity = run.scenario.host_kv_capacity;
    const old = agent.hosted.get(worker);
    const size = old ? Math.max(old.tokens, tokens) : tokens;
    if (size > capacity) return;
    if (old) removeFromHost(worker, old);
    while (worker.hostUsed + size > capacity) removeFromHost(worker, worker.host.oldest);
    const entry = makeEntry(run, agent, size, now);
    worker.host.insert(entry);
    worker.hostUsed += size;
    agent.hosted.set(worker, entry);
  }

  function removeFromHost(worker, entry) {
    worker.host.remove(entry);
    worker.hostUsed -= entry.tokens;
    entry.agent.hosted.delete(worker);
  }

  /** Tokens to load from the host tier beyond the `own` ones still in the KV cache. */
  function loadFromHost(worker, agent, own, now) {
    const entry = agent.hosted.get(worker);
    if (!entry || entry.tokens <= own) return 0;
    worker.host.remove(entry);
    entry.last = now;
    worker.host.insert(entry);
    return entry.tokens - own;
  }

  /** Forget an agent's context everywhere. Nothing of it is locked: it has no request. */
  function drop(run, agent) {
    for (const [worker, entry] of agent.entries) {
      worker.idle.remove(entry);
      use(run, worker, -entry.tokens);
      expectAdmission(run, worker);
    }
    agent.entries.clear();
    for (const [worker, entry] of agent.hosted) removeFromHost(worker, entry);
    agent.held.clear();
  }

  // ===== 5. Routing: which worker takes a request ============================================

  const RING_POINTS = 128; // of each worker
  const RING_WORKER = 0x52494e47;
  const RING_AGENT = 0x4147454e;

  /**
   * @typedef {object} Pool workers to choose from
   * @property {object[]} workers
   * @property {number} turn the round robin's next index
   * @property {?Array<[number, number]>} ring points (hash, index) of the consistent hash
   *
   * @typedef {object} Ask what is to be placed
   * @property {object} agent
   * @property {number} prompt tokens
   * @property {number} field ROUTE or DECODE_ROUTE
   * @property {() => number} draw a 32-bit draw for random routing
   */

  /** For each policy a function (pool, ask, scenario) that returns a worker. */
  const ROUTINGS = {
    pinned: ({ workers }, { agent }) => workers[agent.id % workers.length],
    round_robin(pool) {
      const worker = pool.workers[pool.turn];
      pool.turn = (pool.turn + 1) % pool.workers.length;
      return worker;
    },
    random: ({ workers }, { draw }) => pick(workers, draw()),
    consistent_hash(pool, { agent }, { seed }) {
      if (!pool.ring) pool.ring = makeRing(pool.workers.length);
      return pool.workers[onRing(pool.ring, hashed(RING_AGENT, seed, agent.id))];
    },
    total_requests: ({ workers }) => least(workers, (worker) => worker.load),
    total_tokens: ({ workers }) => least(workers, (worker) => worker.promptTokens),
    power_of_two({ workers }, { agent, field }, { seed }) {
      const one = pick(workers, hashed(seed, agent.id, agent.turn, field));
      const two = pick(workers, hashed(seed, agent.id, agent.turn, field + SECOND_CHOICE));
      return least([one, two], (worker) => worker.load);
    },
    cache_aware(pool, { agent, prompt }, scenario) {
      const best = largestEntry(pool, agent);
      const enough = best && best.tokens > scenario.cache_threshold * prompt;
      if (enough && !isUnbalanced(pool.workers, scenario)) return best.worker;
      return least(pool.workers, (worker) => worker.load);
    },
  };

  function pick(workers, draw) {
    return workers[Math.floor((draw * workers.length) / TWO_32)];
  }

  /** The worker of least `cost`; ties go to the lower load, then to the lower id. */
  function least(workers, cost) {
    let best = null;
    let lowest = Infinity;
    for (const worker of workers) {
      const own = cost(worker);
      if (own > lowest || (own === lowest && comesAfter(worker, best))) continue;
      best = worker;
      lowest = own;
    }
    return best;
  }

  function comesAfter(a, b) {
    return a.load > b.load || (a.load === b.load && a.id > b.id);
  }

  function isUnbalanced(workers, { balance_abs, balance_rel }) {
    let low = Infinity;
    let high = 0;
    for (const { load } of workers) {
      low = Math.min(low, load);
      high = Math.max(high, load);
    }
    return high - low > balance_abs && high > balance_rel * low;
  }

  /** The agent's largest entry in the pool and its worker, or null; ties as in `least`. */
  function largestEntry(pool, agent) {
    const held = [...agent.entries].filter(([worker]) => worker.pool === pool);
    if (!held.length) return null;
    const tokens = Math.max(...held.map(([, entry]) => entry.tokens));
    const workers = held.filter(([, entry]) => entry.tokens === tokens).map(([worker]) => worker);
    return { tokens, worker: least(workers, (worker) => worker.load) };
  }

  function makeRing(size) {
    const points = [];
    for (let index = 0; index < size; index++) {
      for (let v = 0; v < RING_POINTS; v++) points.push([hashed(RING_WORKER, index, v), index]);
    }
    return points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  }

  /** The index at the first point at or after `hash`, else at the first of all. */
  function onRing(points, hash) {
    let low = 0;
    let high = points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[middle][0] < hash) low = middle + 1;
      else high = middle;
    }
    return points[low % points.length][1];
  }

  // ===== 6. Phases: what a group does ========================================================

  /** Stages of an admitted request, and the phases of a group named after two of them. */
  const LOAD = 0;
  const PREFILL = 1;
  const TRANSFER = 2;
  const DECODE = 3;
  const IDLE = 4;
  const MIXED = 5;

  /**
   * @typedef {object} Group workers that share a lock, and its policy's memory
   * @property {object[]} workers
   * @property {number[]} counts requests in each stage
   * @property {number} prefilling workers with a request in stage prefill
   * @property {number} phase IDLE, PREFILL, DECODE or MIXED
   * @property {number} since tick since which it has been in that phase
   * @property {number} lastPrefill the last tick of prefill before this phase
   * @property {boolean} contested whether it has requests of both stages
   * @property {number} delaySince first tick in a row spent decoding while contested
   */
  function makeGroup(id, workers) {
    return {
      id,
      workers,
      counts: [0, 0, 0, 0],
      prefilling: 0,
      phase: IDLE,
      since: 0,
      lastPrefill: -Infinity,
      contested: false,
      delaySince: 0,
      listed: false,
    };
  }

  /**
   * For each policy a function (group, scenario, now) that decides a contested tick. It returns
   * [phase, tick at which to decide anew even if nothing happens].
   */
  const POLICIES = {
    prefill_first: () => [PREFILL, Infinity],
    decode_first: () => [DECODE, Infinity],
    majority: ({ counts }) => [counts[DECODE] > counts[PREFILL] ? DECODE : PREFILL, Infinity],
    mixed: () => [MIXED, Infinity],
    // the phase before is never IDLE: with nothing admitted, there is nothing to decode yet
    time_slice({ phase, since }, { quantum }, now) {
      if (now - since < quantum) return [phase, since + quantum];
      return [phase === PREFILL ? DECODE : PREFILL, now + quantum];
    },
    decode_interval({ lastPrefill }, { decode_interval: interval }, now) {
      const next = lastPrefill + interval + 1;
      if (now < next) return [DECODE, next];
      return [PREFILL, interval > 0 ? now + 1 : Infinity];
    },
    prefill_delayer({ workers, prefilling, delaySince }, { max_delay: delay }, now) {
      if (prefilling === workers.length) return [PREFILL, Infinity];
      const due = delaySince + delay - 1;
      if (now < due) return [DECODE, due];
      return [PREFILL, delay > 1 ? now + 1 : Infinity];
    },
  };

  /** Decide a group's phase from `now` on; say whether it is another than before. */
  function decidePhase(run, group, now) {
    const { phase, contested, counts } = group;
    const wantsPrefill = counts[PREFILL] > 0;
    const wantsDecode = counts[DECODE] > 0;
    if (phase === PREFILL) group.lastPrefill = now - 1;
    if (!(phase === DECODE && contested)) group.delaySince = now;
    group.contested = wantsPrefill && wantsDecode;
    let next = wantsPrefill ? PREFILL : wantsDecode ? DECODE : IDLE;
    let until = Infinity;
    if (group.contested) [next, until] = run.policy(group, run.scenario, now);
    run.clocks.set(group.id, until);
    if (next === phase) return false;
    group.phase = next;
    group.since = now;
    return true;
  }

  /** Decide anew for the groups in which something changed, and set their workers going. */
  function updatePhases(run, now) {
    for (let id = run.clocks.next(0, now); id >= 0; id = run.clocks.next(id + 1, now)) {
      listGroup(run, run.groups[id]);
    }
    for (const group of run.regroup) {
      group.listed = false;
      if (decidePhase(run, group, now)) listBusy(run, group.workers);
    }
    run.regroup.length = 0;
    for (const worker of run.restart) {
      worker.listed = false;
      setGoing(run, worker, now);
    }
    run.restart.length = 0;
  }

  function listGroup(run, group) {
    if (group.listed) return;
    group.listed = true;
    run.regroup.push(group);
  }

  /** List the workers for which the phase matters. */
  function listBusy(run, workers) {
    for (const worker of workers) if (worker.requests.length > 0) listWorker(run, worker);
  }

  function listWorker(run, worker) {
    if (worker.listed) return;
    worker.listed = true;
    run.restart.push(worker);
  }

  /** Note that a worker's requests changed: its group decides anew, and it starts anew. */
  function noteChange(run, worker) {
    listGroup(run, worker.group);
    listWorker(run, worker);
  }

  /** Work out from `now` on: the worker's steps, its state, and when a stage next ends. */
  function setGoing(run, worker, now) {
    advance(worker, now);
    setSteps(run, worker);
    record(worker, stateOf(worker), now);
    run.ends.set(worker.id, nextEnd(worker, now));
  }

  /** Units a tick of the worker's prefilling and of its decoding requests; 0: they wait. */
  function setSteps(run, worker) {
    const { counts, steps, group } = worker;
    const { phase } = group;
    const p = counts[PREFILL];
    const d = counts[DECODE];
    worker.dragged = run.drags && phase === PREFILL && p === 0 && d > 0;
    const decodes = d > 0 && (phase === DECODE || phase === MIXED || worker.dragged);
    const prefill = p > 0 && (phase === PREFILL || phase === MIXED) ? prefillStep(run, p) : 0;
    const decode = decodes ? decodeStep(run, d) : 0;
    const both = prefill > 0 && decode > 0;
    const share = run.scenario.mixed_share;
    steps[PREFILL] = both ? Math.max(1, Math.floor(prefill * share)) : prefill;
    steps[DECODE] = both ? Math.max(1, Math.floor(decode * (1 - share))) : decode;
    if (worker.dragged) steps[DECODE] = Math.min(decode, run.dragStep);
  }

  function prefillStep(run, requests) {
    if (!run.scenario.prefill_sharing) return run.prefillStep;
    return Math.max(1, Math.floor(run.prefillStep / requests));
  }

  function decodeStep(run, requests) {
    const slowdown = 1 + run.scenario.decode_slowdown * (requests - 1);
    return Math.max(1, Math.floor(run.decodeStep / slowdown + 0.5));
  }

  // ===== 7. Run: agents, workers and the loop ================================================

  /**
   * @typedef {object} Request
   * @property {object} agent
   * @property {number} turn
   * @property {object} worker @property {object} decodeWorker the same without PD
   * @property {number} input @property {number} output @property {number} prompt tokens
   * @property {number} created @property {number} started @property {number} prefilled ticks
   * @property {number} cached @property {number} loaded tokens
   * @property {number} recomputed @property {number} recomputedEvicted tokens
   * @property {?Entry} entry its locked entry on `worker`
   * @property {number} stage
   * @property {number} left units to do in that stage
   * @property {number} toPrefill units
   */

  function makeAgent(id, turns) {
    return {
      id,
      turns,
      turn: 0, // turns finished so far
      context: 0, // tokens
      started: false,
      ended: turns === 0,
      entries: new Map(), // worker -> Entry in its KV cache
      hosted: new Map(), // worker -> Entry in its host tier
      held: new Map(), // worker -> tokens reserved at the last admission there
      finished: [], // rows of the result
    };
  }

  function makeWorker(id, run) {
    const { host_load_rate, transfer_rate, tick_ms } = run.scenario;
    const steps = [0, 0, 0, 0];
    steps[LOAD] = stepUnits(host_load_rate, tick_ms);
    steps[TRANSFER] = stepUnits(transfer_rate, tick_ms);
    return {
      id,
      pool: null, // set by makePools
      group: null, // set by makeGroups
      prefillsOnly: id < run.scenario.prefill_workers,
      decodesOnly: run.scenario.prefill_workers > 0 && id >= run.scenario.prefill_workers,
      queue: [],
      blocked: false, // the queue's head did not fit
      requests: [], // admitted, in admission order
      counts: [0, 0, 0, 0], // of them in each stage
      steps, // units a tick for each stage
      advanced: 0, // tick up to which the requests' `left` is worked out
      dragged: false,
      used: 0, // KV tokens
      idle: new Recency(), // unlocked entries
      host: new Recency(),
      hostUsed: 0,
      cold: true,
      load: 0, // outstanding requests
      promptTokens: 0, // of outstanding requests
      state: STATE.idle,
      stateSince: 0,
      states: [], // run lengths: code, ticks, code, ticks, ...
      listed: false,
      expectsAdmission: false,
    };
  }

  function makeRun(scenario) {
    const s = scenario;
    const workload = makeWorkload(s);
    const run = {
      scenario: s,
      workload,
      capacity: s.kv_capacity - s.shared_prefix,
      limit: Math.min(s.context_limit, s.kv_capacity) - s.shared_prefix,
      prefillStep: stepUnits(s.prefill_rate, s.tick_ms),
      decodeStep: stepUnits(s.decode_rate, s.tick_ms),
      dragStep: stepUnits(s.prefill_rate / s.chunk_tokens, s.tick_ms),
      drags: s.lock === "step",
      policy: POLICIES[s.phase_policy],
      agents: workload.turns.map((turns, id) => makeAgent(id, turns)),
      open: workload.turns.filter((turns) => turns > 0).length, // agents not ended
      inFlight: 0, // agents started and not ended
      ready: new Schedule(s.agents), // thinking agents by the tick of their next request
      heldBack: new Schedule(s.agents), // due (0) if only the limit on sessions stops it
      ends: new Schedule(s.workers), // workers by the tick before which a stage ends
      clocks: null, // groups by the tick at which their policy decides anew
      admissions: [], // workers with a queue or cache that changed
      regroup: [], // groups to decide anew
      restart: [], // workers to set going anew
      sequence: 0,
      used: 0, // KV tokens of all workers
      kvTokenTicks: 0,
      events: [],
    };
    run.workers = Array.from({ length: s.workers }, (_, id) => makeWorker(id, run));
    makePools(run);
    run.groups = makeGroups(run);
    run.clocks = new Schedule(run.groups.length);
    for (const agent of run.agents) {
      if (!agent.ended) run.ready.set(agent.id, workload.firstReady[agent.id]);
    }
    return run;
  }

  function makePools(run) {
    const split = run.scenario.prefill_workers;
    const makePool = (workers) => ({ workers, turn: 0, ring: null });
    run.takers = makePool(split ? run.workers.slice(0, split) : run.workers);
    run.decoders = split ? makePool(run.workers.slice(split)) : null;
    for (const pool of poolsOf(run)) for (const worker of pool.workers) worker.pool = pool;
  }

  function poolsOf(run) {
    return run.decoders ? [run.takers, run.decoders] : [run.takers];
  }

  /** Split each pool into groups of workers that share a lock. */
  function makeGroups(run) {
    const { lock, group_size } = run.scenario;
    const groups = [];
    for (const { workers } of poolsOf(run)) {
      const size = lock === "none" ? 1 : group_size || workers.length;
      for (let first = 0; first < workers.length; first += size) {
        const group = makeGroup(groups.length, workers.slice(first, first + size));
        for (const worker of group.workers) worker.group = group;
        groups.push(group);
      }
    }
    return groups;
  }

  /** Run to the end and return the number of ticks. */
  function runToEnd(run, maxTicks) {
    let now = 0;
    while (run.open > 0) {
      makeRequests(run, now);
      admitAll(run, now);
      updatePhases(run, now);
      const next = run.open > 0 ? nextEvent(run, now) : now + 1;
      if (next > maxTicks) throw new Error(notEnded(run, maxTicks));
      // KV in use is counted at a tick's end: what ends in the last tick is gone by then
      run.kvTokenTicks += run.used * (next - 1 - now);
      endStages(run, next);
      run.kvTokenTicks += run.used;
      now = next;
    }
    for (const worker of run.workers) record(worker, null, now);
    return now;
  }

  function notEnded({ open }, maxTicks) {
    const found = `the run has not ended after ${grouped(maxTicks)} ticks`;
    const advice = "take fewer agents or turns, higher rates or shorter waits, or raise maxTicks";
    return `${found} (${open} agents still at work): ${advice}`;
  }

  /** The next tick at whose beginning anything can change. */
  function nextEvent(run, now) {
    const freed = run.heldBack.earliest === 0 && hasRoom(run);
    const due = Math.min(run.ready.earliest, run.ends.earliest, run.clocks.earliest);
    return freed ? now + 1 : due;
  }

  // --- requests ------------------------------------------------------------------------------

  /** Let every agent that is ready make its next request, in the order of their ids. */
  function makeRequests(run, now) {
    for (let id = nextAgent(run, 0, now); id >= 0; id = nextAgent(run, id + 1, now)) {
      const agent = run.agents[id];
      run.ready.set(id, Infinity);
      const held = !agent.started && !hasRoom(run);
      if (run.scenario.max_concurrent_agents) run.heldBack.set(id, held ? 0 : Infinity);
      if (!held) makeRequest(run, agent, now);
    }
  }

  function nextAgent(run, from, now) {
    const ready = run.ready.next(from, now);
    const held = hasRoom(run) ? run.heldBack.next(from, 0) : -1;
    if (ready < 0 || held < 0) return Math.max(ready, held);
    return Math.min(ready, held);
  }

  function hasRoom(run) {
    const most = run.scenario.max_concurrent_agents;
    return most === 0 || run.inFlight < most;
  }

  function makeRequest(run, agent, now) {
    if (!agent.started) {
      agent.started = true;
      run.inFlight += 1;
    }
    const drawn = run.scenario.routing === "random" ? run.workload.route(agent.id, agent.turn) : 0;
    const [input, output, carried] = run.workload.size(agent.id, agent.turn);
    if (carried < agent.context) compact(run, agent, carried, now);
    const [worker, decodeWorker] = route(run, agent, agent.context + input, drawn);
    if (!fitContext(run, agent, input + output, now)) return;
    const prompt = agent.context + input;
    const request = makeQueued(agent, worker, decodeWorker, prompt, input, output, now);
    for (const taker of worker === decodeWorker ? [worker] : [worker, decodeWorker]) {
      taker.load += 1;
      taker.promptTokens += prompt;
    }
    worker.queue.push(request);
    expectAdmission(run, worker);
  }

  function makeQueued(agent, worker, decodeWorker, prompt, input, output, now) {
    return {
      agent,
      turn: agent.turn,
      worker,
      decodeWorker,
      input,
      output,
      prompt,
      created: now,
      started: 0,
      prefilled: 0,
      cached: 0,
      loaded: 0,
      recomputed: 0,
      recomputedEvicted: 0,
      entry: null,
      stage: LOAD,
      left: 0,
      toPrefill: 0,
    };
  }

  /** Choose the worker of a request and the one that decodes it. */
  function route(run, agent, prompt, drawn) {
    const { scenario, takers, decoders } = run;
    const choose = ROUTINGS[scenario.routing];
    const worker = choose(takers, { agent, prompt, field: ROUTE, draw: () => drawn }, scenario);
    if (!decoders) return [worker, worker];
    const draw = () => hashed(scenario.seed, agent.id, agent.turn, DECODE_ROUTE);
    return [worker, choose(decoders, { agent, prompt, field: DECODE_ROUTE, draw }, scenario)];
  }

  /** See to it that a context can grow by `more` tokens; false: the agent was killed. */
  function fitContext(run, agent, more, now) {
    if (agent.context + more <= run.limit) return true;
    const { overflow, compact_to: rest } = run.scenario;
    if (overflow === "compact" && rest < agent.context && rest + more <= run.limit) {
      compact(run, agent, rest, now);
      return true;
    }
    run.events.push([now, "kill", -1, agent.id, agent.turn, agent.context + more, -1]);
    endAgent(run, agent);
    return false;
  }

  function compact(run, agent, rest, now) {
    agent.context = rest;
    drop(run, agent);
    run.events.push([now, "compact", -1, agent.id, agent.turn, rest, -1]);
  }

  function endAgent(run, agent) {
    agent.ended = true;
    run.open -= 1;
    run.inFlight -= 1;
    if (run.scenario.release_finished) drop(run, agent);
  }

  // --- admission -----------------------------------------------------------------------------

  /** Note that a worker's queue or cache changed, so that it may admit something. */
  function expectAdmission(run, worker) {
    if (worker.expectsAdmission) return;
    worker.expectsAdmission = true;
    run.admissions.push(worker);
  }

  function admitAll(run, now) {
    for (const worker of run.admissions) {
      worker.expectsAdmission = false;
      admitQueue(run, worker, now);
    }
    run.admissions.length = 0;
  }

  /** Admit a worker's queue, each as long as its head fits. */
  function admitQueue(run, worker, now) {
    const admit = worker.decodesOnly ? admitToDecode : admitNew;
    const wasBlocked = worker.blocked;
    advance(worker, now);
    while (worker.queue.length && admit(run, worker, worker.queue[0], now)) {
      worker.queue.shift();
      noteChange(run, worker);
    }
    worker.blocked = worker.queue.length > 0;
    if (worker.blocked !== wasBlocked) listWorker(run, worker);
  }

  function admitNew(run, worker, request, now) {
    const { agent, prompt } = request;
    const reserved = prompt + (worker.prefillsOnly ? 0 : request.output);
    const old = agent.entries.get(worker);
    const own = old ? old.tokens : 0;
    if (!makeRoom(run, worker, reserved - own, agent, now)) return false;
    if (old) worker.idle.remove(old);
    request.entry = makeEntry(run, agent, reserved, now);
    agent.entries.set(worker, request.entry);
    use(run, worker, reserved - own);
    account(run, request, own, now);
    agent.held.set(worker, reserved);
    const start = worker.cold ? run.scenario.shared_prefix : 0;
    worker.cold = false;
    request.toPrefill = (prompt - request.cached + start) * UNITS_PER_TOKEN;
    if (request.loaded > 0) enter(worker, request, LOAD, request.loaded * UNITS_PER_TOKEN);
    else enter(worker, request, PREFILL, request.toPrefill);
    worker.requests.push(request);
    return true;
  }

  /** Work out what of a request's prompt is cached, and what it has to compute again. */
  function account(run, request, own, now) {
    const { agent, worker, prompt } = request;
    const context = prompt - request.input;
    const held = agent.held.get(worker) ?? 0;
    request.started = now;
    request.loaded = loadFromHost(worker, agent, own, now);
    request.cached = own + request.loaded;
    request.recomputed = context - request.cached;
    request.recomputedEvicted = Math.max(0, Math.min(held, context) - request.cached);
    if (request.cached === 0) {
      run.events.push([now, "miss", worker.id, agent.id, request.turn, prompt, -1]);
    }
  }

  function admitToDecode(run, worker, request) {
    const reserved = request.prompt + request.output;
    if (worker.used + reserved > run.capacity) return false;
    use(run, worker, reserved);
    const moved = run.scenario.shared_prefix + request.prompt;
    enter(worker, request, TRANSFER, moved * UNITS_PER_TOKEN);
    worker.requests.push(request);
    return true;
  }

  // --- work ----------------------------------------------------------------------------------

  /** Put a request into a stage of `units` of work. */
  function enter(worker, request, stage, units) {
    request.stage = stage;
    request.left = units;
    count(worker, stage, 1);
  }

  function count(worker, stage, by) {
    const { counts, group } = worker;
    const before = counts[stage];
    counts[stage] += by;
    group.counts[stage] += by;
    if (stage === PREFILL && (before === 0 || counts[stage] === 0)) group.prefilling += by;
  }

  /** Work out what is left of a worker's requests at the beginning of tick `now`. */
  function advance(worker, now) {
    const ticks = now - worker.advanced;
    worker.advanced = now;
    if (ticks === 0) return;
    for (const request of worker.requests) request.left -= worker.steps[request.stage] * ticks;
  }

  /** The tick before whose beginning a worker's next stage ends. */
  function nextEnd(worker, now) {
    let ticks = Infinity;
    for (const request of worker.requests) {
      const step = worker.steps[request.stage];
      if (step > 0) ticks = Math.min(ticks, Math.ceil(request.left / step));
    }
    return now + ticks;
  }

  /** End the stages that are over at the beginning of tick `now`, so in tick now - 1. */
  function endStages(run, now) {
    for (let id = run.ends.next(0, now); id >= 0; id = run.ends.next(id + 1, now)) {
      const worker = run.workers[id];
      advance(worker, now);
      let kept = 0;
      for (const request of worker.requests) {
        const stays = request.left > 0 || endStage(run, worker, request, now - 1);
        if (stays) worker.requests[kept++] = request;
      }
      while (worker.requests.length > kept) worker.requests.pop();
      noteChange(run, worker);
    }
  }

  /** End a request's stage in tick `tick`; say whether it stays on the worker. */
  function endStage(run, worker, request, tick) {
    const { stage } = request;
    count(worker, stage, -1);
    if (stage === LOAD) {
      enter(worker, request, PREFILL, request.toPrefill);
      return true;
    }
    if (stage === DECODE) {
      finish(run, request, tick);
      return false;
    }
    if (stage === PREFILL) request.prefilled = tick;
    else unlock(run, request, tick);
    if (worker.prefillsOnly) {
      request.decodeWorker.queue.push(request);
      expectAdmission(run, request.decodeWorker);
      return false;
    }
    enter(worker, request, DECODE, request.output * UNITS_PER_TOKEN);
    return true;
  }

  /** Leave a request's context idle on the worker that prefilled it. */
  function unlock(run, request, tick) {
    const { worker, entry } = request;
    entry.last = tick;
    worker.idle.insert(entry);
    release(run, worker, request);
  }

  /** Count a request as outstanding on a worker no longer. */
  function release(run, worker, request) {
    worker.load -= 1;
    worker.promptTokens -= request.prompt;
    expectAdmission(run, worker);
  }

  function finish(run, request, tick) {
    const { agent, decodeWorker, prompt, output } = request;
    if (decodeWorker === request.worker) {
      unlock(run, request, tick);
    } else {
      use(run, decodeWorker, -(prompt + output));
      release(run, decodeWorker, request);
    }
    agent.finished.push(requestRow(request, tick));
    agent.context = prompt + output;
    agent.turn += 1;
    if (agent.turn === agent.turns) {
      endAgent(run, agent);
    } else {
      const wait = run.workload.wait(agent.id, agent.turn);
      run.ready.set(agent.id, tick + Math.max(1, wait));
    }
  }

  // ===== 8. Results ==========================================================================

  /** The code of a worker's state; the first that applies. */
  function stateOf({ steps, counts, dragged, blocked }) {
    if (steps[PREFILL] > 0) return steps[DECODE] > 0 ? STATE.mixed : STATE.prefill;
    if (steps[DECODE] > 0) return dragged ? STATE.dragged : STATE.decode;
    if (counts[PREFILL] + counts[DECODE] > 0) return STATE.waiting_phase;
    if (counts[TRANSFER] + counts[LOAD] > 0) return STATE.transfer;
    return blocked ? STATE.waiting_kv : STATE.idle;
  }

  /** Log that a worker is in a state from tick `now` on. */
  function record(worker, state, now) {
    if (state === worker.state) return;
    if (now > worker.stateSince) worker.states.push(worker.state, now - worker.stateSince);
    worker.state = state;
    worker.stateSince = now;
  }

  /** A row in the order of REQUEST_FIELDS. */
  function requestRow(request, finished) {
    return [
      request.agent.id,
      request.turn,
      request.worker.id,
      request.decodeWorker.id,
      request.created,
      request.started,
      request.prefilled,
      finished,
      request.prompt,
      request.cached,
      request.loaded,
      request.recomputed,
      request.recomputedEvicted,
      request.output,
    ];
  }

  function toResult(run, ticks) {
    const states = run.workers.map((worker) => worker.states);
    const events = run.events.sort(compareRows);
    return {
      totals: totalsOf(ticks, states, events, run.kvTokenTicks),
      states,
      requests: run.agents.flatMap((agent) => agent.finished),
      events,
    };
  }

  /** Compare two rows column by column. */
  function compareRows(a, b) {
    for (let i = 0; i < a.length; i++) {
      if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
  }

  function totalsOf(ticks, states, events, kvTokenTicks) {
    const stateTicks = STATES.map(() => 0);
    for (const runs of states) {
      for (let i = 0; i < runs.length; i += 2) stateTicks[runs[i]] += runs[i + 1];
    }
    const counts = { compact: 0, evict: 0, kill: 0, miss: 0, reclaim: 0 };
    let evictedTokens = 0;
    for (const event of events) {
      const kind = event[1];
      counts[kind] += 1;
      if (kind === "evict" || kind === "reclaim") evictedTokens += event[5];
    }
    return {
      ticks,
      state_ticks: stateTicks,
      kv_token_ticks: kvTokenTicks,
      evictions: counts.evict,
      reclaimed: counts.reclaim,
      evicted_tokens: evictedTokens,
      misses: counts.miss,
      kills: counts.kill,
      compactions: counts.compact,
    };
  }

  /**
   * Simulate a scenario.
   *
   * @param {object} scenario field names to values; what is left out has its default
   * @param {object} [options]
   * @param {number} [options.maxTicks] ticks after which a run that has not ended is given up;
   *   20,000,000 unless told, 58 days in ticks of 250 ms
   * @returns {{totals: object, states: number[][], requests: number[][], events: Array[]}}
   *   totals of the run; for each worker its states as [code, ticks, code, ticks, ...], a code
   *   being an index into STATES; finished requests and events as sorted rows in the order of
   *   REQUEST_FIELDS and EVENT_FIELDS (times in ticks, sizes in tokens, absent ones -1)
   * @throws {Error} as `validate`, and if the run has not ended after maxTicks ticks
   */
  function simulate(scenario, options = {}) {
    const run = makeRun(validate(scenario));
    return toResult(run, runToEnd(run, maxTicksOf(options)));
  }

  function maxTicksOf(options) {
    const unknown = Object.keys(options).find((name) => name !== "maxTicks");
    if (unknown !== undefined) throw new Error(unknownName("option", unknown, ["maxTicks"]));
    const { maxTicks = MAX_TICKS } = options;
    return wholeNumber("maxTicks", maxTicks, 1, Number.MAX_SAFE_INTEGER);
  }

  // ===== 9. Summary: metrics by their standard names =========================================

  const COLUMN = codes(REQUEST_FIELDS); // name -> index in a row
  const PERCENTILES = [50, 90, 99];

  /**
   * The metrics of a run, in SI units.
   *
   * @param {object} scenario what was simulated
   * @param {object} result what `simulate` returned
   * @returns {object} metrics by name: times in seconds, mean_tpot_s in seconds a token, shares
   *   from 0 to 1, null where no request stands behind a metric; and the totals
   */
  function summary(scenario, result) {
    const s = validate(scenario);
    const { totals, requests } = result;
    const tickS = s.tick_ms / 1000;
    const sum = (name) => total(requests, (row) => row[COLUMN[name]]);
    const [cached, prompt] = [sum("cached"), sum("prompt")];
    const shared = s.shared_prefix * requests.length;
    const spent = totals.state_ticks;
    const workerTicks = totals.ticks * s.workers;
    const busy = spent[STATE.prefill] + spent[STATE.decode] + spent[STATE.mixed];
    const onset = avalancheOnset(s, requests);
    return {
      makespan_s: totals.ticks * tickS,
      utilization: ratio(busy, workerTicks),
      lower_bound_s: lowerBound(s, result) * tickS,
      avalanche_onset_s: onset === null ? null : onset * tickS,
      prefix_cache_hit_rate: ratio(shared + cached, shared + prompt),
      recomputed_share: ratio(sum("recomputed"), prompt - cached),
      recomputed_evicted_share: ratio(sum("recomputed_evicted"), prompt - cached),
      ...timeMetrics(result, tickS),
      ...Object.fromEntries(
        STATES.map((name, i) => [`share_${name}`, ratio(spent[i], workerTicks)]),
      ),
      ...totals,
      requests_finished: requests.length,
    };
  }

  function total(items, value = (item) => item) {
    return items.reduce((sum, item) => sum + value(item), 0);
  }

  function ratio(part, all) {
    return all ? part / all : null;
  }

  /** Means and percentiles of the times, in seconds. */
  function timeMetrics(result, tickS) {
    const times = Object.entries(timesOf(result, tickS));
    const means = times.map(([name, values]) => [
      `mean_${name}_s`,
      ratio(total(values), values.length),
    ]);
    const percentiles = times.flatMap(([name, values]) => {
      const sorted = Float64Array.from(values).sort();
      return PERCENTILES.map((p) => [`p${p}_${name}_s`, percentile(sorted, p)]);
    });
    return Object.fromEntries([...means, ...percentiles]);
  }

  function timesOf({ requests, events }, tickS) {
    const times = { ttft: [], e2e: [], tpot: [], queue: [], session: [] };
    for (const row of requests) {
      const created = row[COLUMN.created];
      const ttft = row[COLUMN.prefilled] + 1 - created;
      const e2e = row[COLUMN.finished] + 1 - created;
      times.ttft.push(ttft * tickS);
      times.e2e.push(e2e * tickS);
      times.tpot.push(((e2e - ttft) * tickS) / row[COLUMN.output]);
      times.queue.push((row[COLUMN.started] - created) * tickS);
    }
    times.session = sessionTicks(requests, events).map((ticks) => ticks * tickS);
    return times;
  }

  /** Ticks from each agent's first request to its last turn's end or its kill. */
  function sessionTicks(requests, events) {
    const spans = new Map(); // agent -> [begin, end]
    for (const row of requests) {
      const span = spans.get(row[COLUMN.agent]);
      if (span) span[1] = row[COLUMN.finished] + 1;
      else spans.set(row[COLUMN.agent], [row[COLUMN.created], row[COLUMN.finished] + 1]);
    }
    for (const [tick, kind, , agent] of events) {
      if (kind === "kill" && spans.has(agent)) spans.get(agent)[1] = tick;
    }
    return [...spans.values()].map(([begin, end]) => end - begin);
  }

  /** Percentile of sorted values, linear between neighbours (as numpy.percentile). */
  function percentile(values, p) {
    if (!values.length) return null;
    const position = (values.length - 1) * (p / 100);
    const i = Math.floor(position);
    const low = values[i];
    const high = values[Math.min(i + 1, values.length - 1)];
    const t = position - i;
    return t < 0.5 ? low + (high - low) * t : high - (high - low) * (1 - t);
  }

  /** The least makespan that any policy could reach, in ticks: the longest agent's own work. */
  function lowerBound(s, result) {
    const prefill = stepUnits(s.prefill_rate, s.tick_ms);
    const decode = stepUnits(s.decode_rate, s.tick_ms);
    const workload = makeWorkload(s);
    const waitBefore = s.draws === "article" ? replayedWaits(s, workload, result) : workload.wait;
    const ends = workload.firstReady.slice();
    for (const row of result.requests) {
      const [agent, turn] = row;
      const input = row[COLUMN.prompt] - row[COLUMN.cached] - row[COLUMN.recomputed];
      ends[agent] += Math.ceil((input * UNITS_PER_TOKEN) / prefill);
      ends[agent] += Math.ceil((row[COLUMN.output] * UNITS_PER_TOKEN) / decode);
      if (turn > 0) ends[agent] += waitBefore(agent, turn);
    }
    return ends.reduce((most, end) => Math.max(most, end), 0);
  }

  /**
   * The waits of a run with `article` draws. Which draw is whose depends on the order in which
   * things happened, so the draws are taken once more in that order: at each tick's beginning
   * the waits of the requests that finished in the tick before, then those of new requests.
   */
  function replayedWaits(s, workload, { requests, events }) {
    const draws = [];
    for (const row of requests) {
      const [agent, turn] = row;
      draws.push([row[COLUMN.created], 1, agent, turn]);
      draws.push([row[COLUMN.finished] + 1, 0, ...admissionOrder(s, row), agent, turn + 1]);
    }
    for (const [tick, kind, , agent, turn] of events) {
      if (kind === "kill") draws.push([tick, 1, agent, turn]);
    }
    const waits = new Map(); // agent and turn -> ticks
    for (const [, isNew, ...rest] of draws.sort(compareRows)) {
      const [agent, turn] = rest.slice(-2);
      if (!isNew && turn < workload.turns[agent]) waits.set(`${agent} ${turn}`, workload.wait());
      if (isNew && s.routing === "random") workload.route();
      if (isNew) workload.size();
    }
    return (agent, turn) => waits.get(`${agent} ${turn}`);
  }

  /** What a decoding worker's requests were admitted by: queues are first in, first out. */
  function admissionOrder(s, row) {
    const joined = [row[COLUMN.created], row[COLUMN.agent]];
    if (s.prefill_workers === 0) return [row[COLUMN.worker], ...joined];
    const [worker, decodeWorker] = [row[COLUMN.worker], row[COLUMN.decode_worker]];
    return [decodeWorker, row[COLUMN.prefilled], worker, ...joined];
  }

  /**
   * The tick at which the cache avalanche sets in, or null: of the finished requests in the
   * order of their admission the first window of as many as there are agents in which more than
   * half of all prompt tokens were prefilled again because they had been evicted; the admission
   * of the first such request in it.
   */
  function avalancheOnset(s, requests) {
    const order = ["started", "worker", "agent"].map((name) => COLUMN[name]);
    const rows = requests
      .map((row) => [
        ...order.map((i) => row[i]),
        row[COLUMN.recomputed_evicted],
        row[COLUMN.prompt],
      ])
      .sort(compareRows);
    let balance = 0; // twice the tokens prefilled again, less the prompts, in the window
    for (let i = 0; i < rows.length; i++) {
      balance += 2 * rows[i][3] - rows[i][4];
      const left = i - s.agents;
      if (left >= 0) balance -= 2 * rows[left][3] - rows[left][4];
      if (left >= -1 && balance > 0) return rows.slice(left + 1).find((row) => row[3] > 0)[0];
    }
    return null;
  }

  // ===== 10. What this file offers ===========================================================

  if (typeof module === "object" && module.exports) {
    module.exports = {
      simulate,
      summary,
      validate,
      DEFAULTS,
      STATES,
      REQUEST_FIELDS,
      EVENT_FIELDS,
    };
  } else {
    const api = { simulate, summary, validate, DEFAULTS, STATES, REQUEST_FIELDS, EVENT_FIELDS };
    globalThis.dpascope = Object.freeze(api);
  }
})();
