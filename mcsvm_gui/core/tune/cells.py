"""Cells of searches as a project stores them: keyed by their conditions, regardless of the ranges or machines
searched."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult
from mcsvm.solvers.selection.scores import Measured
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.options import TuneRequest

# Fields that are not conditions: place of the cell, place of the file, degree of parallelism, and later steps.
NO_CONDITION = (
    *("machine", "C", "gamma", "data", "test", "test_digest", "holdout", "cache_mb", "threads", "scheduler"),
    *("calibrate", "calibration_folds", "costs", "sample", "tested"),
)
# Fields of the first version: they are conditions whatever their values. Later options are conditions only if they
# differ from the default, so that cells of old projects are found.
FIRST = {
    "request": (
        *("solver", "kernel", "degree", "coef0", "bias", "tol", "margin", "class_weight"),
        *("gap_tol", "max_iter", "time_limit", "seed", "rules", "read", "digest"),
    ),
    "rules": ("scale", "missing", "unknown"),
    "read": ("label", "format", "header", "separator", "decimal", "encoding"),
}

Found = dict[Cell, CellResult]
Shares = dict[float, dict[int, FoldResult]]  # results of one cell, by share of the training rows and by fold


def conditions(request: Request, wanted: TuneRequest) -> str:
    """Return a key that is equal if a cell's folds give the same results.

    So an extended range, or another search, finds finished cells.
    """
    depends = {name: value for name, value in request.document().items() if name not in NO_CONDITION}
    plain = Request().document()
    depends = _said("request", depends, plain)
    depends |= {name: _said(name, depends[name], plain[name]) for name in ("rules", "read")}
    parts: dict[str, float] = {"folds": wanted.folds, "repeats": wanted.repeats}
    if wanted.holdout is not None:
        parts = {"share": wanted.holdout}
    if wanted.test_share is not None:
        parts["test_share"] = wanted.test_share
    text = json.dumps([depends, parts, wanted.search == "per-pair"], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _said(part: str, values: dict[str, Any], plain: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in FIRST[part] or value != plain[name]}


def setting_of(conditions: str) -> str:
    """Return the key under which a project stores the conditions of cells in plain form."""
    return f"search {conditions}"


def document(result: CellResult) -> dict[str, Any]:
    """Return plain JSON, with folds by their number."""
    return {"folds": _folds_document(result.by_fold)}


def shares_document(shares: Mapping[float, Mapping[int, FoldResult]]) -> dict[str, Any]:
    """Return plain JSON of a cell: its folds on all training rows, and those on shares of them."""
    parts = {repr(share): _folds_document(folds) for share, folds in shares.items() if share != 1.0}
    return {"folds": _folds_document(shares.get(1.0, {})), **({"shares": parts} if parts else {})}


def _folds_document(folds: Mapping[int, FoldResult]) -> dict[str, Any]:
    return {str(fold): _fold_document(found) for fold, found in folds.items()}


def _fold_document(result: FoldResult) -> dict[str, Any]:
    pairs = [[*pair, *score] for pair, score in result.pairs.items()]
    return {
        "accuracy": result.accuracy,
        "seconds": result.seconds,
        "n_support": result.n_support,
        "steps": result.steps,
        "ending": result.ending.value,
        "certificate": asdict(result.certificate),
        **({"pairs": pairs} if pairs else {}),
        **({} if result.tested is None else {"tested": result.tested.document()}),
    }


def read_cells(rows: Iterable[tuple[Any, Any, Any, dict[str, Any]]]) -> tuple[Found, int]:
    """Return the stored cells that were trained on all rows, and the number of unreadable cells."""
    found, unreadable = read_shares(rows)
    return {cell: CellResult(shares[1.0]) for cell, shares in found.items() if shares.get(1.0)}, unreadable


def read_shares(rows: Iterable[tuple[Any, Any, Any, dict[str, Any]]]) -> tuple[dict[Cell, Shares], int]:
    """Return all stored results, and the number of unreadable cells: a file may hold anything."""
    cells: dict[Cell, Shares] = {}
    unreadable = 0
    for machine, cost, gamma, kept in rows:
        try:
            shares = {1.0: _folds(kept["folds"])}
            for share, folds in kept.get("shares", {}).items():
                shares[_share(share)] = _folds(folds)
            cells[_cell(machine, cost, gamma)] = {share: folds for share, folds in shares.items() if folds}
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            unreadable += 1
    return {cell: shares for cell, shares in cells.items() if shares}, unreadable


def _folds(kept: dict[str, Any]) -> dict[int, FoldResult]:
    return {int(fold): _fold(kept[fold]) for fold in kept}


def _share(text: str) -> float:
    share = float(text)
    if not 0.0 < share < 1.0:
        raise ValueError("no share of the rows")
    return share


def _cell(machine: Any, cost: Any, gamma: Any) -> Cell:
    if machine not in MACHINES or not 0.0 < cost < math.inf or not (gamma is None or 0.0 < gamma < math.inf):
        raise ValueError("no cell")
    return Cell(machine, cost, gamma)


def _fold(kept: dict[str, Any]) -> FoldResult:
    certificate = {name: float(value) for name, value in kept["certificate"].items()}
    result = FoldResult(
        float(kept["accuracy"]),
        float(kept["seconds"]),
        int(kept["n_support"]),
        int(kept["steps"]),
        Ending(kept["ending"]),
        Certificate(**certificate),
    )
    if not 0.0 <= result.accuracy <= 1.0 or result.n_support < 0 or result.seconds < 0.0:
        raise ValueError("no result")
    pairs = {(int(a), int(b)): (int(total), int(right)) for a, b, total, right in kept.get("pairs", [])}
    tested = kept.get("tested")  # missing in files that stored only the accuracy
    return replace(result, pairs=pairs, tested=None if tested is None else Measured.from_document(tested))
