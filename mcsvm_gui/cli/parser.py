"""The argument parser of `mcsvm`: short help with examples, and suggestions for misspelled commands and options.

This module imports nothing heavy; modules for errors are imported when there is an error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from mcsvm.solvers.errors import closest_name
from mcsvm_gui.core.base.exits import WRONG, complain

WIDEST = 30  # columns of the names of options in help
TOPICS = {
    "machine": "machine",
    "reading": "reading data",
}  # what `mcsvm help TOPIC` lists in full, and the group of options in help

# Names of options in scikit-learn, LIBSVM and other programs; the first of our names that a command has is suggested.
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "--algorithm": ("--solver",),
    "--bootstrap": ("--folds",),
    "--cache": ("--cache-mb",),
    "--cache-size": ("--cache-mb",),
    "--checkpoint": ("--continue",),
    "--class": ("--label",),
    "--class-column": ("--label",),
    "--class-weights": ("--class-weight",),
    "--constant": ("--coef0",),
    "--cores": ("--jobs", "--threads"),
    "--cost": ("--C",),
    "--cv": ("--folds",),
    "--decision-function": ("--scores",),
    "--decision-values": ("--scores",),
    "--delimiter": ("--separator",),
    "--eps": ("--tol",),
    "--epsilon": ("--tol",),
    "--exclude": ("--drop",),
    "--features": ("--columns",),
    "--fields": ("--columns",),
    "--group": ("--groups",),
    "--ignore": ("--drop",),
    "--impute": ("--missing",),
    "--iterations": ("--max-iter",),
    "--k-fold": ("--folds",),
    "--max-iterations": ("--max-iter",),
    "--metric": ("--score",),
    "--model-file": ("--model", "--output"),
    "--n-folds": ("--folds",),
    "--n-iter": ("--max-iter",),
    "--n-jobs": ("--jobs", "--threads"),
    "--n-splits": ("--folds",),
    "--nan": ("--missing",),
    "--normalize": ("--scale",),
    "--num-threads": ("--threads", "--jobs"),
    "--optimizer": ("--solver",),
    "--out": ("--output", "--model"),
    "--outfile": ("--output", "--model"),
    "--output": ("--model", "--report"),
    "--predict-proba": ("--proba",),
    "--probability": ("--proba", "--calibrate"),
    "--probabilities": ("--proba", "--calibrate"),
    "--random-seed": ("--seed",),
    "--random-state": ("--seed",),
    "--resume": ("--continue", "--results"),
    "--sample-weight": ("--weights",),
    "--save-model": ("--model",),
    "--scaler": ("--scale",),
    "--scaling": ("--scale",),
    "--scoring": ("--score",),
    "--sep": ("--separator",),
    "--sheet": ("--table",),
    "--sheet-name": ("--table",),
    "--standardize": ("--scale",),
    "--strategy": ("--machine",),
    "--svm-type": ("--machine",),
    "--target": ("--label",),
    "--target-column": ("--label",),
    "--test-file": ("--test",),
    "--test-size": ("--test-share", "--holdout"),
    "--time": ("--time-limit", "--budget"),
    "--timeout": ("--time-limit", "--budget"),
    "--tolerance": ("--tol",),
    "--train-size": ("--test-share", "--holdout"),
    "--usecols": ("--columns",),
    "--validation-split": ("--holdout", "--test-share"),
    "-b": ("--calibrate", "--proba"),
    "-d": ("--degree",),
    "-e": ("--tol",),
    "-i": ("--label",),
    "-n": ("--folds",),
    "-p": ("--proba",),
    "-r": ("--coef0",),
    "-s": ("--machine",),
    "-t": ("--kernel",),
    "-w": ("--class-weight",),
}


class Parser(argparse.ArgumentParser):
    """A parser of `mcsvm`; `examples` end the help, `rare` options are only listed by `mcsvm help TOPIC`."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, formatter_class=ShortNames, **more)
        self.examples: tuple[str, ...] = ()
        self.rare: set[str] = set()

    def error(self, message: str) -> NoReturn:
        """Print one line, as for every wrong input, and exit."""
        complain(f"{message} (see {self.prog} --help)")
        sys.exit(WRONG)

    def format_usage(self) -> str:
        return f"usage: {self.line()}\n"

    def line(self) -> str:
        """Return the command with its arguments and required options."""
        places = [_place(action) for action in self._get_positional_actions()]
        required = [f"{action.option_strings[0]} {action.metavar}" for action in self._actions if _is_required(action)]
        optional = [] if self._subparsers is not None else ["[options]"]
        return " ".join([self.prog, *places, *required, *optional])

    def format_help(self) -> str:
        """Return short help: without rare options, and without the usage line that argparse makes of all options."""
        formatter = self._get_formatter()
        formatter.add_text(self.description)
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments([action for action in group._group_actions if action.dest not in self.rare])
            formatter.end_section()
        text = f"{self.format_usage()}\n{formatter.format_help()}"
        for topic, title in TOPICS.items():
            groups = (group._group_actions for group in self._action_groups if group.title == title)
            unlisted = sum(action.dest in self.rare for actions in groups for action in actions)
            text += f"\n{unlisted} more options of {title}: mcsvm help {topic}\n" if unlisted else ""
        if self.examples:
            text += "\n".join(["", "examples:", *(f"  {line}" for line in self.examples), ""])
        formatter = self._get_formatter()
        formatter.add_text(self.epilog)
        end = formatter.format_help()
        return f"{text}\n{end}" if end else text

    def format_topic(self, topic: str) -> str:
        """Return help on all options of one group."""
        formatter = self._get_formatter()
        for group in self._action_groups:
            if group.title == TOPICS[topic]:
                formatter.start_section(group.title)
                formatter.add_arguments(group._group_actions)
                formatter.end_section()
        return formatter.format_help()

    @property
    def commands(self) -> dict[str, Parser]:
        """The parsers of the commands by name."""
        actions = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return {name: parser for action in actions for name, parser in action.choices.items()}

    @property
    def options(self) -> list[str]:
        return list(self._option_string_actions)


