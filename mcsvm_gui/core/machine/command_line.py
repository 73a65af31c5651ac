"""The command that trains a request's model, to be copied into a shell."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import TYPE_CHECKING

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.options import differing

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request


def command(request: Request, name: str = "train") -> str:
    """Return `mcsvm train ...`, or another command on the same data and machine, quoted for this system's shell."""
    return shell_line(arguments_of(request, name))


def shell_line(arguments: list[str]) -> str:
    return " ".join(map(_for_windows, arguments)) if os.name == "nt" else shlex.join(arguments)


def _for_windows(word: str) -> str:
    """Quote a word for cmd.exe, which interprets ^ and similar characters outside quotation marks."""
    line = subprocess.list2cmdline([word])
    return f'"{line}"' if set(word) & set("^&|<>()%") and not line.startswith('"') else line


def arguments_of(request: Request, name: str = "train") -> list[str]:
    """Return the arguments that differ from the defaults, with all digits.

    Parsing them gives the request again, but for its digest.
    """
    data = "DATA" if request.data is None else request.data
    said = [*_arguments(request, name), *(["--"] if data.startswith("-") else [])]
    return ["mcsvm", name, *said, data] if data.startswith("-") else ["mcsvm", name, data, *said]


def _arguments(request: Request, name: str) -> list[str]:
    said = [(option, value) for part in (request.read, request.rules, request) for option, value in differing(part)]
    unsayable = [option for option, _ in differing(request.rules) if not option.commands]
    if unsayable:
        raise InputError("the command line cannot say what to do with {what}", what=unsayable[0].title.lower())
    said.sort(key=lambda one: one[0].group == "machine")
    words = [word for option, value in said if name in option.commands for word in option.arguments(value)]
    if name == "train" and request.tested is not None:
        tested = request.tested
        words += [f"--holdout={tested.holdout!r}" if tested.test is None else f"--test={tested.test}", "--refit"]
    return words
