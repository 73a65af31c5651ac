"""The support vectors with the largest influence on a prediction: training rows in the columns of the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcsvm.solvers.explain.game import coefficients_between
from mcsvm.solvers.kernels.points import Points
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.explain.columns import ExplainedColumns, dense
from mcsvm_gui.core.machine.trained import TrainedModel

MOST = 12


@dataclass(frozen=True)
class Neighbour:
    row: int  # the number of the data row in the training file
    names: tuple[str, ...]  # further cells that identify the row
    class_name: str
    kernel: float  # its kernel value with the row
    share: float  # its contribution to the winner's function minus the other's
    cells: tuple[str, ...]  # in the order of `ExplainedColumns.names`


def neighbours(
    trained: TrainedModel, row: Any, first: int, second: int, training: Dataset | None = None, most: int = MOST
) -> tuple[Neighbour, ...]:
    """Return the support vectors with the largest kernel values with a row of features (1, features).

    `training` is a data set that contains the training rows; their names come from it.
    """
    model, columns = trained.model, ExplainedColumns.of(trained.preparation)
    if not len(model.points):
        return ()
    kernel = model.kernel.block(Points(row), model.points, np.empty((1, len(model.points))))[0]
    shares = kernel * coefficients_between(model, first, second)
    nearest = np.argsort(-kernel, kind="stable")[:most]
    rows = dense(model.points.rows[nearest])
    identity = _identities(trained, training)
    return tuple(
        Neighbour(
            *identity(int(model.support[one])),
            trained.class_names[int(model.owners[one])],
            float(kernel[one]),
            float(shares[one]),
            columns.cells(held),
        )
        for one, held in zip(nearest, rows, strict=True)
    )


def _identities(trained: TrainedModel, training: Dataset | None) -> Callable[[int], tuple[int, tuple[str, ...]]]:
    """Return the function from a row of the training part to its number in the file and its names."""
    source = trained.rows
    if source is None:
        return lambda row: (row + 1, ())
    files = source.codes if source.codes is not None else np.zeros(source.numbers.size, dtype=np.int64)
    if training is None:
        return lambda row: (int(source.numbers[row]), ())
    known, columns = training.row_source, training.row_columns
    codes = known.codes if known.codes is not None else np.zeros(known.numbers.size, dtype=np.int64)
    keys = zip([known.files[code].digest for code in codes.tolist()], known.numbers.tolist(), strict=True)
    place_of = {key: place for place, key in enumerate(keys)}

    def identity(row: int) -> tuple[int, tuple[str, ...]]:
        number = int(source.numbers[row])
        place = place_of.get((source.files[int(files[row])].digest, number))
        return number, tuple(str(cells[place]) if place is not None else "" for cells in columns.values())

    return identity
