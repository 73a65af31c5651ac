"""Decode bytes: byte order marks, UTF-8, UTF-16 with and without a mark, else Windows-1252 with a notice."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data import formats
from mcsvm_gui.core.data.dataset import Guess, Notice
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import quoted
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.remedies import Remedy

MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins with the UTF-16 mark, so it must be tested first
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Letters in UTF-8 in normal text; the same bytes in Windows-1252 are a capital letter and a sign.
SEVERAL_BYTES = re.compile(rb"(?:[\xc3-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2})+")
_BEGINNING = 1 << 18  # bytes
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a"))


@dataclass(frozen=True)
class Text:
    """The file as UTF-8 without a mark; line breaks are unchanged."""

    source: Source
    data: bytes
    guesses: tuple[Guess, ...] = ()
    notices: tuple[Notice, ...] = ()


def beginning(source: Source) -> bytes:
    """Return enough of the content to recognize the format; NUL bytes of UTF-16 are removed."""
    start = source.data[:_BEGINNING]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in start[:100]:
        return start.replace(b"\0", b"").lstrip(b"\xff\xfe")
    return start.removeprefix(b"\xef\xbb\xbf")


def decode(source: Source, options: ReadOptions) -> Text:
    data = source.data
    if options.encoding is None and data.isascii() and b"\0" not in data:
        return Text(source, no_binary(source, data))
    encoding = guessed(source) if options.encoding is None else known_encoding(options.encoding)
    text = no_binary(source, _decoded(source, data, encoding), strictly=encoding == "cp1252")
    if options.encoding is not None:
        return Text(source, text)
    notices = (doubt(encoding),) if encoding == "cp1252" else ()
    return Text(source, text, (Guess("encoding", encoding.removesuffix("-sig"), "--encoding"),), notices)


def doubt(encoding: str) -> Notice:
    sentence = Sentence(
        "the text is not UTF-8 and was read as {known}; if letters look wrong, {encoding}",
        known=encoding,
        encoding=Remedy("encoding", verb="say"),
    )
    return Notice("encoding-guessed", sentence)


def known_encoding(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, ValueError):
        raise FileError(
            "--encoding", "{encoding!r} is not known; for example utf-8, utf-16 or cp1252", encoding=encoding
        ) from None
    # utf-8 would leave the mark in the first column's name.
    return "utf-8-sig" if name == "utf-8" else name


def guessed(source: Source) -> str:
    data = source.data
    for mark, encoding in MARKS.items():
        if data.startswith(mark):
            return encoding
    nothing = data[: 1 << 16]
    if b"\0" in nothing and len(data) % 2 == 0:
        even, odd = nothing[::2].count(0), nothing[1::2].count(0)
        if min(even, odd) == 0 and max(even, odd) > len(nothing) // 4:
            return "utf-16-be" if even else "utf-16-le"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as trouble:
        _refuse_mixture(source, trouble.start)
        return "cp1252"
    return "utf-8"


def _refuse_mixture(source: Source, wrong: int) -> None:
    """Refuse UTF-8 with a few other bytes: read as Windows-1252, one name would become two."""
    no_binary(source, source.data, strictly=True)
    found = SEVERAL_BYTES.search(source.data)
    if found is not None:
        raise mixture(source.path, source.data[wrong], source.data.count(b"\n", 0, wrong) + 1, found[0])


def mixture(path: Path, byte: int, line: int, letters: bytes) -> FileError:
    return FileError(
        path,
        "byte 0x{byte:02x} is not UTF-8, while other letters are ({letters});"
        " save the file in one encoding, or {encoding}",
        byte=byte,
        letters=quoted(letters.decode("utf-8", "replace")),
        encoding=Remedy("encoding", verb="say"),
        line=line,
    )


def _decoded(source: Source, data: bytes, encoding: str) -> bytes:
    if encoding == "utf-8":
        return data  # `guessed` has decoded it already
    try:
        return data.decode(encoding).encode("utf-8")
    except UnicodeDecodeError as trouble:
        if encoding == "cp1252":
            no_binary(source, data, strictly=True)
        line = data.count(b"\n", 0, trouble.start) + 1
        raise undecodable(source.path, data[trouble.start], encoding, line) from None
    except UnicodeError as trouble:
        raise FileError(
            source.path,
            "the text is not {known}: {reason}; {encoding}, or save as UTF-8",
            known=encoding,
            reason=trouble,
            encoding=Remedy("encoding", verb="say"),
        ) from None


def undecodable(path: Path, byte: int, encoding: str, line: int) -> FileError:
    return FileError(
        path,
        "byte 0x{byte:02x} is not {known}; {encoding}, or save as UTF-8",
        byte=byte,
        known=encoding.removesuffix("-sig"),
        encoding=Remedy("encoding", verb="say"),
        line=line,
    )


def no_binary(source: Source, data: bytes, *, strictly: bool = False) -> bytes:
    """Refuse data that are not text: with NUL, or with many control characters; with any if the encoding is a guess."""
    data = data.removesuffix(b"\x1a")  # the end-of-file mark of DOS
    sample = data[: 1 << 16]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if b"\0" in data or controls > (0 if strictly else len(sample) // 20):
        raise FileError(
            source.path, "not a text file, and none of the formats that are read: {formats}", formats=formats.titles()
        )
    return data
