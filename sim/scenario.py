"""What is simulated: every field of the model once, with bounds, unit and meaning."""

import param

from sim import checks
from sim.checks import MAX_AGENTS, MAX_MS, MAX_TOKENS, unknown_name

STATES = (
    "idle",
    "waiting_phase",
    "waiting_kv",
    "prefill",
    "decode",
    "transfer",
    "mixed",
    "dragged",
)
"""Names of the worker states; the index is the state's code in every result."""

LOCKS = ("phase", "step", "none")
ROUTINGS = (
    "pinned",
    "round_robin",
    "random",
    "consistent_hash",
    "total_requests",
    "total_tokens",
    "power_of_two",
    "cache_aware",
)
PHASE_POLICIES = (
    "prefill_first",
    "decode_first",
    "majority",
    "time_slice",
    "decode_interval",
    "prefill_delayer",
    "mixed",
)
EVICTIONS = ("whole", "tail")
OVERFLOWS = ("kill", "compact")
DRAWS = ("paired", "article", "table")

MAX_RATE = 10**8
MAX_WORKERS = 4_096

UNITS = {
    "workers": "workers",
    "prefill_workers": "workers",
    "group_size": "workers",
    "kv_capacity": "tokens",
    "context_limit": "tokens",
    "shared_prefix": "tokens",
    "host_kv_capacity": "tokens",
    "host_load_rate": "tokens/s",
    "prefill_rate": "tokens/s",
    "decode_rate": "tokens/s",
    "chunk_tokens": "tokens",
    "transfer_rate": "tokens/s",
    "tick_ms": "ms",
    "balance_abs": "requests",
    "quantum": "ticks",
    "decode_interval": "ticks",
    "max_delay": "ticks",
    "compact_to": "tokens",
    "max_concurrent_agents": "agents",
    "agents": "agents",
    "stagger_ms": "ms",
    "turns": "turns",
    "input_tokens": "tokens",
    "output_tokens": "tokens",
    "think_ms": "ms",
}
"""Unit of each field that has one."""

GROUPS = {
    "cluster": (
        "workers",
        "prefill_workers",
        "group_size",
        "kv_capacity",
        "context_limit",
        "shared_prefix",
        "host_kv_capacity",
        "host_load_rate",
        "prefill_rate",
        "decode_rate",
        "prefill_sharing",
        "decode_slowdown",
        "chunk_tokens",
        "transfer_rate",
    ),
    "scheduling": (
        "routing",
        "phase_policy",
        "lock",
        "quantum",
        "decode_interval",
        "max_delay",
        "mixed_share",
        "cache_threshold",
        "balance_abs",
        "balance_rel",
        "max_concurrent_agents",
    ),
    "workload": (
        "agents",
        "stagger_ms",
        "turns",
        "input_tokens",
        "output_tokens",
        "think_ms",
        "seed",
        "draws",
    ),
    "more": (
        "eviction",
        "overflow",
        "compact_to",
        "release_finished",
        "tick_ms",
    ),
}
"""Fields by the part of the system they describe, in the order in which a form shows them.
`table` is data, not a setting, and stands in no group."""


def _count(default, low, high, doc, *, soft=None, step=1):
    return param.Integer(default, bounds=(low, high), softbounds=soft, step=step, doc=doc)


def _rate(default, doc, *, soft, step):
    return param.Number(
        default,
        bounds=(0, MAX_RATE),
        inclusive_bounds=(False, True),
        softbounds=soft,
        step=step,
        doc=doc,
    )


