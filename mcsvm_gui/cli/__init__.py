"""The command line. It never imports Qt, and loads the modules of a command only when that command is given."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import NoReturn

from mcsvm_gui.cli import arguments
from mcsvm_gui.cli.interrupt import Guard, at_once
from mcsvm_gui.cli.memory import check_address_space
from mcsvm_gui.cli.parser import Parser, refuse_unknown_options, unknown_command
from mcsvm_gui.core.base.exits import DONE, WRONG, complain, exit_code
from mcsvm_gui.core.base.terminal import say

EXIT_CODES = (
    "Exit codes: 0 done; 1 a condition of --fail-on or --min-accuracy is not met; 2 the input or the options are wrong;"
    " 3 done but not converged, or a search found nothing; 130 interrupted by Ctrl-C or SIGTERM. A command that is"
    " interrupted writes what it has and ends within 5 seconds; a second signal ends it at once."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Without `arguments`, use those of the process; then signals end the whole process."""
    with Guard(lasting=arguments is None):
        return exit_code(lambda: _run(arguments))


class Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from mcsvm_gui.core.base.about import own_version  # 12 ms, which other commands need not wait for

        say(f"mcsvm {own_version()}")
        parser.exit()


def _parser(words: Sequence[str] | None = None) -> Parser:
    """Return the parser for these words, in which only their command has arguments; without words all commands have."""
    parser = Parser(
        prog="mcsvm",
        description="Multi-class support vector machines, each trained to a certified optimum.",
        epilog=EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action=Version, nargs=0, help="show the version of this program and exit")
    parser.examples = (
        "mcsvm train DATA.csv --holdout 0.3 --model OUT.mcsvm",
        "mcsvm help train          options of a command",
        "mcsvm help reading        all options of reading data",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, add in COMMANDS.items():
        text = _sentence(add.__doc__ or "")
        sub = commands.add_parser(name, help=add.__doc__, description=text, allow_abbrev=False)
        if words is None or name in words:
            add(sub)
        sub.set_defaults(command=name.replace("-", "_"))
    return parser


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def full_parser() -> Parser:
    """Return the parser with the arguments of all commands."""
    return _parser()


def command_parsers(words: Sequence[str] | None = None) -> Mapping[str, Parser]:
    """Return the parsers of the commands by name; see `_parser`."""
    return _parser(words).commands


def main_help() -> str:
    """Return the list of all commands."""
    return _parser([]).format_help()


def _parse(words: Sequence[str]) -> argparse.Namespace | None:
    """Return the options of a command; None if there are no words, so that only help is shown."""
    if not words:
        say(*main_help().splitlines())
        return None
    name = words[0]
    if not name.startswith("-") and name not in COMMANDS:
        complain(unknown_command(name, COMMANDS))
        sys.exit(WRONG)
    parser = _parser(words[:1])
    if name.startswith("-"):
        refuse_unknown_options(parser, words[:1], command_parsers)
    else:
        refuse_unknown_options(command_parsers(words[:1])[name], words[1:], command_parsers)
    options, others = parser.parse_known_args(words)
    if others:
        command_parsers(words[:1])[name].error(f"unrecognized arguments: {' '.join(others)}")
    return options


def _run(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a character shows its code instead
            stream.reconfigure(errors="backslashreplace")
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    if options is None:
        return DONE
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


# The function that adds the arguments of each command; `commands/NAME.py` has its `run`.
COMMANDS: dict[str, Callable[[Parser], None]] = {
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
    "completion": arguments.completion,
    "help": arguments.help_topics,
}
