"""Find the column of the labels, and the column that an option names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Guess, Notice
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import listed, names, quoted
from mcsvm_gui.core.data.readers.header import LABEL_NAMES
from mcsvm_gui.core.data.remedies import Remedy


@dataclass(frozen=True)
class LabelColumn:
    position: int | None
    guessed: bool = False  # neither requested nor named like a label: the last column
    guesses: tuple[Guess, ...] = ()
    notices: tuple[Notice, ...] = ()


def choose(
    path: Path,
    columns: Sequence[str],
    given: Sequence[str],
    options: ReadOptions,
    *,
    needs_label: bool,
    fewest: int = 2,
) -> LabelColumn:
    """Choose the label column. `given`: the names in the file, which may repeat; `columns`: the distinct names.

    `fewest`: the number of columns that is needed to take the last one as the label.
    """
    if options.label is not None:
        return _asked(path, columns, given, options.label, needs_label=needs_label)
    folded = [name.strip().lower() for name in given]
    for name in LABEL_NAMES:
        if name in folded:
            found = _asked(path, columns, given, name, needs_label=True)
            assert found.position is not None
            return replace(found, guesses=(Guess("label column", columns[found.position], "--label"),))
    if not needs_label or len(columns) < fewest:
        return LabelColumn(None)
    return LabelColumn(len(columns) - 1, True, (Guess("label column", columns[-1], "--label"),))


def _asked(
    path: Path, columns: Sequence[str], given: Sequence[str], label: str | int, *, needs_label: bool
) -> LabelColumn:
    found = find(path, columns, given, label, "label", needed=needs_label)
    if found is not None:
        return LabelColumn(found)
    notice = Notice(
        "no-label-column",
        Sentence("the file has no column {name}, so nothing can be scored", name=quoted(str(label))),
    )
    return LabelColumn(None, notices=(notice,))


def find(
    path: Path, columns: Sequence[str], given: Sequence[str], wanted: str | int, option: str, *, needed: bool
) -> int | None:
    """Return the position of the column that `option` names; None if it does not exist and is not needed."""
    if isinstance(wanted, str):
        exact = [j for j, name in enumerate(given) if name.strip() == wanted.strip()]
        exact = exact or [j for j, name in enumerate(columns) if name == wanted]  # x.1, the second of two x
        found = exact or [j for j, name in enumerate(given) if name.strip().lower() == wanted.strip().lower()]
        if len(found) > 1:
            numbers = listed([str(j + 1) for j in found])
            raise FileError(
                path,
                "several columns are called {name} (numbers {numbers}); {option} with one",
                name=quoted(wanted),
                option=Remedy(option, verb="say"),
                numbers=numbers,
            )
        if found:
            return found[0]
    if re.fullmatch(r"[+-]?[0-9]{1,9}", str(wanted).strip()):
        number, many = int(wanted), len(columns)
        if 1 <= abs(number) <= many:
            return number - 1 if number > 0 else many + number
        if needed or isinstance(wanted, int):
            what = Sentence(
                "there is no column number {number}; columns count from 1 to {many}, or -1 for the last",
                number=number,
                many=many,
            )
            raise FileError(path, what)
    if needed:
        raise FileError(
            path,
            "there is no column {name}; there are {columns}",
            name=quoted(str(wanted)),
            columns=names(columns, 12),
        )
    return None
