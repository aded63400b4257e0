"""The metrics of a run as people read them, for the page and for the terminal."""

from app.format import count, duration, percent, tokens

CARDS = (
    "utilization",
    "makespan",
    "waiting",
    "hit_rate",
    "recomputed",
    "evictions",
    "onset",
    "killed",
    "ttft",
    "e2e",
)


def card_values(run, texts):
    """Return for each of `CARDS` its value and the line below it."""
    s, result = run.summary, run.result
    recomputed, evicted = s["recomputed_share"], s["recomputed_evicted_share"]
    routed = None if recomputed is None else recomputed - evicted
    stuck = s["share_waiting_phase"] + s["share_waiting_kv"]
    prompts = int(result.requests["prompt"].sum())
    prompts += result.scenario.shared_prefix * s["requests_finished"]
    agents = count(result.scenario.agents)
    killed = "compacted" if s["compactions"] else "detail"
    onset = s["avalanche_onset_s"]
    return {
        "utilization": (percent(s["utilization"], texts), _busy(s, texts)),
        "makespan": (
            duration(s["makespan_s"], texts),
            _bound(s["makespan_s"], s["lower_bound_s"], texts),
        ),
        "waiting": (
            percent(stuck, texts),
            texts(
                "numbers.waiting.detail",
                phase=percent(s["share_waiting_phase"], texts),
                kv=percent(s["share_waiting_kv"], texts),
            ),
        ),
        "hit_rate": (
            percent(s["prefix_cache_hit_rate"], texts),
            texts("numbers.hit_rate.detail", tokens=tokens(prompts)),
        ),
        "recomputed": (
            percent(recomputed, texts),
            texts(
                "numbers.recomputed.detail",
                routed=percent(routed, texts),
                evicted=percent(evicted, texts),
            ),
        ),
        "evictions": (
            count(s["evictions"]),
            texts("numbers.evictions.detail", tokens=tokens(s["evicted_tokens"])),
        ),
        "onset": (
            (texts("numbers.never"), texts("numbers.onset.none"))
            if onset is None
            else (
                duration(onset, texts),
                texts("numbers.onset.detail", share=percent(onset / s["makespan_s"], texts)),
            )
        ),
        "killed": (
            count(s["kills"]),
            texts(f"numbers.killed.{killed}", agents=agents, compactions=count(s["compactions"])),
        ),
        "ttft": _times(s, "ttft", texts),
        "e2e": _times(s, "e2e", texts),
    }


def _busy(summary, texts):
    return texts(
        "numbers.utilization.detail",
        prefill=percent(summary["share_prefill"], texts),
        decode=percent(summary["share_decode"], texts),
    )


def _bound(makespan, bound, texts):
    if not bound:
        return ""
    return texts(
        "numbers.makespan.detail", ratio=f"{makespan / bound:.1f}", bound=duration(bound, texts)
    )


def _times(summary, name, texts):
    return (
        duration(summary[f"p50_{name}_s"], texts),
        texts("numbers.times", p99=duration(summary[f"p99_{name}_s"], texts)),
    )
