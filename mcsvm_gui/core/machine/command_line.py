"""The command that trains what a request asks for, to be copied into a shell."""

from __future__ import annotations

import json
import math
import os
import shlex
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.request import Request

POWERS = "C", "gamma"  # people think of these as powers of two
MACHINE = (
    *("machine", "solver", "kernel", "C", "gamma", "degree", "coef0", "margin", "bias", "class_weight"),
    *("tol", "gap_tol", "max_iter", "time_limit", "cache_mb", "threads", "seed"),
)
READ = "label", "format", "header", "separator", "decimal", "encoding"


def command(request: Request) -> str:
    """`mcsvm train ...`, quoted for the shell of this system."""
    return quoted(words(request))


def quoted(words: list[str]) -> str:
    return " ".join(map(_for_windows, words)) if os.name == "nt" else shlex.join(words)


def _for_windows(word: str) -> str:
    """cmd.exe takes ^ and its like for its own, unless they are in quotation marks."""
    line = subprocess.list2cmdline([word])
    return f'"{line}"' if set(word) & set("^&|<>()%") and not line.startswith('"') else line


def words(request: Request) -> list[str]:
    """Only what differs from the defaults, with all digits. Parsing it gives the request again, but for its digest."""
    from mcsvm_gui.core.data.preparation.rules import Rules
    from solvers.errors import InputError

    if request.rules != replace(Rules(), scale=request.rules.scale, missing=request.rules.missing):
        raise InputError("the command line cannot say what to do with unknown levels")
    data = "DATA" if request.data is None else request.data
    options = [*_options(request), *(["--"] if data.startswith("-") else [])]
    return ["mcsvm", "train", *options, data] if data.startswith("-") else ["mcsvm", "train", data, *options]


def _options(request: Request) -> list[str]:
    plain = type(request)()
    said = [
        *_differing(request.read, plain.read, READ),
        *_differing(request.rules, plain.rules, ("missing", "scale")),
        *_differing(request, plain, ("test", "holdout")),
        *_differing(request, plain, MACHINE),
    ]
    result: list[str] = []
    for name, value in said:
        option, text = f"--{name.replace('_', '-')}", written(value, powers=name in POWERS)
        result += [f"{option}={text}"] if text.startswith("-") else [option, text]  # else taken for an option
    return result


def _differing(values: Any, defaults: Any, names: tuple[str, ...]) -> list[tuple[str, Any]]:
    return [(name, getattr(values, name)) for name in names if getattr(values, name) != getattr(defaults, name)]


def written(value: Any, *, powers: bool = False) -> str:
    """A value as it is typed: 0.1, 2^-3, 1000, or JSON for class weights."""
    if isinstance(value, tuple):
        return json.dumps(dict(value), ensure_ascii=False)
    if not isinstance(value, float):
        return str(value)
    mantissa, exponent = math.frexp(value)
    if powers and mantissa == 0.5 and value not in (1.0, 2.0):
        return f"2^{exponent - 1}"
    return repr(value).removesuffix(".0")
