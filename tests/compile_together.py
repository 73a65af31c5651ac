"""Workers of pytest-xdist compile the solvers' loops together: one from the first method on, one from the last.

Each finds in the cache what the other has compiled; on their own, both would compile everything at the same time.
"""

from __future__ import annotations

from functools import partial

from combinations import accepted
from small_data import blobs, home, problem_of

from mcsvm.solvers.jit.store import CACHE_FOLDER, CACHE_WORKS
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.run.warmup import once, warm_up
from mcsvm.solvers.selection.trials import binary

DONE = CACHE_FOLDER / "compiled-for-tests"
MACHINES, BIASES = ("ww", "cs", "ova"), ("none", "exact")


def compile_together(*, backwards: bool) -> None:
    """Nothing where it was done before."""
    if not CACHE_WORKS or DONE.exists():
        return
    pieces = [partial(once, "two-class", binary.rehearse), *(partial(_begin, method) for method in METHODS)]
    for piece in reversed(pieces) if backwards else pieces:
        piece()
    DONE.touch()


def _begin(method: str) -> None:
    X, y = blobs(n=12)
    for machine, _, bias in accepted(MACHINES, [method], BIASES):
        run = Run(problem_of(X, y, machine, home(method), bias=bias), method)
        warm_up(run.current.solver, run.current.view)
