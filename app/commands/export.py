"""`dpascope export`: a page as one file, and the lines that show it in a post."""

import pathlib

from app.commands.arguments import read_json
from sim import Scenario


def add(commands):
    """Add the command to those of the parser."""
    parser = commands.add_parser(
        "export",
        help="write a page that needs no network and still simulates",
        description="Write one HTML file that opens without a network and simulates anew for "
        "every change of a setting.",
    )
    parser.add_argument("path", nargs="?", help="file to write")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--scenario", metavar="FILE", help="scenario to show first, as JSON")
    given.add_argument("--preset", metavar="NAME", help="preset to show first")
    parser.add_argument(
        "--snapshot", action="store_true", help="leave the engine out; hold this one result"
    )
    parser.add_argument(
        "--controls",
        metavar="A,B",
        type=_names,
        help="settings that a reader may change, such as agents,kv_capacity,routing; preset: the "
        "presets; none: none",
    )
    parser.add_argument(
        "--charts",
        metavar="A,B",
        type=_names,
        help="charts below the timeline, such as shares,hit_rate; none: none",
    )
    parser.add_argument("--theme", default="auto", metavar="NAME", help="auto, light or dark")
    parser.add_argument(
        "--transparent", action="store_true", help="no background, to sit on any page"
    )
    parser.add_argument("--lang", metavar="NAME", help="en or zh; unless given, the reader's own")
    parser.add_argument("--title", metavar="TEXT", help="of the page")
    parser.add_argument(
        "--snippet",
        action="store_true",
        help="print the HTML that shows the file in a post; without a path only that",
    )
    parser.add_argument("--src", metavar="URL", help="address of the file in the snippet")
    parser.set_defaults(run=run)


def _names(text):
    return [] if text == "none" else [name.strip() for name in text.split(",")]


def run(options):
    """Export, and return the exit status."""
    # Imported here so that the other commands need not wait for it.
    from app.export import export_html

    if options.path is None and not options.snippet:
        raise ValueError("a file to write is missing, such as page.html")
    scenario = _scenario(options)
    if options.path is not None:
        export_html(options.path, scenario, **_choices(options))
    if options.snippet:
        print(_snippet(options, scenario), end="")
    return 0


def _choices(options):
    return {
        "controls": options.controls,
        "charts": options.charts,
        "snapshot": options.snapshot,
        "theme": options.theme,
        "transparent": options.transparent,
        "language": options.lang,
        "title": options.title,
    }


def _scenario(options):
    if options.preset is not None:
        return Scenario.preset(options.preset)
    if options.scenario is None:
        return Scenario()
    return Scenario.from_dict(read_json(options.scenario))


def _snippet(options, scenario):
    from app.export import address, default_title, snippet
    from app.state import AppState

    src = options.src or (pathlib.Path(options.path).name if options.path else "page.html")
    if options.path is None:
        state = AppState(scenario=scenario, theme=options.theme)
        asked = address(state, options.lang, options.controls, options.charts)
        src = f"{src}#{asked}" if asked else src
    return snippet(src, options.title or default_title(scenario, options.lang))
