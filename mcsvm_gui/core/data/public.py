"""`mcsvm.open_dataset`: read a file from Python as the commands read it."""

from __future__ import annotations

import os
from typing import Any

from mcsvm_gui.core.base.options import options_of
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import open_dataset as read


def open_dataset(
    path: str | os.PathLike[str], *, label: str | int | None = None, needs_label: bool = True, **options: Any
) -> Dataset:
    """Read a file, a folder of files or a pattern such as ``"part-*.csv"``.

    Parameters
    ----------
    path : str or path-like
        CSV, Orange, LIBSVM, ARFF, KEEL, JSON, NumPy, Parquet, SQLite or Excel. The content decides, not the suffix.
    label : str or int, default=None
        The column of the classes: its name, or its number from 1 (-1 is the last). None: the column called label,
        class, target or y in any case, else the last.
    needs_label : bool, default=True
        False for rows to predict: a label is then found by its name alone, and may be absent.
    **options
        The reading options of the commands, with their names in Python's spelling: ``drop=("id",)`` is ``--drop id``.
        ``mcsvm inspect --help`` lists them.

    Returns
    -------
    Dataset
        ``table`` has the features as a DataFrame (``matrix``, sparse, for LIBSVM files), ``labels`` the class of each
        row as text, ``weights`` and ``groups`` those columns if they were named, ``notices`` what is odd.

    Raises
    ------
    InputError
        If the file cannot be read, in a sentence that says what to do.

    Examples
    --------
    >>> from mcsvm import MultiClassSVC, open_dataset
    >>> data = open_dataset("wine.csv", label="class")  # doctest: +SKIP
    >>> MultiClassSVC().fit(data.table, data.labels)  # doctest: +SKIP
    """
    unknown = [name for name in options if name not in options_of(ReadOptions)]
    if unknown:
        raise TypeError(f"open_dataset() got an unexpected keyword argument {unknown[0]!r}")
    return read(path, ReadOptions(label=label, **options), needs_label=needs_label)
