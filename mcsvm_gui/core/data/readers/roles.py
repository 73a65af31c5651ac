"""The role of each column: label, weight, group, fold, text, date, name, or a feature as its values show.

A row of weight 0 does not count: if rows are read for training, it is left out before any other step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import ColumnKind, Notice
from mcsvm_gui.core.data.options import AUTOMATIC, LISTS, ReadOptions
from mcsvm_gui.core.data.phrases import places, quoted
from mcsvm_gui.core.data.readers import label_column
from mcsvm_gui.core.data.readers.cells import is_number, value_of
from mcsvm_gui.core.data.readers.declared import Declared
from mcsvm_gui.core.data.readers.label_column import LabelColumn
from mcsvm_gui.core.data.remedies import OptionWords, Remedy

# for formats with named columns
OPTIONS = "label", "spellings", "weights", "groups", "fold_column", "date_order", *LISTS
NOTHING_DECLARED = Declared()


@dataclass(frozen=True)
class Roles:
    """The positions of columns that are not features, or features of a requested kind."""

    label: LabelColumn
    weights: int | None = None
    groups: int | None = None
    folds: int | None = None
    dropped: tuple[int, ...] = ()  # columns that are not learned from, including names of rows
    notices: tuple[Notice, ...] = ()
    spellings: str = AUTOMATIC  # of classes
    kinds: Mapping[int, ColumnKind] = field(default_factory=dict)  # the requested kinds
    names: tuple[int, ...] = ()  # shown, but never learned from
    names_wanted: bool = False  # whether columns that name the rows may be recognized by their content
    untitled: frozenset[int] = frozenset()
    date_order: str = AUTOMATIC
    where: str | None = None
    merge: str | None = None
    kept: tuple[int, ...] = ()  # to be written next to predictions, in addition to any other use

    @property
    def taken(self) -> frozenset[int]:
        found = self.label.position, self.weights, self.groups, self.folds
        return frozenset(position for position in found if position is not None)

    @property
    def spelled(self) -> frozenset[int]:
        """Columns whose cells are needed as they are spelled, not as numbers."""
        return frozenset(j for j in (self.label.position, *self.kinds, *self.names) if j is not None)


def choose(
    path: Path,
    columns: Sequence[str],
    given: Sequence[str],
    options: ReadOptions,
    declared: Declared = NOTHING_DECLARED,
    *,
    needs_label: bool,
) -> Roles:
    """Choose the roles. `given`: the names in the file, which may repeat; `columns`: the distinct names."""
    weights, notices = _weights(path, columns, given, options, needed=needs_label)
    splitting = {"groups": options.groups, "fold_column": options.fold_column}
    groups, folds = (
        None if wanted is None else label_column.find(path, columns, given, wanted, name, needed=needs_label)
        for name, wanted in splitting.items()
    )
    said = {name: _positions(path, columns, given, getattr(options, name) or (), name, needs_label) for name in LISTS}
    others = {weights, groups, folds} | said["drop"] | said["names"] | said["text"] | said["dates"]
    label = declared.choose(path, columns, given, options, others, needs_label=needs_label)
    if weights is not None and label.position == weights:
        raise FileError(
            path,
            "column {name} cannot be both the label and the weight of its row; {weights} with another",
            name=quoted(columns[weights]),
            weights=Remedy("weights", verb="say"),
            column=columns[weights],
        )
    kept = [place for name in options.keep for place in _positions(path, columns, given, (name,), "keep", True)]
    found = Roles(
        label, weights, groups, folds, notices=notices, spellings=options.spellings, kept=tuple(dict.fromkeys(kept))
    )
    for name, position in zip(splitting, (groups, folds), strict=True):
        if position is not None and position in (label.position, weights):
            raise FileError(
                path,
                "column {name} has a role already; {option} with another",
                name=quoted(columns[position]),
                option=Remedy(name, verb="say"),
                column=columns[position],
            )
    return _listed(path, columns, given, options, declared, found, said, needed=needs_label)


def _listed(
    path: Path,
    columns: Sequence[str],
    given: Sequence[str],
    options: ReadOptions,
    declared: Declared,
    found: Roles,
    said: Mapping[str, set[int]],
    *,
    needed: bool,
) -> Roles:
    """Add the columns that options list; these options override the declarations of the file."""
    _refuse_two_roles(path, columns, said, found.taken)
    features = said["columns"] | said["text"] | said["dates"] | said["categories"]
    dropped = {*said["drop"], *declared.dropped(found.taken | features)} | said["names"]
    if options.columns:
        dropped |= set(range(len(columns))) - features
    names = said["names"] or ({j for j in declared.names_of_rows if j in dropped} if options.names is None else set())
    kinds: dict[int, ColumnKind] = dict.fromkeys(sorted(declared.dates - dropped - found.taken), "date")
    kinds |= dict.fromkeys(sorted(said["categories"]), "category")
    kinds |= dict.fromkeys(sorted(said["text"]), "text")
    kinds |= dict.fromkeys(sorted(said["dates"]), "date")
    return replace(
        found,
        dropped=tuple(sorted(dropped - found.taken)),
        kinds=kinds,
        names=tuple(sorted(names)),
        names_wanted=needed and options.names is None and not options.columns,
        untitled=frozenset(j for j, name in enumerate(given) if not name.strip()),
        date_order=options.date_order if options.date_order != AUTOMATIC else declared.date_order or AUTOMATIC,
        where=options.where,
        merge=options.merge,
    )


def _positions(
    path: Path, columns: Sequence[str], given: Sequence[str], wanted: Sequence[str], option: str, needed: bool
) -> set[int]:
    """Return the positions of the columns that exist; unless `needed`, a column may be absent."""
    if not wanted:
        return set()
    place = {name: j for j, name in enumerate(columns)} if len(set(given)) == len(given) else {}
    found = {
        place[name] if name in place else label_column.find(path, columns, given, name, option, needed=needed)
        for name in wanted
    }
    return {j for j in found if j is not None}


def _refuse_two_roles(path: Path, columns: Sequence[str], said: Mapping[str, Set[int]], taken: Set[int]) -> None:
    alone = [name for name in LISTS if name != "columns"]
    for number, name in enumerate(alone):
        others = {other: said[other] for other in alone[:number]}
        if name in ("drop", "names"):
            others["columns"] = said["columns"]
        for other, positions in others.items():
            if both := sorted(said[name] & positions):
                raise FileError(
                    path,
                    "column {name} is named by {first} and by {second}; leave it out of one",
                    name=quoted(columns[both[0]]),
                    first=OptionWords(other),
                    second=OptionWords(name),
                )
        if used := sorted(said[name] & taken):
            raise FileError(
                path,
                "column {name} has a role already; {option} with another",
                name=quoted(columns[used[0]]),
                option=Remedy(name, verb="say"),
                column=columns[used[0]],
            )


def _weights(
    path: Path, columns: Sequence[str], given: Sequence[str], options: ReadOptions, *, needed: bool
) -> tuple[int | None, tuple[Notice, ...]]:
    if options.weights is None:
        return None, ()
    found = label_column.find(path, columns, given, options.weights, "weights", needed=needed)
    if found is not None:
        return found, ()
    sentence = Sentence("the file has no column {name}, so all rows count alike", name=quoted(str(options.weights)))
    return None, (Notice("no-weight-column", sentence),)


def weights_of(path: Path, name: str, cells: np.ndarray, lines: np.ndarray, decimal: str) -> np.ndarray:
    """Return one weight per row: finite, not negative, and not all 0."""
    values = cells if cells.dtype == np.float64 else _numbers(path, name, cells, lines, decimal)
    missing = np.flatnonzero(np.isnan(values))
    if missing.size:
        raise FileError(
            path,
            Sentence(
                "{count} row has no weight in column {name} ({places});"
                " fill the cell in, or write 0 to leave the row out",
                "{count} rows have no weight in column {name} ({places});"
                " fill the cells in, or write 0 to leave the rows out",
                count=missing.size,
                name=quoted(name),
                places=places(lines[missing]),
            ),
            line=int(lines[missing[0]]),
            column=name,
        )
    _refuse(path, name, values, lines)
    return values


def _numbers(path: Path, name: str, cells: np.ndarray, lines: np.ndarray, decimal: str) -> np.ndarray:
    words = [None if pd.isna(cell) or not str(cell).strip() else str(cell).strip() for cell in cells]
    for word, line in zip(words, lines.tolist(), strict=True):
        if word is not None and not is_number(word, decimal):
            raise FileError(
                path,
                "{word} in column {name} is no weight; the weight of a row is a number of at least 0",
                word=quoted(word),
                name=quoted(name),
                line=line,
                column=name,
            )
    return np.array([np.nan if word is None else value_of(word, decimal) for word in words])


def _refuse(path: Path, name: str, values: np.ndarray, lines: np.ndarray) -> None:
    bad = np.flatnonzero(~np.isfinite(values) | (values < 0.0))
    if bad.size:
        raise FileError(
            path,
            "{value} in column {name} is no weight; the weight of a row is a number of at least 0",
            value=f"{values[bad[0]]:g}",
            name=quoted(name),
            line=int(lines[bad[0]]),
            column=name,
        )
    if not values.any():
        raise FileError(path, "every weight in column {name} is 0, which leaves no row", name=quoted(name), column=name)
    with np.errstate(over="ignore"):
        if not np.isfinite(values.sum()):
            raise FileError(
                path, "the weights in column {name} are too large to be added up", name=quoted(name), column=name
            )


def names_of(path: Path, name: str, cells: np.ndarray, lines: np.ndarray, *, needed: bool) -> np.ndarray:
    """Return the names of groups or folds: numbers or text. If they are needed for training, refuse missing cells."""
    missing = np.flatnonzero(pd.isna(cells))
    if missing.size and needed:
        raise FileError(
            path,
            Sentence(
                "{count} row has nothing in column {name} ({places}); fill the cell in, or leave the row out",
                "{count} rows have nothing in column {name} ({places}); fill the cells in, or leave the rows out",
                count=missing.size,
                name=quoted(name),
                places=places(lines[missing]),
            ),
            line=int(lines[missing[0]]),
            column=name,
        )
    if cells.dtype == np.float64:
        return cells
    found = np.empty(len(cells), dtype=object)
    found[:] = ["" if pd.isna(cell) else str(cell).strip() for cell in cells]
    return found


def left_out(name: str, rows: int) -> tuple[Notice, ...]:
    """Return a notice on the rows of weight 0."""
    if not rows:
        return ()
    sentence = Sentence(
        "{count} row of weight 0 in column {name} is left out",
        "{count} rows of weight 0 in column {name} are left out",
        count=rows,
        name=quoted(name),
    )
    return (Notice("weightless-rows", sentence),)
