"""Parquet through pandas and pyarrow: columns have types, so this module only decides the meaning of the types."""

from __future__ import annotations

import datetime
import io
from decimal import Decimal

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.files.compression import memory
from mcsvm_gui.core.data.files.optional import read_undamaged, require_package
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import quoted
from mcsvm_gui.core.data.readers import roles
from mcsvm_gui.core.data.readers.assemble import Raw, assemble
from mcsvm_gui.core.data.readers.header import column_names
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.remedies import OptionWords

NAME = "parquet"
OPTIONS = *roles.OPTIONS, "format"


def recognizes(source: Source, options: ReadOptions) -> bool:
    return source.data.startswith(b"PAR1")


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    if not recognizes(source, options):
        raise FileError(
            source.path,
            "this is no Parquet file; leave {format} out, or name the right one",
            format=OptionWords("format"),
        )
    require_package(source, NAME)
    frame = read_undamaged(source, Sentence("Parquet file"), lambda: _frame(source))
    given = [str(name) for name in frame.columns]
    columns, notices = column_names(given, len(given))
    chosen = roles.choose(source.path, columns, given, options, needs_label=needs_label)
    cells = [frame.iloc[:, j] for j in range(len(given))]
    unused = set(chosen.dropped) | chosen.spelled
    found = [_words(held) if j in unused else _typed(source, columns[j], held) for j, held in enumerate(cells)]
    raw = Raw(
        source,
        NAME,
        columns,
        lambda j: found[j],
        chosen,
        np.arange(1, len(frame) + 1),
        notices=tuple(notices),
        dropped=chosen.dropped,
        categories=frozenset(j for j, held in enumerate(found) if held.dtype == object and not _are_dates(cells[j])),
    )
    return assemble(raw, needs_label=needs_label)


def _frame(source: Source) -> pd.DataFrame:
    from pyarrow.parquet import ParquetFile

    file = ParquetFile(io.BytesIO(source.data))
    if file.metadata.num_rows * file.metadata.num_columns * 8 > memory() // 4:
        raise FileError(
            source.path, "the table would take more than a quarter of this machine's memory; take a part of it"
        )
    frame = pd.read_parquet(io.BytesIO(source.data), engine="pyarrow")
    return frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()


def _typed(source: Source, name: str, held: pd.Series) -> np.ndarray:
    kind = held.dtype
    if pd.api.types.is_bool_dtype(kind) or isinstance(kind, pd.CategoricalDtype):
        return _words(held)
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind):
        return held.to_numpy(dtype=np.float64, na_value=np.nan)
    present = held.dropna()
    if _are_dates(held):
        return _words(held)
    if all(isinstance(cell, str | bool) for cell in present):
        return _words(held)
    if all(isinstance(cell, int | float | Decimal) for cell in present):
        return held.astype(np.float64).to_numpy()
    raise FileError(
        source.path,
        "column {name} holds {kind}, where numbers or text are needed;"
        " write dates as numbers and leave nested columns out",
        name=quoted(name),
        kind=str(kind),
        column=name,
    )


def _are_dates(held: pd.Series) -> bool:
    if pd.api.types.is_datetime64_any_dtype(held.dtype):
        return bool(held.notna().any())
    present = held.dropna()
    return bool(len(present)) and all(isinstance(cell, datetime.date) for cell in present)


def _words(held: pd.Series) -> np.ndarray:
    """Return the cells as text or None. Integers that became floats next to missing cells are integers again."""
    words = np.empty(len(held), dtype=object)
    words[:] = [None if missing else str(cell) for cell, missing in zip(held, held.isna(), strict=True)]
    return words
