"""Excel workbooks through pandas and openpyxl: the requested sheet, or the first one that is not empty."""

from __future__ import annotations

import datetime
import hashlib
import io
import zipfile
from collections.abc import Hashable
from dataclasses import replace

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base import library_warnings
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Guess
from mcsvm_gui.core.data.files.compression import is_workbook, memory
from mcsvm_gui.core.data.files.optional import read_undamaged, require_package
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import roles
from mcsvm_gui.core.data.readers.assemble import Raw, assemble
from mcsvm_gui.core.data.readers.formats.preamble import skipped_rows
from mcsvm_gui.core.data.readers.header import column_names, looks_like_header
from mcsvm_gui.core.data.readers.rows import choose_table
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.remedies import OptionWords

NAME = "xlsx"
OPTIONS = *roles.OPTIONS, "table", "format", "skip_lines", "header"


def recognizes(source: Source, options: ReadOptions) -> bool:
    return is_workbook(source.data)


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    if not recognizes(source, options):
        raise FileError(
            source.path,
            "this is no .xlsx workbook; leave {format} out, or name the right one",
            format=OptionWords("format"),
        )
    require_package(source, NAME)
    library_warnings.drop_openpyxl()
    sheets = read_undamaged(source, Sentence("Excel workbook"), lambda: _sheets(source))
    held = {str(name): grid for name, grid in sheets.items() if not grid.isna().all(axis=None)}
    if not held:
        raise FileError(source.path, "no sheet of the workbook holds anything")
    name, guessed, notices = choose_table(source, list(held), options)
    grid = held[name]
    texts = [[_text(cell) for cell in row] for row in grid.to_numpy(dtype=object)]
    filled = [j for j, row in enumerate(texts) if any(cell is not None for cell in row)]
    above, skipping, skipped = skipped_rows(source, texts, filled, options)
    filled = filled[above:]
    header, guesses = _header([texts[j] for j in filled], options)
    rows = filled[header is not None :]
    columns, naming = column_names(header, grid.shape[1])
    given = columns if header is None else header
    chosen = roles.choose(source.path, columns, given, options, needs_label=needs_label)
    empty = [
        j for j in range(grid.shape[1]) if (header is None or not header[j]) and all(texts[r][j] is None for r in rows)
    ]

    def column(position: int) -> np.ndarray:
        cells = np.empty(len(rows), dtype=object)
        cells[:] = [texts[row][position] for row in rows]
        return cells

    raw = Raw(
        source,
        NAME,
        columns,
        column,
        chosen,
        np.array(rows, dtype=np.int64) + 1,
        guesses=(*guessed, *skipping, *guesses),
        notices=(*notices, *skipped, *naming),
        dropped=(*empty, *chosen.dropped),
    )
    return replace(assemble(raw, needs_label=needs_label), tables=tuple(held), digest=_digest(source, options))


def _digest(source: Source, options: ReadOptions) -> str:
    """Return the digest of the source, which differs between sheets of one workbook."""
    said = "" if options.table is None else hashlib.sha256(options.table.encode()).hexdigest()
    return source.digest if not said else hashlib.sha256(f"{source.digest}{said}".encode()).hexdigest()


def _sheets(source: Source) -> dict[Hashable, pd.DataFrame]:
    with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        if sum(member.file_size for member in archive.infolist()) > memory() // 16:
            raise FileError(source.path, "the workbook is too large to be read into memory; save the sheet as CSV")
    sheets = pd.read_excel(
        io.BytesIO(source.data),
        sheet_name=None,
        header=None,
        dtype=object,
        keep_default_na=False,
        na_values=[""],
        engine="openpyxl",
    )
    return dict(sheets)


def _header(rows: list[list[str | None]], options: ReadOptions) -> tuple[list[str] | None, tuple[Guess, ...]]:
    words = [[cell or "" for cell in row] for row in rows[:200]]
    if options.header != "auto":
        return (words[0] if options.header == "yes" else None), ()
    found = looks_like_header(words[0], words[1:], ".")
    return words[0] if found else None, (Guess("header", "yes" if found else "no", "--header"),)


def _text(cell: object) -> str | None:
    """Return the text that a CSV file would have for this cell."""
    if cell is None or cell is pd.NaT or (isinstance(cell, float) and np.isnan(cell)):
        return None
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return repr(cell) if isinstance(cell, float) else str(cell)
