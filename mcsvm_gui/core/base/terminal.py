"""Write to the terminal. All output of the command line goes through this module.

Names of classes, columns and files come from untrusted input. A terminal obeys control characters in them: colours, a
title, a cleared screen, text in another order. This module writes them as visible escapes. Files keep the original
names, and JSON has its own escapes.
"""

from __future__ import annotations

import codecs
import os
import re
import sys
from typing import IO, TextIO

CHUNK = 1 << 20  # bytes
# Control characters, separators of lines and paragraphs, halves of surrogate pairs, and all format characters of
# Unicode 15 (category Cf), among them those that change the order of text.
_FORMATS = (
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001"
    "\U000e0020-\U000e007f"
)
_HIDDEN = re.compile(f"[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{_FORMATS}]")


def visible(text: str) -> str:
    """Replace characters that a terminal would obey, or not show, by Python escapes."""
    return _HIDDEN.sub(_escape_match, text)


def _escape_match(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def say(*lines: str, flush: bool = False) -> None:
    """Write lines to standard output. A line break inside a line belongs to a name, and is escaped."""
    print("\n".join(map(visible, lines)), flush=flush)


def say_json(text: str, end: str = "\n") -> None:
    """Write JSON text, or a part of it; it contains only ASCII."""
    print(text, end=end)


def say_table(stream: IO[bytes]) -> None:
    """Copy a table in UTF-8 to standard output. A file or a program receives it as it is, a terminal with escapes."""
    stream.seek(0)
    decode = codecs.getincrementaldecoder("utf-8")().decode
    shown = _lines if sys.stdout.isatty() else str
    while chunk := stream.read(CHUNK):
        sys.stdout.write(shown(decode(chunk)))


def _lines(text: str) -> str:
    return "\n".join(map(visible, text.split("\n")))


def say_beside(*lines: str) -> None:
    """Write lines to standard error. If it cannot be written, the program continues without them."""
    try:
        print("\n".join(map(visible, lines)), file=sys.stderr, flush=True)
    except OSError:
        lose(sys.stderr)


def lose(stream: TextIO) -> None:
    """Redirect a stream that cannot be written to the null device, because Python flushes it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
