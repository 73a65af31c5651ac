"""LIBSVM block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.blocks.cutting import TextBlock
from mcsvm_gui.core.data.blocks.learned import Learned
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers.formats import libsvm
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.roles.choosing import NoRowsError, chosen_rows, no_rows


def quote_of(data: bytes, options: ReadOptions) -> bytes:
    return b""


def datasets(
    path: Path,
    blocks: Callable[[], Iterator[TextBlock]],
    options: ReadOptions,
    learned: Learned,
    notices: tuple[Notice, ...],
) -> Iterator[Dataset]:
    """Yield the blocks of a LIBSVM file. `notices`: on the encoding."""
    rows, read, width, passed, labelled = 0, 0, 0, 0, None
    held: Dataset | None = None  # until it is known which notices the later rows add
    said = [*notices, *libsvm.unused(Source(path, b"", ()), options)]
    for block in blocks():
        source = Source(path, block.data, ())
        data, found = libsvm.prepared(block.data)
        said += found
        parsed = libsvm.parsed_lines(source, data, block.before, needs_label=False)
        if not len(parsed.lines):
            continue
        if labelled not in (None, parsed.labels is not None):
            raise FileError(path, "some lines have a label and others none", line=int(parsed.lines[0]))
        labelled = parsed.labels is not None
        numbers = np.arange(read + 1, read + len(parsed.lines) + 1)
        read += numbers.size
        try:
            dataset = libsvm.dataset_of(
                source, parsed, (), tuple(said), needs_label=False, before=rows, numbers=numbers, options=options
            )
        except NoRowsError as nothing:
            passed += nothing.rows
            said.append(chosen_rows(options.where or "", 0, nothing.rows))
            continue
        if held is not None:
            yield held
        held = dataset
        rows, width, said = rows + dataset.rows, max(width, len(dataset.columns)), []
    if held is None and passed:
        raise no_rows(path, options.where or "", passed)
    if held is None:
        raise FileError(path, "no data rows: there is nothing but blank lines and comments")
    if not width:
        raise libsvm.without_features(Source(path, b"", ()))
    yield replace(held, notices=(*held.notices, *said))
