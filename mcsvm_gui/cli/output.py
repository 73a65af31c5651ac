"""What commands say, and where: documents and results on standard output, warnings on standard error."""

from __future__ import annotations

import argparse
import codecs
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any

from mcsvm_gui.core.check.finding import Finding
from mcsvm_gui.core.data.dataset import Notice


def show(
    options: argparse.Namespace, document: Callable[[], dict[str, Any]], lines: Callable[[], Iterable[str]]
) -> None:
    """The result on standard output: its document where --json asks for it, else its lines."""
    if options.json:
        show_json(document())
    else:
        print("\n".join(lines()))


def show_json(document: dict[str, Any]) -> None:
    print(json.dumps(document, allow_nan=False))


def extend_json(stream: IO[bytes], items: list[Any]) -> None:
    """Further items of a list that `show_long_json` puts brackets around."""
    if items:
        start = ", " if stream.tell() else ""
        stream.write(f"{start}{json.dumps(items, allow_nan=False)[1:-1]}".encode())


def show_long_json(document: dict[str, Any], lists: Mapping[str, IO[bytes]]) -> None:
    """As `show_json`, with lists that are too long to be held."""
    start = "{"
    for name, value in document.items():
        print(f"{start}{json.dumps(name)}: ", end="")
        if name in lists:
            print(end="[")
            copy_text(lists[name])
            print(end="]")
        else:
            print(json.dumps(value, allow_nan=False), end="")
        start = ", "
    print("}")


def copy_text(stream: IO[bytes]) -> None:
    """UTF-8, from its start, to standard output."""
    stream.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    while piece := stream.read(1 << 20):
        sys.stdout.write(decoder.decode(piece))


def warn(options: argparse.Namespace, notices: Iterable[Notice]) -> None:
    """In words on standard error, unless they are in the document or nobody wants them."""
    if not (options.json or options.quiet):
        _warn(dict.fromkeys(notice.sentence for notice in notices))


def warn_beside(options: argparse.Namespace, found: Iterable[Finding]) -> None:
    """On standard error, beside a document that does not have them: lines of text do."""
    if options.json and not options.quiet:
        _warn(findings(found))


def _warn(sentences: Iterable[object]) -> None:
    for sentence in sentences:
        print(f"warning: {sentence}", file=sys.stderr)


def findings(found: Iterable[Finding]) -> list[str]:
    """A line for each, as lists of the window have it."""
    told = [one.document() for one in found]
    return [f"{one['code']}: {one['title']} ({one['where']}). {one['what']} To do: {one['do']}" for one in told]


def plural(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
