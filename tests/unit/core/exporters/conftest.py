"""Models to export, as the application would have trained them, and the data they were trained on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from mcsvm_gui.core.dataset import Column, Dataset
from mcsvm_gui.core.exporters.plain import plain_of
from mcsvm_gui.core.exporters.probe import of_dataset, prepared
from mcsvm_gui.core.resources import dataset as bundled
from solvers import MultiClassSVC

SIX = ("ww", "llw", "cs", "ova", "ovo", "dag")
KERNELS: dict[str, dict[str, Any]] = {
    "rbf": {"kernel": "rbf", "gamma": 0.6},
    "linear": {"kernel": "linear"},
    "polynomial": {"kernel": "polynomial", "gamma": 0.5, "degree": 3, "coef0": 1.0},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.05, "coef0": 0.1, "max_iter": 300},
}


@dataclass(frozen=True)
class Feature:
    source: str
    level: str | None
    fill: float | str | None
    shift: float
    scale: float


@dataclass(frozen=True, eq=False)
class Trained:
    model: Any
    class_names: tuple[str, ...]
    preparation: Any
    request: Any = None
    certificate: Any = None

    def decide(self, data: Dataset) -> np.ndarray:
        plain = plain_of(self, as_weights=False)
        features = prepared(plain, of_dataset(plain, SimpleNamespace(decide=self._any), data))
        return np.array(self.class_names, dtype=object)[self.model.predict(features)]

    def _any(self, data: Dataset) -> list[str]:
        return [self.class_names[0]] * data.rows


def dataset_of(table: pd.DataFrame | None, labels: Any, matrix: Any = None) -> Dataset:
    if table is not None:
        kinds = ["category" if table.iloc[:, i].dtype == object else "number" for i in range(table.shape[1])]
        columns = [Column(str(name), kind) for name, kind in zip(table.columns, kinds, strict=True)]  # type: ignore[arg-type]
    else:
        columns = [Column(str(i + 1), "number") for i in range(matrix.shape[1])]
    texts = np.array([str(label) for label in labels], dtype=object)
    return Dataset("data", "csv", tuple(columns), table, matrix, "label", texts, None, (), (), "digest")


def fitted(data: Dataset) -> tuple[Feature, ...]:
    """Scaled to [-1, 1]; a category is a feature per level."""
    features: list[Feature] = []
    for place, column in enumerate(data.columns):
        if data.table is None:
            features.append(Feature(column.name, None, None, 0.0, 0.5))
            continue
        series = data.table.iloc[:, place]
        if column.kind == "number":
            low, high = float(series.min()), float(series.max())
            features.append(Feature(column.name, None, (low + high) / 2, (low + high) / 2, 2.0 / (high - low)))
        else:
            levels = sorted(set(series.dropna()))
            features += [Feature(column.name, level, levels[0], 0.5, 2.0) for level in levels]
    return tuple(features)


def trained_on(data: Dataset, **parameters: Any) -> Trained:
    assert data.labels is not None
    preparation = SimpleNamespace(features=fitted(data))
    empty = Trained(SimpleNamespace(), (), preparation)
    names = data.classes
    codes = np.array([names.index(label) for label in data.labels])
    estimator = MultiClassSVC(**parameters).fit(features_of(data, empty), codes)
    return Trained(estimator._model, names, preparation, parameters, estimator.certificate_)


def features_of(data: Dataset, empty: Trained) -> Any:
    """Prepared straight from the definition, by other code than the exporters'."""
    if data.matrix is not None:
        return data.matrix * 0.5
    assert data.table is not None
    columns = []
    for feature in empty.preparation.features:
        series = data.table[feature.source].fillna(feature.fill)
        value = series.to_numpy(float) if feature.level is None else (series == feature.level).to_numpy(float)
        columns.append((value - feature.shift) * feature.scale)
    return np.column_stack(columns)


@cache
def iris() -> Dataset:
    table = pd.read_csv(bundled("iris"), dtype={"label": str})
    return dataset_of(table.drop(columns="label"), table["label"])


@cache
def mixed(rows: int = 90) -> Dataset:
    """Numbers, categories, missing cells, four classes, and names that want to break out."""
    rng = np.random.default_rng(3)
    colours = np.array(HOSTILE[:3], dtype=object)[rng.integers(0, 3, rows)]
    shapes = np.array(["round", "flat"], dtype=object)[rng.integers(0, 2, rows)]
    width, height = rng.normal(size=rows), rng.normal(size=rows) * 50.0 + 7.0
    score = 2 * (width > 0) + (colours == HOSTILE[0]) * 1 + (shapes == "flat") * (height > 0)
    height[5], colours[7], width[9] = np.nan, None, np.nan
    table = pd.DataFrame({HOSTILE[3]: width, HOSTILE[4]: colours, "height": height, HOSTILE[5]: shapes})
    table[HOSTILE[4]] = table[HOSTILE[4]].astype(object)
    table[HOSTILE[5]] = table[HOSTILE[5]].astype(object)
    return dataset_of(table, [HOSTILE[6 + value] for value in score % 4])


HOSTILE = (
    'quote " and \\ backslash \\',
    "line\nbreak\r\nand\ttab",
    "café ☃ 😀 ??/",
    "*/ int x; /* ]]> <b>&amp;",
    '""" + exit() + """',
    "label",
    "'single' ${name} %s {0}",
    "*/",
    ']]> --> "',
    " leading and trailing ",
)


def written(path: Path) -> set[str]:
    return {found.name for found in path.parent.iterdir()}
