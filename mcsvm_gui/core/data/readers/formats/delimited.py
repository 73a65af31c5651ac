"""CSV, TSV and columns aligned with blanks."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.work import WORTH, limited, spread
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Guess, Notice, NoticeTally
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import Lines, places
from mcsvm_gui.core.data.readers import roles
from mcsvm_gui.core.data.readers.assemble import Raw, assemble
from mcsvm_gui.core.data.readers.cells import MISSING_WORDS, NOT_A_NUMBER, is_number
from mcsvm_gui.core.data.readers.columns import KEPT_DIGITS
from mcsvm_gui.core.data.readers.declared import Declared
from mcsvm_gui.core.data.readers.formats.dialect import (
    WHITESPACE,
    Dialect,
    cells_of,
    find_dialect,
    told_separator,
    without_runs,
)
from mcsvm_gui.core.data.readers.formats.preamble import without_preamble
from mcsvm_gui.core.data.readers.formats.records import Records, find_records
from mcsvm_gui.core.data.readers.header import column_names, looks_like_header
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.readers.text import Text, decode
from mcsvm_gui.core.data.remedies import Remedy

NAME = "csv"
OPTIONS = *roles.OPTIONS, "format", "skip_lines", "header", "separator", "decimal", "encoding"
_HASH = ord("#")
_NOTHING = {*MISSING_WORDS, *NOT_A_NUMBER, "NaN"}
_WORDS = sorted({spelled for word in _NOTHING for spelled in (word, word.upper(), word.capitalize())})
_SAMPLE = 1000
_PIECE = 1 << 24  # bytes of records that are parsed at once
# pandas 3.1 reads +1e 5 as a number, but not 1e 5. The search runs at 240 MB/s if all numbers have signs, else at 4
# GB/s.
_BROKEN_EXPONENT = re.compile(rb"\+[0-9.,]+[eE]\s")
# From 3.1 on, pandas rounds correctly by default, and warns if the option is set.
_OLD = tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1)
_EXACT: dict[str, Any] = {"float_precision": "round_trip"} if _OLD else {}


@dataclass(frozen=True)
class DelimitedTable:
    """The layout of a table, determined from all of its rows or from the first ones of a file."""

    name: str  # of the format
    dialect: Dialect  # if columns are aligned with blanks, a tab per run of blanks
    runs: bool  # whether columns are aligned with runs of blanks
    declared: Declared
    header: list[str] | None
    width: int
    trailing: tuple[int, ...]  # the empty column behind a separator at the end of every line
    columns: list[str]
    roles: roles.Roles
    guesses: tuple[Guess, ...] = ()
    notices: tuple[Notice, ...] = ()

    def dataset(
        self,
        source: Source,
        records: Records,
        notices: Sequence[Notice] = (),
        *,
        needs_label: bool,
        before: int | None = None,
        numbers: np.ndarray | None = None,
    ) -> Dataset:
        """Make a data set of the records.

        If the records are a part of a file, `before` is the number of rows before them, and `numbers` has the number of
        each record among the data rows of the file.
        """
        cells = RecordCells(records, self, self.declared.categories | self.roles.spelled)
        raw = Raw(
            source,
            self.name,
            self.columns,
            cells.column,
            self.roles,
            records.lines,
            self.dialect.decimal,
            self.guesses,
            tuple(notices),
            (*self.trailing, *self.roles.dropped),
            self.declared.categories,
            before,
            numbers,
        )
        return assemble(raw, needs_label=needs_label)


def recognizes(source: Source, options: ReadOptions) -> bool:
    """Return True: any text may be a table."""
    return True


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    return read_declared(decode(source, options), NAME, Declared(), options, needs_label=needs_label)


def read_declared(text: Text, name: str, declared: Declared, options: ReadOptions, *, needs_label: bool) -> Dataset:
    """Read a table whose file declares more than the names of its columns."""
    layout, records = lay_out(text, name, declared, options, needs_label=needs_label)
    return layout.dataset(text.source, records, layout.notices, needs_label=needs_label)


def lay_out(
    text: Text, name: str, declared: Declared, options: ReadOptions, *, needs_label: bool, trailing: bool = True
) -> tuple[DelimitedTable, Records]:
    """Determine how to read a table, and find its records.

    `trailing`: whether the last column may be left out if it has no name and, in these rows, no cells.
    """
    source = text.source
    below, skipping, skipped_lines = without_preamble(source, text.data, options)
    dialect = find_dialect(below, options)
    data, commented = _leading_comments(below, dialect)
    runs = dialect.separator == WHITESPACE
    if runs:
        data, dialect = without_runs(data, dialect.quote), replace(dialect, separator="\t")
    records, skipped = _spoken(find_records(source, data, dialect.separator, dialect.quote), dialect.width)
    if not len(records):
        raise FileError(
            source.path, "there is nothing but blank lines and comments; a data file has a line per example"
        )
    header, guesses = _header(records, dialect, options)
    rows, hollow = _filled(records.keep(slice(int(header is not None), None)))
    width = dialect.width if header is None else len(header)
    header, width, left_out, more = _extra_column(rows, header, width, dialect.separator, trailing=trailing)
    refuse_ragged(source, rows, width, named=header is not None)
    if declared.names and (header or [])[: len(declared.names)] != list(declared.names):
        raise FileError(
            source.path, "rows have one cell more than the header, which tells what columns are; name them all"
        )
    columns, naming = column_names(header, width)
    given = columns if header is None else header
    chosen = roles.choose(source.path, columns, given, options, declared, needs_label=needs_label)
    if width == 1 and needs_label:
        raise FileError(
            source.path,
            "only one column was found, where a label and a feature are needed; {separator} if there are more",
            separator=Remedy("separator", verb="say"),
            line=1,
        )
    said = *text.notices, *skipped_lines, *_comments(commented + skipped), *hollow, *more, *naming
    guessed = *text.guesses, *skipping, *dialect.guesses, *guesses
    notices = *said, *declared.notices(columns, chosen.taken)
    layout = DelimitedTable(name, dialect, runs, declared, header, width, left_out, columns, chosen, guessed, notices)
    return layout, rows


def following(layout: DelimitedTable, source: Source, data: bytes, before: int) -> tuple[Records, list[Notice]]:
    """Return the rows of a later part of a file, with `before` lines before it."""
    dialect = layout.dialect
    data = without_runs(data, dialect.quote) if layout.runs else data
    records = find_records(source, data, dialect.separator, dialect.quote, before)
    spoken, skipped = _spoken(records, layout.width)
    rows, hollow = _filled(spoken)
    refuse_ragged(source, rows, layout.width, named=layout.header is not None)
    return rows, [*_comments(skipped), *hollow]


def _leading_comments(data: bytes, dialect: Dialect) -> tuple[bytes, int]:
    """Blank out the lines with `#` above the data, except a header such as `#a,b,label` above numbers."""
    _, data = told_separator(data)
    if not data.startswith(b"#"):
        return data, 0
    lines = data.split(b"\n", _SAMPLE)
    count = next((j for j, line in enumerate(lines) if not line.startswith(b"#")), len(lines))
    head, first = lines[:count], dialect.sample[0] if dialect.sample else ()
    names = cells_of([head[-1][1:].decode("utf-8", "replace").strip()], dialect.separator, dialect.quote)
    below_is_data = any(is_number(cell, dialect.decimal) for cell in first)
    is_header = below_is_data and bool(names) and len(names[0]) == dialect.width > 1
    named = is_header and not names[0][0].strip()  # a column that is called #
    kept = [head[-1] if named else head[-1][1:].lstrip()] if is_header else [b""]
    return b"\n".join([b""] * (count - 1) + kept + lines[count:]), count - is_header


def _spoken(records: Records, width: int) -> tuple[Records, int]:
    """Return the records without blank lines and comments, and the number of comments."""
    comments = records.begins_with(_HASH) & (records.fields != width)
    return records.keep(~(comments | records.blank())), int(comments.sum())


def _filled(rows: Records) -> tuple[Records, list[Notice]]:
    """Return the rows without those that consist of separators only."""
    hollow = rows.hollow()
    if not hollow.any():
        return rows, []
    tally = NoticeTally(_hollow, int(hollow.sum()), lines=Lines.of(rows.lines[hollow]))
    return rows.keep(~hollow), [Notice.of("empty-rows", tally)]


def _hollow(tally: NoticeTally) -> Sentence:
    return Sentence(
        "{count} row without any value was skipped ({places})",
        "{count} rows without any value were skipped ({places})",
        count=tally.count,
        places=tally.lines.said,
    )


def _comments(count: int) -> list[Notice]:
    return [Notice.of("comment-lines", NoticeTally(_commented, count))] if count else []


def _commented(tally: NoticeTally) -> Sentence:
    return Sentence(
        "{count} line that begins with # was skipped", "{count} lines that begin with # were skipped", count=tally.count
    )


def _header(records: Records, dialect: Dialect, options: ReadOptions) -> tuple[list[str] | None, tuple[Guess, ...]]:
    first = _cells(records.text(0), dialect)
    if options.header != "auto":
        return (first if options.header == "yes" else None), ()
    rest = [_cells(records.text(j), dialect) for j in range(1, min(len(records), 50))]
    found = looks_like_header(first, rest, dialect.decimal)
    return first if found else None, (Guess("header", "yes" if found else "no", "--header"),)


def _cells(record: str, dialect: Dialect) -> list[str]:
    try:
        reader = csv.reader(io.StringIO(record, newline=""), delimiter=dialect.separator, quotechar=dialect.quote)
        return next(reader, [""])
    except csv.Error:  # a cell longer than the module allows
        return record.split(dialect.separator)


def _extra_column(
    rows: Records, header: list[str] | None, width: int, separator: str, *, trailing: bool
) -> tuple[list[str] | None, int, tuple[int, ...], list[Notice]]:
    """Handle one extra column: a separator at the end of every line, or row names without a title, as R writes them."""
    if not len(rows):
        return header, width, (), []
    open_ended = ends_open(rows, separator)
    if header is not None and bool((rows.fields == width + 1).all()):
        if open_ended:
            return [*header, ""], width + 1, (width,), [_TRAILING]
        sentence = Sentence("rows have one cell more than the header; their first is taken as row names, called 1")
        return ["", *header], width + 1, (), [Notice("row-names", sentence)]
    ends_bare = header is None or not header[-1].strip()
    if trailing and open_ended and ends_bare and width > 2 and bool((rows.fields == width).all()):
        return header, width, (width - 1,), [_TRAILING]
    return header, width, (), []


def ends_open(rows: Records, separator: str) -> bool:
    """Return whether there is a separator at the end of every row."""
    last = np.frombuffer(rows.data, np.uint8)[np.maximum(rows.ends - 1, 0)]
    return bool((last == ord(separator)).all())


_TRAILING = Notice(
    "trailing-separator", Sentence("every line ends with a separator; the empty last column is left out")
)


def refuse_ragged(source: Source, rows: Records, width: int, *, named: bool) -> None:
    wrong = np.flatnonzero(rows.fields != width)
    if not len(wrong):
        return
    lines, found = rows.lines[wrong], int(rows.fields[wrong[0]])
    more = Sentence(
        " (and {count} other line with a wrong number: {places})",
        " (and {count} other lines with a wrong number: {places})",
        count=len(wrong) - 1,
        places=places(lines[1:]),
    )
    raise FileError(
        source.path,
        "{fields} where {width} are expected, as in the header{more}; correct the line, or {separator}"
        if named
        else "{fields} where {width} are expected, as in most lines{more}; correct the line, or {separator}",
        fields=Sentence("{count} field", "{count} fields", count=found),
        width=width,
        more=more if len(wrong) > 1 else "",
        separator=Remedy("separator", verb="say"),
        line=int(lines[0]),
    )


class RecordCells:
    """The columns, parsed by pandas: as numbers if the sample shows numbers, and more carefully if that fails."""

    def __init__(self, records: Records, layout: DelimitedTable, spelled: Set[int]) -> None:
        """Parse all columns. `spelled`: columns whose cells are needed as they are spelled, not as numbers."""
        self.records, self.dialect, self.width = records, layout.dialect, layout.width
        self.nothing = sorted(layout.declared.nothing)
        broken = len(records) > 0 and _BROKEN_EXPONENT.search(records.data, records.starts[0], records.ends[-1])
        sample = self._sample()
        numeric = [] if broken else [j for j in self._numeric(sample) if j not in spelled]
        try:
            self.columns = self._parse(numeric)
            doubtful = self._not_finite(np.isinf)
        except (ValueError, OverflowError):
            self.columns, doubtful = self._with_words_for_missing(numeric)
        doubtful += [j for j in numeric if any(len(cell) > KEPT_DIGITS for cell in sample[j]) and self._one_value(j)]
        if doubtful:
            self.columns |= self._parse([], only=doubtful)

    @classmethod
    def texts(cls, records: Records, layout: DelimitedTable, positions: Sequence[int]) -> dict[int, np.ndarray]:
        """Return only these columns, as text."""
        found = cls.__new__(cls)
        found.records, found.dialect, found.width = records, layout.dialect, layout.width
        found.nothing = sorted(layout.declared.nothing)
        found.columns = found._parse([], only=list(positions))
        return {j: found.column(j) for j in positions}

    def _with_words_for_missing(self, numeric: list[int]) -> tuple[dict[int, np.ndarray], list[int]]:
        """Parse columns of numbers and "NA"; only such columns need a second pass."""
        try:
            self.columns = self._parse(numeric, nothing=_WORDS)
            return self.columns, self._not_finite(lambda cells: ~np.isfinite(cells))
        except (ValueError, OverflowError):
            return self._parse([]), []

    def _not_finite(self, wrong: Callable[[np.ndarray], np.ndarray]) -> list[int]:
        return [j for j, cells in self.columns.items() if cells.dtype == np.float64 and wrong(cells).any()]

    def column(self, position: int) -> np.ndarray:
        cells = self.columns[position]
        if cells.dtype == np.float64:
            return cells
        empty = pd.isna(cells)
        if self.nothing:
            empty |= pd.Series(cells).str.strip().isin(self.nothing).to_numpy(dtype=bool)
        return np.where(empty, np.array(None), cells)

    def _one_value(self, position: int) -> bool:
        cells = self.columns[position]
        return cells.dtype == np.float64 and bool((cells == cells[0]).all())

    def _sample(self) -> list[set[str]]:
        """Return the cells of each column in the first rows."""
        rows = [_cells(self.records.text(j), self.dialect) for j in range(min(len(self.records), 20))]
        return [set(map(str.strip, column)) - {""} for column in zip(*rows, strict=True)]

    def _numeric(self, sample: list[set[str]]) -> list[int]:
        """Return the columns that hold only numbers. In a column of True and False, pandas would read 1 and 0."""
        decimal = self.dialect.decimal
        return [j for j, cells in enumerate(sample) if cells and all(is_number(cell, decimal) for cell in cells)]

    def _parse(
        self, numeric: Sequence[int], *, only: list[int] | None = None, nothing: Sequence[str] = ()
    ) -> dict[int, np.ndarray]:
        """Parse columns. `nothing`: words for a missing number. Empty cells are missing too; nothing else becomes NaN.

        Chunks are parsed on all cores: memory holds the text, one chunk for each core, and the columns.
        """
        numbers, wanted = set(numeric), list(range(self.width)) if only is None else sorted(only)
        columns = {j: np.empty(len(self.records), np.float64 if j in numbers else object) for j in wanted}

        def parse(some: slice) -> None:
            frame = self._frame(self.records.body(some), numbers, only, nothing)
            for j, held in frame.items():
                columns[int(j)][some] = held.to_numpy()

        with limited(None):
            spread(parse, self.records.pieces(_PIECE), WORTH)
        return columns

    def _frame(self, body: bytes, numbers: Set[int], only: list[int] | None, nothing: Sequence[str]) -> pd.DataFrame:
        return pd.read_csv(
            io.BytesIO(body),
            sep=self.dialect.separator,
            header=None,
            names=list(range(self.width)),
            usecols=only,
            index_col=False,
            dtype={j: np.float64 if j in numbers else object for j in range(self.width)},
            quotechar=self.dialect.quote,
            quoting=csv.QUOTE_MINIMAL if self.records.quoted else csv.QUOTE_NONE,
            decimal=self.dialect.decimal,
            **_EXACT,
            keep_default_na=False,
            na_values={j: ["", *nothing] if j in numbers else [""] for j in range(self.width)},
            skip_blank_lines=False,
            lineterminator="\n",
            encoding="utf-8",
            engine="c",
        )
