"""A run with the rows it was tested on, as an explanation page shows them: true and predicted classes, and margins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from mcsvm.solvers.explain.game import between
from mcsvm.solvers.work import limited
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.projections.principal import thin
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.explain.columns import ExplainedColumns, dense
from mcsvm_gui.core.explain.explanation import (
    Callback,
    Explanation,
    PreparedRows,
    explain_rows,
    first_and_second,
    prepared_rows,
)
from mcsvm_gui.core.explain.neighbours import Neighbour, neighbours
from mcsvm_gui.core.machine.trained import TrainedModel

MOST_LISTED = 2_000  # most rows of the table
MOST_EXPLAINED = 300  # most rows in the pictures of all rows


@dataclass(frozen=True, eq=False)
class LookedAt:
    run: int
    name: str
    trained: TrainedModel
    dataset: Dataset  # the rows, in the spelling of the training file
    data: PreparedRows
    decided: np.ndarray  # (rows,) predicted class names; None for a row without a prediction
    margins: np.ndarray  # (rows,) margin over the runner-up, see `leads`; NaN without a prediction

    training: Dataset | None = None  # contains the rows of the support vectors

    def row_words(self, place: int) -> str:
        """Return the number of a row in the file with its name: 98 (S-0098)."""
        number, *names = self.dataset.row_cells(place)
        return f"{number} ({', '.join(map(str, names))})" if names else str(number)

    @property
    def true(self) -> np.ndarray | None:
        return self.dataset.labels

    def wrong(self) -> np.ndarray:
        known = self.decided != None  # noqa: E711 - element by element
        return np.zeros(known.size, dtype=bool) if self.true is None else known & (self.decided != self.true)


def looked_at(run: int, name: str, trained: TrainedModel, dataset: Dataset, training: Dataset) -> LookedAt:
    data = prepared_rows(trained, dataset, training=training)
    found = trained.predictions(dataset)
    labels = None if dataset.labels is None else in_training_spelling(trained.class_names, dataset.labels)
    spelled = replace(dataset, labels=labels)
    return LookedAt(run, name, trained, spelled, data, found.labels, leads(trained, data, dataset.rows), training)


def leads(trained: TrainedModel, data: PreparedRows, rows: int) -> np.ndarray:
    """Return the (rows,) margin of each winner over the runner-up; NaN for rows that were left out.

    The contributions of a row add up to this margin: a difference of scores or, if a machine trains pairs of classes,
    the decision value of that pair, which is negative if other pairs decide.
    """
    model, found = trained.model, np.full(rows, np.nan)
    with limited(trained.request.threads), np.errstate(over="ignore", invalid="ignore"):
        for chunk in model.chunks(data.rows.shape[0]):
            values = model.decision(data.rows[chunk])
            winners, others = first_and_second(model, values)
            pairs, members = np.unique(np.stack([winners, others]), axis=1, return_inverse=True)
            for number, (winner, other) in enumerate(pairs.T.tolist()):
                own = np.flatnonzero(members == number)
                found[data.kept[chunk][own]] = between(model, values[own], winner, other)
    return found


def comparable(first: LookedAt, other: LookedAt) -> bool:
    """Return whether another run can be compared with the first: same rows, classes and columns."""
    same = first.dataset.digest == other.dataset.digest and first.trained.class_names == other.trained.class_names
    columns = [ExplainedColumns.of(one.trained.preparation).names for one in (first, other)]
    return same and columns[0] == columns[1]


WHICH: dict[str, Callable[[Sequence[LookedAt]], np.ndarray]] = {
    "all": lambda runs: np.ones(runs[0].decided.size, dtype=bool),
    "wrong": lambda runs: runs[0].wrong(),
    "apart": lambda runs: (
        np.any([one.decided != runs[0].decided for one in runs[1:]], axis=0)
        if len(runs) > 1
        else np.zeros(runs[0].decided.size, dtype=bool)
    ),
}


def rows_to_list(runs: Sequence[LookedAt], which: str, true: str = "", decided: str = "") -> np.ndarray:
    """Return the places of the rows to list, smallest margins first; the first run's predictions count."""
    first = runs[0]
    chosen = WHICH[which](runs) & ~np.isnan(first.margins)
    if true and first.true is not None:
        chosen &= first.true == true
    if decided:
        chosen &= first.decided == decided
    places = np.flatnonzero(chosen)
    return places[np.argsort(first.margins[places], kind="stable")][:MOST_LISTED]


@dataclass(frozen=True, eq=False)
class OneRow:
    """A row explained for each of several runs; the first is the selected one."""

    place: int
    winner: int
    runner_up: int
    features: np.ndarray  # (features,)
    cells: tuple[str, ...]  # the row's value in each column of the file
    explained: tuple[tuple[str, Explanation], ...]  # with the names of the runs
    neighbours: tuple[Neighbour, ...]


def one_row(runs: Sequence[LookedAt], place: int, callback: Callback | None = None) -> OneRow | None:
    """Explain a row for each run; return None if the callback stopped before the first run was explained."""
    first = runs[0]
    row = first.data.rows[first.data.numbered([place])]
    winner, other = (
        int(found[0]) for found in first_and_second(first.trained.model, first.trained.model.decision(row))
    )
    near = neighbours(first.trained, row, winner, other, first.training)
    found = ((one.name, explain_rows(one.trained, one.data, [place], callback)) for one in runs)
    explained = tuple(takewhile(lambda of_run: len(of_run[1].places), found))
    if not explained:
        return None
    cells = ExplainedColumns.of(first.trained.preparation).cells(dense(row)[0], first.dataset, place)
    return OneRow(place, winner, other, dense(row)[0], cells, explained, near)


def drawn_places(one: LookedAt) -> np.ndarray:
    """Draw the places of the rows for the pictures of all rows, each class in proportion to its size."""
    part = one.dataset.take(one.data.kept)
    return one.data.kept[thin(part.labels, part.rows, MOST_EXPLAINED)]


def all_rows(one: LookedAt, callback: Callback | None = None) -> Explanation:
    return explain_rows(one.trained, one.data, drawn_places(one).tolist(), callback)
