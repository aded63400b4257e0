"""English."""

TEXTS = {
    "language": "EN",
    "app": {
        "title": "DPA Scope",
        "tagline": "See a DP-attention serving cluster think",
    },
    "header": {
        "preset": "Preset",
        "custom": "Custom",
        "display": "Display",
        "language": "Language",
        "theme": "Theme",
        "themes": {"auto": "Auto", "light": "Light", "dark": "Dark"},
        "palette": "Colours",
        "palettes": {"default": "Default", "colorblind": "Colour-blind safe"},
        "copy": "Copy link",
        "copied": "Link copied",
        "copy_failed": "Copy the link from the address bar",
        "help": "Help",
        "skip": "Skip to the picture",
        "settings": "Settings",
        "close": "Close",
    },
    "controls": {
        "title": "Settings",
        "reset": "Reset",
        "reset_help": "All settings back to their defaults",
        "from": "from",
        "to": "to",
        "range": "Range",
        "quantiles": "Quantiles",
        "quantiles_help": "Three or more rising numbers: the quantiles of the distribution",
        "on": "On",
        "off": "Off",
        "value": "value",
        "slider": "slider",
        "about": "About",
        "groups": {
            "main": "Main",
            "cluster": "Cluster",
            "scheduling": "Scheduling",
            "workload": "Workload",
            "more": "More",
        },
    },
    "units": {
        "workers": "workers",
        "tokens": "tokens",
        "tokens/s": "tokens/s",
        "ms": "ms",
        "requests": "requests",
        "ticks": "ticks",
        "agents": "agents",
        "turns": "turns",
        "gpus": "GPUs",
    },
    "fields": {
        "gpus": {
            "label": "GPUs",
            "help": "GPUs in the cluster. Each worker (DP rank) spans “GPUs per worker” of them "
            "and has its own KV cache.",
        },
        "gpus_per_worker": {
            "label": "GPUs per worker",
            "help": "GPUs that one worker spans: the tensor-parallel size of its attention. It "
            "only sets how GPUs are counted; rates and KV capacity are those of a whole worker.",
        },
        "workers": {
            "label": "Workers",
            "help": "DP attention ranks, each with its own KV cache.",
        },
        "prefill_workers": {
            "label": "Prefill workers (PD)",
            "help": "0: every worker does both. More: prefill–decode disaggregation, so many "
            "workers only prefill and the rest only decode.",
        },
        "lock": {
            "label": "Lock",
            "help": "How the workers of a group are coupled through the expert layers they share.",
        },
        "group_size": {
            "label": "Lock group",
            "help": "Workers that share a lock. 0: all of one role.",
        },
        "kv_capacity": {
            "label": "KV capacity per worker",
            "help": "Tokens that the KV cache of one worker holds: contexts in work and contexts "
            "kept for the next turn.",
        },
        "context_limit": {
            "label": "Context limit",
            "help": "Longest context that the server accepts.",
        },
        "shared_prefix": {
            "label": "Shared prefix",
            "help": "Tools and system prompt that every agent shares, held once on each worker.",
        },
        "host_kv_capacity": {
            "label": "Host KV tier per worker",
            "help": "Host memory that keeps evicted contexts (hierarchical cache). 0: none.",
        },
        "host_load_rate": {
            "label": "Host load rate",
            "help": "How fast a context comes back from the host tier.",
        },
        "prefill_rate": {"label": "Prefill rate", "help": "Prefill of one worker."},
        "decode_rate": {"label": "Decode rate", "help": "Decode of one request."},
        "prefill_sharing": {
            "label": "Share the prefill rate",
            "help": "Off: each prefilling request gets the full rate. On: the requests of a worker "
            "share it.",
        },
        "decode_slowdown": {
            "label": "Decode slow-down α",
            "help": "Each of n requests that decode on a worker runs at rate ÷ (1 + α(n − 1)).",
        },
        "chunk_tokens": {
            "label": "Prefill chunk",
            "help": "Chunk that a worker prefills in one step; a dragged worker decodes one token "
            "per chunk of its peers.",
        },
        "transfer_rate": {
            "label": "Transfer rate",
            "help": "KV from a prefill worker to a decode worker.",
        },
        "routing": {"label": "Routing", "help": "Which worker takes a request."},
        "phase_policy": {
            "label": "Phase policy",
            "help": "What a group does when some of its requests want prefill and others decode.",
        },
        "quantum": {"label": "Quantum", "help": "Ticks of one phase in a row."},
        "decode_interval": {
            "label": "Decode interval",
            "help": "Ticks of decode after each tick of prefill.",
        },
        "max_delay": {
            "label": "Longest delay",
            "help": "How long a prefill may be held back for the others.",
        },
        "mixed_share": {
            "label": "Prefill’s share",
            "help": "Prefill’s share of a tick in which a worker does both.",
        },
        "cache_threshold": {
            "label": "Cache threshold",
            "help": "Share of the prompt that must be cached on a worker for it to be preferred.",
        },
        "balance_abs": {
            "label": "Balance: difference",
            "help": "Difference in outstanding requests from which balance comes before the cache.",
        },
        "balance_rel": {
            "label": "Balance: ratio",
            "help": "Ratio of outstanding requests from which balance comes before the cache.",
        },
        "max_concurrent_agents": {
            "label": "Session limit",
            "help": "At most this many agents in flight; the others wait outside. 0: no limit.",
        },
        "agents": {
            "label": "Agents",
            "help": "Coding agents that work at the same time, each turn by turn on a growing "
            "context.",
        },
        "stagger_ms": {
            "label": "Stagger",
            "help": "Each agent starts this much later than the one before it.",
        },
        "turns": {"label": "Turns per agent", "help": "Turns of a session."},
        "input_tokens": {
            "label": "New input per turn",
            "help": "Tokens that a turn adds to the context before the model answers.",
        },
        "output_tokens": {"label": "Output per turn", "help": "Tokens that a turn generates."},
        "think_ms": {
            "label": "Wait between turns",
            "help": "Tool calls and the user’s own time before the next turn.",
        },
        "seed": {"label": "Seed", "help": "Another seed draws another workload."},
        "draws": {"label": "Draws", "help": "How random numbers are assigned to requests."},
        "eviction": {
            "label": "Eviction",
            "help": "What goes when the KV cache is full: always the least recently used context.",
        },
        "overflow": {
            "label": "On overflow",
            "help": "What happens to an agent that outgrows the context limit.",
        },
        "compact_to": {"label": "Compact to", "help": "Context left after compaction."},
        "release_finished": {
            "label": "Free KV of finished agents",
            "help": "On: an agent’s KV is freed when it ends. Off: it stays until it is evicted, "
            "as in real engines.",
        },
        "tick_ms": {"label": "Tick", "help": "Length of one step of the simulation."},
    },
    "options": {
        "lock": {
            "phase": {
                "label": "Phase",
                "help": "The whole group prefills or the whole group decodes.",
            },
            "step": {
                "label": "Step",
                "help": "A decoding worker is dragged to the pace of its peers’ prefill chunks.",
            },
            "none": {"label": "None", "help": "Each worker decides for itself."},
        },
        "routing": {
            "pinned": {"label": "Pinned", "help": "An agent always goes to the same worker."},
            "round_robin": {"label": "Round robin", "help": "Each request to the next worker."},
            "random": {"label": "Random", "help": "Any worker."},
            "consistent_hash": {
                "label": "Consistent hash",
                "help": "An agent’s place on a hash ring; sticks like pinned, balances worse.",
            },
            "total_requests": {
                "label": "Least requests",
                "help": "The worker with the fewest outstanding requests.",
            },
            "total_tokens": {
                "label": "Least tokens",
                "help": "The worker with the fewest outstanding prompt tokens.",
            },
            "power_of_two": {
                "label": "Power of two",
                "help": "The less loaded of two random workers.",
            },
            "cache_aware": {
                "label": "Cache-aware",
                "help": "Where the context is cached, unless the load is out of balance.",
            },
        },
        "phase_policy": {
            "prefill_first": {
                "label": "Prefill first",
                "help": "Any prefill stops all decodes of the group.",
            },
            "decode_first": {"label": "Decode first", "help": "Prefill only if nothing decodes."},
            "majority": {"label": "Majority", "help": "What most requests want."},
            "time_slice": {"label": "Time slice", "help": "The phases take turns."},
            "decode_interval": {
                "label": "Decode interval",
                "help": "So many ticks of decode after each tick of prefill.",
            },
            "prefill_delayer": {
                "label": "Prefill delayer",
                "help": "Prefill when all workers have some, or after the longest delay.",
            },
            "mixed": {"label": "Mixed", "help": "Both in one tick, on every worker."},
        },
        "draws": {
            "paired": {
                "label": "Paired",
                "help": "Every policy meets the same workload, so that policies compare fairly.",
            },
            "article": {
                "label": "As in the article",
                "help": "One stream of random numbers in the order of events.",
            },
            "table": {"label": "Table", "help": "The sessions are given explicitly."},
        },
        "eviction": {
            "whole": {"label": "Whole context", "help": "A context goes as one."},
            "tail": {"label": "Tail", "help": "Only as much as needed, from its end."},
        },
        "overflow": {
            "kill": {"label": "Kill the agent", "help": "The agent ends there."},
            "compact": {"label": "Compact", "help": "The context is summarised and goes on."},
        },
    },
    "reasons": {
        "pd": "No effect under prefill–decode disaggregation: no worker has both phases.",
        "one_worker": "No effect with one worker.",
        "table": "Given by the table of sessions.",
    },
    "problems": {
        "integer": "{value} is not allowed: a whole number from {low} to {high}",
        "number": "{value} is not allowed: a number from {low} to {high}",
        "open_number": "{value} is not allowed: a number above {low}, at most {high}",
        "inside_number": "{value} is not allowed: a number between {low} and {high}",
        "choice": "{value} is not allowed: one of {known}",
        "switch": "{value} is not allowed: true or false",
        "range": "{value} is not allowed: two rising whole numbers from {low} to {high}",
        "quantiles": "{value} is not allowed: three or more rising whole numbers from {low} to "
        "{high}",
        "table": "a table of sessions that cannot be read",
        "such_as": "{value} is not allowed: something like {example}",
        "other": "{message}",
        "multiple": "{value} is not allowed: a multiple of {each} GPUs, at most {high}",
        "prefill_workers": "{prefill} prefill workers leave none of {workers} workers to decode",
        "shared_prefix": "A shared prefix of {prefix} leaves no room in a context of {room} tokens",
    },
    "presets": {
        "default": {
            "title": "16 GPUs, 32 agents",
            "look": "Decode fades within the first half hour as contexts no longer fit: workers "
            "wait for the phase while a few prefill again what was evicted.",
        },
        "article_fig1": {
            "title": "The article’s first figure",
            "look": "Green for the first quarter of an hour, then amber: the avalanche. Try "
            "Majority or fewer agents.",
        },
        "article_fig2": {
            "title": "Eight bigger cards",
            "look": "8 workers with 600k tokens of KV each and faster rates: fewer evictions, and "
            "a much shorter run.",
        },
        "dpa_16xh100": {
            "title": "GLM-5.2 on 16 H100, DPA",
            "look": "The article’s cluster worked out from its hardware, with a cache that "
            "evicts as engines do: the avalanche comes later than in the figure, and "
            "comes.",
        },
        "pd_16p16d": {
            "title": "GLM-5.2 on 32 H100, 16P + 16D",
            "look": "Prefill and decode on GPUs of their own: no one waits for a phase. Twice "
            "the cards, and the prefill side still evicts.",
        },
        "tp16": {
            "title": "GLM-5.2 on 16 H100, TP16",
            "look": "One worker as wide as the cluster: prefill is fast, the KV cache is held 16 "
            "times over, and hardly anything stays cached.",
        },
        "dpa_8x160gb": {
            "title": "GLM-5.2 on eight 160 GB cards",
            "look": "The article’s thought of bigger cards, its KV capacity worked out: little is "
            "evicted, and there is no avalanche.",
        },
        "dpa_8xh200": {
            "title": "GLM-5.2 on 8 H200",
            "look": "Rates fitted to a published run, with large prefill chunks. Four agents "
            "share a worker and its 440k tokens: green for a while, then the avalanche.",
        },
        "dpa_8xb200": {
            "title": "GLM-5.2 on 8 B200",
            "look": "Rates from a roofline. All 32 contexts fit; what waits now waits for the "
            "phase.",
        },
        "two_sparks": {
            "title": "V4 Flash on two DGX Sparks",
            "look": "Four agents on a desk: 40 tokens/s alone, about 130 together.",
        },
        "recipe_latency": {
            "title": "Recipe: low latency",
            "look": "GLM-5.2 on 8 B200, TP8 with long drafts: fast for a few agents. Take agents "
            "away until the cache holds them.",
        },
        "recipe_balanced": {
            "title": "Recipe: balanced",
            "look": "GLM-5.2 on 8 B200, DPA with short drafts: speculation, and with it the "
            "phase lock.",
        },
        "recipe_throughput": {
            "title": "Recipe: throughput",
            "look": "GLM-5.2 on 8 B200, DPA without drafts: ranks mix, and decode is dragged "
            "along by prefill chunks.",
        },
        "realistic": {
            "title": "Real agents on 16 H100",
            "look": "Turns as measured on real coding agents: long sessions of small steps, "
            "cached almost whole. Add agents and find the cliff.",
        },
    },
    "numbers": {
        "title": "Results",
        "none": "–",
        "never": "never",
        "times": "median · p99 {p99}",
        "utilization": {
            "label": "Effective utilization",
            "help": "Share of worker time spent in prefill, decode or both. Dragged time does not "
            "count.",
            "detail": "prefill {prefill} · decode {decode}",
        },
        "makespan": {
            "label": "Makespan",
            "help": "Time until the last agent has ended. The lower bound is the longest agent’s "
            "own work with nothing in its way.",
            "detail": "{ratio}× lower bound {bound}",
        },
        "waiting": {
            "label": "Waiting",
            "help": "Share of worker time in which requests were there and nothing moved: the "
            "group was in the other phase, or the queue’s head found no room in the KV cache.",
            "detail": "phase {phase} · KV {kv}",
        },
        "hit_rate": {
            "label": "Prefix cache hit rate",
            "help": "Cached tokens of all prompt tokens.",
            "detail": "of {tokens} prompt tokens",
        },
        "recomputed": {
            "label": "Prefilled again",
            "help": "Share of prefilled tokens that had been computed before, by cause: the agent "
            "was routed to another worker, or its context had been evicted.",
            "detail": "rerouted {routed} · evicted {evicted}",
        },
        "evictions": {
            "label": "Evictions",
            "help": "Contexts of living agents thrown out of a KV cache.",
            "detail": "{tokens} tokens lost",
        },
        "killed": {
            "label": "Agents killed",
            "help": "Agents that outgrew the context limit.",
            "detail": "of {agents} agents",
            "compacted": "of {agents} agents · {compactions} compactions",
        },
        "onset": {
            "label": "Avalanche onset",
            "help": "First admission from which, over one request per agent, more than half of all "
            "prompt tokens had to be prefilled again because they had been evicted.",
            "detail": "{share} into the run",
            "none": "the cache holds",
        },
        "ttft": {
            "label": "TTFT",
            "help": "Time to first token: from the request to the end of its prefill.",
        },
        "e2e": {
            "label": "E2E latency",
            "help": "From the request to its last token.",
        },
        "time": {
            "h": "{h} h {m:02d} min",
            "m": "{m} min {s:02d} s",
            "s": "{s:.1f} s",
            "ms": "{ms:.0f} ms",
            "exact": "{s} s",
        },
    },
    "states": {
        "idle": "idle",
        "waiting_phase": "waiting: phase",
        "waiting_kv": "waiting: KV",
        "prefill": "prefill",
        "prefill_again": "prefill again",
        "decode": "decode",
        "transfer": "transfer",
        "mixed": "mixed",
        "dragged": "dragged",
    },
    "events": {
        "evict": "eviction",
        "reclaim": "reclaim",
        "kill": "kill",
        "compact": "compaction",
        "miss": "cache miss",
    },
    "timeline": {
        "title": "Timeline",
        "worker": "DP {worker}",
        "caption": "Each pixel column spans {span}. Within it a lane shows the share of each "
        "state.",
        "caption_ticks": "Zoomed in to ticks of {span}: one colour, one state.",
        "zoom_in": "Zoom in (W)",
        "zoom_out": "Zoom out (S)",
        "left": "Earlier (A)",
        "right": "Later (D)",
        "all": "Whole run (0)",
        "clear_agent": "No longer look at this agent",
        "pinned": "Pinned at {time}",
        "legend": "States",
        "isolate": "Show this state alone; with Shift or Ctrl held, add it to those shown. "
        "Escape shows all",
        "keys": "Drag to pan, wheel or W S to zoom, A D to move, click to pin a moment",
    },
    "figures": {
        "minimap": "The whole run, all workers together",
        "timeline": "State of every worker over time",
        "events": "Events over time",
        "kv": "KV cache of each worker at the pinned moment",
        "onset": "avalanche onset",
        "shares": "Workers by state",
        "evictions": "Evictions: per minute, total (right)",
        "hit_rate": "Prefix cache hit rate",
        "occupancy": "KV cache in use, by worker",
        "oversubscription": "KV wanted by agents in flight",
        "kv_locked": "locked by a running request",
        "kv_idle": "idle, may be evicted",
        "kv_ended": "of an agent that has ended",
        "kv_shared": "shared prefix",
        "hover_time": "Time",
        "hover_event": "Event",
        "hover_count": "Here",
        "hover_worker": "Worker",
        "hover_agent": "Agent",
        "hover_tokens": "Tokens",
        "hover_by": "Evicted for agent",
        "hover_rate": "Per minute",
        "hover_total": "In all",
        "hover_requests": "Requests",
        "hover_kind": "Context",
    },
    "why": {
        "agent": "agent {agent}",
        "worker": "DP {worker} ({agents})",
        "comma": ", ",
        "more": "{names} and {more} more",
        "phase_prefill": "The group prefills for {workers}",
        "phase_decode": "The group decodes for {workers}",
        "dragged_prefill": "Decodes at the pace of the prefill of {workers}",
        "as": "{why}: {policy}",
        "policies": {
            "prefill_first_prefill": "prefill goes first",
            "decode_first_decode": "decode goes first",
            "majority_prefill": "{prefill} want prefill, {decode} decode",
            "majority_decode": "{decode} want decode, {prefill} prefill",
            "time_slice_prefill": "its slice of {ticks} ticks",
            "time_slice_decode": "its slice of {ticks} ticks",
            "decode_interval_prefill": "{ticks} ticks of decode are over",
            "decode_interval_decode": "{ticks} ticks after each of prefill",
            "prefill_delayer_prefill": "all workers have some, or a delay of {ticks} ticks is over",
            "prefill_delayer_decode": "prefill is held back up to {ticks} ticks, until all workers "
            "have some",
        },
        "prefill": "Prefills for {agents}",
        "prefill_again": "Prefills context again that {agents} had before",
        "decode": "Decodes for {agents}",
        "mixed": "Prefills and decodes for {agents}",
        "transfer": "Moves KV for {agents}",
        "idle": "No request; to come: {agents}, the first at {time}",
        "over": "No request to come",
        "blocked": "Next, agent {agent} needs {need} tokens, {free} are free; running requests "
        "lock the rest: {holders}",
        "blocked_prefill": "Next, agent {agent} needs {need} tokens, {free} are free; the rest is "
        "locked until it has been transferred: {holders}",
        "holder": "agent {agent} {tokens}",
        "queue": "{count}: {agents}",
        "request_load": "agent {agent} · turn {turn} · host load · {left} left",
        "request_prefill": "agent {agent} · turn {turn} · prefill · {left} left",
        "request_transfer": "agent {agent} · turn {turn} · transfer · {left} left",
        "request_decode": "agent {agent} · turn {turn} · decode · {left} left",
        "request_queued": "agent {agent} · turn {turn} · queued",
        "request_handoff": "agent {agent} · turn {turn} · prefilled, queued for decode",
    },
    "hover": {
        "title": "DP {worker} at {time}",
        "span": "from {since} to {until}",
        "cached": "prompt {prompt}, of it cached {cached}",
        "queued": "prompt {prompt}",
        "recomputed": "prefilled again {tokens}",
        "queue": "{count} in the queue",
    },
    "moment": {
        "title": "Moment",
        "at": "{time} · tick {tick}",
        "unpin": "Unpin (Esc)",
        "back": "One tick back (←)",
        "forward": "One tick on (→)",
        "previous": "Previous event of this kind",
        "next": "Next event of this kind",
        "of": "Kind of event",
        "any": "any event",
        "nothing": "No such event in that direction",
    },
    "happened": {
        "evict": "DP {worker} evicts {tokens} tokens of agent {agent} for agent {by}",
        "reclaim": "DP {worker} reclaims {tokens} tokens of agent {agent}, which has ended, for "
        "agent {by}",
        "kill": "agent {agent} is killed in turn {turn}: it wants {tokens} tokens",
        "compact": "agent {agent} compacts its context to {tokens} tokens in turn {turn}",
        "miss": "agent {agent}, turn {turn}: nothing cached on DP {worker}, {tokens} tokens to "
        "prefill",
    },
    "player": {
        "play": "Play (space)",
        "pause": "Pause (space)",
        "stop": "Show the whole run",
        "speed": "Speed",
        "scrub": "Time in the run",
        "step": "Next step",
    },
    "status": {
        "running": "Simulating…",
        "failed": "This run failed",
        "stale": "The picture below is the last good one.",
        "dismiss": "Dismiss",
        "disconnected": "The connection to the server is lost. Reload to go on.",
        "reload": "Reload",
        "link": "Parts of the link could not be read and have their defaults:",
        "link_value": "{key} = {value}: {problem}",
        "link_field": "{key}: {problem}",
        "link_conflict": "{problem}",
        "link_sessions": "Recorded sessions do not fit into a link: import them again under “Real "
        "agents”",
        "link_unknown": "{key} is no setting",
        "link_near": "{key} is no setting; did you mean {near}?",
        "link_version": "v = {value}: this program reads version {known}",
    },
    "export": {
        "menu": "Export",
        "page": "Page as one file",
        "page_help": "This scenario as an HTML file that needs no server and still simulates",
        "making": "Being made…",
        "copied": "Copied",
        "failed": "The browser does not let this page copy",
        "more": "All settings",
        "fixed": "{key} cannot be set: this file holds one finished run",
        "still": "One finished run, of these settings:",
        "defaults": "the defaults",
        "use_wheel": "Click the picture to zoom with the wheel",
    },
    "help": {
        "title": "How to read the picture",
        "body": [
            "Each lane is one worker (DP rank); time runs to the right. A worker is busy when it "
            "prefills (pink; light pink where the context had been computed before) or decodes "
            "(green). Amber means requests are there and nothing moves: the group is in the other "
            "phase, or, brown, the next request finds no room in the KV cache. Click a state above "
            "the picture to show it alone.",
            "Zoomed out, each pixel column is a small stack of the states’ shares in its span, "
            "decode at the bottom, idle on top; zoomed in to ticks, a lane is solid.",
            "An avalanche: contexts no longer fit, so an agent’s next turn evicts another’s, which "
            "must be prefilled again, which evicts the next. The dashed line marks its onset.",
        ],
        "keys": {
            "W S": "zoom in and out",
            "A D": "earlier and later",
            "0": "the whole run",
            "← → , .": "one tick back and on, when a moment is pinned",
            "P N": "the previous and the next event of the chosen kind, likewise",
            "Space": "play and pause",
            "Esc": "all states again, then unpin",
            "?": "this sheet",
        },
    },
}
