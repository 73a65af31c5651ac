"""Split the bytes of a file into blocks of whole lines in UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mcsvm_gui.core.data.blocks.learned import Learned, ReadAgainError
from mcsvm_gui.core.data.dataset import Notice
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.readers.text import (
    MARKS,
    SEVERAL_BYTES,
    doubt,
    guessed,
    known_encoding,
    mixture,
    no_binary,
    undecodable,
)

BLOCK = 1 << 22  # smallest size of a block in bytes of text: 50 000 rows of ten columns
ROWS = 1000  # smallest number of lines: each column of a block of a wide table costs as much as some hundred rows


@dataclass(frozen=True)
class TextBlock:
    data: bytes  # UTF-8
    before: int  # lines of the file before these


def beginning(pieces: Iterator[bytes]) -> tuple[bytes, bool]:
    """Return as many bytes as a block has, and whether the file has no more."""
    found = bytearray()
    for piece in pieces:
        found += piece
        if len(found) > BLOCK:
            return bytes(found), False
    return bytes(found), True


def encoding_of(path: Path, start: bytes, options: ReadOptions, learned: Learned) -> str:
    if learned.encoding is not None:
        return learned.encoding
    if options.encoding is not None:
        return known_encoding(options.encoding)
    whole_lines = start[: start.rfind(b"\n") + 1] or start
    return guessed(Source(path, start if start.startswith(tuple(MARKS)) or b"\0" in start[:100] else whole_lines, ()))


def doubts(encoding: str, options: ReadOptions) -> tuple[Notice, ...]:
    return (doubt(encoding),) if encoding == "cp1252" and options.encoding is None else ()


def in_utf8(
    path: Path, pieces: Iterator[bytes], encoding: str, options: ReadOptions, learned: Learned
) -> Iterator[bytes]:
    """Yield chunks of text in UTF-8. Chunks that are in UTF-8 already are passed on, and checked block by block."""
    plain = encoding in ("utf-8", "utf-8-sig")
    decoder = None if plain else codecs.getincrementaldecoder(encoding)()
    lines = 0
    for number, piece in enumerate(pieces):
        if decoder is None:
            yield piece.removeprefix(codecs.BOM_UTF8) if number == 0 else piece
            continue
        if encoding == "cp1252" and options.encoding is None and (letters := SEVERAL_BYTES.search(piece)):
            raise mixture(path, *learned.not_utf8, letters[0])
        try:
            text = decoder.decode(piece)
        except UnicodeDecodeError as trouble:
            line = lines + trouble.object.count(b"\n", 0, trouble.start) + 1
            raise undecodable(path, trouble.object[trouble.start], encoding, line) from None
        lines += text.count("\n")
        yield text.encode("utf-8")
    if decoder is not None:
        yield decoder.decode(b"", final=True).encode("utf-8")


def blocks(
    path: Path, pieces: Iterator[bytes], quote: bytes, encoding: str, options: ReadOptions, learned: Learned
) -> Iterator[TextBlock]:
    """Yield blocks. Each ends at a line end outside quotation marks."""
    held, before, letters = bytearray(), 0, b""
    for piece in pieces:
        held += piece
        if len(held) < BLOCK or (end := _end(held, quote)) == 0:
            continue
        if max(held.count(b"\n", 0, end), held.count(b"\r", 0, end)) < ROWS:
            continue
        block = TextBlock(bytes(held[:end]), before)
        del held[:end]
        found = _check(path, block, letters, encoding, options, learned)
        letters = letters or found
        before += _lines(block.data)
        yield block
    if rest := bytes(held.removesuffix(b"\x1a")):  # the end-of-file mark of DOS
        block = TextBlock(rest, before)
        _check(path, block, letters, encoding, options, learned)
        yield block


def _lines(data: bytes) -> int:
    """Count the line ends; CR LF and lone CR are line ends too."""
    returns = data.count(b"\r")
    return data.count(b"\n") + (returns - data.count(b"\r\n") if returns else 0)


def _end(held: bytearray, quote: bytes) -> int:
    """Return the position after the last line end outside quotation marks; 0 if there is none."""
    end = b"\n" if held.find(b"\n") >= 0 else b"\r"
    last = held.rfind(end, 0, len(held) - 1) + 1  # CR may be half of CR LF
    if not quote or held.count(quote, 0, last) % 2 == 0:
        return last
    letters = np.frombuffer(bytes(held), np.uint8)
    ends, marks = np.flatnonzero(letters == end[0]), np.flatnonzero(letters == quote[0])
    outside = ends[np.searchsorted(marks, ends) % 2 == 0]
    return int(outside[-1]) + 1 if outside.size else 0


def _check(
    path: Path, block: TextBlock, letters: bytes, encoding: str, options: ReadOptions, learned: Learned
) -> bytes:
    """Return the first letters of several bytes in UTF-8. Other bytes are refused, or read again as Windows-1252."""
    data = block.data
    if block.before == 0 or b"\0" in data:
        no_binary(Source(path, data, ()), data, strictly=encoding == "cp1252")
    if data.isascii() or encoding not in ("utf-8", "utf-8-sig"):
        return b""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as trouble:
        byte, line = data[trouble.start], block.before + data.count(b"\n", 0, trouble.start) + 1
        if options.encoding is not None:
            raise undecodable(path, byte, encoding, line) from None
        if found := letters or _several_bytes(data):
            raise mixture(path, byte, line, found) from None
        learned.encoding, learned.not_utf8 = "cp1252", (byte, line)
        raise ReadAgainError from None
    return _several_bytes(data)


def _several_bytes(data: bytes) -> bytes:
    found = SEVERAL_BYTES.search(data)
    return found[0] if found else b""
