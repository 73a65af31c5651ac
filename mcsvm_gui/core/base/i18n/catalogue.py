"""Read translation files of gettext (.po, written by people) and compile them to .mo files, which gettext reads.

https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html and MO-Files.html; `msgctxt` is not used.
"""

from __future__ import annotations

import re
import struct
from ast import literal_eval
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(r'(?:(msgid|msgid_plural|msgstr(?:\[\d+\])?) +)?("(?:[^"\\]|\\.)*")\s*')
_MAGIC = 0x950412DE


@dataclass(frozen=True)
class Message:
    template: str
    many: str = ""  # English for counts other than one; empty if the message has no count
    said: tuple[str, ...] = ("",)  # the translation: a single text, or one text for each plural form
    stale: bool = False  # the program no longer contains the message

    @property
    def translated(self) -> bool:
        return all(self.said) and not self.stale


def read(text: str) -> tuple[Message, ...]:
    """Return all messages.

    The header is the message with an empty template; a fuzzy message counts as not translated.
    """
    return tuple(message for block in re.split(r"\n\s*\n", text) for message in _message(block))


def _message(block: str) -> Iterator[Message]:
    lines = [line.strip() for line in block.splitlines()]
    stale = any(line.startswith("#~") for line in lines)
    fuzzy = any(line.startswith("#,") and "fuzzy" in line for line in lines)
    found: dict[str, str] = {}
    field = ""
    for line in (line.removeprefix("#~").strip() for line in lines):
        if line and not line.startswith("#"):
            match = _LINE.fullmatch(line)
            if match is None:
                raise ValueError(f"this is no line of a catalogue: {line}")
            field = match[1] or field
            found[field] = found.get(field, "") + literal_eval(match[2])
    if "msgid" in found:
        said = tuple(value for name, value in found.items() if name.startswith("msgstr"))
        yield Message(found["msgid"], found.get("msgid_plural", ""), said if not fuzzy else ("",) * len(said), stale)


def compiled(messages: Iterable[Message]) -> bytes:
    """Return the content of an .mo file; the messages are sorted, because gettext uses binary search."""
    pairs = {
        message.template + (f"\0{message.many}" if message.many else ""): "\0".join(message.said)
        for message in messages
        if message.translated
    }
    originals, translations = zip(*sorted((a.encode(), b.encode()) for a, b in pairs.items()), strict=True)
    count, tables, texts = len(originals), b"", b""
    start = 28 + 16 * count
    for text in (*originals, *translations):
        tables += struct.pack("<II", len(text), start + len(texts))
        texts += text + b"\0"
    return struct.pack("<7I", _MAGIC, 0, count, 28, 28 + 8 * count, 0, start) + tables + texts


def compile_all(source: Path, target: Path) -> tuple[Path, ...]:
    """Compile every catalogue of a folder into another folder. A build does this, so that no start has to."""
    made = []
    for path in sorted(source.glob("*.po")):
        made.append(target / f"{path.stem}.mo")
        made[-1].write_bytes(compiled(read(path.read_text("utf-8"))))
    return tuple(made)
