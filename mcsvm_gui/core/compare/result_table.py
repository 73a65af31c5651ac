"""A table as a value: each cell has a value, which is sorted and copied, and a text. Windows and reports show it.

Its own words are English sentences until `translated` is called; names of classes and runs are plain text.
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
    """`value` is None if it is unknown; `heat` ranges from -1 (all wrong) to 1 (all right)."""

    value: Any
    text: str
    sign: Sign = ""
    heat: float = 0.0
    tip: str = ""


@dataclass(frozen=True)
class Header:
    title: str
    number: bool = True
    machine: str = ""  # the machine whose line style is shown before the title
    tip: str = ""
    term: str = ""  # the term that the guide explains, if the title is a name


@dataclass(frozen=True)
class ResultTable:
    headings: tuple[Header, ...] = ()
    rows: tuple[tuple[TableCell, ...], ...] = ()
    keys: tuple[str, ...] = ()  # a name of each row for programs, if rows have names

    def plain(self, order: Sequence[int] | None = None) -> tuple[list[str], list[list[object]]]:
        """Return the column names and the values, not their printed texts."""
        rows = self.rows if order is None else [self.rows[row] for row in order]
        return [heading.title for heading in self.headings], [[_plain(cell) for cell in row] for row in rows]


def text_cell(text: str, sign: Sign = "", tip: str = "") -> TableCell:
    return TableCell(text, text, sign, tip=tip)


def translated(table: ResultTable) -> ResultTable:
    """Translate the texts of a table into the current language."""
    headings = (
        replace(one, title=worded(one.title), tip=worded(one.tip), term=worded(one.term)) for one in table.headings
    )
    return replace(table, headings=tuple(headings), rows=tuple(tuple(map(_translated, row)) for row in table.rows))


def _translated(cell: TableCell) -> TableCell:
    """Translate a cell. Hundreds of thousands of cells may be names: these stay the same objects."""
    if not isinstance(cell.text, Sentence) and not isinstance(cell.tip, Sentence):
        return cell
    text = worded(cell.text)
    return replace(cell, text=text, value=text if cell.value is cell.text else cell.value, tip=worded(cell.tip))


def _plain(cell: TableCell) -> object:
    if cell.value is None:
        return ""
    return repr(cell.value) if isinstance(cell.value, float) else cell.value


def order_of(table: ResultTable, column: int, falling: bool) -> list[int]:
    """Return the order of rows: numbers before texts, texts without regard to case, unknown values always last."""
    values = [row[column].value for row in table.rows]
    known = [row for row, value in enumerate(values) if value is not None]
    numbers = [row for row in known if not isinstance(values[row], str)]
    texts = [row for row in known if isinstance(values[row], str)]
    numbers.sort(key=lambda row: values[row], reverse=falling)
    texts.sort(key=lambda row: values[row].casefold(), reverse=falling)
    ordered = [*texts, *numbers] if falling else [*numbers, *texts]
    return [*ordered, *(row for row, value in enumerate(values) if value is None)]
