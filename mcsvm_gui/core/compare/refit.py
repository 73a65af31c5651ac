"""The final model: settings that were tested on held-out rows, trained on all rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.compare.standings import run_scores
from mcsvm_gui.core.compare.tested_runs import split_rows
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine.request import Request, TestedModel
from mcsvm_gui.core.machine.session import Outcome


def final_request(request: Request, document: Mapping[str, Any], interval: tuple[float, float]) -> Request:
    """Return the request that trains the settings of `request` on all rows; `document` is its train document."""
    if request.holdout is None or document["test_accuracy"] is None:
        raise InputError("only a model that was tested on held-out rows can be trained again on all rows")
    tested = TestedModel(
        holdout=float(request.holdout),
        n_train=int(document["n_train"]),
        n_test=int(document["n_test"]),
        test_accuracy=float(document["test_accuracy"]),
        low=float(interval[0]),
        high=float(interval[1]),
        train_accuracy=float(document["train_accuracy"]),
        ending=str(document["ending"]),
        relative_gap=float(document["certificate"]["relative_gap"]),
    )
    return replace(request, holdout=None, test=None, test_digest=None, tested=tested)


def is_final_of(request: Request, tested: Request) -> bool:
    """Return whether a request trains the settings of `tested` on all rows."""
    return request.tested is not None and replace(request, tested=None) == replace(
        tested, holdout=None, test=None, test_digest=None
    )


def refit_request(tested: Outcome, dataset: Dataset) -> Request:
    """Return the final request for a training that ended in this process, with the interval of its test."""
    request = tested.trained.request
    rows = split_rows(request, dataset, None)
    scores = None if rows.kind != "test" else run_scores(0, tested.trained, rows.tested, request.seed)
    if scores is None:
        raise InputError("none of the held-out rows can be predicted, so that the model is not tested")
    return final_request(request, tested.document, scores.interval)
