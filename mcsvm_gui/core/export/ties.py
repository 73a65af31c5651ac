"""Rows on the border between classes: there the model's own label hangs on the order in which numbers are added.

Symmetric data put rows exactly there, and sums of large terms round by more than the model's TIE: of the 1728 rows of
the car evaluation data, all categories, 9 lie there under ww with the linear kernel and C = 64 (two class functions
4e-12 apart, sums of 1e5 in all); of the nine pairs of two three-level categories labelled by their sum modulo 3, up to
seven. No other program can be asked for the same chance.
"""

from __future__ import annotations

import numpy as np

from mcsvm_gui.core.export.flat_model import flat_model
from mcsvm_gui.core.export.probe import Probe, prepared
from mcsvm_gui.core.machine.trained import TrainedModel
from solvers.model import TIE

ROUNDING = 2.0**-46  # 64 units in the last place of the sum of all magnitudes


def probability_reach(trained: TrainedModel, probe: Probe) -> np.ndarray:
    """(rows,) how far rounding of the outputs may move a probability: all the way where a vote hangs on it."""
    plain = flat_model(trained, as_weights=False)
    found, rows = plain.calibration, prepared(plain, probe)
    assert found is not None
    values, reach = plain.evaluate(rows), ROUNDING * plain.magnitudes(rows) + TIE * plain.classes
    steepest = np.abs(found.sigmoids[:, 0]).max() if found.sigmoids is not None else 1.0 / (found.temperature or 1.0)
    moved = np.asarray(plain.classes * steepest * reach.max(axis=1, initial=0.0))
    by_votes = plain.decides != "argmax" and plain.classes > 2 and found.method != "pairwise"
    return np.where((np.abs(values) <= reach).any(axis=1), np.inf, moved) if by_votes else moved


def on_border(trained: TrainedModel, probe: Probe, said: np.ndarray) -> np.ndarray:
    """Of rows that were labelled otherwise than by the model: where both labels are right within rounding."""
    plain = flat_model(trained, as_weights=False)
    rows = prepared(plain, probe)
    values, reach = plain.evaluate(rows), ROUNDING * plain.magnitudes(rows)
    if plain.decides != "argmax":
        return (np.abs(values) <= reach).any(axis=1)
    index = np.arange(len(probe))
    known = np.maximum(said, 0)
    apart = np.abs(values[index, probe.expected] - values[index, known])
    tilt = TIE * plain.classes
    return (apart <= reach[index, probe.expected] + reach[index, known] + tilt) & (said >= 0)
