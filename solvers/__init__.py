"""Multi-class support vector machines, trained to a certified optimum. `__all__` is the public surface.

    run = Run(pose(X, codes, machine="ww", kernel=KERNELS["rbf"](gamma=1.0), cost=4.0), "auto", Limits(1e-3))
    while run.running:
        run.advance(64)

trains in slices of 64 steps; `MultiClassSVC.fit` runs the same loop. Kernels are in `mcsvm.solvers.kernels.KERNELS`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if __name__ == "solvers":  # a checkout's folder, imported by its own name
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[1] / "packaging" / "python"))
    import_module("mcsvm_checkout").alias_solvers()

from mcsvm.solvers.errors import InputError

if TYPE_CHECKING:
    from mcsvm.solvers import explain
    from mcsvm.solvers.estimator import MultiClassSVC
    from mcsvm.solvers.grid_search import SearchResult, search
    from mcsvm.solvers.posing import pose
    from mcsvm.solvers.run.ending import Ending
    from mcsvm.solvers.run.limits import Limits
    from mcsvm.solvers.run.loop import Run
    from mcsvm.solvers.scikit.constraints import ParameterError

__all__ = [
    "Ending",
    "InputError",
    "Limits",
    "MultiClassSVC",
    "ParameterError",
    "Run",
    "SearchResult",
    "explain",
    "pose",
    "search",
]

_HOMES = {  # modules imported on first use: scikit-learn and compiled code take a second
    "Ending": "mcsvm.solvers.run.ending",
    "Limits": "mcsvm.solvers.run.limits",
    "MultiClassSVC": "mcsvm.solvers.estimator",
    "ParameterError": "mcsvm.solvers.scikit.constraints",
    "Run": "mcsvm.solvers.run.loop",
    "SearchResult": "mcsvm.solvers.grid_search",
    "pose": "mcsvm.solvers.posing",
    "search": "mcsvm.solvers.grid_search",
}


def __getattr__(name: str) -> Any:
    if name == "explain":
        return import_module("mcsvm.solvers.explain")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value
