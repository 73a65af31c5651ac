"""The identity of rows: the file of each row, and its number among the data rows of that file.

A row keeps its number if rows around it are selected, left out, held out or put into folds. Every page, report and
command shows the same number for the same row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

ROW, FILE = "row", "file"  # headings of the columns that identify a row


@dataclass(frozen=True)
class RowFile:
    """A file that rows came from."""

    name: str
    digest: str  # digest of its uncompressed bytes; empty if unknown


@dataclass(frozen=True, eq=False)
class RowSource:
    """The file and the number of each row."""

    numbers: np.ndarray  # (rows,) int64: the number of the data row in its file, from 1
    files: tuple[RowFile, ...]
    codes: np.ndarray | None = None  # (rows,) index into `files`; None if there is one file

    @classmethod
    def of_file(cls, name: str, digest: str, rows: int, before: int = 0) -> RowSource:
        """Return the source of all rows of one file, or of those after the first `before` rows."""
        return cls(np.arange(before + 1, before + rows + 1), (RowFile(name, digest),))

    def take(self, chosen: np.ndarray) -> RowSource:
        codes = None if self.codes is None else self.codes[chosen]
        return replace(self, numbers=self.numbers[chosen], codes=codes)

    @property
    def file_names(self) -> np.ndarray | None:
        """Return the file name of each row, or None if all rows come from one file."""
        if self.codes is None:
            return None
        names = np.empty(len(self.files), dtype=object)
        names[:] = short_names([file.name for file in self.files])
        return np.asarray(names[self.codes])

    def contains(self, other: RowSource) -> np.ndarray:
        """Return for each row of `other` whether this source contains it: same file content, same number."""
        is_contained = np.zeros(other.numbers.size, dtype=bool)
        for code, file in enumerate(other.files):
            rows = slice(None) if other.codes is None else other.codes == code
            for ours, known in enumerate(self.files):
                if file.digest and file.digest == known.digest:
                    numbers = self.numbers if self.codes is None else self.numbers[self.codes == ours]
                    is_contained[rows] |= np.isin(other.numbers[rows], numbers)
        return is_contained


def concatenate(parts: Sequence[RowSource]) -> RowSource:
    """Return the source of the rows of several data sets, one after the other."""
    files = tuple(dict.fromkeys(file for part in parts for file in part.files))
    numbers = np.concatenate([part.numbers for part in parts])
    if len(files) == 1:
        return RowSource(numbers, files)
    place = {file: code for code, file in enumerate(files)}
    codes = [
        np.array([place[file] for file in part.files])[
            np.zeros(part.numbers.size, dtype=np.int64) if part.codes is None else part.codes
        ]
        for part in parts
    ]
    return RowSource(numbers, files, np.concatenate(codes))


def short_names(paths: Sequence[str]) -> list[str]:
    """Return file names without their folders, or whole paths if two files have the same name."""
    short = [path.replace("\\", "/").rpartition("/")[2] for path in paths]
    return short if len(set(short)) == len(short) else list(paths)
