"""The rows of a file, or of several, as data sets that follow each other.

CSV and LIBSVM are read in blocks of lines (`cutting.BLOCK`). A file that is smaller, and any of another format, is one
block. What a file shows too late - another encoding, a column of
numbers with a word in it - raises ReadAgainError: who took blocks forgets them, and iterates again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

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

BY_BLOCKS = {delimited.NAME: tables, libsvm.NAME: sparse}


class RowBlocks:
    """To be predicted or scored: a label is found by name only (LIBSVM: by place), and may be absent."""

    def __init__(self, path: str | os.PathLike[str], options: ReadOptions) -> None:
        files = parts.files_of(path) or [os.fspath(path)]
        self.files = [_FileBlocks(Path(file), options) for file in files]

    def __iter__(self) -> Iterator[Dataset]:
        if len(self.files) == 1:
            yield from self.files[0]
            return
        first: Dataset | None = None
        for file in self.files:
            for dataset in file:
                if first is None:
                    first = dataset
                elif not dataset.before:
                    parts.refuse_others(first, dataset)
                yield replace(dataset, before=dataset.before or 0)


class _FileBlocks:
    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path, self.options = path, options
        self.learned = Learned()
        self._content: UnpackedFile | None = None

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
