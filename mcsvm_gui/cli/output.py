"""Write the output of commands: documents and results to standard output, warnings to standard error.

With --quiet, standard output holds only requested output: a document, or predictions.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any

from mcsvm_gui.core.base.terminal import say, say_beside, say_json, say_table
from mcsvm_gui.core.check.finding import Finding
from mcsvm_gui.core.data.dataset import Notice

SCHEMA = 1  # of --json documents: raised if an entry changes its meaning or is removed, not for new entries


def show(
    options: argparse.Namespace, document: Callable[[], dict[str, Any]], lines: Callable[[], Iterable[str]]
) -> None:
    """Write the result to standard output: its document if --json asks for it, else its lines unless --quiet."""
    if options.json:
        show_json(document())
    elif not options.quiet:
        say(*lines())


def json_text(document: Any) -> str:
    """Write JSON. It has no infinity: a number that is not finite, such as the loss of a sure error, becomes null."""
    try:
        return json.dumps(document, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(document), allow_nan=False)


def _finite(document: Any) -> Any:
    if isinstance(document, Mapping):
        return {name: _finite(value) for name, value in document.items()}
    if isinstance(document, list | tuple):
        return [_finite(value) for value in document]
    return None if isinstance(document, float) and not math.isfinite(document) else document


def show_json(document: Mapping[str, Any]) -> None:
    say_json(json_text({"schema": SCHEMA, **document}))


def extend_json(stream: IO[bytes], items: list[Any]) -> None:
    """Write further items of a list that `show_long_json` puts brackets around."""
    if items:
        start = ", " if stream.tell() else ""
        stream.write(f"{start}{json_text(items)[1:-1]}".encode())


def show_long_json(document: dict[str, Any], lists: Mapping[str, IO[bytes]]) -> None:
    """Write a document as `show_json` does, with lists that are too long for memory."""
    start = "{"
    for name, value in {"schema": SCHEMA, **document}.items():
        say_json(f"{start}{json.dumps(name)}: ", end="")
        if name in lists:
            say_json("[", end="")
            say_table(lists[name])
            say_json("]", end="")
        else:
            say_json(json_text(value), end="")
        start = ", "
    say_json("}")


def warn(options: argparse.Namespace, notices: Iterable[Notice]) -> None:
    """Write notices to standard error, unless they are in the document or --quiet is given."""
    if not (options.json or options.quiet):
        _warn(dict.fromkeys(notice.sentence for notice in notices))


def warn_beside(options: argparse.Namespace, sentences: Iterable[str]) -> None:
    """Write sentences to standard error if the result is a document, which does not contain them."""
    if options.json and not options.quiet:
        _warn(sentences)


def _warn(sentences: Iterable[object]) -> None:
    for sentence in sentences:
        say_beside(f"warning: {sentence}")


def findings(found: Iterable[Finding]) -> list[str]:
    """Return one line for each finding, in the form of the window's lists."""
    told = [one.document() for one in found]
    return [f"{one['code']}: {one['title']} ({one['where']}). {one['what']} To do: {one['do']}" for one in told]


def plural(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
