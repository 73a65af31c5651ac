"""Rows on the border between classes: their label depends on the order in which numbers are added.

Symmetric data have rows exactly on the border, and sums of large terms round by more than the model's TIE: of the 1728
rows of the car evaluation data, all categories, 9 are there under ww with the linear kernel and C = 64 (two class
functions 4e-12 apart, sums of 1e5 in all); of the nine pairs of two three-level categories labelled by their sum modulo
3, up to seven. No other program can be expected to round in the same way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcsvm.solvers.model import TIE
from mcsvm.solvers.uncertainty.costs import CostRule
from mcsvm_gui.core.export.flat_model import flat_model
from mcsvm_gui.core.export.probe import Probe, prepared
from mcsvm_gui.core.machine.trained import TrainedModel

ROUNDING = 2.0**-46  # 64 units in the last place of the sum of all magnitudes


def probability_reach(trained: TrainedModel, probe: Probe) -> np.ndarray:
    """Return (rows,) bounds on the effect of rounding on a probability; infinite if a vote depends on rounding."""
    plain = flat_model(trained, as_weights=False)
    found, rows = plain.calibration, prepared(plain, probe)
    assert found is not None
    values, reach = plain.evaluate(rows), ROUNDING * plain.magnitudes(rows) + TIE * plain.classes
    steepest = np.abs(found.sigmoids[:, 0]).max() if found.sigmoids is not None else 1.0 / (found.temperature or 1.0)
    moved = np.asarray(plain.classes * steepest * reach.max(axis=1, initial=0.0))
    by_votes = plain.decides != "argmax" and plain.classes > 2 and found.method != "pairwise"
    return np.where((np.abs(values) <= reach).any(axis=1), np.inf, moved) if by_votes else moved


def on_border(trained: TrainedModel, probe: Probe, said: np.ndarray) -> np.ndarray:
    """Return for which rows, labelled differently from the model, both labels are right within rounding."""
    plain = flat_model(trained, as_weights=False)
    rows = prepared(plain, probe)
    values, reach = plain.evaluate(rows), ROUNDING * plain.magnitudes(rows)
    if plain.rule is not None:
        return _on_border_of_rule(plain.rule, trained, probe, said)
    if plain.decides != "argmax":
        return (np.abs(values) <= reach).any(axis=1)
    index = np.arange(len(probe))
    known = np.maximum(said, 0)
    apart = np.abs(values[index, probe.expected] - values[index, known])
    tilt = TIE * plain.classes
    return (apart <= reach[index, probe.expected] + reach[index, known] + tilt) & (said >= 0)


def _on_border_of_rule(rule: CostRule, trained: TrainedModel, probe: Probe, said: np.ndarray) -> np.ndarray:
    """Return where rounding of the probabilities may exchange two expected costs or cross the rejection threshold."""
    assert probe.probabilities is not None
    reach, shares = probability_reach(trained, probe) + ROUNDING, probe.probabilities
    expected, index = shares @ rule.table, np.arange(len(probe))
    best = replace(rule, reject=0.0).decide(shares)
    other = np.where(said >= 0, said, best)
    apart = np.abs(expected[index, best] - expected[index, other])
    near = apart <= 2.0 * rule.table.max() * shares.shape[1] * reach
    rejecting = (said < 0) != (probe.expected < 0)
    return near & (~rejecting | (np.abs(shares[index, other] - rule.reject) <= reach))
