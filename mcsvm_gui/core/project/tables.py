"""Tables for other programs, as text."""

from __future__ import annotations

from collections.abc import Sequence

from mcsvm_gui.core.base.writing import safe_cell

BREAKS = str.maketrans("\t\r\n", "   ")


def tab_separated(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """What spreadsheets paste as cells: a cell has neither tabs nor line ends, and is no formula."""
    return "\n".join("\t".join(map(_cell, row)) for row in (names, *rows))


def _cell(value: object) -> str:
    return safe_cell(str(value).translate(BREAKS))
