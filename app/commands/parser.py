"""The parser of the command line."""

import argparse
import difflib

from app.commands import check, export, import_, run, serve, sweep


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **{"allow_abbrev": False, **kwargs})

    def error(self, message):
        """Say what is wrong and leave with status 2."""
        self.exit(2, f"{self.prog}: {message}\n")

    def unknown(self, argument):
        """Leave for an argument that is not known, and name the nearest that is."""
        name = argument.partition("=")[0]
        near = difflib.get_close_matches(name, self._option_string_actions, n=1, cutoff=0.5)
        hint = f": did you mean {near[0]}?" if near else f": see {self.prog} --help"
        self.error(f"unknown argument {name}{hint}")


def parsed(arguments=None):
    """Return the options of a command line, `run` and `command` among them."""
    parser = Parser(prog="dpascope", description="See a DP-attention serving cluster think.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for command in (serve, run, sweep, import_, check, export):
        command.add(commands)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        commands.choices[options.command].unknown(unknown[0])
    return options
