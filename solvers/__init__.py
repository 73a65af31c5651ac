"""Multi-class support vector machines, trained to a certified optimum. `__all__` is the public surface.

    run = Run(pose(X, codes, machine="ww", kernel=KERNELS["rbf"](gamma=1.0), cost=4.0), "auto", Limits(1e-3))
    while run.running:
        run.advance(64)

trains in slices of 64 steps; `MultiClassSVC.fit` runs the same loop. Kernels are in `solvers.kernels.KERNELS`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from solvers.errors import InputError

if TYPE_CHECKING:
    from solvers import explain
    from solvers.estimator import MultiClassSVC
    from solvers.posing import pose
    from solvers.run.ending import Ending
    from solvers.run.limits import Limits
    from solvers.run.loop import Run
    from solvers.scikit.constraints import ParameterError

__all__ = ["Ending", "InputError", "Limits", "MultiClassSVC", "ParameterError", "Run", "explain", "pose"]

_HOMES = {  # modules imported on first use: scikit-learn and compiled code take a second
    "Ending": "solvers.run.ending",
    "Limits": "solvers.run.limits",
    "MultiClassSVC": "solvers.estimator",
    "ParameterError": "solvers.scikit.constraints",
    "Run": "solvers.run.loop",
    "pose": "solvers.posing",
}


def __getattr__(name: str) -> Any:
    if name == "explain":
        return import_module("solvers.explain")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value
