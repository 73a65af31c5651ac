"""The final model: settings that were tested on held-out rows, trained on all rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.compare.tested_runs import split_rows
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.evaluate.bootstrap import binomial_interval
from mcsvm_gui.core.machine.request import Request, TestedModel
from mcsvm_gui.core.machine.session import Outcome


def final_request(request: Request, document: Mapping[str, Any], interval: tuple[float, float]) -> Request:
    """Return the request that trains the settings of `request` on all rows; `document` is its train document."""
    if (request.holdout is None and request.test is None) or document["test_accuracy"] is None:
        raise InputError("only a model that was tested on held-out rows can be trained again on all rows")
    tested = TestedModel(
        holdout=request.holdout,
        test=request.test,
        test_digest=request.test_digest,
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
    if request.tested is None:
        return False
    digest = tested.digest if request.tested.test is None else request.digest  # of both files, if there is a test file
    return replace(request, tested=None) == replace(tested, holdout=None, test=None, test_digest=None, digest=digest)


def check_refit(request: Request) -> None:
    """Refuse, before the first training, requests whose final model could not be trained."""
    if request.tested is not None:
        raise InputError("--refit: this model is trained on all rows already; leave --refit out")
    if request.holdout is None and request.test is None:
        raise InputError("--refit trains on all rows after a test on some of them: add --holdout 0.3, or --test FILE")
    if request.scheduler is not None and request.test is not None:
        raise InputError("--refit: the workers of a cluster cannot read the rows of --test; take --holdout 0.3 instead")


def refit_request(tested: Outcome, dataset: Dataset, test: Dataset | None = None, digest: str | None = None) -> Request:
    """Return the final request for a training that ended in this process, with the interval of its test.

    `digest` identifies the rows that the final model is trained on.
    """
    request = tested.trained.request
    rows = split_rows(request, dataset, test)
    scores = None if rows.kind != "test" else rows.scores(0, tested.trained, request.seed)
    if scores is None:
        raise InputError("none of the held-out rows can be predicted, so that the model is not tested")
    final = final_request(request, tested.document, scores.interval)
    return final if digest is None else replace(final, digest=digest)


def refit_request_on_cluster(tested: Outcome) -> Request:
    """Return the final request for a training on a cluster, whose rows are not on this computer.

    The interval is the exact binomial one (Clopper & Pearson 1934), which needs only the number of rows.
    """
    share, rows = tested.document["test_accuracy"], tested.document["n_test"]
    if share is None or not rows:
        raise InputError("none of the held-out rows can be predicted, so that the model is not tested")
    final = final_request(tested.trained.request, tested.document, binomial_interval(round(share * rows), rows))
    return replace(final, digest=None)
