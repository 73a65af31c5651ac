"""Fit the parts of a table preparation: levels, fills, shifts and scales, all from the training part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation.cells import all_held_cells, equal_in_value, feature_values, with_fill
from mcsvm_gui.core.data.preparation.date_parts import parts_of
from mcsvm_gui.core.data.preparation.gaps import usable_rows
from mcsvm_gui.core.data.preparation.neighbors import Neighbors, fit_neighbors
from mcsvm_gui.core.data.preparation.rules import Feature, some_names
from mcsvm_gui.core.data.preparation.scaling import (
    NOTHING_VARIES,
    Scaling,
    constant_notice,
    dense_scaling,
    spread_notice,
)
from mcsvm_gui.core.data.preparation.table import TablePreparation
from mcsvm_gui.core.data.preparation.words import Words, fit_words

MANY_LEVELS = 50
MOST_SENTENCES = 5  # notices of one kind; if there are more, one notice replaces them


def fit_table(rules: Rules, dataset: Dataset) -> TablePreparation:
    assert dataset.table is not None
    places = range(len(dataset.columns))
    every = dict(zip((column.name for column in dataset.columns), all_held_cells(dataset, places), strict=True))
    texts = {column.name: every[column.name] for column in dataset.columns if column.kind == "text"}
    held = {name: cells for name, cells in every.items() if name not in texts}
    empty = [name for name, cells in held.items() if pd.isna(cells).all()]
    cells = {name: values for name, values in held.items() if name not in empty}
    if not cells and not texts:
        raise FileError(dataset.name, "no column holds a single value; a data file has at least one feature")
    notices = (
        [Notice("empty columns", Sentence("columns without any value are left out: {empty}", empty=some_names(empty)))]
        if empty
        else []
    )
    weights = dataset.weights
    if not rules.fills:
        kept = usable_rows(dataset, cells, rules)
        cells = {name: values[kept] for name, values in cells.items()}
        texts = {name: values[kept] for name, values in texts.items()}
        weights = None if weights is None else weights[kept]
    neighbors = _neighbors(rules, dataset, cells)
    near = {} if neighbors is None else neighbors.filled(cells)
    dates = {column.name for column in dataset.columns if column.kind == "date"}
    sources = [_source(rules, name, values, weights, name in dates, near.get(name)) for name, values in cells.items()]
    words = tuple(fit_words(rules, dataset, name, values) for name, values in texts.items())
    notices += [*_fill_notices(sources), *_level_notices(sources), *_word_notices(words)]
    features, more = _scaled(rules, sources, dataset, weights, alone=not words)
    said = tuple(notices + more)
    apart = {source.name: same for source in sources if (same := equal_in_value(source.joined, source.levels))}
    return TablePreparation(
        *(rules, tuple(dataset.columns), features, said, dataset.date_order, dataset.unused, words),
        *(neighbors, apart, dataset.with_roles),
    )


def _neighbors(rules: Rules, dataset: Dataset, cells: dict[str, np.ndarray]) -> Neighbors | None:
    if rules.missing != "knn":
        return None
    return fit_neighbors(dataset, rules.neighbors, {name: v for name, v in cells.items() if v.dtype != object})


@dataclass(frozen=True, eq=False)
class _Source:
    """A column to be turned into features, with missing cells filled."""

    name: str
    parts: tuple[tuple[str | None, str], ...]  # level and part of each feature: (None, "") for the value of a number
    fill: float | str | None
    cells: np.ndarray  # unchanged
    values: np.ndarray  # filled
    absent: int  # number of missing cells
    joined: tuple[str, ...] = ()  # categories with too few rows for a feature of their own

    @property
    def levels(self) -> tuple[str, ...]:
        return tuple(level for level, _ in self.parts if level is not None)

    @property
    def text(self) -> bool:
        return self.values.dtype == object

    def value(self, level: str | None, part: str) -> np.ndarray:
        feature = Feature(self.name, level, None, 0.0, 1.0, part)
        return feature_values(self.cells if part == "missing" else self.values, feature, self.levels)


def _source(
    rules: Rules,
    name: str,
    cells: np.ndarray,
    weights: np.ndarray | None,
    date: bool,
    near: np.ndarray | None,
) -> _Source:
    """Return the source of one column. `near`: the values, with missing ones imputed from neighbors."""
    absent = int(pd.isna(cells).sum())
    if near is not None:
        fill, values = None, near
    else:
        fill = _fill(rules, cells, weights) if rules.fills else None
        values = with_fill(cells, fill)
    parts: list[tuple[str | None, str]] = [(None, "")]
    joined: tuple[str, ...] = ()
    if date:
        parts = [(None, part) for part in parts_of(rules.date_parts)]
    elif cells.dtype == object:
        levels, joined = _levels(rules, values)
        parts = [(level, "") for level in levels] + ([(None, "others")] if joined else [])
    own = rules.missing == "category" and cells.dtype == object
    if absent and (own or rules.missing_indicator):
        parts.append((None, "missing"))
    return _Source(name, tuple(parts), fill, cells, values, absent, joined)


def _levels(rules: Rules, values: np.ndarray) -> tuple[list[str], tuple[str, ...]]:
    """Return the levels that are features, and the rare ones that are joined; a single rare level stays a feature."""
    counts = Counter(value for value in values.tolist() if value)
    few = [level for level, count in counts.items() if count < rules.min_frequency]
    if len(few) < 2:
        few = []
    return sorted(set(counts) - set(few)), tuple(few)


def _fill(rules: Rules, cells: np.ndarray, weights: np.ndarray | None) -> float | str:
    if rules.missing == "category" and cells.dtype == object:
        return ""
    there = ~pd.isna(cells)
    values, each = cells[there], None if weights is None else weights[there]
    if cells.dtype != object and rules.missing == "mean":
        return float(values.mean() if each is None else np.average(values, weights=each))
    if cells.dtype != object and rules.missing in ("median", "category"):
        return _median(values, each)
    return _most_frequent(values, each)


def _median(values: np.ndarray, weights: np.ndarray | None) -> float:
    """Return the weighted median. If a value splits the weight evenly, it is the midpoint to the next value."""
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order]) / weights.sum()
    first = int(np.searchsorted(below, 0.5))
    ends = values[order[first]], values[order[min(first + 1, len(order) - 1)]]
    return float(0.5 * (ends[0] + ends[1]) if below[first] == 0.5 else ends[0])


def _most_frequent(values: np.ndarray, weights: np.ndarray | None) -> Any:
    """Return the value of largest total weight; the smallest one if several tie."""
    codes, levels = pd.factorize(values, sort=True)
    return levels.tolist()[int(np.argmax(np.bincount(codes, weights)))]


def _scaled(
    rules: Rules, sources: list[_Source], dataset: Dataset, weights: np.ndarray | None, *, alone: bool
) -> tuple[tuple[Feature, ...], list[Notice]]:
    """Scale the features. `alone`: whether there are no other features to learn from."""
    features: list[Feature] = []
    reaches: list[float] = []
    constant: list[Feature] = []
    for source in sources:
        for level, part in source.parts:
            values = source.value(level, part)
            scaling = dense_scaling(rules.scale, values[:, None], weights)
            _check_reach(dataset, source.name, scaling)
            if scaling.constant[0]:
                constant.append(Feature(source.name, level, source.fill, float(values[0]), 1.0, part))
            else:
                shift, scale = float(scaling.shift[0]), float(scaling.scale[0])
                features.append(Feature(source.name, level, source.fill, shift, scale, part))
                reaches.append(float(scaling.reach[0]))
    if not features and alone:  # the kernel needs at least one feature: a column of zeros
        return (constant[0],), [Notice("constant columns", NOTHING_VARIES)]
    notices = spread_notice(rules.scale, [feature.source for feature in features], np.array(reaches))
    varying = {feature.source for feature in features}
    told = [feature for feature in constant if feature.level or feature.source not in varying]
    names = list(dict.fromkeys(f.source if f.level is None else f"{f.source} = {f.level}" for f in told))
    return tuple(features), ([constant_notice(names)] if names else []) + notices


def _check_reach(dataset: Dataset, name: str, scaling: Scaling) -> None:
    numbers = scaling.shift, scaling.reach, scaling.scale[~scaling.constant]
    if not all(np.isfinite(part).all() for part in numbers) or (scaling.scale == 0.0).any():
        raise FileError(
            dataset.name, "the column {name} spreads wider than can be computed with; rescale it first", name=name
        )


# -- in words -------------------------------------------------------------------------------------


def _fill_notices(sources: list[_Source]) -> list[Notice]:
    """Return a notice for each column, or one for all if there are many."""
    gaps = [source for source in sources if source.absent]
    if len(gaps) > MOST_SENTENCES:
        cells = sum(source.absent for source in gaps)
        which = some_names([f"{source.name} = {_shown(source.fill)}" for source in gaps])
        return [
            Notice(
                "filled",
                Sentence(
                    "{count} missing cell of {columns} columns was filled in: {which}",
                    "{count} missing cells of {columns} columns were filled in: {which}",
                    count=cells,
                    columns=len(gaps),
                    which=which,
                ),
            )
        ]
    return [
        Notice(
            "filled",
            Sentence(
                "{count} missing cell of the column {name} became {fill}",
                "{count} missing cells of the column {name} became {fill}",
                count=s.absent,
                name=s.name,
                fill=_shown(s.fill),
            ),
        )
        for s in gaps
    ]


def _shown(fill: float | str | None) -> str:
    if fill is None:
        return Sentence("the mean of its nearest neighbors")
    if fill == "":
        return Sentence("a category of their own")
    return figures.number(fill, 6) if isinstance(fill, float) else repr(fill)


def _word_notices(words: Sequence[Words]) -> list[Notice]:
    return [
        Notice(
            "words",
            Sentence(
                "the texts of the column {name} became {words} features (tf-idf);"
                " a linear kernel suits them best, and is much faster",
                name=one.source,
                words=len(one.vocabulary),
            ),
        )
        for one in words
    ]


def _level_notices(sources: list[_Source]) -> list[Notice]:
    texts = [source for source in sources if source.text]
    many = [source for source in texts if len(source.levels) > MANY_LEVELS]
    few = [source for source in texts if len(source.levels) <= MANY_LEVELS]
    notices = [
        Notice(
            "many levels",
            Sentence(
                "the column {name} holds {levels} different texts, each of them becomes a feature; is it a name?",
                name=s.name,
                levels=len(s.levels),
            ),
        )
        for s in many
    ]
    notices += [
        Notice(
            "joined categories",
            Sentence(
                "{count} category of the column {name} has too few rows and is joined to others",
                "{count} categories of the column {name} have too few rows and are joined to one",
                count=len(s.joined),
                name=s.name,
            ),
        )
        for s in texts
        if s.joined
    ]
    if len(few) > MOST_SENTENCES:
        count, which = sum(len(s.levels) for s in few), some_names([s.name for s in few])
        what = Sentence(
            "{few} text columns became {count} features, one per level: {which}", few=len(few), count=count, which=which
        )
        return [*notices, Notice("categories", what)]
    return notices + [
        Notice(
            "categories",
            Sentence(
                "the text column {name} became {levels} features, one per level", name=s.name, levels=len(s.levels)
            ),
        )
        for s in few
    ]
