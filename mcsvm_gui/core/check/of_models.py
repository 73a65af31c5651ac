"""What a trained model shows on rows: how it ended, whether probabilities come true, and how many rows are novel."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mcsvm_gui.core.check.results import CheckedResults, Ended, Novel, Reliable
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.evaluate.applied import applied
from mcsvm_gui.core.evaluate.probabilities import SortedProbabilities
from mcsvm_gui.core.machine.trained import TrainedModel

NOVEL = 0.05  # the share of rows like those trained on that is called novel
FEWEST = 100  # rows with known classes that a calibration error is measured on


def results_of(name: str, trained: TrainedModel, dataset: Dataset) -> CheckedResults:
    ended = Ended(name, trained.origin.ending, trained.certificate.relative_gap)
    return CheckedResults(ended=(ended,), reliable=_reliable(name, trained, dataset), novel=_novel(trained, dataset))


def _novel(trained: TrainedModel, dataset: Dataset) -> Novel | None:
    typical = trained.predictions(dataset, sets=True).typical
    if typical is None:
        return None
    decided = typical[np.isfinite(typical)]
    return Novel(Path(dataset.name).name, int(decided.size), int((decided <= NOVEL).sum()), NOVEL)


def _reliable(name: str, trained: TrainedModel, dataset: Dataset) -> Reliable | None:
    """Of the most probable class."""
    if trained.calibrated is None or dataset.labels is None:
        return None
    rows = applied(trained, dataset).rows
    if rows.shares is None or rows.true.size < FEWEST:
        return None
    rising = SortedProbabilities.of(rows.shares.max(axis=1), rows.shares.argmax(axis=1) == rows.true)
    return Reliable(name, int(rows.true.size), rising.reliability(np.ones(rows.true.size)).error)
