"""Speeds of other simulators of LLM serving, each measured on 2 cores with its own workload."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Peer:
    """A simulator and how fast it was, lowest and highest.

    Attributes
    ----------
    name : str
    requests : tuple of int
        Simulated requests a second.
    seconds : tuple of int
        Simulated seconds a second.
    """

    name: str
    requests: tuple
    seconds: tuple


PEERS = (
    Peer("Dynamo mocker 1.4.2 (Rust), dp_size 8, 1,000 requests", (7302,), (1647,)),
    Peer("Inference Lab 0.2.1 (WASM)", (5260,), (583,)),
    Peer("sched-sim 0.2.1", (2653,), (284,)),
    Peer("Vidur (Python), 8 replicas", (948,), (19,)),
    Peer(
        "the article's demo (JavaScript, Node 20), its first figure", (560, 860), (10_000, 15_000)
    ),
    Peer("BLIS (Go), 8 instances, multi-turn", (260,), (27,)),
)
"""Fastest first. Their steps are finer than a tick here, so they do more work for a second; the
article's demo has the same model and the same tick."""
