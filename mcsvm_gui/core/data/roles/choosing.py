"""Select requested rows and classes: conditions on rows, merged classes, a share of each class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.dataset import Dataset, Notice, NoticeTally
from mcsvm_gui.core.data.phrases import names, quoted
from mcsvm_gui.core.data.roles.conditions import conditions, merges


class NoRowsError(FileError):
    """Raised if no row of this file, or of this block, is selected; other files of a folder may have such rows."""

    rows = 0  # number of rows before the selection


def rows_where(
    path: Path, where: str | None, cells: Callable[[str], np.ndarray], rows: int
) -> tuple[np.ndarray | None, tuple[Notice, ...]]:
    """Return the rows that fulfil the conditions, in increasing order; None if there is no condition."""
    if where is None:
        return None, ()
    kept = np.ones(rows, dtype=bool)
    try:
        for condition in conditions(where):
            kept &= condition.holds(cells(condition.column))
    except FileError:
        raise
    except InputError as trouble:
        raise FileError(path, trouble.sentence) from None
    if not kept.any():
        raise no_rows(path, where, rows)
    return np.flatnonzero(kept), (chosen_rows(where, int(kept.sum()), rows),)


def no_rows(path: Path, where: str, rows: int) -> NoRowsError:
    error = NoRowsError(path, "no row is left where {where}", where=quoted(where))
    error.rows = rows
    return error


def chosen_rows(where: str, kept: int, rows: int) -> Notice:
    return Notice.of("chosen-rows", NoticeTally(_chosen, kept, rows, about=where))


def _chosen(tally: NoticeTally) -> Sentence:
    return Sentence(
        "{kept} of {count} row is read: where {where}",
        "{kept} of {count} rows are read: where {where}",
        kept=tally.count,
        count=tally.more,
        where=tally.about,
    )


def merged(
    path: Path, labels: np.ndarray, merge: str | None, *, needed: bool = False
) -> tuple[np.ndarray, list[Notice]]:
    """Merge classes. `needed`: whether each of the classes must occur."""
    if merge is None:
        return labels, []
    become = merges(merge)
    codes, distinct = pd.factorize(labels)
    absent = [name for name in become if name not in set(distinct.tolist())]
    if absent and needed:
        raise FileError(
            path,
            "there is no class {name} to be merged; there are {classes}",
            name=quoted(absent[0]),
            classes=names(distinct.tolist(), 12),
        )
    called = np.empty(len(distinct), dtype=object)
    called[:] = [become.get(name, name) for name in distinct.tolist()]
    found = [name for name in distinct.tolist() if name in become]
    if not found:
        return labels, []
    tally = NoticeTally(_merged, columns=tuple(found), words=tuple(dict.fromkeys(become[name] for name in found)))
    return called[codes], [Notice.of("merged-classes", tally)]


def _merged(tally: NoticeTally) -> Sentence:
    return Sentence(
        "class {old} counts as {new}",
        "classes {old} count as {new}",
        count=len(tally.columns),
        old=names(tally.columns),
        new=names(tally.words),
    )


def a_share(dataset: Dataset, share: float | None) -> Dataset:
    """Draw a share of each class, at least one row; the same rows every time."""
    if share is None or dataset.labels is None:
        return dataset
    kept = splitting.hold_out(dataset.labels, 1.0 - share, 0).train
    sentence = Sentence(
        "{kept} of {count} row is taken, a share of {share:g} of each class",
        "{kept} of {count} rows are taken, a share of {share:g} of each class",
        kept=int(kept.size),
        count=dataset.rows,
        share=share,
    )
    notices = (*dataset.notices, Notice("chosen-rows", sentence))
    return replace(dataset.take(kept), digest=dataset.digest, notices=notices)
