"""Models to export, as the application would have trained them, and the data they were trained on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mcsvm import MultiClassSVC
from mcsvm.solvers.model import decide
from mcsvm.solvers.uncertainty.costs import CostRule
from mcsvm_gui.core.base.resources import dataset as bundled
from mcsvm_gui.core.data.dataset import Column, Dataset
from mcsvm_gui.core.data.preparation import Rules, fit
from mcsvm_gui.core.export import EXPORTERS
from mcsvm_gui.core.export.c.trial import compiler
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.trained import Calibrated, Decisions

FILLED = Rules(missing="most-frequent")
HERE = all(map(find_spec, ("onnx", "onnxruntime")))
NO_ONNX = pytest.mark.skipif(not HERE, reason="onnx and onnxruntime are not installed (pip install 'mcsvm[export]')")
NO_COMPILER = pytest.mark.skipif(compiler() is None, reason="there is no C compiler here")
TRIED_BY = {"onnx": NO_ONNX, "c": NO_COMPILER}  # without which the format is not tried on rows
FORMATS = [pytest.param(name, marks=TRIED_BY[name]) if name in TRIED_BY else name for name in EXPORTERS]
SIX = ("ww", "llw", "cs", "ova", "ovo", "dag")
KERNELS: dict[str, dict[str, Any]] = {
    "rbf": {"kernel": "rbf", "gamma": 0.6},
    "linear": {"kernel": "linear"},
    "polynomial": {"kernel": "polynomial", "gamma": 0.5, "degree": 3, "coef0": 1.0},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.05, "coef0": 0.1, "max_iter": 300},
}


def one_in_three(*axes: list[Any]) -> list[Any]:
    """Every combination; two in three are for the large part, so spread that every value stays."""
    result = []
    for places in product(*(range(len(axis)) for axis in axes)):
        picked = [axis[place] for axis, place in zip(axes, places, strict=True)]
        marks = [mark for item in picked for mark in getattr(item, "marks", ())]
        values = [item.values[0] if hasattr(item, "marks") else item for item in picked]
        result.append(pytest.param(*values, marks=[*marks, pytest.mark.large] if sum(places) % 3 else marks))
    return result


@dataclass(frozen=True, eq=False)
class Trained:
    model: Any
    class_names: tuple[str, ...]
    preparation: Any
    request: Any
    certificate: Any
    calibrated: Calibrated | None = None
    rule: CostRule | None = None

    def predictions(self, data: Dataset, *, probabilities: bool = False) -> Decisions:
        values, machine, classes = self.model.decision(self.preparation.apply(data).rows), *self._kind
        shares = None
        if probabilities and self.calibrated is not None:
            shares = self.calibrated.found.probabilities(machine, values, classes)
        labels = np.array(self.class_names, dtype=object)[decide(machine, values, classes)]
        return Decisions(labels, values, (), shares)

    @property
    def _kind(self) -> tuple[Any, int]:
        return self.model.machine, self.model.classes

    def decide(self, data: Dataset) -> np.ndarray:
        return self.predictions(data).labels


def dataset_of(table: pd.DataFrame | None, labels: Any, matrix: Any = None) -> Dataset:
    if table is not None:
        kinds = ["category" if table.iloc[:, i].dtype == object else "number" for i in range(table.shape[1])]
        columns = [Column(str(name), kind) for name, kind in zip(table.columns, kinds, strict=True)]  # type: ignore[arg-type]
    else:
        columns = [Column(str(i + 1), "number") for i in range(matrix.shape[1])]
    texts = np.array([str(label) for label in labels], dtype=object)
    return Dataset("data", "csv", tuple(columns), table, matrix, "label", texts, None, (), (), "digest")


def trained_on(data: Dataset, rules: Rules = FILLED, **parameters: Any) -> Trained:
    assert data.labels is not None
    preparation, names = fit(rules, data), data.classes
    codes = np.array([names.index(label) for label in data.labels])
    estimator = MultiClassSVC(**parameters).fit(preparation.apply(data).rows, codes)
    own = "kernel", "calibration", "calibration_folds", "random_state"
    request = Request(**{name: value for name, value in parameters.items() if name not in own}, rules=rules)
    calibrated = Calibrated(estimator.calibration_, 5, 0.0) if parameters.get("calibration") else None
    return Trained(estimator._model, names, preparation, request, estimator.certificate_, calibrated)


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