class Scenario(param.Parameterized):
    """One cluster, its policies and its workload.

    Parameters are keyword arguments; every field has a default, and the defaults are the
    article's first figure with paired draws. Units stand in `UNITS`, bounds and meaning in the
    parameters themselves (``Scenario.param.kv_capacity.doc``).

    Raises
    ------
    ValueError
        For an unknown field, a value of the wrong type or out of bounds, or fields that
        contradict each other. The message names the field, the value and what is allowed.

    Examples
    --------
    >>> Scenario(agents=8, routing="round_robin").agents
    8
    """

    workers = _count(
        16, 1, MAX_WORKERS, "Workers: DP attention ranks, each with its own KV cache.", soft=(1, 64)
    )
    prefill_workers = _count(
        0,
        0,
        MAX_WORKERS - 1,
        "0: every worker does both. P > 0: PD disaggregation, workers 0..P-1 only prefill, "
        "the rest only decode.",
        soft=(0, 32),
    )
    lock = param.Selector(
        default="phase",
        objects=list(LOCKS),
        doc="How a group is coupled. phase: all prefill or all decode; step: a decoding worker "
        "is dragged to its peers' prefill chunks; none: each worker decides for itself.",
    )
    group_size = _count(
        0,
        0,
        MAX_WORKERS,
        "Workers that share a lock; 0: all of one role. Consecutive ids; the last group may "
        "be smaller.",
        soft=(0, 64),
    )
    kv_capacity = _count(
        250_000, 1, MAX_TOKENS, "KV cache of one worker.", soft=(50_000, 1_000_000), step=10_000
    )
    context_limit = _count(
        200_000,
        1,
        MAX_TOKENS,
        "Longest context the server accepts.",
        soft=(20_000, 1_000_000),
        step=10_000,
    )
    shared_prefix = _count(
        0,
        0,
        MAX_TOKENS,
        "Tools and system prompt that every agent shares; held once on each worker.",
        soft=(0, 50_000),
        step=500,
    )
    host_kv_capacity = _count(
        0,
        0,
        2**40,
        "Host-memory KV tier of one worker, which keeps evicted contexts; 0: none.",
        soft=(0, 2_000_000),
        step=50_000,
    )
    host_load_rate = _rate(
        200_000, "Loading from the host tier.", soft=(10_000, 1_000_000), step=10_000
    )
    prefill_rate = _rate(3000, "Prefill of one worker.", soft=(500, 20_000), step=100)
    decode_rate = _rate(50, "Decode of one request.", soft=(5, 300), step=5)
    prefill_sharing = param.Boolean(
        False,
        doc="Off: each prefilling request gets the full rate; on: a worker's requests share it.",
    )
    decode_slowdown = param.Number(
        0,
        bounds=(0, 1000),
        softbounds=(0, 0.5),
        step=0.01,
        doc="α: each of n requests decoding on a worker runs at rate / (1 + α(n − 1)).",
    )
    chunk_tokens = _count(
        512,
        1,
        MAX_TOKENS,
        "Prefill chunk of one worker; sets the dragged rate under the step lock.",
        soft=(64, 8192),
        step=64,
    )
    transfer_rate = _rate(
        400_000,
        "KV from a prefill worker to a decode worker.",
        soft=(10_000, 2_000_000),
        step=10_000,
    )
    tick_ms = _count(250, 1, 60_000, "Length of a tick.", soft=(50, 1000), step=50)
    routing = param.Selector(
        default="pinned",
        objects=list(ROUTINGS),
        doc="Which worker takes a request.",
    )
    cache_threshold = param.Number(
        0.3,
        bounds=(0, 1),
        step=0.05,
        doc="cache_aware: share of the prompt that must be cached for a worker to be preferred.",
    )
    balance_abs = _count(
        64,
        0,
        2**31,
        "cache_aware: the difference of load from which balance comes first.",
        soft=(0, 128),
    )
    balance_rel = param.Number(
        1.5,
        bounds=(0, 1e6),
        softbounds=(1, 4),
        step=0.1,
        doc="cache_aware: the ratio of load from which balance comes first.",
    )
    phase_policy = param.Selector(
        default="prefill_first",
        objects=list(PHASE_POLICIES),
        doc="What a group does when some of its requests want prefill and others decode.",
    )
    quantum = _count(8, 1, 2**31, "time_slice: ticks of one phase in a row.", soft=(1, 64))
    decode_interval = _count(
        4, 0, 2**31, "decode_interval: ticks of decode after a tick of prefill.", soft=(0, 32)
    )
    max_delay = _count(4, 1, 2**31, "prefill_delayer: longest delay of a prefill.", soft=(1, 32))
    mixed_share = param.Number(
        0.5,
        bounds=(0, 1),
        inclusive_bounds=(False, False),
        softbounds=(0.05, 0.95),
        step=0.05,
        doc="mixed: prefill's share of a tick in which a worker does both.",
    )
    eviction = param.Selector(
        default="whole",
        objects=list(EVICTIONS),
        doc="whole: a context is evicted as one; tail: only as much as needed, from its end.",
    )
    overflow = param.Selector(
        default="kill",
        objects=list(OVERFLOWS),
        doc="An agent that outgrows the context limit is killed or compacts its context.",
    )
    compact_to = _count(
        20_000,
        1,
        MAX_TOKENS,
        "Context left after compaction.",
        soft=(1_000, 100_000),
        step=1_000,
    )
    release_finished = param.Boolean(
        True,
        doc="On: an agent's KV is freed when it ends; off: it stays until it is evicted.",
    )
    max_concurrent_agents = _count(
        0,
        0,
        2**31,
        "Session admission: at most this many agents in flight; 0: no limit.",
        soft=(0, 64),
    )
    agents = _count(32, 1, MAX_AGENTS, "Coding agents.", soft=(1, 128))
    stagger_ms = _count(
        0,
        0,
        MAX_MS,
        "Agent a starts at a × stagger.",
        soft=(0, 60_000),
        step=500,
    )
    draws = param.Selector(
        default="paired",
        objects=list(DRAWS),
        doc="paired: every policy meets the same workload; article: one stream, as the article's "
        "demo draws; table: explicit sessions.",
    )
    seed = _count(20_260_707, 0, 2**32 - 1, "Seed of all draws.")
    turns = param.List([30, 80], doc="Turns of a session: a range or a table of quantiles.")
    input_tokens = param.List(
        [1000, 10_000], doc="New input tokens of a turn: a range or a table of quantiles."
    )
    output_tokens = param.List(
        [500, 1500], doc="Output tokens of a turn: a range or a table of quantiles."
    )
    think_ms = param.List(
        [0, 3000], doc="Wait before the next turn: a range or a table of quantiles."
    )
    table = param.List(
        None,
        allow_None=True,
        doc="Explicit sessions: for each agent its turns [wait_ms, input, output] or "
        "[wait_ms, input, output, carried].",
    )

    def __init__(self, **fields):
        names = field_names()
        for name in fields:
            if name not in names:
                raise ValueError(unknown_name("field", name, names))
        super().__init__(**{name: check_field(name, value) for name, value in fields.items()})
        self.validate()

    def validate(self):
        """Check the fields against each other.

        Returns
        -------
        dict
            All fields.

        Raises
        ------
        ValueError
            If a field is out of its bounds, or fields contradict each other.
        """
        values = {name: check_field(name, getattr(self, name)) for name in field_names()}
        if self.prefill_workers >= self.workers:
            raise ValueError(
                f"prefill_workers = {self.prefill_workers} must be below workers = "
                f"{self.workers}: at least one worker has to decode"
            )
        room = min(self.kv_capacity, self.context_limit)
        if self.shared_prefix >= room:
            raise ValueError(
                f"shared_prefix = {self.shared_prefix} must be below the smaller of kv_capacity "
                f"and context_limit, {room}: no room is left for a context"
            )
        if self.draws == "table" and self.table is None:
            raise ValueError(
                "draws = 'table' needs a table: for each agent its turns [wait_ms, input, output]"
            )
        if self.draws != "table" and self.table is not None:
            raise ValueError(
                f"table is given but draws = {self.draws!r}: set draws = 'table' or leave "
                "the table out"
            )
        if self.table is not None:
            self.agents = values["agents"] = len(self.table)
        return values

    @classmethod
    def from_dict(cls, fields):
        """Make a scenario from a plain mapping, as read from JSON.

        Parameters
        ----------
        fields : mapping
            Field names to values; what is left out has its default.

        Raises
        ------
        ValueError
            As the constructor, and if `fields` is no mapping.
        """
        if not hasattr(fields, "items"):
            raise ValueError(
                f"a scenario must be a mapping of fields to values, not {checks.shown(fields)}"
            )
        return cls(**{str(name): value for name, value in fields.items()})

    @classmethod
    def preset(cls, name, **changes):
        """Make the preset of that name, with `changes` applied.

        Raises
        ------
        ValueError
            If there is no such preset, with the nearest name; or if it shows a deployment that
            cannot be, with the reason and what would work.
        """
        from sim.presets import preset_fields  # made of plans, which are made of scenarios

        return cls(**{**preset_fields(name), **changes})

    def to_dict(self):
        """Return all fields as plain ints, floats, strings, bools and lists."""
        return {name: _plain(getattr(self, name)) for name in field_names()}

    def changed(self):
        """Return the fields that differ from the defaults, as a plain dict."""
        return {
            name: value
            for name, value in self.to_dict().items()
            if value != Scenario.param[name].default
        }

    def replace(self, **changes):
        """Return a new scenario with `changes` applied."""
        return type(self)(**{**self.to_dict(), **changes})


