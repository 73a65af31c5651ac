"""The formats of data files. A new one is one file in `readers/formats/` and one line here.

The file has what Reader asks for: `recognizes`, `OPTIONS` and `read`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcsvm_gui.core.base.formats import Format

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.data.options import ReadOptions
    from mcsvm_gui.core.data.readers.source import Source


@dataclass(frozen=True)
class Reader(Format):
    starts: bytes = rb""  # a pattern of how its files begin

    def may_hold(self, suffix: str, start: bytes) -> bool:
        """Whether it is worth loading the module to ask."""
        return suffix in self.suffixes or re.match(self.starts, start) is not None

    def recognizes(self, source: Source, options: ReadOptions) -> bool:
        """By content. FileError where the suffix promises this format and the content breaks the promise."""
        return bool(self.code.recognizes(source, options))

    @property
    def options(self) -> tuple[str, ...]:
        """The fields of ReadOptions that change how a file is read."""
        return tuple(self.code.OPTIONS)

    def read(self, source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
        found: Dataset = self.code.read(source, options, needs_label=needs_label)
        return found


def _reader(name: str, title: str, suffixes: str, module: str, starts: bytes = rb"", package: str = "") -> Reader:
    return Reader(
        name, title, tuple(suffixes.split()), f"mcsvm_gui.core.data.readers.formats.{module}", package, starts
    )


# The last is asked first whether it recognizes a file; the first takes any text.
READERS: dict[str, Reader] = {
    reader.name: reader
    for reader in (
        _reader("csv", "CSV", ".csv .tsv .txt", "delimited"),
        _reader("orange", "Orange", ".tab", "orange"),
        _reader("libsvm", "LIBSVM", ".libsvm .svm .svmlight", "libsvm"),
        _reader("arff", "ARFF", ".arff", "arff", rb"\s*[%@]"),
        _reader("keel", "KEEL", ".dat", "keel", rb"\s*[%@]"),
        _reader("json", "JSON", ".jsonl .ndjson .json", "json_lines", rb"\s*[{\[]"),
        _reader("npz", "NumPy", ".npz", "npz", rb"PK"),
        _reader("parquet", "Parquet", ".parquet .pq", "parquet", rb"PAR1", "pyarrow"),
        _reader("sqlite", "SQLite", ".sqlite .sqlite3 .db .db3", "sqlite", rb"SQLite format 3"),
        _reader("xlsx", "Excel", ".xlsx", "excel", rb"PK", "openpyxl"),
    )
}
PACKED = ".gz", ".bz2", ".xz", ".zip"  # a file of any format may be packed


def titles() -> str:
    return ", ".join(reader.title for reader in READERS.values())


def suffixes() -> list[str]:
    """Of all files that may hold data."""
    return [*(suffix for reader in READERS.values() for suffix in reader.suffixes), *PACKED]
