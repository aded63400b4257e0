"""What a run yields: worker states, finished requests, events, and the metrics over them."""

import functools

import numpy as np

from sim.scenario import STATES

REQUEST_FIELDS = (
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
)
"""Columns of a request row. Times are ticks, sizes tokens without the shared prefix."""

EVENT_FIELDS = ("tick", "kind", "worker", "agent", "turn", "tokens", "by")
"""Columns of an event row."""

EVENT_KINDS = ("compact", "evict", "kill", "miss", "reclaim")
"""Names of the kinds of event; the index is the kind's code in `Result.events`. In the order
of the alphabet, so that rows sorted by code are sorted by name."""

TIMES = ("ttft", "e2e", "tpot", "queue", "session")
PERCENTILES = (50, 90, 99)


class Result:
    """One finished run.

    Attributes
    ----------
    scenario : Scenario
        What was run.
    ticks : int
        Makespan in ticks.
    states : list of (starts, codes)
        For each worker its states as runs: `starts` int64 ticks, rising from 0; `codes` uint8
        indices into `STATES`, neighbours always differ.
    requests : dict of str to ndarray
        Finished requests, int64 columns `REQUEST_FIELDS` and `wait` (ticks between the previous
        turn and this one, 0 for a first turn), sorted by agent and turn.
    events : dict of str to ndarray
        int64 columns `EVENT_FIELDS`, `kind` an index into `EVENT_KINDS`, sorted by all columns.
    first_ready : ndarray
        For each agent the tick from which its first request could be made; -1 for an agent
        without turns.
    kv_token_ticks : int
        Sum over ticks and workers of the KV tokens in use.
    """

    def __init__(self, scenario, ticks, states, requests, events, first_ready, kv_token_ticks):
        self.scenario = scenario
        self.ticks = int(ticks)
        self.states = states
        self.requests = _sorted_columns(requests, ("agent", "turn"))
        self.events = _sorted_columns(events, EVENT_FIELDS)
        self.first_ready = first_ready
        self.kv_token_ticks = int(kv_token_ticks)

    @property
    def workers(self):
        """Number of workers."""
        return len(self.states)

    @property
    def tick_s(self):
        """Length of a tick in seconds."""
        return self.scenario.tick_ms / 1000

    def of_kind(self, kind):
        """Return the events of that kind as a dict of columns."""
        chosen = self.events["kind"] == EVENT_KINDS.index(kind)
        return {name: column[chosen] for name, column in self.events.items()}

    @functools.cached_property
    def state_ticks(self):
        """Worker-ticks in each state, an int64 array of 8."""
        total = np.zeros(len(STATES), np.int64)
        for starts, codes in self.states:
            np.add.at(total, codes, np.diff(starts, append=self.ticks))
        return total

    def totals(self):
        """Return the counts over the whole run as plain ints and a list."""
        count = np.bincount(self.events["kind"], minlength=len(EVENT_KINDS)).tolist()
        lost = np.isin(self.events["kind"], [EVENT_KINDS.index(k) for k in ("evict", "reclaim")])
        return {
            "ticks": self.ticks,
            "state_ticks": self.state_ticks.tolist(),
            "kv_token_ticks": self.kv_token_ticks,
            "evictions": count[EVENT_KINDS.index("evict")],
            "reclaimed": count[EVENT_KINDS.index("reclaim")],
            "evicted_tokens": int(self.events["tokens"][lost].sum()),
            "misses": count[EVENT_KINDS.index("miss")],
            "kills": count[EVENT_KINDS.index("kill")],
            "compactions": count[EVENT_KINDS.index("compact")],
        }

    def times(self):
        """Return the distributions behind the time metrics.

        Returns
        -------
        dict of str to ndarray
            Seconds: ttft, e2e, tpot (seconds a token) and queue for each finished request,
            session for each agent with a finished request.
        """
        r = self.requests
        ttft = r["prefilled"] + 1 - r["created"]
        e2e = r["finished"] + 1 - r["created"]
        queue = r["started"] - r["created"]
        return {
            "ttft": ttft * self.tick_s,
            "e2e": e2e * self.tick_s,
            "tpot": (e2e - ttft) * self.tick_s / r["output"],
            "queue": queue * self.tick_s,
            "session": self._session_ticks() * self.tick_s,
        }

    def _session_ticks(self):
        r = self.requests
        agents, first = np.unique(r["agent"], return_index=True)
        last = np.append(first, r["agent"].size)[1:] - 1
        end = r["finished"][last] + 1
        kills = self.of_kind("kill")
        killed = np.full(self.first_ready.size, -1, np.int64)
        killed[kills["agent"]] = kills["tick"]
        end = np.where(killed[agents] >= 0, killed[agents], end)
        return end - r["created"][first]

    def lower_bound_ticks(self):
        """Return a bound below which hardly any policy could bring the makespan, in ticks.

        The longest agent's own work one after another: its first ready tick, each finished
        turn's new input at the full prefill rate and output at the full decode rate, and the
        waits between turns. A wait begins in the tick in which the turn before it ends, so that
        a run may stay below it by a tick a turn.
        """
        s, r = self.scenario, self.requests
        new = r["prompt"] - r["cached"] - r["recomputed"]
        work = (
            ceil_div(new * UNITS_PER_TOKEN, step_units(s.prefill_rate, s.tick_ms))
            + ceil_div(r["output"] * UNITS_PER_TOKEN, step_units(s.decode_rate, s.tick_ms))
            + r["wait"]
        )
        ends = np.maximum(self.first_ready, 0)
        np.add.at(ends, r["agent"], work)
        return int(ends.max())

    def avalanche_onset_tick(self):
        """Return the tick at which the cache avalanche sets in, or None.

        Finished requests in the order in which they were admitted; the first window of as many
        requests as there are agents in which more than half of all prompt tokens had to be
        prefilled again because they had been evicted; the admission of the first such request
        in it.
        """
        r = self.requests
        n = self.first_ready.size
        if r["agent"].size < n:
            return None
        order = np.lexsort((r["agent"], r["worker"], r["started"]))
        again = r["recomputed_evicted"][order]
        over = _window_sums(again, n) * 2 > _window_sums(r["prompt"][order], n)
        if not over.any():
            return None
        first = int(over.argmax())
        inside = first + int((again[first : first + n] > 0).argmax())
        return int(r["started"][order][inside])

    def summary(self):
        """Return the metrics by their standard names, in SI units.

        Returns
        -------
        dict
            Plain floats, ints, None where a metric has no requests to stand on, and one list
            (`state_ticks`). Times in seconds, mean_tpot_s in seconds a token.
        """
        ticks, r, shared = self.ticks, self.requests, self.scenario.shared_prefix
        onset = self.avalanche_onset_tick()
        spent = self.state_ticks.tolist()
        worker_ticks = ticks * self.workers
        prefilled = int((r["prompt"] - r["cached"]).sum())
        busy = sum(spent[STATES.index(s)] for s in ("prefill", "decode", "mixed"))
        summary = {
            "makespan_s": ticks * self.tick_s,
            "utilization": _ratio(busy, worker_ticks),
            "lower_bound_s": self.lower_bound_ticks() * self.tick_s,
            "avalanche_onset_s": None if onset is None else onset * self.tick_s,
            "prefix_cache_hit_rate": _ratio(
                int((shared + r["cached"]).sum()), int((shared + r["prompt"]).sum())
            ),
            "recomputed_share": _ratio(int(r["recomputed"].sum()), prefilled),
            "recomputed_evicted_share": _ratio(int(r["recomputed_evicted"].sum()), prefilled),
        }
        times = self.times()
        for name in TIMES:
            summary[f"mean_{name}_s"] = float(times[name].mean()) if times[name].size else None
        for name in TIMES:
            summary.update(_percentiles(name, times[name]))
        for code, name in enumerate(STATES):
            summary[f"share_{name}"] = _ratio(spent[code], worker_ticks)
        return {**summary, **self.totals(), "requests_finished": int(r["agent"].size)}

    def to_dict(self):
        """Return the whole result as plain ints, strings and lists, ready for JSON.

        Returns
        -------
        dict
            `totals`; `states`, for each worker ``[code, ticks, code, ticks, ...]``; `requests`
            and `events` as sorted rows in the order of `REQUEST_FIELDS` and `EVENT_FIELDS`,
            an event's kind by its name.
        """
        return {
            "totals": self.totals(),
            "states": [
                np.column_stack((codes, np.diff(starts, append=self.ticks))).ravel().tolist()
                for starts, codes in self.states
            ],
            "requests": np.column_stack([self.requests[f] for f in REQUEST_FIELDS]).tolist(),
            "events": [
                [row[0], EVENT_KINDS[row[1]], *row[2:]]
                for row in np.column_stack([self.events[f] for f in EVENT_FIELDS]).tolist()
            ],
        }


UNITS_PER_TOKEN = 2**20
"""Work is counted in units, so that every rate is a whole number of units a tick."""


def step_units(rate, tick_ms):
    """Return the units of work that `rate` (tokens/s) does in one tick, at least 1."""
    return max(1, int(rate * tick_ms / 1000 * UNITS_PER_TOKEN + 0.5))


def ceil_div(numerator, denominator):
    """Return the quotient of integers (arrays too), rounded up."""
    return -(-numerator // denominator)


def _sorted_columns(columns, by):
    order = np.lexsort([columns[name] for name in reversed(by)])
    return {name: np.asarray(column)[order] for name, column in columns.items()}


def _window_sums(values, n):
    total = np.concatenate(([0], np.cumsum(values)))
    return total[n:] - total[:-n]


def _ratio(part, whole):
    return part / whole if whole else None


def _percentiles(name, values):
    if not values.size:
        return {f"p{p}_{name}_s": None for p in PERCENTILES}
    found = np.percentile(values, PERCENTILES).tolist()
    return {f"p{p}_{name}_s": value for p, value in zip(PERCENTILES, found, strict=True)}
