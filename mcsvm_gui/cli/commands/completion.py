"""mcsvm completion"""

from __future__ import annotations

import argparse
import io

from mcsvm.solvers.errors import InputError
from mcsvm_gui.cli import full_parser
from mcsvm_gui.cli.parser import Parser
from mcsvm_gui.core.base.exits import DONE
from mcsvm_gui.core.base.options import Choice
from mcsvm_gui.core.base.terminal import say_table

SHELLS = "bash", "zsh", "fish"
FILES = "data", "model", "files", "experiment"  # arguments that name files
ENDINGS = "FILE", "DIR", ".csv", ".toml", ".mcsvm", ".html"  # of the value names of options that name files


def run(options: argparse.Namespace) -> int:
    Choice(titles=dict.fromkeys(SHELLS, "")).check("SHELL", options.shell)
    try:
        import shtab
    except ModuleNotFoundError:
        raise InputError(
            "completion needs the package shtab: pip install 'mcsvm[completion]', or pip install shtab"
        ) from None
    parser = full_parser()
    for command in (parser, *parser.commands.values()):
        _prepare(command, shtab.FILE)
    say_table(io.BytesIO(f"{shtab.complete(parser, options.shell)}\n".encode()))  # a script has tabs
    return DONE


def _prepare(parser: Parser, file: object) -> None:
    """Mark the values that are file names, and list the words of values that have a choice of few."""
    for action in parser._actions:
        value = str(action.metavar or "")
        is_argument = not action.option_strings
        if (is_argument and action.dest in FILES) or value.endswith(ENDINGS):
            action.complete = file  # type: ignore[attr-defined]
        elif "|" in value and value == value.lower() and action.choices is None:
            action.choices = value.split("|")
