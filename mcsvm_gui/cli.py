"""The command line. It never imports Qt, and imports what a command needs only when that command is given."""

import argparse
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from mcsvm_gui.core.exits import exit_code


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return exit_code(options.command)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mcsvm", description="Multi-class support vector machines, certified.")
    parser.add_argument("--version", action="version", version=f"mcsvm {_version()}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    first_look = commands.add_parser("first-look", help="train the six machines on a bundled data set and compare them")
    first_look.set_defaults(command=_first_look)
    return parser


def _first_look() -> int:
    from mcsvm_gui.core.first_look import show

    return show()


def _version() -> str:
    try:
        return version("mcsvm")
    except PackageNotFoundError:
        return "of a source folder that is not installed"
