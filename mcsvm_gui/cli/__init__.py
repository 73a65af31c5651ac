"""The command line. It never imports Qt, and imports what a command needs only when that command is given."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from mcsvm_gui.cli import arguments
from mcsvm_gui.cli.interrupt import Guard, at_once
from mcsvm_gui.cli.memory import check_address_space
from mcsvm_gui.core.base.exits import WRONG, complain, exit_code
from mcsvm_gui.core.base.terminal import say

EXIT_CODES = (
    "Exit codes: 0 done; 2 the input or the options are wrong; 3 done but not converged, or a search found nothing; 130"
    " interrupted by Ctrl-C or SIGTERM. A command that is interrupted writes what it has and ends within 5 seconds; a"
    " second signal ends it at once."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Without `arguments`, use those of the process; then signals end the whole process."""
    with Guard(lasting=arguments is None):
        return exit_code(lambda: _run(arguments))


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as for every wrong input."""
        complain(f"{message} (see {self.prog} --help)")
        sys.exit(WRONG)


class Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from mcsvm_gui.core.base.about import own_version  # 12 ms, which other commands need not wait for

        say(f"mcsvm {own_version()}")
        parser.exit()


def _parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """For these words: only the command among them gets its arguments; without words all get theirs."""
    parser = Parser(
        prog="mcsvm",
        description="Multi-class support vector machines, certified.",
        epilog=EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=Version, nargs=0, help="show the version of this program and end")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, add in COMMANDS.items():
        sub = commands.add_parser(name, help=add.__doc__, description=add.__doc__, allow_abbrev=False)
        if words is None or name in words:
            add(sub)
        sub.set_defaults(command=name.replace("-", "_"))
    return parser


def _run(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a character shows its code instead
            stream.reconfigure(errors="backslashreplace")
    words = sys.argv[1:] if arguments is None else arguments
    options = _parser(words).parse_args(words)
    check_address_space()
    with at_once():
        command = import_module(f"mcsvm_gui.cli.commands.{options.command}")
    if "-" in _data(options):
        from mcsvm_gui.core.data.readers.source import take_standard_input

        take_standard_input()
    return int(command.run(options))


def _data(options: argparse.Namespace) -> list[str | None]:
    named = getattr(options, "data", None)
    return named if isinstance(named, list) else [named]


# What may be given to each; its module here is called as it is, and has `run`.
COMMANDS = {
    "inspect": arguments.inspect,
    "check": arguments.check,
    "train": arguments.train,
    "tune": arguments.tune,
    "compare": arguments.compare,
    "run": arguments.run,
    "report": arguments.report,
    "predict": arguments.predict,
    "evaluate": arguments.evaluate,
    "explain": arguments.explain,
    "export": arguments.export,
    "curve": arguments.curve,
    "verify": arguments.verify,
    "doctor": arguments.doctor,
    "first-look": arguments.first_look,
}
