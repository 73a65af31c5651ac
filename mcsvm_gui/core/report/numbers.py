"""The numbers of a report's tables and figures as plain JSON, with all digits and all rows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from mcsvm_gui.core.compare.comparison import Comparison, Side
from mcsvm_gui.core.evaluate.scores import Scores
from mcsvm_gui.core.evaluate.violations import Violations
from mcsvm_gui.core.report.shared import beside_each_other, made_with


def surroundings_document() -> dict[str, Any]:
    versions, hardware = made_with()
    return {"versions": dict(versions), "hardware": {**dict(hardware), "cores": os.cpu_count()}}


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return the document of a comparison; all its sides are on the same rows."""
    return {
        "data": comparison.data,
        "rows": int(comparison.sides[0].decisions.size),
        "classes": list(comparison.classes),
        "sides": [side_document(side) for side in comparison.sides],
        "disagreements": _disagreements(comparison),
    }


def side_document(side: Side) -> dict[str, Any]:
    return {
        "label": side.label,
        "scores": None if side.scores is None else scores_document(side.scores),
        **({} if side.ranked is None else asdict(side.ranked)),
        "violations": None if side.violations is None else _violations(side.violations, side.document["classes"]),
        "prediction_seconds_a_row": side.row_seconds,
        "trace": None if side.trace is None else trace_document(side.trace),
    }


def scores_document(scores: Scores) -> dict[str, Any]:
    """Return the scores; `confusion` has true classes down, predicted ones across, in the order of `per_class`."""
    numbers = {name: getattr(scores, name) for name in ("accuracy", "balanced_accuracy", "macro_f1", "kappa")}
    per_class = [asdict(score) for score in scores.per_class]
    return {**numbers, "per_class": per_class, "confusion": scores.confusion.tolist()}


def _violations(found: Violations, classes: list[str]) -> dict[str, Any]:
    """Return the violations; `sums` has true classes down, wrong classes across."""
    bound = found.bound()
    return {
        "target": found.target,
        "total": found.total,
        "classes": list(classes),
        "sums": found.sums.tolist(),
        "rows": found.counts.tolist(),
        "bound": None if bound is None else {"intercept": bound.intercept, "slope": bound.slope},
    }


def trace_document(trace: Mapping[str, np.ndarray]) -> dict[str, list[float]]:
    return {name: np.asarray(values).tolist() for name, values in trace.items()}


def _disagreements(comparison: Comparison) -> list[dict[str, Any]] | None:
    """Return the rows on which the sides disagree; None with fewer than two sides."""
    together = beside_each_other(comparison)
    if len(together.sides) < 2:
        return None
    return [
        {
            "row": together.row_number(row),
            **({"names": {name: str(cells[row]) for name, cells in together.names.items()}} if together.names else {}),
            "line": None if together.lines is None else int(together.lines[row]),
            "true": None if together.true is None else together.true[row],
            "decided": {side.label: side.decisions[row] for side in together.sides},
        }
        for row in together.disagreements().tolist()
    ]
