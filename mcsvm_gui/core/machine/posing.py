"""Turn a Request and prepared rows into the solvers' Problem, in the same way for training and for verification."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mcsvm.solvers.arguments import gamma_of
from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.kernels import KERNELS, Kernel
from mcsvm.solvers.posing import find_machine, kernel_from, listing, pose, positive
from mcsvm.solvers.problem import Problem
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data import preparation as preparing
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.preparation import Preparation
from mcsvm_gui.core.data.remedies import Remedy
from mcsvm_gui.core.machine.names import NOT_FOR_FILES
from mcsvm_gui.core.machine.request import Request

FILE_KERNELS = {name: kernel for name, kernel in KERNELS.items() if name not in NOT_FOR_FILES}


@dataclass(frozen=True, eq=False)
class Posed:
    """A training problem, and the intermediate results of posing it."""

    problem: Problem
    class_names: tuple[str, ...]
    preparation: Preparation
    train: Dataset  # the training rows: neither held out nor dropped
    held_out: Dataset | None
    notices: tuple[Notice, ...]


def pose_request(request: Request, dataset: Dataset, preparation: Preparation | None = None) -> Posed:
    """Pose the problem of a request; without a `preparation`, fit a new one."""
    if dataset.labels is None:
        raise FileError(
            dataset.name, "there are no class labels to train on; name their column with {label}", label=Remedy("label")
        )
    train, held_out, more = training_part(request, dataset)
    notices = dataset.notices + more
    names = train.classes
    if len(names) < 2:
        raise FileError(
            dataset.name, "only one class is left to train on, {name!r}; a classifier needs two", name=names[0]
        )
    fitted = preparing.fit(request.rules, train) if preparation is None else preparation
    rows = fitted.apply(train).rows
    problem = _pose(request, rows, train, names, kernel_of(request, rows, train.weights))
    return Posed(problem, names, fitted, train, held_out, (*notices, *fitted.notices))


def training_part(request: Request, dataset: Dataset) -> tuple[Dataset, Dataset | None, tuple[Notice, ...]]:
    """Return the rows to train on (neither held out nor dropped, and in the sample), the held-out rows, and notices."""
    train = dataset
    held_out: Dataset | None = None
    notices: tuple[Notice, ...] = ()
    if request.holdout is not None:
        train, held_out, notices = splitting.split(dataset, request.holdout, request.seed, request.split)
    train, dropped = preparing.complete(request.rules, train)
    sample = splitting.sample(train, request.sample, request.seed)
    if sample is not train:
        sentence = Sentence(
            "trained on {rows} of the {all} training rows, as asked for", rows=sample.rows, all=train.rows
        )
        dropped = (*dropped, Notice("sampled rows", sentence))
    return sample, held_out, (*notices, *dropped)


def _pose(request: Request, rows: Any, train: Dataset, names: tuple[str, ...], kernel: Kernel) -> Problem:
    assert train.labels is not None
    number = {name: code for code, name in enumerate(names)}
    codes = np.array([number[label] for label in train.labels], dtype=np.int64)
    return pose(
        rows,
        codes,
        machine=request.machine,
        kernel=kernel,
        cost=problem_cost(request, len(names)),
        margin=request.margin,
        bias=request.bias,
        class_weight=class_weights_of(request, names, codes, train.weights),
        sample_weight=train.weights,
        classes=len(names),
        cache_mb=request.cache_mb,
    )


def problem_cost(request: Request, classes: int) -> float:
    """Return the C of the machine's problem; for two classes the request has the C of SVC."""
    return find_machine(request.machine).problem_cost(classes, positive("C", request.C))


def kernel_of(request: Request, rows: Any, weights: np.ndarray | None = None) -> Kernel:
    resolved = gamma_of(request.gamma, rows, weights)
    return kernel_from(request.kernel, FILE_KERNELS, **{**request.kernel_parameters, "gamma": resolved})


def class_weights_of(
    request: Request, names: tuple[str, ...], codes: np.ndarray, weights: np.ndarray | None
) -> np.ndarray | None:
    """Return one factor on C per class, 1 for classes without an entry; `balanced` counts the rows' weights."""
    total = codes.size if weights is None else weights.sum()
    return class_factors(request, names, total, np.bincount(codes, weights, minlength=len(names)))


def class_factors(request: Request, names: tuple[str, ...], total: float, of_each: np.ndarray) -> np.ndarray | None:
    """Return the factors as in `class_weights_of`, from the weight of all rows and of each class."""
    given = request.class_weight
    if given is None:
        return None
    if isinstance(given, str):
        return np.asarray(total / (len(names) * of_each))
    by_name = dict(given)
    strange = [name for name in by_name if name not in names]
    if strange:
        raise InputError(
            "class_weight names {strange!r}, which is no class; the classes are {names}",
            strange=strange[0],
            names=listing(names),
        )
    return np.array([by_name.get(name, 1.0) for name in names])


def parameters(kernel: Kernel) -> dict[str, Any]:
    return {name: getattr(kernel, name) for name in kernel.parameters}
