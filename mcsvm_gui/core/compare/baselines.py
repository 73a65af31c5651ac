"""Baselines for a model: simple methods trained on its training rows and scored on its test rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.compare.standings import UNDECIDED, RunScores, ScoreInterval, scores_of
from mcsvm_gui.core.evaluate.statistics import mcnemar
from mcsvm_gui.core.evaluate.statistics.adjustment import holm

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.machine.trained import TrainedModel

Predictions = Iterable[tuple[str, np.ndarray]]  # name of each baseline, and its predictions for the test rows


@dataclass(frozen=True)
class BaselineResult:
    """The scores of a baseline on test rows. `p`: McNemar test against the run, adjusted over the baselines."""

    name: str  # majority, neighbours, boosting
    run: int
    rows: int
    accuracy: float
    interval: ScoreInterval
    balanced: float
    balanced_interval: ScoreInterval
    macro_f1: float
    macro_f1_interval: ScoreInterval
    p: float

    @property
    def title(self) -> str:
        return {
            "majority": tr("Majority class"),
            "neighbours": tr("Nearest neighbours"),
            "boosting": tr("Boosted trees"),
        }.get(self.name, self.name)

    def score(self, measure: str) -> tuple[float, ScoreInterval]:
        """Return a measure, by its name in `mcsvm tune --score`, and its 95% interval."""
        return {
            "accuracy": (self.accuracy, self.interval),
            "balanced-accuracy": (self.balanced, self.balanced_interval),
            "macro-f1": (self.macro_f1, self.macro_f1_interval),
        }[measure]

    def document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_document(cls, document: object) -> BaselineResult:
        """Read a document of a project file; raise ValueError if it does not describe a baseline."""
        if not isinstance(document, Mapping):
            raise ValueError("no scores of a simple method")
        try:
            texts, whole = {"name": str(document["name"])}, {key: int(document[key]) for key in ("run", "rows")}
            shares = {key: float(document[key]) for key in ("accuracy", "balanced", "macro_f1", "p")}
            ends = {key: document[key] for key in ("interval", "balanced_interval", "macro_f1_interval")}
            pairs = {key: (float(low), float(high)) for key, (low, high) in ends.items()}
        except (TypeError, LookupError) as error:
            raise ValueError("no scores of a simple method") from error
        return cls(**texts, **whole, **shares, **pairs)  # type: ignore[arg-type]


def baseline_results(
    run: int,
    trained: TrainedModel,
    training: Dataset,
    tested: Dataset,
    predict: Callable[[TrainedModel, Dataset, Dataset], Predictions],
) -> list[BaselineResult]:
    """Score the baselines of a run that was trained on `training` and tested on `tested`."""
    seed = trained.request.seed
    own = scores_of(run, trained.class_names, trained.predictions(tested).labels, tested, seed)
    if own is None:
        return []
    found = {}
    for name, labels in predict(trained, training, tested):
        scores = scores_of(-1, trained.class_names, labels, tested, seed)
        if scores is not None:
            found[name] = scores
    adjusted = holm(np.array([_p(own, scores) for scores in found.values()]), len(found))
    return [_result(name, run, scores, float(p)) for (name, scores), p in zip(found.items(), adjusted, strict=True)]


def _p(own: RunScores, other: RunScores) -> float:
    both = (own.outcomes != UNDECIDED) & (other.outcomes != UNDECIDED)
    return mcnemar(own.outcomes[both] == 1, other.outcomes[both] == 1)[0].p if both.any() else 1.0


def _result(name: str, run: int, scores: RunScores, p: float) -> BaselineResult:
    return BaselineResult(
        name=name,
        run=run,
        rows=scores.rows,
        accuracy=scores.accuracy,
        interval=scores.interval,
        balanced=scores.balanced,
        balanced_interval=scores.balanced_interval,
        macro_f1=scores.macro_f1,
        macro_f1_interval=scores.macro_f1_interval,
        p=p,
    )
