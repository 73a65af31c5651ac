"""ICU's tables without the languages and encodings that the window does not speak: 4 MB in place of 32.

Qt for Linux loads ICU to sort words and to change case. The tables are one library, libicudata, with one symbol that
holds a package of named items (ICU, tools/toolutil/package.cpp): a header, the number of items, the place of each name
and of each item, the names, the items. A language that has no item falls back to the root, as ICU always does.
"""

from __future__ import annotations

import re
import struct
import subprocess
import tempfile
from pathlib import Path

LANGUAGES = "en", "de"
DROPPED = re.compile(
    r"\.cnv$|/translit/|/(?:brkitr|rbnf|unit|curr|zone|lang|region)/(?!root\.res|pool\.res|res_index\.res)"
)
OF_A_LANGUAGE = re.compile(r"/(?P<language>[a-z]{2,3})(?:_\w+)?\.res$")
ALIGNMENT = 16


def trim(library: Path) -> None:
    """The same library with fewer items, in its place."""
    data, symbol = tables(library)
    header, items = unpack(data)
    kept = {name: item for name, item in items.items() if is_kept(name)}
    link(pack(header, kept), symbol, library)


def is_kept(name: str) -> bool:
    found = OF_A_LANGUAGE.search(name)
    foreign = found is not None and found["language"] not in LANGUAGES
    return not foreign and DROPPED.search(name) is None


# -- the package ----------------------------------------------------------------------------------


def unpack(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Its header and its items; an item ends where the next one begins."""
    size = struct.unpack_from("<H", data)[0]
    if data[2:4] != b"\xda\x27" or data[12:16] != b"CmnD":
        raise ValueError("these are no tables of ICU")
    body = data[size:]
    count = struct.unpack_from("<I", body)[0]
    places = list(struct.iter_unpack("<II", body[4 : 4 + 8 * count]))
    ends = [start for _, start in places[1:]] + [len(body)]
    names = [body[at : body.index(b"\0", at)].decode("ascii") for at, _ in places]
    return data[:size], {name: body[start:end] for name, (_, start), end in zip(names, places, ends, strict=True)}


def pack(header: bytes, items: dict[str, bytes]) -> bytes:
    """Items in the order of their names, by which ICU searches them."""
    ordered = sorted((name.encode("ascii"), item) for name, item in items.items())
    names_at = 4 + 8 * len(ordered)
    names = b"".join(name + b"\0" for name, _ in ordered)
    content, table, name_at = b"", b"", names_at
    start = aligned(len(header) + names_at + len(names)) - len(header)
    for name, item in ordered:
        table += struct.pack("<II", name_at, start + len(content))
        name_at += len(name) + 1
        content += item + bytes(aligned(len(item)) - len(item))
    body = struct.pack("<I", len(ordered)) + table + names
    return header + body + bytes(start - len(body)) + content


def aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


# -- the library ----------------------------------------------------------------------------------


def tables(library: Path) -> tuple[bytes, str]:
    """What its one symbol holds, and the symbol's name. In this library, addresses are places in the file."""
    told = subprocess.run(["readelf", "-sW", str(library)], check=True, capture_output=True, text=True).stdout
    found = re.search(r"([0-9a-f]{16})\s+(\w+) OBJECT\s+GLOBAL DEFAULT\s+\d+ (icudt\d+_dat)$", told, re.MULTILINE)
    if found is None:
        raise ValueError(f"{library} has no tables of ICU")
    start = int(found[1], 16)
    return library.read_bytes()[start : start + int(found[2], 0)], found[3]


def link(data: bytes, symbol: str, library: Path) -> None:
    """A shared library of the same name with that symbol alone."""
    with tempfile.TemporaryDirectory() as folder:
        content, source, piece = (Path(folder) / name for name in ("tables.dat", "tables.s", "tables.o"))
        content.write_bytes(data)
        source.write_text(
            f".section .rodata\n.balign {ALIGNMENT}\n.globl {symbol}\n.type {symbol}, %object\n{symbol}:\n"
            f'.incbin "{content.name}"\n.size {symbol}, . - {symbol}\n.section .note.GNU-stack,"",%progbits\n'
        )
        subprocess.run(["as", "-o", piece.name, source.name], check=True, cwd=folder)
        options = ["-shared", "-soname", library.name, "--build-id=none", "--strip-all", "-z", "noexecstack"]
        subprocess.run(["ld", *options, "-o", library.name, piece.name], check=True, cwd=folder)
        library.write_bytes((Path(folder) / library.name).read_bytes())
