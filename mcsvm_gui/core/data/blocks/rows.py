"""Yield the rows of a file, or of several, as successive data sets.

CSV and LIBSVM are read in blocks of lines (`cutting.BLOCK`). A smaller file, or a file of another format, is one
block. If a fact appears too late - another encoding, a column of numbers with a word in it - ReadAgainError is
raised: the caller discards the blocks that it has received, and iterates again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.blocks import cutting, sparse, tables
from mcsvm_gui.core.data.blocks.content import UnpackedFile
from mcsvm_gui.core.data.blocks.learned import Learned
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.files import parts
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import read_dataset, reader_of
from mcsvm_gui.core.data.readers.formats import delimited, libsvm
from mcsvm_gui.core.data.readers.source import Source, checked_source
from mcsvm_gui.core.data.row_source import RowFile, RowSource

BY_BLOCKS = {delimited.NAME: tables, libsvm.NAME: sparse}


class RowBlocks:
    """Rows for prediction or scoring: a label is found by name only (LIBSVM: by place), and may be absent."""

    def __init__(self, path: str | os.PathLike[str], options: ReadOptions, *, identified: bool = False) -> None:
        """Prepare to read blocks. `identified`: rows need the digest of their file, which takes a pass over it."""
        files = parts.files_of(path) or [os.fspath(path)]
        self.files = [_FileBlocks(Path(file), options) for file in files]
        self.identified = identified

    def __iter__(self) -> Iterator[Dataset]:
        sources = tuple(RowFile(str(file.path), file.digest if self.identified else "") for file in self.files)
        if len(self.files) == 1:
            for dataset in self.files[0]:
                yield replace(dataset, source=replace(dataset.row_source, files=sources))
            return
        first: Dataset | None = None
        for code, file in enumerate(self.files):
            for dataset in file:
                if first is None:
                    first = dataset
                elif not dataset.before:
                    parts.refuse_others(first, dataset)
                source = RowSource(dataset.row_numbers, sources, np.full(dataset.rows, code))
                yield replace(dataset, before=dataset.before or 0, source=source)


class _FileBlocks:
    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path, self.options = path, options
        self.learned = Learned()
        self._content: UnpackedFile | None = None

    @cached_property
    def digest(self) -> str:
        self._content = self._content or UnpackedFile(self.path)
        return self._content.digest()

    def __iter__(self) -> Iterator[Dataset]:
        try:
            yield from self._datasets()
        except MemoryError:
            raise FileError(
                self.path,
                "the file needs more memory than there is; save it as CSV or LIBSVM, which are read block by block,"
                " or take a part of its rows",
            ) from None

    def _datasets(self) -> Iterator[Dataset]:
        self._content = content = self._content or UnpackedFile(self.path)
        start, all_of_it = cutting.beginning(content.pieces())
        if all_of_it or self.learned.whole:
            yield read_dataset(content.whole(), self.options, needs_label=False)
            return
        encoding = cutting.encoding_of(self.path, start, self.options, self.learned)
        reader, _ = reader_of(checked_source(Source(self.path, start, ())), self.options)
        if reader.name not in BY_BLOCKS:
            yield read_dataset(content.whole(), self.options, needs_label=False)
            return
        code = BY_BLOCKS[reader.name]
        recoded = next(cutting.in_utf8(self.path, iter([start]), encoding, self.options, self.learned))
        quote = code.quote_of(recoded, self.options)

        def blocks() -> Iterator[cutting.TextBlock]:
            pieces = cutting.in_utf8(self.path, content.pieces(), encoding, self.options, self.learned)
            return cutting.blocks(self.path, pieces, quote, encoding, self.options, self.learned)

        yield from code.datasets(self.path, blocks, self.options, self.learned, cutting.doubts(encoding, self.options))
