"""Apply a model, or trainings on folds by its request, to rows with known classes, for evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcsvm.solvers.selection.folds import stratified
from mcsvm.solvers.uncertainty.costs import REJECTED, CostRule
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.costs import CostTable
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.remedies import Remedy
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.evaluate.evaluation import DecidedRows
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.trained import Decisions, TrainedModel, unseen_classes


@dataclass(frozen=True, eq=False)
class Applied:
    rows: DecidedRows
    notices: tuple[Notice, ...]
    places: np.ndarray  # (n,) positions of the rows in the data set

    def misclassified(self, dataset: Dataset) -> list[dict[str, Any]]:
        """Return the rows whose predicted class is not their true class, with their numbers and names."""
        found, names = self.rows, self.rows.names
        wrong = np.flatnonzero((found.decided != found.true) & (found.decided != REJECTED))
        return [
            {
                "row": int(dataset.row_numbers[place]),
                **_names_of(dataset, place),
                "true": names[found.true[number]],
                "predicted": names[found.decided[number]],
            }
            for number, place in zip(wrong.tolist(), self.places[wrong].tolist(), strict=True)
        ]


def _names_of(dataset: Dataset, place: int) -> dict[str, Any]:
    names = {name: str(cells[place]) for name, cells in dataset.row_columns.items()}
    return {"names": names} if names else {}


def applied(trained: TrainedModel, dataset: Dataset, costs: CostTable | None = None) -> Applied:
    """Apply the model to the rows. `costs` replace its own; without probabilities they change no prediction."""
    rule = _rule(costs, trained.class_names, trained)
    decisions = _decisions(trained, dataset, rule)
    true = in_training_spelling(trained.class_names, labels_of(dataset))
    notices = (*dataset.notices, *decisions.notices, *unseen_classes(trained.class_names, true))
    rows = decided_rows(trained.class_names, decisions, true, _weights(dataset), rule)
    return Applied(rows, notices, np.flatnonzero(np.isfinite(decisions.scores).all(axis=1)))


def _rule(costs: CostTable | None, names: tuple[str, ...], trained: TrainedModel) -> CostRule | None:
    """Return the rule of the given costs, with the model's own smallest probability of a prediction."""
    if costs is None:
        return trained.rule
    return replace(costs.rule(names), reject=0.0 if trained.rule is None else trained.rule.reject)


def _decisions(trained: TrainedModel, dataset: Dataset, rule: CostRule | None) -> Decisions:
    trained = trained if trained.calibrated is None else replace(trained, rule=rule)
    return trained.predictions(dataset, probabilities=True)


def decided_rows(
    names: tuple[str, ...], decisions: Decisions, true: np.ndarray, weights: np.ndarray, rule: CostRule | None
) -> DecidedRows:
    """Return the rows that could be predicted: rows without missing cells, or all rows. `true`: class names."""
    rows = np.flatnonzero(np.isfinite(decisions.scores).all(axis=1))
    strange = sorted(set(true[rows].tolist()) - set(names))
    number = {name: code for code, name in enumerate((*names, *strange))}
    shares = None if decisions.probabilities is None else decisions.probabilities[rows]
    return DecidedRows(
        names=(*names, *strange),
        known=len(names),
        true=np.array([number[name] for name in true[rows]], dtype=np.int64),
        decided=np.array([number.get(name, REJECTED) for name in decisions.labels[rows]], dtype=np.int64),
        scores=decisions.scores[rows] if shares is None else shares,
        shares=shares,
        weights=weights[rows],
        costs=None if rule is None else rule.table,
    )


def labels_of(dataset: Dataset) -> np.ndarray:
    if dataset.labels is None:
        raise FileError(
            dataset.name,
            "there are no class labels to compare with; name their column with {label}",
            label=Remedy("label"),
        )
    return dataset.labels


def _weights(dataset: Dataset) -> np.ndarray:
    return np.ones(dataset.rows) if dataset.weights is None else dataset.weights


# -- trained again on folds --------------------------------------------------------------------------


def applied_in_folds(
    trained: TrainedModel,
    dataset: Dataset,
    folds: int,
    costs: CostTable | None = None,
    report: Callable[[int], object] = lambda done: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Applied | None:
    """Predict each row by a training without its fold, with its own preparation; return None after a stop."""
    labels, names = labels_of(dataset), dataset.classes
    _check_counts(dataset, folds)
    if costs is None and trained.rule is not None:
        costs = CostTable.of(trained.rule, trained.class_names)
    rule = _rule(costs, names, trained)
    request = replace(trained.request, holdout=None, test=None, test_digest=None, costs=None, digest=dataset.digest)
    found: list[tuple[np.ndarray, DecidedRows]] = []
    notices: tuple[Notice, ...] = dataset.notices
    for number, fold in enumerate(stratified(labels, folds, request.seed)):
        report(number)
        outcome = train(request, dataset.take(fold.train), stopped=stopped)
        if stopped():
            return None
        part = dataset.take(fold.test)
        decisions = _decisions(outcome.trained, part, rule)
        there = np.isfinite(decisions.scores).all(axis=1)
        found.append((fold.test[there], decided_rows(names, decisions, labels_of(part), _weights(part), rule)))
        notices += (*outcome.notices, *decisions.notices)
    places = np.sort(np.concatenate([rows for rows, _ in found]))
    return Applied(_together(found), tuple(dict.fromkeys(notices)), places)


def _check_counts(dataset: Dataset, folds: int) -> None:
    """Raise FileError unless every class is in every training part and in every test part."""
    for name, count in zip(dataset.classes, dataset.class_counts, strict=True):
        if count < folds:
            raise FileError(
                dataset.name,
                "class {name!r} has {count} rows, and {folds} folds need as many of every class; take fewer folds",
                name=name,
                count=count,
                folds=folds,
            )


def _together(found: list[tuple[np.ndarray, DecidedRows]]) -> DecidedRows:
    """Concatenate the folds in the order of the rows."""
    order = np.argsort(np.concatenate([rows for rows, _ in found]))
    parts = [part for _, part in found]

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])

    whole = replace(
        parts[0],
        true=joined("true"),
        decided=joined("decided"),
        scores=joined("scores"),
        shares=None if parts[0].shares is None else joined("shares"),
        weights=joined("weights"),
    )
    return whole.taken(order)
