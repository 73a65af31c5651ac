"""Continue a training that was stopped, was killed or reached a limit, from the file of its model.

From its checkpoint it continues with the same bits as if it had never been stopped. Without one, or with a smaller
tolerance after it has converged, a new training starts from the dual variables of the model.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.run.ending import Ending
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.writing import Named
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.machine import checkpoint_file, model_file
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.sources import data_of
from mcsvm_gui.core.machine.trained import Duals

LIMITS = {Ending.STEP_LIMIT: "max_iter", Ending.TIME_LIMIT: "time_limit"}  # the option that ended a training
CHANGEABLE = "tol", "gap_tol", "max_iter", "time_limit", "threads"  # options that do not change the problem


@dataclass(frozen=True, eq=False)
class Continuation:
    """A training to continue; exactly one of `checkpoint` and `start` is not None."""

    request: Request
    dataset: Dataset
    test: Dataset | None
    checkpoint: bytes | None
    start: Duals | None
    notices: tuple[Notice, ...] = ()


def continuation_of(path: Named, changes: Mapping[str, Any], data: str | None = None) -> Continuation:
    """Return the state and settings to continue the training of the model in this file, or that of its checkpoint.

    `changes`: values of some options in CHANGEABLE. Limits count from the beginning of the training; the limit that
    ended it does not hold any more. `data`: the training file, if it has been moved.
    """
    saved = checkpoint_file.load(path)
    if saved is not None:
        request, ending, iterations = saved.request, saved.ending, saved.iterations
        if ending is not None and os.path.exists(path):
            _check_request(path, saved.request)
    else:
        trained = model_file.load(path)
        request, ending, iterations = trained.request, trained.origin.ending, trained.origin.iterations
        uncalibrated = request.calibrate != "none" and trained.calibrated is None
        if not uncalibrated and _has_ended(ending, request, changes):
            raise FileError(path, "this training has converged; give a smaller --tol or --gap-tol to train it further")
    if request.scheduler is not None:
        raise FileError(path, "a training on a cluster keeps no checkpoint and cannot be continued; train it again")
    lifted = {LIMITS[ending]: None} if ending in LIMITS else {}
    request = replace(request, **{**lifted, **changes})
    _check_steps(request, iterations)
    if data is not None:
        request = replace(request, data=data)
    elif request.data is None:
        raise FileError(path, "the model names no training file; name it: mcsvm train DATA --continue MODEL")
    dataset, test = data_of(request)
    if saved is not None:
        return Continuation(request, dataset, test, saved.content, None)
    sentence = Sentence(
        "there is no checkpoint of this model: training starts from its dual variables, and takes other steps than an"
        " uninterrupted training"
    )
    notices = () if ending is Ending.CONVERGED else (Notice("no checkpoint", sentence),)
    return Continuation(request, dataset, test, None, trained.duals, notices)


def _has_ended(ending: Ending | None, request: Request, changes: Mapping[str, Any]) -> bool:
    """Return whether the training has converged and no smaller tolerance is requested."""
    if ending is not Ending.CONVERGED:
        return False
    tol, gap = changes.get("tol"), changes.get("gap_tol")
    smaller = tol is not None and tol < request.tol
    return not smaller and (gap is None or (request.gap_tol is not None and gap >= request.gap_tol))


def _check_request(path: Named, request: Request) -> None:
    """Raise FileError unless the model has that request: a checkpoint of a stopped training was written with it."""
    if model_file.load(path).request != request:
        raise FileError(
            checkpoint_file.path_for(path),
            "this checkpoint belongs to another training than the model; remove the wrong one",
        )


def _check_steps(request: Request, iterations: int) -> None:
    if request.max_iter is not None and request.max_iter <= iterations:
        raise InputError(
            "--max-iter counts from the beginning of the training, which has made {steps} steps; give a larger number",
            steps=iterations,
        )
