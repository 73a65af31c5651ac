"""What a table preparation is made of: levels, fills, shifts and scales, all from the training part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation.cells import feature_values, filled, held_cells
from mcsvm_gui.core.data.preparation.gaps import usable_rows
from mcsvm_gui.core.data.preparation.rules import Feature, some
from mcsvm_gui.core.data.preparation.scaling import (
    NOTHING_VARIES,
    Scaling,
    constant_notice,
    dense_scaling,
    spread_notice,
)
from mcsvm_gui.core.data.preparation.table import TablePreparation
from solvers.errors import Sentence

MANY_LEVELS = 50
MOST_SENTENCES = 5  # of one kind; beyond, one speaks for all


def fit_table(rules: Rules, dataset: Dataset) -> TablePreparation:
    assert dataset.table is not None
    held = {column.name: held_cells(dataset, position) for position, column in enumerate(dataset.columns)}
    empty = [name for name, cells in held.items() if pd.isna(cells).all()]
    cells = {name: values for name, values in held.items() if name not in empty}
    if not cells:
        raise FileError(dataset.name, "no column holds a single value; a data file has at least one feature")
    notices = (
        [Notice("empty columns", Sentence("columns without any value are left out: {empty}", empty=some(empty)))]
        if empty
        else []
    )
    weights = dataset.weights
    if not rules.fills:
        kept = usable_rows(dataset, cells, rules)
        cells = {name: values[kept] for name, values in cells.items()}
        weights = None if weights is None else weights[kept]
    sources = [_source(rules, name, values, weights) for name, values in cells.items()]
    notices += [*_fill_notices(sources), *_level_notices(sources)]
    features, more = _scaled(rules, sources, dataset, weights)
    return TablePreparation(rules, tuple(dataset.columns), features, tuple(notices + more))


@dataclass(frozen=True, eq=False)
class _Source:
    """A column on its way to features, missing cells filled."""

    name: str
    levels: tuple[str | None, ...]  # (None,) for numbers
    fill: float | str | None
    values: np.ndarray
    absent: int  # how many cells were missing

    def value(self, level: str | None) -> np.ndarray:
        return feature_values(self.values, level)


def _source(rules: Rules, name: str, cells: np.ndarray, weights: np.ndarray | None) -> _Source:
    number = cells.dtype != object
    fill = _fill(rules, cells, weights) if rules.fills else None
    values = filled(cells, fill)
    levels: tuple[str | None, ...] = (None,) if number else tuple(sorted(set(values.tolist())))
    return _Source(name, levels, fill, values, int(pd.isna(cells).sum()))


def _fill(rules: Rules, cells: np.ndarray, weights: np.ndarray | None) -> float | str:
    there = ~pd.isna(cells)
    values, each = cells[there], None if weights is None else weights[there]
    if cells.dtype != object and rules.missing == "mean":
        return float(values.mean() if each is None else np.average(values, weights=each))
    return _most_frequent(values, each)


def _most_frequent(values: np.ndarray, weights: np.ndarray | None) -> Any:
    """By weight; of equally frequent ones the smallest."""
    codes, levels = pd.factorize(values, sort=True)
    return levels.tolist()[int(np.argmax(np.bincount(codes, weights)))]


def _scaled(
    rules: Rules, sources: list[_Source], dataset: Dataset, weights: np.ndarray | None
) -> tuple[tuple[Feature, ...], list[Notice]]:
    features: list[Feature] = []
    reaches: list[float] = []
    constant: list[Feature] = []
    for source in sources:
        for level in source.levels:
            values = source.value(level)
            scaling = dense_scaling(rules.scale, values[:, None], weights)
            _check_reach(dataset, source.name, scaling)
            if scaling.constant[0]:
                constant.append(Feature(source.name, level, source.fill, float(values[0]), 1.0))
            else:
                shift, scale = float(scaling.shift[0]), float(scaling.scale[0])
                features.append(Feature(source.name, level, source.fill, shift, scale))
                reaches.append(float(scaling.reach[0]))
    if not features:  # something must be left for the kernel: one column of zeros
        return (constant[0],), [Notice("constant columns", NOTHING_VARIES)]
    notices = spread_notice(rules.scale, [feature.source for feature in features], np.array(reaches))
    names = list(dict.fromkeys(f.source if f.level is None else f"{f.source} = {f.level}" for f in constant))
    return tuple(features), ([constant_notice(names)] if names else []) + notices


def _check_reach(dataset: Dataset, name: str, scaling: Scaling) -> None:
    numbers = scaling.shift, scaling.reach, scaling.scale[~scaling.constant]
    if not all(np.isfinite(part).all() for part in numbers) or (scaling.scale == 0.0).any():
        raise FileError(
            dataset.name, "the column {name} spreads wider than can be computed with; rescale it first", name=name
        )


# -- in words -------------------------------------------------------------------------------------


def _fill_notices(sources: list[_Source]) -> list[Notice]:
    """A sentence for each column, or one for all where they are many."""
    gaps = [source for source in sources if source.absent]
    if len(gaps) > MOST_SENTENCES:
        cells = sum(source.absent for source in gaps)
        which = some([f"{source.name} = {_shown(source.fill)}" for source in gaps])
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
    return f"{fill:.6g}" if isinstance(fill, float) else repr(fill)


def _level_notices(sources: list[_Source]) -> list[Notice]:
    texts = [source for source in sources if source.levels != (None,)]
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
    if len(few) > MOST_SENTENCES:
        count, which = sum(len(s.levels) for s in few), some([s.name for s in few])
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
