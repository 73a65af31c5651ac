"""What a search found: the document of `mcsvm tune --json`, and its cells as a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcsvm_gui.core.tuning import Tuned
from mcsvm_gui.core.writing import csv_text
from solvers.ending import Ending
from solvers.selection.cell import Cell, CellResult
from solvers.selection.nested import Nested
from solvers.selection.per_pair import Composite

COLUMNS = "machine", "C", "gamma", "mean", "std", "seconds", "n_support", "ending", "relative_gap", "violation"


def document(tuned: Tuned) -> dict[str, Any]:
    """`mcsvm tune --json` of the contract, and more."""
    tuning, request = tuned.tuning, tuned.tuning.request
    return {
        "cells": [cell_document(cell, result) for cell, result in tuned.results.items()],
        "best": {machine: found for machine in tuning.grid.machines if (found := best_document(tuned, machine))},
        "nested": {found.machine: nested_document(found) for found in tuned.nested},
        "seconds": tuned.seconds,
        "search": tuning.search.name,
        "folds": 1 if tuning.wanted.holdout is not None else tuning.wanted.folds,
        "repeats": tuning.wanted.repeats,
        "holdout": tuning.wanted.holdout,
        "seed": request.seed,
        "kernel": request.kernel,
        "n_rows": tuning.rows.rows,
        "classes": list(tuning.class_names),
        "stopped": tuned.stopped,
        "trouble": tuned.trouble or None,
        "warnings": list(dict.fromkeys(notice.sentence for notice in tuning.notices)),
    }


def cell_document(cell: Cell, result: CellResult) -> dict[str, Any]:
    worst = result.worst
    return {
        "machine": cell.machine,
        "C": cell.C,
        "gamma": cell.gamma,
        "fold_accuracy": list(result.fold_accuracy),
        "mean": result.mean,
        "std": result.std,
        "seconds": result.seconds,
        "n_support": result.n_support,
        "endings": [ending.value for ending in result.endings],
        "relative_gap": worst.relative_gap,
        "violation": worst.violation,
    }


def best_document(tuned: Tuned, machine: str) -> dict[str, Any] | None:
    cell = tuned.best(machine)
    if cell is None:
        return None
    result = tuned.results[cell]
    found: dict[str, Any] = {"C": cell.C, "gamma": cell.gamma, "mean": result.mean, "std": result.std}
    found |= {"folds": result.folds, "edges": list(tuned.edges(machine))}
    composite = tuned.composites.get(machine)
    return found if composite is None else found | {"per_pair": _per_pair(composite, tuned.tuning.class_names)}


def _per_pair(composite: Composite, names: tuple[str, ...]) -> dict[str, Any]:
    pairs = [
        {"classes": [names[a] for a in choice.pair], "C": choice.C, "gamma": choice.gamma, "mean": choice.mean}
        for choice in composite.choices
    ]
    return {
        "fold_accuracy": list(composite.fold_accuracy),
        "mean": float(np.mean(composite.fold_accuracy)),
        "std": float(np.std(composite.fold_accuracy)),
        "pairs": pairs,
    }


def nested_document(found: Nested) -> dict[str, Any]:
    accuracy = list(found.fold_accuracy)
    return {
        "fold_accuracy": accuracy,
        "mean": float(np.mean(accuracy)) if accuracy else None,
        "std": float(np.std(accuracy)) if accuracy else None,
        "chosen": [{"C": cell.C, "gamma": cell.gamma} for cell in found.chosen],
    }


def cells_text(tuned: Tuned) -> str:
    """One line per cell, numbers with all their digits; a fold not done is an empty field."""
    count = len(tuned.tuning.parts)
    header = [*COLUMNS, *(f"fold_{number + 1}" for number in range(count))]
    return csv_text(header, [_row(cell, result, count) for cell, result in tuned.results.items()])


def _row(cell: Cell, result: CellResult, count: int) -> list[str]:
    accuracies = {number: repr(found.accuracy) for number, found in result.by_fold.items()}
    numbers = result.mean, result.std, result.seconds, result.n_support
    return [
        cell.machine,
        repr(cell.C),
        "" if cell.gamma is None else repr(cell.gamma),
        *map(repr, numbers),
        worst_ending(result).value,
        repr(float(result.worst.relative_gap)),
        repr(float(result.worst.violation)),
        *(accuracies.get(number, "") for number in range(count)),
    ]


def worst_ending(result: CellResult) -> Ending:
    """The first that is not convergence."""
    return next((ending for ending in result.endings if ending is not Ending.CONVERGED), Ending.CONVERGED)
