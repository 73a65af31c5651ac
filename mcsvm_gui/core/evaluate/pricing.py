"""Apply a cost rule to rows with known probabilities, without predicting them again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.uncertainty.costs import REJECTED, CostRule
from mcsvm_gui.core.evaluate import decided as decisions
from mcsvm_gui.core.evaluate.evaluation import DecidedRows, with_costs


@dataclass(frozen=True, eq=False)
class Priced:
    names: tuple[str, ...]
    confusion: np.ndarray  # true classes down, predicted across, without rejected rows
    mean_cost: float
    own_cost: float  # cost if the most probable class is predicted, and no row is rejected
    accuracy: float
    rejected: float  # share of the rows


def priced(rows: DecidedRows, rule: CostRule) -> Priced:
    """Apply a cost rule to predictions with probabilities."""
    assert rows.shares is not None
    confusion, rejected = _decided(rows, rule.decide(rows.shares))
    costs = with_costs(rule.table, len(rows.names))
    return Priced(
        rows.names,
        confusion,
        float(decisions.mean_cost(confusion, costs)),
        float(decisions.mean_cost(rows.most_probable, costs)),
        float(decisions.accuracy(confusion)),
        rejected,
    )


def _decided(rows: DecidedRows, codes: np.ndarray) -> tuple[np.ndarray, float]:
    kept = codes != REJECTED
    confusion = decisions.confusion_of(rows.true[kept], codes[kept], len(rows.names), rows.weights[kept])
    return confusion, 1.0 - float(confusion.sum() / rows.weights.sum())
