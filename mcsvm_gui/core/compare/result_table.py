"""A table as a value: what is sorted and copied beside what is printed. Windows show it, files and reports hold it.

Its own words are English sentences until `translated`; names of classes and runs are plain text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.i18n import worded

Sign = Literal["", "best", "wrong", "quiet", "solved", "close", "not solved"]


@dataclass(frozen=True)
class TableCell:
    """`value` is None where nothing is known; `heat` from -1 (all of it wrong) to 1 (all of it right)."""

    value: Any
    text: str
    sign: Sign = ""
    heat: float = 0.0
    tip: str = ""


@dataclass(frozen=True)
class Header:
    title: str
    number: bool = True
    machine: str = ""  # whose stroke stands before the title
    tip: str = ""
    term: str = ""  # under which the guide tells of it, where its title is a name


@dataclass(frozen=True)
class ResultTable:
    headings: tuple[Header, ...] = ()
    rows: tuple[tuple[TableCell, ...], ...] = ()
    keys: tuple[str, ...] = ()  # of each row a name for programs, where rows have one

    def plain(self, order: Sequence[int] | None = None) -> tuple[list[str], list[list[object]]]:
        """Names and values as they are, not as they are printed."""
        rows = self.rows if order is None else [self.rows[row] for row in order]
        return [heading.title for heading in self.headings], [[_plain(cell) for cell in row] for row in rows]


def text_cell(text: str, sign: Sign = "", tip: str = "") -> TableCell:
    return TableCell(text, text, sign, tip=tip)


def translated(table: ResultTable) -> ResultTable:
    """In the language of the moment."""
    headings = (
        replace(one, title=worded(one.title), tip=worded(one.tip), term=worded(one.term)) for one in table.headings
    )
    return replace(table, headings=tuple(headings), rows=tuple(tuple(map(_translated, row)) for row in table.rows))


def _translated(cell: TableCell) -> TableCell:
    """Hundreds of thousands may be names: they stay the same cells."""
    if not isinstance(cell.text, Sentence) and not isinstance(cell.tip, Sentence):
        return cell
    text = worded(cell.text)
    return replace(cell, text=text, value=text if cell.value is cell.text else cell.value, tip=worded(cell.tip))


def _plain(cell: TableCell) -> object:
    if cell.value is None:
        return ""
    return repr(cell.value) if isinstance(cell.value, float) else cell.value


def order_of(table: ResultTable, column: int, falling: bool) -> list[int]:
    """Numbers before words, words as people sort them; what is not known comes last in either direction."""
    values = [row[column].value for row in table.rows]
    known = [row for row, value in enumerate(values) if value is not None]
    numbers = [row for row in known if not isinstance(values[row], str)]
    texts = [row for row in known if isinstance(values[row], str)]
    numbers.sort(key=lambda row: values[row], reverse=falling)
    texts.sort(key=lambda row: values[row].casefold(), reverse=falling)
    ordered = [*texts, *numbers] if falling else [*numbers, *texts]
    return [*ordered, *(row for row, value in enumerate(values) if value is None)]
