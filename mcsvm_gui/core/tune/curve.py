"""The learning curve of one machine: trained on nested shares of the rows of every fold, and extrapolated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.selection.cell import FoldResult, Trial
from mcsvm.solvers.selection.curve import INTERVAL, POINTS, SHARES, Extrapolation, extrapolate
from mcsvm.solvers.selection.executor import Folds
from mcsvm.solvers.selection.grid import Range
from mcsvm.solvers.selection.search import only
from mcsvm.solvers.selection.study import Report, Study
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.data import preparation as preparing
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine.posing import kernel_of
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.core.tune.search import Tuning

LEAST = 2.0  # average rows per class; with fewer, a class cannot be learned
TIMES = 2.0, 4.0  # multiples of the number of rows: extrapolated points
DRAWN = 60  # points of the drawn line, including the extrapolation
WORTH = 0.005  # gain in accuracy from twice the rows; below this, more rows are hardly worth it


@dataclass(frozen=True)
class CurvePoint:
    rows: int  # training rows, on average over folds
    fold_accuracy: tuple[float, ...]
    seconds: float  # of one training, on average
    converged: bool


@dataclass(frozen=True, eq=False)
class LearningCurve:
    tuning: Tuning
    points: tuple[CurvePoint, ...]
    extrapolation: Extrapolation | None  # None if too few points are done
    stopped: bool

    @property
    def converged(self) -> bool:
        return all(point.converged for point in self.points)

    def document(self) -> dict[str, Any]:
        """Return the document of `mcsvm curve --json`."""
        return {
            "points": [_point_document(point) for point in self.points],
            "projected": None if self.extrapolation is None else self._projected(self.extrapolation),
            "folds": len(self.tuning.parts),
            "request": self.tuning.request.document(),
            "stopped": self.stopped,
            "warnings": list(dict.fromkeys(notice.sentence for notice in self.tuning.notices)),
        }

    def _projected(self, found: Extrapolation) -> dict[str, Any]:
        last, law = self.points[-1].rows, found.law
        line = np.geomspace(self.points[0].rows, max(TIMES) * last, DRAWN)
        return {
            "law": {"a": float(law.a[0]), "b": float(law.b[0]), "c": float(law.c[0])},
            "line": [{"rows": float(rows), **_named(found.at(rows))} for rows in line.tolist()],
            "at": [{"rows": round(times * last), **_named(found.at(times * last))} for times in TIMES],
            "gain": [{"times": times, **_named(found.gain(last, times), "gain")} for times in TIMES],
            "limit": _named(found.limit),
            "interval": [percentile / 100.0 for percentile in INTERVAL],
        }


def _named(estimate: Any, name: str = "accuracy") -> dict[str, float]:
    found = asdict(estimate)
    return {name: found.pop("value"), **found}


def _point_document(point: CurvePoint) -> dict[str, Any]:
    folds = list(point.fold_accuracy)
    mean, std = float(np.mean(folds)), float(np.std(folds))
    return {"rows": point.rows, "accuracy": mean, "std": std, "seconds": point.seconds, "fold_accuracy": folds}


def curve_tuning(request: Request, how: dict[str, Any], dataset: Dataset) -> Tuning:
    """Return the folds and the one cell that is tried on them; `how` has folds, repeats and jobs."""
    gammas, costs = None, Range.between(request.C, request.C)
    if "gamma" in KERNELS[request.kernel].parameters and dataset.labels is not None:
        rows, _ = preparing.complete(request.rules, dataset)
        kernel = kernel_of(request, preparing.fit(request.rules, rows).apply(rows).rows, rows.weights)
        gamma = getattr(kernel, "gamma")  # noqa: B009 - of those kernels that have one
        gammas = Range.between(gamma, gamma)
    return Tuning(request, TuneRequest((request.machine,), costs, gammas, **how), dataset)


def shares_of(tuning: Tuning) -> list[float]:
    per_class = tuning.parts[0].train.size / len(tuning.class_names)
    found = [share for share in SHARES if share == 1.0 or share * per_class >= LEAST]
    if len(found) < POINTS:
        raise FileError(
            tuning.dataset.name,
            "a learning curve needs at least {least} rows of a class on average in each training part, not {found:.1f}",
            least=round(LEAST / SHARES[-POINTS]),
            found=per_class,
        )
    return found


def learning_curve(
    tuning: Tuning, report: Report | None = None, stopped: Callable[[], bool] = lambda: False
) -> LearningCurve:
    """Train with the fewest rows first; after a stop, return the curve of the complete points."""
    shares, (cell,) = shares_of(tuning), tuning.grid.cells(tuning.grid.machines[0])
    folds = range(len(tuning.parts))
    trials = [Trial(cell, fold, share) for share in shares for fold in folds]
    study = Study(only(trials), Folds(tuning.parts, tuning.prepare), tuning.settings, stopped=stopped, report=report)
    study.run()
    return curve_of(tuning, study.done, stopped=stopped())


def trainings(tuning: Tuning) -> int:
    return len(shares_of(tuning)) * len(tuning.parts)


def curve_of(tuning: Tuning, done: Mapping[Trial, FoldResult], *, stopped: bool = False) -> LearningCurve:
    """Return the curve of the points whose folds are all done."""
    (cell,) = tuning.grid.cells(tuning.grid.machines[0])
    folds = range(len(tuning.parts))
    found = {share: [done.get(Trial(cell, fold, share)) for fold in folds] for share in shares_of(tuning)}
    points = tuple(
        _point(tuning, share, [result for result in results if result is not None])
        for share, results in found.items()
        if None not in results
    )
    extrapolation = None
    if len(points) >= POINTS:
        rows = np.array([point.rows for point in points], dtype=float)
        accuracies = np.array([point.fold_accuracy for point in points])
        extrapolation = extrapolate(rows, accuracies, tuning.request.seed)
    return LearningCurve(tuning, points, extrapolation, stopped)


def conclusion(document: Mapping[str, Any]) -> str:
    """Say in a sentence or two whether more rows are worth it."""
    found = document["projected"]
    if found is None:
        return tr("Too few points are done to extrapolate.")
    gain, low, high = (found["gain"][0][name] for name in ("gain", "low", "high"))
    if high < WORTH:
        worth = tr("More rows like these are unlikely to help much.")
    elif low > WORTH:
        worth = tr("More rows like these are likely to help.")
    else:
        worth = tr("It is not certain that more rows would help.")
    doubled = tr(
        "Twice as many rows would add about {gain} percentage points of accuracy ({low} to {high}).",
        gain=figures.points(gain),
        low=figures.points(low),
        high=figures.points(high),
    )
    return f"{worth} {doubled} {_limit(found['limit'], document['points'][-1]['accuracy'])}"


def _limit(limit: Mapping[str, float], last: float) -> str:
    """Describe the extrapolated limit; a law cut off at 1 has no meaning, unless all rows are predicted correctly
    already."""
    if limit["accuracy"] >= 1.0 > last:
        return tr("These points do not allow an extrapolation to unlimited data.")
    return tr(
        "Extrapolated accuracy with unlimited data: {limit} ({interval}).",
        limit=figures.accuracy(limit["accuracy"]),
        interval=figures.interval(limit["low"], limit["high"]),
    )


def _point(tuning: Tuning, share: float, results: list[FoldResult]) -> CurvePoint:
    counts = [np.bincount(tuning.codes[part.train]) for part in tuning.parts]
    rows = np.mean([np.ceil(share * found).sum() for found in counts])
    converged = all(result.ending.value == "converged" for result in results)
    seconds = float(np.mean([result.seconds for result in results]))
    return CurvePoint(round(float(rows)), tuple(result.accuracy for result in results), seconds, converged)