DISTRIBUTIONS = {"turns": 1, "input_tokens": 1, "output_tokens": 1, "think_ms": 0}
"""Fields that are distributions, with the least value a knot may have."""


def field_names():
    """Return the names of all fields, in the order of their declaration."""
    return _FIELDS


_FIELDS = tuple(name for name in Scenario.param if name != "name")


def check_field(name, value):
    """Return `value` as the field holds it.

    Raises
    ------
    ValueError
        If its type is wrong or it is out of bounds.
    """
    if name == "table":
        return None if value is None else checks.table(value)
    if name in DISTRIBUTIONS:
        most = MAX_MS if name == "think_ms" else MAX_TOKENS
        return checks.knots(name, value, DISTRIBUTIONS[name], most)
    kind = Scenario.param[name]
    if isinstance(kind, param.Boolean):
        return checks.switch(name, value)
    if isinstance(kind, param.Selector):
        return checks.choice(name, value, kind.objects)
    low, high = kind.bounds
    if isinstance(kind, param.Integer):
        return checks.integer(name, value, low, high)
    return checks.number(name, value, low, high, kind.inclusive_bounds)


def _plain(value):
    if isinstance(value, (list, tuple)):
        if set(map(type, value)) == {int}:  # as the turns of a table, of which there may be many
            return list(value)
        return [_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value  # NumPy's numbers
