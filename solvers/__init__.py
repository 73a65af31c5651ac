"""Multi-class support vector machines, solved and certified: what is named here is the public surface.

    run = Run(pose(X, codes, machine="ww", kernel=KERNELS["rbf"](gamma=1.0), cost=4.0), "auto", Limits(1e-3))
    while run.running:
        run.advance(64)

trains step by step what `MultiClassSVC` trains at once; `solvers.kernels.KERNELS` has the kernels.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from solvers.errors import InputError

if TYPE_CHECKING:
    from solvers.estimator import MultiClassSVC
    from solvers.posing import pose
    from solvers.run.limits import Limits
    from solvers.run.loop import Run

__all__ = ["InputError", "Limits", "MultiClassSVC", "Run", "pose"]

_HOMES = {  # loaded when asked for: scikit-learn and compiled code take a second
    "Limits": "solvers.run.limits",
    "MultiClassSVC": "solvers.estimator",
    "Run": "solvers.run.loop",
    "pose": "solvers.posing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found
