"""Convert trainings and searches of an experiment to entries of a journal, and back."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from mcsvm.solvers.selection.folds import Fold
from mcsvm_gui.core.compare.comparison import Side, scored
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.splitting import split
from mcsvm_gui.core.evaluate.evaluation import RankMeasures
from mcsvm_gui.core.evaluate.violations import Violations
from mcsvm_gui.core.experiment.definition import RunSpec
from mcsvm_gui.core.experiment.journal import Entry, Journal, key_of
from mcsvm_gui.core.experiment.results import PartResult
from mcsvm_gui.core.experiment.searching import key_of_request
from mcsvm_gui.core.machine.request import Request


def training_key(spec: RunSpec, train: Dataset, test: Dataset | None, *, closely: bool) -> str:
    """Return the key of a training. `closely`: its entry has margins and trace."""
    search = None if spec.search is None else spec.search.said()
    return key_of(
        "training", key_of_request(spec.request), search, train.digest, None if test is None else test.digest, closely
    )


def entry_of(label: str, result: PartResult) -> dict[str, Any]:
    """Return the entry of a result. `label` is for people who read the file."""
    side, classes = result.side, list(result.document["classes"])
    number = {name: code for code, name in enumerate(classes)}
    violations, trace = side.violations, side.trace
    return {
        "label": label,
        "document": dict(result.document),
        "decisions": [number.get(name, -1) for name in side.decisions.tolist()],
        "row_seconds": side.row_seconds,
        "ranked": None if side.ranked is None else asdict(side.ranked),
        "violations": None
        if violations is None
        else {name: _plain(value) for name, value in asdict(violations).items()},
        "trace": None if trace is None else {name: _plain(values) for name, values in trace.items()},
    }


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def result_of(
    entry: Entry, journal: Journal, spec: RunSpec, part: Fold | None, train: Dataset, test: Dataset | None
) -> PartResult:
    """Return the result that an entry stores. Raises FileError if the entry is invalid."""
    try:
        tested = tested_rows(spec.request, train, test)
        side = _side(entry, spec.label)
        if tested is not None and tested.labels is not None:
            side = scored(side, tuple(entry["document"]["classes"]), tested.labels, tested.weights)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise journal.broken(error) from None
    return PartResult(part, entry["document"], side, tested)


def tested_rows(request: Request, train: Dataset, test: Dataset | None) -> Dataset | None:
    if test is not None or request.holdout is None:
        return test
    return split(train, request.holdout, request.seed, request.split)[1]


def _side(entry: Entry, label: str) -> Side:
    document, violations, trace = entry["document"], entry["violations"], entry["trace"]
    names = np.array([*document["classes"], None], dtype=object)  # None stands for rows without a prediction
    side = Side(label, document, names[np.array(entry["decisions"], dtype=np.int64)])
    return replace(
        side,
        row_seconds=_row_seconds(entry),
        ranked=_ranked(entry),
        violations=None if violations is None else _violations(violations),
        trace=None if trace is None else {name: np.array(values) for name, values in trace.items()},
    )


def _row_seconds(entry: Entry) -> float | None:
    """Return the prediction time per row. Old entries have the time of all rows."""
    if "row_seconds" in entry:
        return _number(entry["row_seconds"])
    seconds, rows = _number(entry["prediction_seconds"]), len(entry["decisions"])
    return None if seconds is None or not rows else seconds / rows


def _ranked(entry: Entry) -> RankMeasures | None:
    """Return the rank measures; None for old entries, which have no such measures."""
    found = entry.get("ranked")
    return None if found is None else RankMeasures(_number(found["log_loss"]), _number(found["roc_auc"]))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _violations(values: dict[str, Any]) -> Violations:
    sums, counts = np.array(values["sums"], dtype=float), np.array(values["counts"], dtype=np.int64)
    weighted = bool(values.get("weighted", False))
    return Violations(float(values["target"]), sums, counts, float(values["spread"]), weighted)
