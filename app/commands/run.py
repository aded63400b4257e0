"""`dpascope run`: one scenario, as a summary, as JSON, or as a picture in letters."""

import json
import shutil
import sys

from app.commands.arguments import (
    add_scenario,
    base_fields,
    read_json,
    value,
)
from app.commands.workload import add_workload, warn_of_size, workload_fields
from app.terminal.colors import MODES, painter
from app.texts import LANGUAGES
from sim import Scenario, simulate


def add(commands):
    """Add the command to those of the parser."""
    parser = commands.add_parser(
        "run",
        help="run one scenario",
        description="Run one scenario and print its metrics. Numbers may end in k or M, and "
        "distributions are a range such as 30-80 or three or more quantiles.",
    )
    parser.add_argument("--json", action="store_true", help="print scenario and metrics as JSON")
    parser.add_argument(
        "--timeline", action="store_true", help="draw what each worker does over time"
    )
    parser.add_argument(
        "--color", choices=MODES, default="auto", help="colours of the timeline (auto)"
    )
    parser.add_argument("--lang", choices=tuple(LANGUAGES), default="en", help="language (en)")
    parser.add_argument(
        "--save",
        action="append",
        default=[],
        metavar="[KIND:]FILE",
        help="write the run to a file, such as run.png, run.svg, requests.csv, requests.parquet, "
        "trace.json (for Perfetto), events:events.csv, scenario:s.json, mooncake:w.jsonl, "
        "tracelab:w.csv; may be given several times",
    )
    add_workload(parser)
    add_scenario(parser, "scenario as JSON; - reads it from the standard input")
    parser.set_defaults(run=run)


def run(options):
    """Run, print, and return the exit status."""
    fields = {} if options.file is None else read_json(options.file)
    fields = base_fields(options, Scenario.from_dict(fields).changed())
    targets = _targets(options)
    fields = workload_fields(options, fields)
    changes = {name: value(name, text) for name, text in options.fields.items()}
    scenario = Scenario.from_dict({**fields, **changes})
    warn_of_size(scenario)
    result = simulate(scenario)
    _save(result, targets, options)
    if options.json:
        found = {"scenario": result.scenario.to_dict(), "metrics": result.summary()}
        print(json.dumps(found, indent=2))
    else:
        print("\n".join(_readable(result, options)))
    return 0


def _targets(options):
    """Return the kinds and paths of the files to write; wrong ones are told before the run."""
    if not options.save:
        return []
    from app.files import target

    return [target(text) for text in options.save]


def _save(result, targets, options):
    """Write the run's files."""
    if not targets:
        return
    from app.derive import Recording
    from app.files import Look, save

    recording = Recording(result)
    for kind, path in targets:
        save(recording, kind, path, Look(language=options.lang))


def _readable(result, options):
    """Yield the lines that a person reads."""
    # Imported here so that the other commands need not wait for it.
    from app.derive import Recording
    from app.terminal.summary import spent, summary
    from app.terminal.timeline import timeline
    from app.texts import Texts

    texts, recording = Texts(options.lang), Recording(result)
    width = shutil.get_terminal_size().columns
    yield from summary(recording, texts)
    yield ""
    yield from spent(recording, texts)
    if options.timeline:
        yield ""
        yield from timeline(recording, width, painter(sys.stdout, options.color), texts)
