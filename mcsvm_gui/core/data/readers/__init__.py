"""Readers: from a file to a Dataset, one file per format, one line here. Content decides, not the suffix."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Protocol

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import arff, delimited, excel, libsvm, parquet
from mcsvm_gui.core.data.readers.sniffing import find_format
from mcsvm_gui.core.data.readers.source import Source, read_source


class Reader(Protocol):
    @property
    def NAME(self) -> str: ...

    def read(self, source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset: ...


READERS: dict[str, Reader] = {module.NAME: module for module in (delimited, libsvm, arff, parquet, excel)}
_NOTHING_SAID = ReadOptions()


def open_dataset(
    path: str | os.PathLike[str], options: ReadOptions = _NOTHING_SAID, *, needs_label: bool = True
) -> Dataset:
    """The data in a file.

    needs_label=True: to be trained on: two classes at least, and without a name the last column is the label.
    needs_label=False: to be predicted or scored: a label is found by name only (LIBSVM: by place), and may be absent.
    """
    try:
        source = read_source(path)
        format, guesses = find_format(source, options)
        found = READERS[format].read(source, options, needs_label=needs_label)
    except MemoryError:
        raise FileError(path, "the file needs more memory than there is; take a part of its rows") from None
    return replace(found, guesses=(*guesses, *found.guesses))


__all__ = ["READERS", "ReadOptions", "Reader", "open_dataset"]
