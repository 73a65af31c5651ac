"""The formats of data files. A new format is one file in `readers/formats/` and one line here.

The file defines what Reader uses: `recognizes`, `OPTIONS` and `read`.
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
    starts: bytes = rb""  # a pattern for the first bytes of its files

    def may_hold(self, suffix: str, start: bytes) -> bool:
        """Return whether a file may have this format, before its module is loaded."""
        return suffix in self.suffixes or re.match(self.starts, start) is not None

    def recognizes(self, source: Source, options: ReadOptions) -> bool:
        """Return whether the content has this format.

        Raise FileError if the suffix promises it and the content does not fit.
        """
        return bool(self.code.recognizes(source, options))

    @property
    def options(self) -> tuple[str, ...]:
        """The fields of ReadOptions that affect how a file is read."""
        return tuple(self.code.OPTIONS)

    def read(self, source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
        found: Dataset = self.code.read(source, options, needs_label=needs_label)
        return found


def _reader(name: str, title: str, suffixes: str, module: str, starts: bytes = rb"", package: str = "") -> Reader:
    return Reader(
        name, title, tuple(suffixes.split()), f"mcsvm_gui.core.data.readers.formats.{module}", package, starts
    )


# A file is offered to the readers in reverse order; the first one takes any text.
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
    """Return the suffixes of all files that may hold data."""
    return [*(suffix for reader in READERS.values() for suffix in reader.suffixes), *PACKED]
