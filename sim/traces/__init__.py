"""Real agents: logs and traces in, sessions out."""

from sim.traces.reading import Import, read, read_sources
from sim.traces.replay import sessions_of, to_mooncake, to_tracelab
from sim.traces.report import FileReport, Report, TraceError
from sim.traces.sessions import Session, Turn, ideal_hit_rate, reported_hit_rate
from sim.traces.sources import Limits, Source
from sim.traces.workload import (
    Choices,
    oversized,
    told_prefix,
    trace_fields,
    workload_fields,
    workload_scenario,
)

__all__ = [
    "Choices",
    "FileReport",
    "Import",
    "Limits",
    "Report",
    "Session",
    "Source",
    "TraceError",
    "Turn",
    "ideal_hit_rate",
    "oversized",
    "read",
    "read_sources",
    "reported_hit_rate",
    "sessions_of",
    "to_mooncake",
    "to_tracelab",
    "told_prefix",
    "trace_fields",
    "workload_fields",
    "workload_scenario",
]
