"""Preparation of tables: columns by name, categories one-hot, missing cells by rule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import NoneType
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Column, ColumnKind, Dataset, Notice, NoticeTally
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation.cells import (
    as_table,
    as_text,
    feature_values,
    line_of,
    numbers,
    spelled_as_known,
    texts,
    with_fill,
)
from mcsvm_gui.core.data.preparation.date_parts import PARTS
from mcsvm_gui.core.data.preparation.gaps import dropped, usable_rows
from mcsvm_gui.core.data.preparation.neighbors import Neighbors
from mcsvm_gui.core.data.preparation.rules import Feature, Prepared, Rows, notices_of, some_names
from mcsvm_gui.core.data.preparation.words import Words


@dataclass(frozen=True, eq=False)
class TablePreparation:
    rules: Rules
    columns: tuple[Column, ...]  # of the training data, used or not
    features: tuple[Feature, ...]
    notices: tuple[Notice, ...]
    date_order: str = ""  # the order of day and month, if dates needed it
    unused: tuple[str, ...] = ()  # columns of the file that were not used in training
    words: tuple[Words, ...] = ()
    neighbors: Neighbors | None = None  # the source of imputed numbers
    apart: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # joined categories equal in value to a level
    roles: tuple[str, ...] = ()  # columns of the file that were label, weight, group or fold

    def apply(self, dataset: Dataset) -> Prepared:
        """Prepare a data set. The result for a row does not depend on the other rows."""
        given, dataset = dataset, as_table(dataset)
        notices = self._unknown_columns(dataset)
        places = {column.name: position for position, column in enumerate(dataset.columns)}
        cells = {name: self._cells(dataset, name, places[name]) for name in self._used}
        kept = self._usable(dataset, cells)
        held = cells if kept.size == dataset.rows else {name: values[kept] for name, values in cells.items()}
        rows = self._numbers(held, kept.size)
        self._check_finite(dataset, rows, kept)
        notices += self._unknown_levels(dataset, cells)
        return Prepared(self._with_words(rows, held, given), kept, (*notices, *dropped(dataset, kept)))

    def rows(self, cells: dict[str, np.ndarray], count: int) -> Rows:
        """Return the kernel's rows for these cells, given by column, as `apply` reads them, without checks."""
        return self._with_words(self._numbers(cells, count), cells, None)

    def _numbers(self, cells: dict[str, np.ndarray], count: int) -> np.ndarray:
        """Compute all features except those of texts."""
        whole = cells if self.neighbors is None else cells | self.neighbors.filled(cells)
        rows = np.zeros((count, len(self.features)))
        for (source, fill), columns in self._one_hot.items():
            values = with_fill(whole[source], fill)
            column = np.fromiter((columns.get(value, -1) for value in values.tolist()), np.int64, count)
            known = np.flatnonzero(column >= 0)
            rows[known, column[known]] = 1.0
        for number, feature in enumerate(self.features):
            if feature.level is None:
                values = (cells if feature.part == "missing" else whole)[feature.source]
                rows[:, number] = feature_values(values, feature, self._levels.get(feature.source, ()))
        rows -= np.array([feature.shift for feature in self.features])
        with np.errstate(over="ignore"):
            rows *= np.array([feature.scale for feature in self.features])
        return rows

    def _with_words(self, rows: np.ndarray, cells: dict[str, np.ndarray], dataset: Dataset | None) -> Rows:
        if not self.words:
            return rows
        blocks = [sp.csr_array(rows), *(one.rows(cells[one.source], dataset) for one in self.words)]
        return sp.csr_array(sp.hstack(blocks, format="csr"))

    @property
    def every_feature(self) -> tuple[Feature, ...]:
        """One feature for each column of the kernel; for words the part is `word`, and the level is the word."""
        words = (Feature(one.source, word, None, 0.0, 1.0, "word") for one in self.words for word in one.vocabulary)
        return (*self.features, *words)

    @property
    def width(self) -> int:
        """The number of features of the kernel."""
        return len(self.features) + sum(len(one.vocabulary) for one in self.words)

    @property
    def sources(self) -> tuple[str, ...]:
        """The column of the file that each feature comes from."""
        words = [one.source for one in self.words for _ in one.vocabulary]
        return (*(feature.source for feature in self.features), *words)

    @property
    def titles(self) -> tuple[str, ...]:
        words = [f"{one.source}: {word}" for one in self.words for word in one.vocabulary]
        return (*(feature.title for feature in self.features), *words)

    @property
    def plain(self) -> bool:
        """Whether every feature is the value of a cell, or whether it equals a level."""
        return not self.needs

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """Other sources of features: words, dates, gaps (or joined categories), neighbors."""
        found = {
            "words": bool(self.words),
            "dates": "date" in self._used.values(),
            "gaps": any(feature.part in ("missing", "others") for feature in self.features),
            "neighbors": self.neighbors is not None,
        }
        return tuple(need for need, there in found.items() if there)

    @cached_property
    def _used(self) -> dict[str, str]:
        used = {*self.sources, *(() if self.neighbors is None else self.neighbors.sources)}
        return {column.name: column.kind for column in self.columns if column.name in used}

    @cached_property
    def _levels(self) -> dict[str, list[str]]:
        levels: dict[str, list[str]] = {}
        for feature in self.features:
            if feature.level is not None:
                levels.setdefault(feature.source, []).append(feature.level)
        return levels

    @cached_property
    def _one_hot(self) -> dict[tuple[str, float | str | None], dict[str, int]]:
        """Return the feature of each level, by the source of its cells and the value that fills missing ones."""
        found: dict[tuple[str, float | str | None], dict[str, int]] = {}
        for number, feature in enumerate(self.features):
            if feature.level is not None:
                found.setdefault((feature.source, feature.fill), {})[feature.level] = number
        return found

    @cached_property
    def _joined(self) -> set[str]:
        """Columns whose other categories share one feature."""
        return {feature.source for feature in self.features if feature.part == "others"}

    def _unknown_columns(self, dataset: Dataset) -> list[Notice]:
        names = {column.name for column in dataset.columns}
        absent = [name for name in self._used if name not in names]
        if absent:
            sentence = Sentence(
                "the column {names} of the training data is missing here",
                "the columns {names} of the training data are missing here",
                count=len(absent),
                names=some_names(absent),
            )
            raise FileError(dataset.name, sentence, line=1)
        known = {column.name for column in self.columns}
        known |= {*self.unused, *self.roles}
        strange = [name for name in (column.name for column in dataset.columns) if name not in known]
        if not strange:
            return []
        return [
            Notice(
                "unknown columns",
                Sentence(
                    "columns that the training data did not have are ignored: {strange}", strange=some_names(strange)
                ),
            )
        ]

    def _cells(self, dataset: Dataset, name: str, position: int) -> np.ndarray:
        """Return the cells of a column: float64 with NaN, or objects of str with None."""
        assert dataset.table is not None
        series = dataset.table.iloc[:, position]
        kind, there = self._used[name], dataset.columns[position].kind
        if kind in ("number", "date") and there != kind and not series.isna().all():
            row = int(np.flatnonzero(series.notna())[0])
            sentence = (
                "the column {name} must be numbers, as in the training data; here it holds text such as {some}"
                if kind == "number"
                else "the column {name} must be dates, as in the training data; here it holds {some}"
            )
            raise FileError(
                *(dataset.name, sentence),
                name=name,
                some=some_names([repr(series.iloc[row])]),
                line=line_of(dataset, row),
            )
        if kind in ("number", "date"):
            return numbers(series)
        levels = self._levels.get(name, [])
        if dataset.columns[position].numeric:
            return as_text(numbers(series), levels)
        cells = texts(series)
        return spelled_as_known(cells, levels, self.apart.get(name, ())) if kind == "category" else cells

    def _usable(self, dataset: Dataset, cells: dict[str, np.ndarray]) -> np.ndarray:
        """Return the rows that can be predicted: under `reject` all of them, or an error."""
        filled = () if self.neighbors is None else self.neighbors.sources
        needed = {feature.source for feature in self.features if feature.fill is None} - {*filled}
        return usable_rows(dataset, {name: cells[name] for name in cells if name in needed}, self.rules)

    def _unknown_levels(self, dataset: Dataset, cells: dict[str, np.ndarray]) -> list[Notice]:
        notices = []
        for name, levels in self._levels.items():
            if name in self._joined:
                continue
            known = {*levels, None}
            strange = Counter(cell for cell in cells[name].tolist() if cell not in known)
            if not strange:
                continue
            tally = NoticeTally(_uncounted, about=name, words=tuple(map(repr, strange)))
            if self.rules.unknown == "reject":
                raise FileError(dataset.name, _strange(tally))
            notices.append(Notice.of("unknown levels", tally))
        return notices

    def _check_finite(self, dataset: Dataset, rows: np.ndarray, kept: np.ndarray) -> None:
        bad = np.argwhere(~np.isfinite(rows))
        if bad.size:
            row, feature = bad[0]
            raise FileError(
                dataset.name,
                "the column {source} is not a number that can be computed with once scaled",
                source=self.features[feature].source,
                line=line_of(dataset, int(kept[row])),
            )

    def document(self) -> dict[str, Any]:
        return {
            "kind": "table",
            "rules": vars(self.rules),
            "columns": [[column.name, column.kind] for column in self.columns],
            "features": [list(feature) for feature in self.features],
            "notices": [[notice.code, notice.sentence] for notice in self.notices],
            "date_order": self.date_order,
            "unused": list(self.unused),
            "words": [one.document() for one in self.words],
            "neighbors": None if self.neighbors is None else self.neighbors.document(),
            "apart": {name: list(spellings) for name, spellings in self.apart.items()},
            "roles": list(self.roles),
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that the document does not contain."""
        found = {"idf": np.concatenate([one.idf for one in self.words])} if self.words else {}
        if self.neighbors is not None:
            known = ~np.isnan(self.neighbors.donors)
            found |= {"donors": np.where(known, self.neighbors.donors, 0.0), "donors_known": known.astype(np.int64)}
        return found

    @classmethod
    def read(cls, document: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> TablePreparation:
        rules = Rules(**document["rules"])
        columns = tuple(_column(*entry) for entry in document["columns"])
        kinds = {column.name: column.kind for column in columns}
        features = tuple(_feature(kinds, *entry) for entry in document["features"])
        order, unused = document["date_order"], document["unused"]
        roles = tuple(document["roles"])
        if order not in ("", "dmy", "mdy") or not all(isinstance(name, str) for name in (*unused, *roles)):
            raise ValueError("columns that no file has")
        words, neighbors = _words(document, arrays, rules, kinds), None
        if document["neighbors"] is not None:
            neighbors = Neighbors.read(document["neighbors"], arrays["donors"], arrays["donors_known"])
            if any(kinds[name] not in ("number", "date") for name in neighbors.sources):
                raise ValueError("neighbors by what is no number")
        if not features and not words:
            raise ValueError("nothing to learn from")
        apart = {name: tuple(spellings) for name, spellings in document["apart"].items()}
        if not all(isinstance(spelling, str) for spellings in apart.values() for spelling in spellings):
            raise ValueError("categories that are no text")
        return cls(rules, columns, features, notices_of(document), order, tuple(unused), words, neighbors, apart, roles)


def expected_arrays(document: dict[str, Any]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return kind and shape of the arrays of a document; that of sparse files has neither words nor neighbors."""
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    if document.get("words"):
        found["idf"] = "f", (sum(len(one["vocabulary"]) for one in document["words"]),)
    if document.get("neighbors") is not None:
        rows, width = document["neighbors"]["rows"], len(document["neighbors"]["sources"])
        if type(rows) is not int or not 0 < rows < 2**48 or not width:
            raise ValueError("neighbors without rows")
        found |= {"donors": ("f", (rows, width)), "donors_known": ("i", (rows, width))}
    return found


def _words(
    document: dict[str, Any], arrays: Mapping[str, np.ndarray], rules: Rules, kinds: Mapping[str, str]
) -> tuple[Words, ...]:
    found, place = [], 0
    for one in document["words"]:
        end = place + len(one["vocabulary"])
        found.append(Words.read(one, arrays["idf"][place:end], rules))
        if kinds[found[-1].source] != "text":
            raise ValueError("words of what is no text")
        place = end
    return tuple(found)


def _strange(tally: NoticeTally) -> Sentence:
    return Sentence(
        "the column {name} holds what training did not know: {some}",
        name=tally.about,
        some=some_names(list(tally.words)),
    )


def _uncounted(tally: NoticeTally) -> Sentence:
    return Sentence("{what}; it counts as none of the known levels", what=_strange(tally))


def _column(name: Any, kind: Any) -> Column:
    if not isinstance(name, str) or kind not in get_args(ColumnKind):
        raise ValueError("a column without name or kind")
    return Column(name, kind)


def _feature(
    kinds: Mapping[str, str], source: Any, level: Any, fill: Any, shift: Any, scale: Any, part: Any = ""
) -> Feature:
    category, date = kinds[source] == "category", kinds[source] == "date"
    if kinds[source] == "text" or part not in ("", "missing", *(("others",) if category else PARTS if date else ())):
        raise ValueError("a part that its column does not have")
    if not isinstance(level, str if category and not part else NoneType):
        raise ValueError("a feature of another kind than its column")
    if not isinstance(fill, (NoneType, str if category else float)):
        raise ValueError("missing cells would be filled with another kind of value")
    if not all(type(number) in (int, float) and math.isfinite(number) for number in (shift, scale)) or scale == 0.0:
        raise ValueError("a feature scaled by what is no number")
    if isinstance(fill, float) and not math.isfinite(fill):
        raise ValueError("missing cells would be filled with infinity")
    return Feature(source, level, fill, float(shift), float(scale), part)
