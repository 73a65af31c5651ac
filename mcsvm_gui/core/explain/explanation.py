"""Explain rows of a file with a trained model: Shapley values per column of the file, and the data to show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from mcsvm.solvers.budget import EXPLAIN
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.explain.game import between, error_between, game_of
from mcsvm.solvers.explain.values import Explained, explained
from mcsvm.solvers.model import Model, class_scores, decide
from mcsvm.solvers.work import limited
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.projections.principal import thin
from mcsvm_gui.core.explain.columns import ExplainedColumns
from mcsvm_gui.core.machine.trained import TrainedModel

BACKGROUND = 100  # default number of rows that a row is compared with

Callback = Callable[[float], bool | None]


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """Rows of a file as the model sees them."""

    rows: Any  # (n, features), dense or sparse
    kept: np.ndarray  # (n,) their places in the data set
    background: Any  # features of the rows they are compared with
    weights: np.ndarray | None  # of the background rows
    notices: tuple[Notice, ...]
    numbers: np.ndarray  # (rows of the data set,) number of each row in its file
    names: Mapping[str, np.ndarray]  # further columns that identify rows, as `Dataset.row_columns`

    def numbered(self, places: Sequence[int] | None) -> np.ndarray:
        """Return the indices in `rows` of these places of the data set (None: all places), without the rows left
        out."""
        return np.arange(self.kept.size) if places is None else np.flatnonzero(np.isin(self.kept, places))


def prepared_rows(
    trained: TrainedModel, dataset: Dataset, background: int = BACKGROUND, training: Dataset | None = None
) -> PreparedRows:
    """Prepare the rows of a data set and draw their background.

    The background is drawn from the training data or, without them, from the rows themselves, each class in proportion
    to its size. Equal arguments give the same background.
    """
    prepared = trained.preparation.apply(dataset)
    if not prepared.kept.size:
        raise FileError(dataset.name, "there is no row without a missing cell that could be explained")
    notices = (*dataset.notices, *prepared.notices)
    drawn, weights = _drawn(trained, dataset if training is None else training, background)
    identity = dataset.row_numbers, dataset.row_columns
    return PreparedRows(prepared.rows, prepared.kept, drawn, weights, notices, *identity)


def _drawn(trained: TrainedModel, dataset: Dataset, count: int) -> tuple[Any, np.ndarray | None]:
    """Return features and weights of rows drawn from the data."""
    prepared = trained.preparation.apply(dataset)
    part = dataset.take(prepared.kept)
    drawn = thin(part.labels, part.rows, count)
    weights = None if part.weights is None else part.weights[drawn]
    return prepared.rows[drawn], weights if weights is not None and weights.any() else None


@dataclass(frozen=True, eq=False)
class Explanation:
    trained: TrainedModel
    columns: ExplainedColumns
    places: np.ndarray  # (n,) of the rows in the data set
    numbers: np.ndarray  # (n,) number of each row in its file
    names: Mapping[str, np.ndarray]  # further columns that identify the rows, each (n,)
    features: Any  # (n, features) as the model sees them
    found: Explained

    @property
    def values(self) -> np.ndarray:
        """The Shapley values, (n, columns, outputs)."""
        return self.found.values

    @property
    def winners(self) -> np.ndarray:
        """The (n,) predicted classes."""
        return first_and_second(self.trained.model, self.found.decision)[0]

    @property
    def runners_up(self) -> np.ndarray:
        """The (n,) classes with the next largest score."""
        return first_and_second(self.trained.model, self.found.decision)[1]

    def names_of(self, number: int) -> dict[str, str]:
        """Return the cells that identify a row besides its number, by column."""
        return {name: str(cells[number]) for name, cells in self.names.items()}

    @property
    def by_pairs(self) -> bool:
        return self.trained.model.machine.split == "pairs"

    @property
    def temperature(self) -> float | None:
        """The temperature of the probabilities if their log-odds are differences of decision values, otherwise None."""
        calibrated, model = self.trained.calibrated, self.trained.model
        if calibrated is None or (self.by_pairs and model.classes > 2):
            return None
        return calibrated.found.temperature

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs, in the order of `values`."""
        names = self.trained.class_names
        return tuple(f"{a} / {b}" for a, b in combinations(names, 2)) if self.by_pairs else names

    def of_winners(self) -> np.ndarray:
        """Return the (n, columns) contributions for the winner against the runner-up."""
        winners, others = self.winners.tolist(), self.runners_up.tolist()
        return np.array([self.of_pair(row, a, b) for row, (a, b) in enumerate(zip(winners, others, strict=True))])

    def of_pair(self, row: int, first: int, second: int) -> np.ndarray:
        """Return the (columns,) contributions for one class against another, in decision values."""
        return between(self.trained.model, self.values[row], first, second)

    def errors_of_pair(self, row: int, first: int, second: int) -> np.ndarray | None:
        """Return upper bounds on the (columns,) standard errors of `of_pair`; None if it is exact."""
        errors = self.found.standard_errors
        return None if errors is None else error_between(self.trained.model, errors[row], first, second)

    def pair_ends(self, row: int, first: int, second: int) -> tuple[float, float]:
        """Return the mean of the difference over the background, and its value at the row."""
        both = np.stack([self.found.base, self.found.decision[row]])
        ends = between(self.trained.model, both, first, second)
        return float(ends[0]), float(ends[1])


