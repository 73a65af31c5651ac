"""A table of text below a line that says `toy`."""

from __future__ import annotations

from dataclasses import replace

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers.formats import delimited
from mcsvm_gui.core.data.readers.source import Source

OPTIONS = "label", "format"
START = b"toy\n"


def recognizes(source: Source, options: ReadOptions) -> bool:
    return source.data.startswith(START)


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    if not recognizes(source, options):
        raise FileError(source.path, "this is no toy", line=1)
    inside = replace(source, data=source.data.removeprefix(START))
    return replace(delimited.read(inside, options, needs_label=needs_label), format="toy", guesses=())
