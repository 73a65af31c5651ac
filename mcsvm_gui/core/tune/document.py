"""The results of a search: the document of `mcsvm tune --json`, and its cells as a table."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, CellResult
from mcsvm.solvers.selection.grid import Range
from mcsvm.solvers.selection.scores import SCORES, Score
from mcsvm.solvers.selection.study import Nested
from mcsvm.solvers.selection.trials.per_pair import Composite, PairChoice, choose
from mcsvm_gui.core.base.writing import csv_text
from mcsvm_gui.core.machine.request import OPTIONS, Request
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.core.tune.search import Tuned

NOT_SEARCHED_WITH = "machine", "C", "gamma", "holdout", "test"  # fields of a request that a search has itself
COLUMNS = "machine", "C", "gamma", "mean", "std", "seconds", "n_support", "ending", "relative_gap", "violation"


def document(tuned: Tuned) -> dict[str, Any]:
    """Return the document of `mcsvm tune --json`: the entries of the contract, and more."""
    tuning = tuned.tuning
    return {
        "cells": [cell_document(cell, result) for cell, result in tuned.results.items()],
        "best": {machine: found for machine in tuning.grid.machines if (found := best_document(tuned, machine))},
        "nested": {found.machine: nested_document(found, tuning.score) for found in tuned.nested},
        "seconds": tuned.seconds,
        **asked_document(tuning.request, tuning.wanted, len(tuning.parts) // tuning.wanted.repeats),
        "n_rows": tuning.rows.rows,
        "classes": list(tuning.class_names),
        "stopped": tuned.stopped,
        "ended_by_budget": tuned.over_budget,
        "trouble": tuned.trouble or None,
        "warnings": list(dict.fromkeys(notice.sentence for notice in tuning.notices)),
    }


def asked_document(request: Request, wanted: TuneRequest, parts: int | None = None) -> dict[str, Any]:
    """Return which cells are tried, and how; `parts` is the number of parts of the rows, if a column defines it."""
    return {
        "search": wanted.search,
        "score": wanted.score,
        "costs": None if wanted.costs is None else wanted.costs.plain(),
        "budget": wanted.budget,
        "split": split_of(request),
        "folds": 1 if wanted.holdout is not None else parts or wanted.folds,
        "repeats": wanted.repeats,
        "holdout": wanted.holdout,
        "test_share": wanted.test_share,
        "seed": request.seed,
        "kernel": request.kernel,
        "machines": list(wanted.machines),
        "ranges": {"C": _range(wanted.C), "gamma": None if wanted.gamma is None else _range(wanted.gamma)},
        "request": request_document(request),
    }


def split_of(request: Request) -> str:
    """Return how rows are split: as the request says, or by the columns that it names."""
    if request.split != OPTIONS["split"].default:
        return request.split
    named = {"column": request.read.fold_column, "groups": request.read.groups}
    return next((way for way, column in named.items() if column is not None), "stratified")


def request_document(request: Request) -> dict[str, Any]:
    return {name: value for name, value in request.document().items() if name not in NOT_SEARCHED_WITH}


def _range(values: Range) -> dict[str, float]:
    """Return a range as JSON; `step` is that of the exponent."""
    return {"from": values.values[0], "to": values.values[-1], "step": values.step}


def known_document(
    asked: Mapping[str, Any],
    cells: Mapping[Cell, CellResult],
    best: Mapping[str, Cell],
    composites: Mapping[str, Composite] | None = None,
    nested: Collection[Nested] = (),
) -> dict[str, Any]:
    """Return the document of cells, perhaps from several searches.

    `asked` is the result of `asked_document`, with the classes.
    """
    named = tuple(asked.get("classes", ()))
    found = {
        machine: _best_document(cell, cells[cell], (composites or {}).get(machine), named)
        for machine, cell in best.items()
    }
    if asked.get("search") == "per-pair":
        for machine in found:
            found[machine].setdefault("per_pair", {"pairs": _pairs(choose(cells, machine), named)})
    tried = [cell_document(cell, result) for cell, result in cells.items()]
    score = next((result.score for result in cells.values()), SCORES[asked.get("score", "accuracy")])
    judged = {one.machine: nested_document(one, score) for one in nested}
    return {**asked, "cells": tried, "best": found, "nested": judged}


def cell_document(cell: Cell, result: CellResult) -> dict[str, Any]:
    worst = result.worst
    return {
        "machine": cell.machine,
        "C": cell.C,
        "gamma": cell.gamma,
        "share": result.share,
        "fold_accuracy": list(result.fold_accuracy),
        "mean": _number(result.mean),
        "std": _number(result.std),
        "scores": scores_document(result),
        "seconds": result.seconds,
        "n_support": result.n_support,
        "endings": [ending.value for ending in result.endings],
        "relative_gap": worst.relative_gap,
        "violation": worst.violation,
    }


def scores_document(result: CellResult) -> dict[str, float | None]:
    """Return the mean by every measure; None if the version that tried the cell stored only its accuracy."""
    return {name: _number(result.scored(result.score.beside(name)).mean) for name in SCORES}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def best_document(tuned: Tuned, machine: str) -> dict[str, Any] | None:
    cell = tuned.best(machine)
    if cell is None:
        return None
    found = _best_document(cell, tuned.results[cell], tuned.composites.get(machine), tuned.tuning.class_names)
    return found | {"edges": list(tuned.edges(machine))}


def _best_document(
    cell: Cell, result: CellResult, composite: Composite | None, names: tuple[str, ...]
) -> dict[str, Any]:
    found: dict[str, Any] = {"C": cell.C, "gamma": cell.gamma}
    found |= {"mean": _number(result.mean), "std": _number(result.std), "folds": result.folds, "share": result.share}
    return found if composite is None else found | {"per_pair": _per_pair(composite, names)}


def _per_pair(composite: Composite, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "fold_accuracy": list(composite.fold_accuracy),
        "mean": float(np.mean(composite.fold_accuracy)),
        "std": float(np.std(composite.fold_accuracy)),
        "pairs": _pairs(composite.choices, names),
    }


def _pairs(choices: Collection[PairChoice], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the chosen pairs; classes go by their number if their names were not stored."""
    return [
        {
            "classes": [names[code] if 0 <= code < len(names) else f"class {code + 1}" for code in choice.pair],
            "C": choice.C,
            "gamma": choice.gamma,
            "mean": choice.mean,
        }
        for choice in choices
    ]


def nested_document(found: Nested, score: Score) -> dict[str, Any]:
    """Return a nested validation; mean and deviation are by the measure of the choice."""
    scores = found.by(score)
    return {
        "fold_accuracy": list(found.fold_accuracy),
        "mean": _number(float(np.mean(scores))) if scores else None,
        "std": _number(float(np.std(scores))) if scores else None,
        "chosen": [{"C": cell.C, "gamma": cell.gamma} for cell in found.chosen],
    }


def cells_text(tuned: Tuned) -> str:
    """Return CSV with one line per cell, numbers with all their digits; an unfinished fold is an empty field.

    The values of folds are accuracies.
    """
    count = len(tuned.tuning.parts)
    header = [
        *COLUMNS,
        *(name.replace("-", "_") for name in SCORES),
        *(f"fold_{number + 1}" for number in range(count)),
    ]
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
        *("" if mean is None else repr(mean) for mean in scores_document(result).values()),
        *(accuracies.get(number, "") for number in range(count)),
    ]


def worst_ending(result: CellResult) -> Ending:
    """Return the first ending that is not convergence."""
    return next((ending for ending in result.endings if ending is not Ending.CONVERGED), Ending.CONVERGED)