def first_and_second(model: Model, decision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the (n,) winners, and the classes with the next largest scores."""
    winners = decide(model.machine, decision, model.classes)
    by_pairs = model.machine.split == "pairs"
    scores = class_scores(model.machine, decision, model.classes) if by_pairs else decision.copy()
    scores[np.arange(len(scores)), winners] = -np.inf
    return winners, np.asarray(scores.argmax(axis=1))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # `_check_finite` refuses the results
def explain_rows(
    trained: TrainedModel,
    data: PreparedRows,
    places: Sequence[int] | None = None,
    callback: Callback | None = None,
    permutations: int = EXPLAIN.permutations,
) -> Explanation:
    """Explain the rows at these places of the data set; if `callback` returns True, return only the finished rows."""
    chosen, columns = data.numbered(places), ExplainedColumns.of(trained.preparation)
    game = game_of(trained.model, data.background, columns.groups.tolist(), data.weights)
    with limited(trained.request.threads):
        found = explained(game, data.rows[chosen], callback, permutations)
    _check_finite(found, data.numbers[chosen])
    done = chosen[: len(found.values)]
    at = data.kept[done]
    names = {name: cells[at] for name, cells in data.names.items()}
    return Explanation(trained, columns, at, data.numbers[at], names, data.rows[done], found)


def _check_finite(found: Explained, numbers: np.ndarray) -> None:
    """Refuse contributions that overflowed; `numbers` are the numbers of the explained rows."""
    finite = np.isfinite(found.values).all(axis=(1, 2)) & np.isfinite(found.decision).all(axis=1)
    if not (finite.all() and np.isfinite(found.base).all()):
        row = int(numbers[int(np.argmin(finite))])
        raise InputError(
            "data row {row} or the background is too far from the training data for contributions to be computed",
            row=row,
        )


def document(explanation: Explanation) -> dict[str, Any]:
    """Return the document that `mcsvm explain --json` prints.

    Two classes have one function, positive for the second class; sampled values come with their standard errors.
    """
    found, names = one_function(explanation)
    winners, errors = explanation.winners.tolist(), found.standard_errors
    return {
        "columns": list(explanation.columns.names),
        "outputs": list(names),
        "rows": [
            {
                "row": int(explanation.numbers[number]),
                **({"names": explanation.names_of(number)} if explanation.names else {}),
                "class": explanation.trained.class_names[winner],
                "base": found.base.tolist(),
                "decision": found.decision[number].tolist(),
                "values": found.values[number].tolist(),
                "sum_error": float(found.sum_errors[number].max()),
                **({} if errors is None else {"standard_errors": errors[number].tolist()}),
            }
            for number, winner in enumerate(winners)
        ],
    }


def one_function(explanation: Explanation) -> tuple[Explained, tuple[str, ...]]:
    found, names = explanation.found, explanation.trained.class_names
    if len(names) > 2:
        return found, explanation.outputs
    return found.of_two(explanation.trained.model.machine), (f"{names[1]} / {names[0]}",)


def table(explanation: Explanation) -> tuple[list[str], list[list[object]]]:
    """Return a header and one line per row and output: decision value, mean, contribution of each column.

    If the values are sampled, their standard errors follow.
    """
    found, names = one_function(explanation)
    columns, errors = explanation.columns.names, found.standard_errors
    header = ["row", *explanation.names, "class", "output", "base", "decision", "sum error", *columns]
    header += [] if errors is None else [f"standard error {name}" for name in columns]
    winners = explanation.winners.tolist()
    lines: list[list[object]] = []
    for number, row in enumerate(explanation.numbers.tolist()):
        for output, name in enumerate(names):
            said = [row, *explanation.names_of(number).values(), explanation.trained.class_names[winners[number]], name]
            numbers = found.base[output], found.decision[number, output], found.sum_errors[number, output]
            cells = [*numbers, *found.values[number, :, output]]
            cells += [] if errors is None else [*errors[number, :, output]]
            lines.append([*said, *(repr(float(value)) for value in cells)])
    return header, lines