class ShortNames(argparse.HelpFormatter):
    """Write the value of an option once, after all of its names."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, max_help_position=WIDEST, **more)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        value = f" {action.metavar}" if action.metavar and action.nargs != 0 else ""
        return ", ".join(action.option_strings) + value if action.option_strings else str(action.metavar)


def _place(action: argparse.Action) -> str:
    name = f"{action.metavar}{'...' if action.nargs == '+' else ''}"
    return f"[{name}]" if action.nargs == "?" else name


def _is_required(action: argparse.Action) -> bool:
    return bool(action.option_strings) and action.required


# -- suggestions for misspelled words ---------------------------------------------------------------


def refuse_unknown_options(parser: Parser, words: Sequence[str], all_parsers: Any) -> None:
    """End with a sentence that suggests the intended option if one of the words is an option that the parser lacks.

    `all_parsers()` returns the parsers of all commands by name; it is called only if there is something to refuse.
    """
    for word in words:
        if word == "--":
            return
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        if name[:1] == "-" and name.lstrip("-")[:1].isalpha() and " " not in name and name not in parser.options:
            hint = _meant(name, parser, all_parsers())
            parser.error(f"unrecognized arguments: {word}{hint}")


def _meant(name: str, parser: Parser, all_parsers: Mapping[str, Parser]) -> str:
    spelled, command = name.replace("_", "-"), parser.prog.partition(" ")[2]
    called = OTHER_NAMES.get(spelled.lower(), ())
    same = [option for option in parser.options if option.lower() == spelled.lower()]
    for option in (*same, *(one for one in called if one in parser.options)):
        return f"; did you mean {option}?"
    for option in (spelled, *called):
        commands = [other for other, one in all_parsers.items() if option in one.options]
        if commands and not command:
            return f"; options follow the command, as in mcsvm {commands[0]} {option}"
        if "train" in commands and command in APPLYING:
            return "; a model keeps the settings that it was trained with"
        if commands:
            subject = "it is" if option == name else f"{option} is"
            return f"; {subject} an option of {', '.join(f'mcsvm {one}' for one in commands)}"
    near = closest_name(spelled, [option for option in parser.options if option.startswith("--")])
    return f"; did you mean {near}?" if near else ""


APPLYING = "predict", "evaluate", "explain", "verify", "export"  # commands that apply a trained model


def unknown_command(name: str, commands: Iterable[str]) -> str:
    near = closest_name(name, list(commands))
    hint = f"; did you mean {near}?" if near else ""
    return f"there is no command {name!r}{hint} (mcsvm --help lists all commands)"
