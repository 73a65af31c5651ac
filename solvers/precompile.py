"""Compiles what trainings, searches, predictions and explanations call, before anybody waits for it.

Everything is run once on a few rows: what a run compiles does not depend on the data. `python -m mcsvm.precompile` is
the command, packaging/precompile.py compiles for installers, and the window uses the single steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.explain.game import game_of
from mcsvm.solvers.explain.values import explained
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.model import Model
from mcsvm.solvers.posing import pose
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.run.warmup import warm_up
from mcsvm.solvers.selection import scores
from mcsvm.solvers.selection.cell import Cell, Trial
from mcsvm.solvers.selection.executor import Folds
from mcsvm.solvers.selection.folds import stratified
from mcsvm.solvers.selection.search import only
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.study import Study
from mcsvm.solvers.selection.trials import binary, rising
from mcsvm.solvers.selection.trials.shared import FoldRows

BIASES = "none", "regularized", "exact"
OF_FEATURES = "rbf", "linear"  # kernels of other names compile what rbf does


def steps(
    machines: Iterable[str] = tuple(MACHINES), biases: Iterable[str] = BIASES, methods: Iterable[str] = ("auto",)
) -> Iterator[Callable[[], object]]:
    """Return calls that compile one after the other what these trainings need, and all else."""
    machines, biases, methods = tuple(machines), tuple(biases), tuple(methods)
    for machine in machines:
        for bias in biases:
            for kernel in OF_FEATURES:
                for method in methods:
                    yield partial(train, machine, bias, kernel, method)
    for machine in machines:
        yield partial(search, machine)
    yield from (binary.rehearse, rising.compile_steps, scores.compile_profile, learn_in_portions, explain)


def train(machine: str, bias: str = "none", kernel: str = "rbf", method: str = "auto") -> Model | None:
    """Train on a few rows; None if the method does not take this problem."""
    rows, labels = few_rows()
    settings = {"gamma": 1.0} if kernel == "rbf" else {}
    try:
        problem = pose(rows, labels, machine=machine, kernel=KERNELS[kernel](**settings), bias=bias)
        run = Run(problem, method, Limits(1e-3))
    except InputError:
        return None
    warm_up(run.current.solver, run.current.view)
    while run.running:
        run.advance()
    model = run.model(run.proofs())
    model.predict(rows)
    return model


def search(machine: str) -> None:
    """Run one cell of a search: searches have solvers of their own."""
    rows, labels = few_rows()
    folds = Folds(
        stratified(labels, 3, seed=0),
        lambda fold: FoldRows.of(rows[fold.train], labels[fold.train], rows[fold.test], labels[fold.test]),
    )
    Study(only([Trial(Cell(machine, 1.0, 1.0), 0)]), folds, TrainingSettings()).run()


def explain() -> None:
    """Compute Shapley values."""
    model, rows = train("ww"), np.eye(2)
    assert model is not None
    explained(game_of(model, rows[:1]), rows[1:])


def learn_in_portions() -> None:
    """Compile what `partial_fit` calls. Imports scikit-learn, which the window does without."""
    from mcsvm.solvers.scikit import portions

    portions.compile_online()


def few_rows() -> tuple[np.ndarray, np.ndarray]:
    """Return nine rows of three classes."""
    angles = np.arange(9.0)
    return np.stack([np.sin(angles), np.cos(angles)], axis=1), np.arange(9) % 3


def compile_all(tell: Callable[[int, int], object], methods: Iterable[str] = ("auto",)) -> None:
    """Call all steps; `tell` is given how many are done, and how many there are."""
    calls = list(steps(methods=methods))
    for done, call in enumerate(calls):
        tell(done, len(calls))
        call()
    tell(len(calls), len(calls))


EVERY_METHOD = tuple(METHODS)
