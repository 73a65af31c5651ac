"""The blocks of a report, independent of its format. Texts are plain and untrusted: every format escapes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from mcsvm_gui.core.base.i18n import tr

LONGEST = 80  # characters of a name in a table; the full name is at the end of the report
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
_DIRECTIONS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Drawable(Protocol):
    """A figure as plain numbers; `draw` needs matplotlib."""

    @property
    def size(self) -> tuple[float, float]:
        """The width and height in inches."""
        ...

    def draw(self, axes: Any) -> None: ...


@dataclass(frozen=True)
class Heading:
    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    text: str
    kind: str = ""  # solved, close, not solved: the block begins with this badge

    @property
    def lines(self) -> list[str]:
        """The lines that are not blank."""
        return [line for line in clean(self.text).splitlines() if line.strip()]


@dataclass(frozen=True)
class Properties:
    """Names and values."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Table:
    """A table; `numbers` are the right-aligned columns, `best` and `shade` have (row, column) places."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    numbers: frozenset[int] = frozenset()
    best: frozenset[tuple[int, int]] = frozenset()
    shade: Mapping[tuple[int, int], float] = field(default_factory=dict)  # 0 to 1

    def texts(self, cell: Callable[[str], str], best: Callable[[str], str]) -> list[tuple[str, ...]]:
        """Return the rows, with each cell as a format writes it."""
        return [
            tuple((best if (row, column) in self.best else cell)(text) for column, text in enumerate(cells))
            for row, cells in enumerate(self.rows)
        ]


@dataclass(frozen=True)
class Figure:
    plot: Drawable
    caption: str


@dataclass(frozen=True)
class Code:
    """Text to be copied: never shortened."""

    text: str


Block: TypeAlias = Heading | Paragraph | Properties | Table | Figure | Code


@dataclass(frozen=True)
class Report:
    title: str
    made: str  # when and by which program
    blocks: tuple[Block, ...]
    document: Mapping[str, Any]  # the same content as JSON

    @property
    def figures(self) -> list[Figure]:
        return [block for block in self.blocks if isinstance(block, Figure)]


def clean(text: object) -> str:
    """Return text that every format can hold: control and half characters become a visible mark."""
    return _CONTROLS.sub("\ufffd", str(text))


def one_line(text: object) -> str:
    return " ".join(clean(text).split())


def shortened(text: object, longest: int = LONGEST) -> str:
    """Return one line of text, shortened for a cell."""
    line = one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1]}\u2026"


def undirected(text: str) -> str:
    """Remove direction marks, which would turn the following text in a format that does not isolate texts."""
    return _DIRECTIONS.sub("", text)


def full_names(names: Sequence[str]) -> tuple[Block, ...]:
    """Return the full names that tables show shortened."""
    long = [name for name in dict.fromkeys(names) if shortened(name) != one_line(name)]
    return (Heading(tr("Names in full")), *(Code(one_line(name)) for name in long)) if long else ()
