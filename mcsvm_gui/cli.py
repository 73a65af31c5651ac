"""The command line. It never imports Qt, and imports what a command needs only when that command is given."""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NoReturn

from mcsvm_gui.commands import arguments
from mcsvm_gui.core.exits import WRONG, complain, exit_code


def main(arguments: Sequence[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a character shows its code instead
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    return exit_code(lambda: options.command(options))


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as for every wrong input."""
        complain(f"{message} (see {self.prog} --help)")
        sys.exit(WRONG)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="mcsvm",
        description="Multi-class support vector machines, certified.",
        epilog="Exit codes: 0 done; 2 the input or the options are wrong; 3 done but not converged; 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mcsvm {_version()}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, (add, command) in COMMANDS.items():
        sub = commands.add_parser(name, help=add.__doc__, description=add.__doc__, allow_abbrev=False)
        add(sub)
        sub.set_defaults(command=command)
    return parser


def _first_look(options: argparse.Namespace) -> int:
    from mcsvm_gui.core.first_look import show

    return show()


def _inspect(options: argparse.Namespace) -> int:
    from mcsvm_gui.commands.inspect import run

    return run(options)


def _train(options: argparse.Namespace) -> int:
    from mcsvm_gui.commands.train import run

    return run(options)


def _predict(options: argparse.Namespace) -> int:
    from mcsvm_gui.commands.predict import run

    return run(options)


def _verify(options: argparse.Namespace) -> int:
    from mcsvm_gui.commands.verify import run

    return run(options)


def _export(options: argparse.Namespace) -> int:
    from mcsvm_gui.commands.export import run

    return run(options)


def _doctor(options: argparse.Namespace) -> int:
    from mcsvm_gui.commands.doctor import run

    return run(options)


def _version() -> str:
    try:
        return version("mcsvm")
    except PackageNotFoundError:
        return "of a source folder that is not installed"


COMMANDS = {
    "inspect": (arguments.inspect, _inspect),
    "train": (arguments.train, _train),
    "predict": (arguments.predict, _predict),
    "export": (arguments.export, _export),
    "verify": (arguments.verify, _verify),
    "doctor": (arguments.doctor, _doctor),
    "first-look": (arguments.first_look, _first_look),
}


if __name__ == "__main__":
    sys.exit(main())
