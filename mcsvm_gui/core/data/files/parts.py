"""Rows in several files with the same columns: a folder of files, or all files that match a pattern."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data import formats
from mcsvm_gui.core.data.dataset import Column, Dataset, Guess, NumberedColumns
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import quoted
from mcsvm_gui.core.data.readers import labels
from mcsvm_gui.core.data.roles.choosing import NoRowsError, merged
from mcsvm_gui.core.data.row_source import concatenate as concatenate_sources

OpenOne = Callable[[str, ReadOptions], Dataset]  # does not require classes


def files_of(path: str | os.PathLike[str]) -> list[str] | None:
    """Return the files in the order of their names; None if the path is that of one file."""
    text = os.fspath(path)
    if os.path.isdir(text):
        return _of_folder(text)
    if not glob.has_magic(text) or os.path.exists(text):
        return None
    try:
        files = sorted(one for one in glob.glob(text, recursive=True) if os.path.isfile(one))
    except (OSError, ValueError):
        files = []
    if not files:
        raise FileError(text, "no file fits this pattern")
    return files


def _of_folder(path: str) -> list[str]:
    known = tuple(formats.suffixes())
    try:
        found = [one for one in Path(path).iterdir() if one.name.lower().endswith(known) and one.name[0] not in "._"]
        files = sorted(str(one) for one in found if one.is_file())
    except OSError as trouble:
        reason = trouble.strerror or type(trouble).__name__
        raise FileError(path, "the folder cannot be read: {reason}", reason=reason) from None
    if not files:
        raise FileError(path, "the folder holds no data file; files are known by {suffixes}", suffixes=" ".join(known))
    return files


def read(path: str, files: Sequence[str], options: ReadOptions, open_one: OpenOne, *, needs_label: bool) -> Dataset:
    """Read files as one data set. The first file determines the label column; classes are checked on all rows."""
    label, guesses = label_of(files[0], options, open_one, needs_label=needs_label)
    found = replace(concatenated(opened(files, replace(options, label=label, merge=None), open_one)), name=path)
    found = found.counting() if needs_label else found
    if not needs_label:
        if found.labels is None:
            return found
        fewer, said = merged(Path(path), found.labels, options.merge)
        return replace(found, labels=fewer, notices=(*found.notices, *said))
    if found.labels is None or found.label_name is None:
        raise FileError(path, "not every row of these files has a class")
    checked = labels.check(
        *(Path(path), found.label_name, found.labels, None),
        needs_label=True,
        guessed=bool(guesses),
        how=options.spellings,
        merge=options.merge,
    )
    notices = tuple(dict.fromkeys((*found.notices, *checked.notices)))
    return replace(found, labels=checked.values, notices=notices, guesses=(*found.guesses, *guesses))


def opened(files: Sequence[str], options: ReadOptions, open_one: OpenOne) -> list[Dataset]:
    """Open the files; leave out those without a requested row."""
    parts = []
    for file in files:
        try:
            parts.append(open_one(file, options))
        except NoRowsError:
            if not parts and file == files[-1]:
                raise
    return parts


def label_of(
    file: str, options: ReadOptions, open_one: OpenOne, *, needs_label: bool
) -> tuple[str | int | None, tuple[Guess, ...]]:
    if options.label is not None:
        return options.label, ()
    first = open_one(file, replace(options, merge=None, where=None))
    if first.label_name is not None or first.matrix is not None or not needs_label:
        return None, ()
    last = first.columns[-1].name
    return last, (Guess("label column", last, "--label"),)


def concatenated(parts: Sequence[Dataset]) -> Dataset:
    """Concatenate the rows of several files with the same columns; numbered columns are aligned."""
    first = parts[0]
    if len(parts) == 1:
        return first
    for other in parts[1:]:
        refuse_others(first, other)
    columns, matrix = first.columns, None
    table = None
    if first.matrix is None:
        table = pd.concat([part.table for part in parts], ignore_index=True)
    else:
        columns, matrix = _stacked(parts)
    return replace(
        first,
        columns=columns,
        table=table,
        matrix=matrix,
        labels=_joined([part.labels for part in parts]),
        weights=_joined([part.weights for part in parts]),
        groups=_joined([part.groups for part in parts]),
        folds=_joined([part.folds for part in parts]),
        row_names={name: np.concatenate([part.row_names[name] for part in parts]) for name in first.row_names},
        kept={name: np.concatenate([part.kept[name] for part in parts]) for name in first.kept},
        lines=None,
        source=concatenate_sources([part.row_source for part in parts]),
        notices=tuple(dict.fromkeys(notice for part in parts for notice in part.notices)),
        digest=digest_of([part.digest for part in parts]),
    )


def digest_of(parts: Sequence[str]) -> str:
    """Return the digest of several files, computed from their digests."""
    return parts[0] if len(parts) == 1 else hashlib.sha256("".join(parts).encode()).hexdigest()


def refuse_others(first: Dataset, other: Dataset) -> None:
    numbered = isinstance(first.columns, NumberedColumns) and isinstance(other.columns, NumberedColumns)
    if (other.matrix is None) != (first.matrix is None) or not (numbered or list(other.columns) == list(first.columns)):
        differing = [a.name for a, b in zip(other.columns, first.columns, strict=False) if a != b][:1]
        raise FileError(
            other.name,
            "its columns are not those of {name}, so their rows cannot be joined; the first that differs is {found}"
            if differing
            else "its columns are not those of {name}, so their rows cannot be joined",
            name=first.name,
            found=quoted("".join(differing)),
        )
    if (other.labels is None) != (first.labels is None):
        raise FileError(other.name, "it has class labels and {name} has none, or the other way round", name=first.name)


def _stacked(parts: Sequence[Dataset]) -> tuple[Sequence[Column], sp.csr_array]:
    """Stack the matrices. Numbered columns are aligned by their numbers, even if the files differ in width."""
    ranges = [part.columns for part in parts if isinstance(part.columns, NumberedColumns)]
    if not ranges:
        return parts[0].columns, sp.csr_array(sp.vstack([part.matrix for part in parts], format="csr"))
    start, end = min(one.first for one in ranges), max(one.first + one.total for one in ranges)
    moved = []
    for part, columns in zip(parts, ranges, strict=True):
        held = part.matrix
        assert held is not None
        inside = held.data, held.indices + (columns.first - start), held.indptr
        moved.append(sp.csr_array(inside, shape=(held.shape[0], end - start)))
    return NumberedColumns(start, end - start), sp.csr_array(sp.vstack(moved, format="csr"))


def _joined(values: Sequence[np.ndarray | None]) -> np.ndarray | None:
    there = [part for part in values if part is not None]
    return np.concatenate(there) if len(there) == len(values) else None
