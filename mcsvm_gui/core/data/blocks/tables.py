"""CSV block by block: the first block determines the layout, and a column has one kind in all blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.blocks.cutting import TextBlock
from mcsvm_gui.core.data.blocks.learned import Learned, ReadAgainError
from mcsvm_gui.core.data.dataset import ColumnKind, Dataset, Notice, NoticeTally
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import NO_LINES, Lines
from mcsvm_gui.core.data.readers.cells import CellKind
from mcsvm_gui.core.data.readers.columns import (
    DATES,
    FEW_LEVELS,
    Cells,
    are_categories,
    dates_notice,
    mixture,
    no_numbers,
)
from mcsvm_gui.core.data.readers.declared import Declared
from mcsvm_gui.core.data.readers.formats import delimited
from mcsvm_gui.core.data.readers.formats.delimited import DelimitedTable, RecordCells
from mcsvm_gui.core.data.readers.formats.dialect import find_dialect
from mcsvm_gui.core.data.readers.formats.preamble import without_preamble
from mcsvm_gui.core.data.readers.formats.records import Records
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.readers.text import Text
from mcsvm_gui.core.data.roles.choosing import NoRowsError, chosen_rows, no_rows

_WORDS = 1000  # distinct words that are stored for a column of words and numbers, to name three
Blocks = Callable[[], Iterator[TextBlock]]  # yields from the start on each call


def quote_of(data: bytes, options: ReadOptions) -> bytes:
    below, _, _ = without_preamble(Source(Path(), data, ()), data, options)
    return find_dialect(below, options).quote.encode()


def datasets(
    path: Path, blocks: Blocks, options: ReadOptions, learned: Learned, notices: tuple[Notice, ...]
) -> Iterator[Dataset]:
    """Yield the blocks of a table. `notices`: on the encoding."""
    rows, read, passed, said = 0, 0, 0, [*notices, *learned.notices]
    first: Dataset | None = None
    held: Dataset | None = None  # until it is known which notices the later rows add
    for layout, source, records, found in _laid_out(path, blocks, options, learned):
        said += found
        if not len(records):
            continue
        numbers = np.arange(read + 1, read + len(records) + 1)
        read += len(records)
        try:
            dataset = layout.dataset(source, records, said, needs_label=False, before=rows, numbers=numbers)
        except NoRowsError as nothing:
            passed += nothing.rows
            said.append(chosen_rows(options.where or "", 0, nothing.rows))
            continue
        except FileError as refusal:
            _read_whole_if_chosen(options, learned)
            _reconsider(refusal, layout, path, blocks, options, learned)
            raise
        first = first or dataset
        if list(dataset.columns) != list(first.columns):
            differing = {column.name for column in set(dataset.columns) ^ set(first.columns)}
            positions = sorted(layout.columns.index(name) for name in differing)
            _read_whole_if_chosen(options, learned)
            _learn_kinds(positions, layout, path, blocks, options, learned)
            raise ReadAgainError
        if held is not None:
            yield held
        held = dataset
        rows, said = rows + dataset.rows, []
    if held is None and passed:
        raise no_rows(path, options.where or "", passed)
    if held is None:
        raise FileError(path, "no data rows; a data file has a line per example")
    yield replace(held, notices=(*held.notices, *said))


def _read_whole_if_chosen(options: ReadOptions, learned: Learned) -> None:
    """Request a new pass if rows are chosen: the other rows must not affect the kind of a column."""
    if options.where is not None:
        learned.whole = True
        raise ReadAgainError


def _laid_out(
    path: Path, blocks: Blocks, options: ReadOptions, learned: Learned
) -> Iterator[tuple[DelimitedTable, Source, Records, Sequence[Notice]]]:
    layout: DelimitedTable | None = None
    for block in blocks():
        source = Source(path, block.data, ())
        if layout is None:
            text = Text(source, block.data)
            layout, records = delimited.lay_out(
                text, delimited.NAME, Declared(), options, needs_label=False, trailing=learned.trailing
            )
            kinds = {**layout.roles.kinds, **learned.kinds}
            dropped = (*layout.roles.dropped, *sorted(learned.left_out))
            layout = replace(layout, roles=replace(layout.roles, kinds=kinds, dropped=dropped))
            yield layout, source, records, layout.notices
            continue
        records, found = delimited.following(layout, source, block.data, block.before)
        bare = layout.trailing == (layout.width - 1,) and not (layout.header or [""])[-1].strip()
        if bare and len(records) and not delimited.ends_open(records, layout.dialect.separator):
            learned.trailing = False
            raise ReadAgainError
        yield layout, source, records, found


# -- kinds ----------------------------------------------------------------------------------------


@dataclass
class _Seen:
    """Facts about all cells of a column."""

    kinds: Counter[CellKind] = field(default_factory=Counter)  # of rows
    distinct: set[str] = field(default_factory=set)  # only as many as show that there are many
    words: dict[str, None] = field(default_factory=dict)  # among numbers, in order of occurrence
    markers: set[str] = field(default_factory=set)
    whole: bool = True  # whether all numbers are integers
    strange: dict[str, None] = field(default_factory=dict)  # cells that are not numbers, in order of occurrence
    lines: Lines = NO_LINES  # the lines of these cells

    def add(self, cells: Cells, lines: np.ndarray) -> None:
        rows = np.bincount(cells.codes[cells.codes >= 0], minlength=len(cells.distinct)).tolist()
        for (cell, kind), count in zip(cells.pairs(), rows, strict=True):
            self.kinds[kind] += count
            if len(self.distinct) <= FEW_LEVELS:
                self.distinct.add(cell)
            if kind is CellKind.MARKER:
                self.markers.add(cell)
            if kind is CellKind.TEXT and len(self.words) < _WORDS:
                self.words[cell] = None
            self.whole &= kind is not CellKind.NUMBER or cell.lstrip("+-").isdigit()
        words = cells.rows(CellKind.TEXT, CellKind.DATE, CellKind.ODD)
        self.lines = self.lines.joined(Lines.of(lines[words]))
        if len(self.strange) < _WORDS:
            self.strange |= dict.fromkeys(cells.some(words))

    @property
    def dates(self) -> bool:
        """Return whether the column contains dates, as `columns.typed` decides from all of its cells."""
        numbers = self.kinds[CellKind.NUMBER] + self.kinds[CellKind.INFINITE]
        others = self.kinds[CellKind.TEXT] + self.kinds[CellKind.DATE] + self.kinds[CellKind.ODD]
        return bool(others) and not numbers and 2 * self.kinds[CellKind.DATE] >= others

    def refusal(self, path: Path, name: str, decimal: str) -> FileError:
        """Return the refusal of a column of numbers with words among them, counted over all blocks."""
        sentence = no_numbers(name, list(self.strange), self.lines, decimal, spelled=False)
        return FileError(path, sentence, line=self.lines.first[0][0], column=name)

    def kind(self) -> ColumnKind | None:
        """Return the kind that `columns.typed` decides from all cells at once; None if it refuses the column."""
        kinds = self.kinds
        numbers = kinds[CellKind.NUMBER] + kinds[CellKind.INFINITE]
        others = kinds[CellKind.TEXT] + kinds[CellKind.DATE] + kinds[CellKind.ODD]
        if not others and (numbers or self.markers <= {"?"}):
            return "number"
        if numbers:
            return "category" if are_categories(kinds, len(self.distinct), whole=self.whole) else None
        return "category" if not others or 2 * max(kinds[CellKind.DATE], kinds[CellKind.ODD]) < others else None


def _learn_kinds(
    positions: Sequence[int], layout: DelimitedTable, path: Path, blocks: Blocks, options: ReadOptions, learned: Learned
) -> None:
    """Determine the kind of columns whose cells differ between blocks, from the cells of all blocks."""
    for position, found in _look_through(positions, path, blocks, options, learned).items():
        if found.dates:
            tally = NoticeTally(dates_notice, about=layout.columns[position], words=tuple(found.strange)[:1])
            learned.left_out.add(position)
            learned.notices.append(Notice.of(DATES, tally))
            continue
        if found.kind() is None and found.lines.count:
            raise found.refusal(path, layout.columns[position], layout.dialect.decimal)
        _learn(position, layout, found, learned)


def _learn(position: int, layout: DelimitedTable, found: _Seen, learned: Learned) -> None:
    learned.kinds[position] = found.kind() or "category"
    words, numbers = found.kinds[CellKind.TEXT], found.kinds[CellKind.NUMBER]
    if words and numbers:
        tally = NoticeTally(mixture, words, numbers, about=layout.columns[position], words=tuple(found.words))
        learned.notices.append(Notice.of("mixed-column", tally))


def _reconsider(
    refusal: FileError, layout: DelimitedTable, path: Path, blocks: Blocks, options: ReadOptions, learned: Learned
) -> None:
    """Check a column that was refused for its cells in one block: in the whole file it may hold categories."""
    if refusal.column not in layout.columns:
        return
    position = layout.columns.index(refusal.column)
    if position in layout.roles.taken or position in layout.roles.kinds:
        return
    found = _look_through([position], path, blocks, options, learned)[position]
    if found.kind() == "category":
        _learn(position, layout, found, learned)
        raise ReadAgainError
    if found.kind() is None and found.lines.count and found.kinds[CellKind.NUMBER]:
        raise found.refusal(path, layout.columns[position], layout.dialect.decimal) from None


def _look_through(
    positions: Sequence[int], path: Path, blocks: Blocks, options: ReadOptions, learned: Learned
) -> dict[int, _Seen]:
    seen = {j: _Seen() for j in positions}
    for layout, _, records, _ in _laid_out(path, blocks, options, learned):
        if len(records):
            for j, cells in RecordCells.texts(records, layout, positions).items():
                seen[j].add(Cells.of(layout.columns[j], cells, layout.dialect.decimal), records.lines)
    return seen
