"""Tables whose cells have types (null, number, text), row by row; and the choice of a table in a file with several."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Guess, Notice
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import names, quoted
from mcsvm_gui.core.data.readers import roles
from mcsvm_gui.core.data.readers.assemble import Raw, assemble
from mcsvm_gui.core.data.readers.declared import Declared
from mcsvm_gui.core.data.readers.header import column_names
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.remedies import Remedy

Cell = str | int | float | bool | None


def read_rows(
    source: Source,
    name: str,
    given: Sequence[str],
    cells: Sequence[Sequence[Cell] | np.ndarray],
    lines: np.ndarray,
    declared: Declared,
    options: ReadOptions,
    *,
    needs_label: bool,
    guesses: tuple[Guess, ...] = (),
    notices: tuple[Notice, ...] = (),
) -> Dataset:
    """Build a data set. `cells`: a sequence per column, or an array of numbers or of text."""
    columns, naming = column_names(given, len(given))
    if len(columns) < 2 and needs_label:
        raise FileError(source.path, "only one column was found, where a label and a feature are needed")
    chosen = roles.choose(source.path, columns, given, options, declared, needs_label=needs_label)
    raw = Raw(
        source,
        name,
        columns,
        lambda j: _texts(cells[j]) if j in chosen.spelled else _typed(cells[j]),
        chosen,
        lines,
        guesses=guesses,
        notices=(*notices, *naming, *declared.notices(columns, chosen.taken)),
        dropped=chosen.dropped,
        categories=declared.categories,
    )
    return assemble(raw, needs_label=needs_label)


def _typed(cells: Sequence[Cell] | np.ndarray) -> np.ndarray:
    """Return numbers if all cells are numbers or missing, and none is a truth value; else text."""
    if isinstance(cells, np.ndarray):
        return cells
    if all(cell is None or type(cell) in (int, float) for cell in cells):
        return np.array([np.nan if cell is None else _number(cell) for cell in cells], dtype=np.float64)
    return _texts(cells)


def _number(cell: Cell) -> float:
    try:
        return float(cell)  # type: ignore[arg-type]
    except OverflowError:
        return np.inf


def _texts(cells: Sequence[Cell] | np.ndarray) -> np.ndarray:
    cells = cells.tolist() if isinstance(cells, np.ndarray) else cells
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [cell if cell is None or isinstance(cell, str) else repr(cell) for cell in cells]
    return texts


def choose_table(
    source: Source, tables: Sequence[str], options: ReadOptions
) -> tuple[str, tuple[Guess, ...], tuple[Notice, ...]]:
    """Return the requested table, or the first one, which is a guess if there are several."""
    wanted = options.table
    if wanted is not None:
        exact = [name for name in tables if name == wanted]
        found = exact or [name for name in tables if name.casefold() == wanted.casefold()]
        if not found:
            raise FileError(
                source.path,
                "there is no table {name}; there are {tables}",
                name=quoted(wanted),
                tables=names(tables, 12),
            )
        return found[0], (), ()
    first, *others = tables
    if not others:
        return first, (), ()
    sentence = Sentence(
        "the file has {count} tables; {name} is read, not {others}; for another, {table}",
        count=len(tables),
        name=quoted(first),
        others=names(others),
        table=Remedy("table", verb="say"),
    )
    return first, (Guess("table", first, "--table"),), (Notice("several-tables", sentence),)
