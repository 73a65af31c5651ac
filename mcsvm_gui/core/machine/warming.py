"""What takes long the first time, done before anyone waits for it: imports, and compiling the solvers' loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from mcsvm_gui.core.machine import names

if TYPE_CHECKING:
    from mcsvm.solvers.model import Model

MACHINES = tuple(name for name in names.MACHINES if name != "dag")  # which is trained as ovo


def prepare(wanted: Callable[[], bool] = lambda: True) -> None:
    """Ends early, between two steps, once it is not wanted any more."""
    for step in _steps():
        if not wanted():
            return
        step()


def _steps() -> Iterator[Callable[[], object]]:
    yield _import
    for machine in MACHINES:
        yield partial(_train, machine)
    for machine in MACHINES:
        yield partial(rehearse_search, machine)
    yield _explain


def _import() -> None:
    from mcsvm_gui.core.data import inspection  # noqa: F401
    from mcsvm_gui.core.data.projections import projection  # noqa: F401
    from mcsvm_gui.core.machine import model_file, session  # noqa: F401


_searched: set[str] = set()  # machines, in this process


def rehearse_search(machine: str) -> None:
    """Searches go through compiled code of their own."""
    if machine not in _searched:
        _search(machine)
        _searched.add(machine)


def _search(machine: str) -> None:
    import numpy as np

    from mcsvm.solvers.selection.cell import Cell, Trial
    from mcsvm.solvers.selection.executor import Folds
    from mcsvm.solvers.selection.folds import stratified
    from mcsvm.solvers.selection.search import only
    from mcsvm.solvers.selection.settings import TrainingSettings
    from mcsvm.solvers.selection.study import Study
    from mcsvm.solvers.selection.trials.shared import FoldRows

    angles = np.arange(9.0)
    rows, labels = np.stack([np.sin(angles), np.cos(angles)], axis=1), np.arange(9) % 3
    folds = Folds(
        stratified(labels, 3, seed=0),
        lambda fold: FoldRows.of(rows[fold.train], labels[fold.train], rows[fold.test], labels[fold.test]),
    )
    Study(only([Trial(Cell(machine, 1.0, 1.0), 0)]), folds, TrainingSettings()).run()


def _explain() -> None:
    """Shapley values go through compiled code of their own."""
    import numpy as np

    from mcsvm.solvers.explain.game import game_of
    from mcsvm.solvers.explain.values import explained

    rows = np.eye(2)
    explained(game_of(_train("ww"), rows[:1]), rows[1:])


def _train(machine: str) -> Model:
    """A few points: the kinds of compiled code do not depend on how many."""
    import numpy as np

    from mcsvm.solvers.kernels import KERNELS
    from mcsvm.solvers.posing import pose
    from mcsvm.solvers.run.loop import Run

    angles = np.arange(9.0)
    features = np.stack([np.sin(angles), np.cos(angles)], axis=1)
    problem = pose(features, np.arange(9) % 3, machine=machine, kernel=KERNELS["rbf"](gamma=1.0))
    run = Run(problem)
    while run.running:
        run.advance()
    return run.model(run.proofs())
