"""Do the slow first steps before a user waits for them: imports, and compiling the solvers' loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from mcsvm_gui.core.machine import names

MACHINES = tuple(name for name in names.MACHINES if name != "dag")  # which is trained as ovo


def prepare(wanted: Callable[[], bool] = lambda: True) -> None:
    """Run the steps; return between two of them when `wanted` becomes false."""
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
    """Run a small search, because searches use compiled code of their own."""
    if machine not in _searched:
        _search(machine)
        _searched.add(machine)


def _search(machine: str) -> None:
    from mcsvm.solvers import precompile

    precompile.search(machine)


def _explain() -> None:
    """Compile the code of Shapley values."""
    from mcsvm.solvers import precompile

    precompile.explain()


def _train(machine: str) -> None:
    from mcsvm.solvers import precompile

    precompile.train(machine)
