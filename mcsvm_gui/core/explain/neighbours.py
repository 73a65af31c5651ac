"""The support vectors that a decision rests on most: training rows, put back into the columns of the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mcsvm_gui.core.explain.columns import ExplainedColumns, dense
from mcsvm_gui.core.machine.trained import TrainedModel
from solvers.explain.game import coefficients_between
from solvers.kernels.points import Points

MOST = 12


@dataclass(frozen=True)
class Neighbour:
    training_row: int  # counted from 1, among the rows trained on
    class_name: str
    kernel: float  # its kernel value with the row
    share: float  # what it adds to the winner's function less the other's
    cells: tuple[str, ...]  # as `ExplainedColumns.names`


def neighbours(trained: TrainedModel, row: Any, first: int, second: int, most: int = MOST) -> tuple[Neighbour, ...]:
    """Of a row of features (1, features), the largest kernel values first: "decided like these"."""
    model, columns = trained.model, ExplainedColumns.of(trained.preparation)
    if not len(model.points):
        return ()
    kernel = model.kernel.block(Points(row), model.points, np.empty((1, len(model.points))))[0]
    shares = kernel * coefficients_between(model, first, second)
    nearest = np.argsort(-kernel, kind="stable")[:most]
    rows = dense(model.points.rows[nearest])
    return tuple(
        Neighbour(
            int(model.support[one]) + 1,
            trained.class_names[int(model.owners[one])],
            float(kernel[one]),
            float(shares[one]),
            columns.cells(held),
        )
        for one, held in zip(nearest, rows, strict=True)
    )
