"""The pinned baseline: a scenario to hold the present one against, and how it stands in a link."""

import dataclasses

from app import address
from app.deployments import MAX_GPUS_PER_WORKER
from sim.presets import PRESETS
from sim.scenario import Scenario, field_names


@dataclasses.dataclass(frozen=True, eq=False)
class Baseline:
    """What is pinned.

    Attributes
    ----------
    scenario : Scenario
        Never changed in place.
    gpus_per_worker : int
        GPUs that one of its workers spans.
    """

    scenario: Scenario
    gpus_per_worker: int = 1

    def __eq__(self, other):
        return isinstance(other, Baseline) and self._values == other._values

    __hash__ = None

    @property
    def _values(self):
        return self.scenario.to_dict(), self.gpus_per_worker

    def written(self):
        """Return it as it stands in an address: what is not as by default, such as
        ``agents:16~routing:round_robin``. A long table of sessions is left out."""
        pairs = {n: address.written(n, value) for n, value in self.scenario.changed().items()}
        if self.gpus_per_worker != 1:
            pairs["gpus_per_worker"] = str(self.gpus_per_worker)
        pairs = {name: text for name, text in pairs.items() if text is not None}
        return "~".join(f"{n}:{t}" for n, t in (pairs or {"preset": "default"}).items())


def read(text):
    """Read a baseline as it stands in an address.

    Parameters
    ----------
    text : str
        As `Baseline.written` returns it; ``preset:NAME`` may stand for a preset's fields.

    Returns
    -------
    baseline : Baseline or None
        None if anything of it could not be read: a comparison with something else would mislead.
    problems : list of dict
        One for each part that could not be read, as those of `app.state.read_query`.
    """
    problems, fields, choices = [], {}, {}
    for part in text.split("~"):
        name, _, value = part.partition(":")
        if name in field_names():
            address.read_into(problems, name, value, fields, address.field)
        elif name in CHOICES:
            address.read_into(problems, name, value, choices, lambda n, t: CHOICES[n](t))
        else:
            problems.append(address.unknown(name, [*field_names(), *CHOICES]))
    fields = {**PRESETS[choices.pop("preset", "default")], **fields}
    if not problems and fields.get("draws") == "table" and "table" not in fields:
        problems.append({"kind": "sessions"})  # too many for a link
    if problems:
        return None, problems
    try:
        return Baseline(Scenario(**fields), **choices), []
    except ValueError as error:
        return None, [{"kind": "conflict", "problem": str(error)}]


CHOICES = {
    "preset": lambda text: address.choice(text, PRESETS),
    "gpus_per_worker": lambda text: address.whole(text, 1, MAX_GPUS_PER_WORKER),
}
"""Readers of what stands in a baseline besides the scenario's fields."""
