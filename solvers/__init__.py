"""Multi-class support vector machines, solved and certified."""

from typing import TYPE_CHECKING, Any

from solvers.errors import InputError

if TYPE_CHECKING:
    from solvers.estimator import MultiClassSVC

__all__ = ["InputError", "MultiClassSVC"]


def __getattr__(name: str) -> Any:
    """The estimator brings scikit-learn, which takes a second to load: only for those who ask for it."""
    if name != "MultiClassSVC":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from solvers.estimator import MultiClassSVC

    globals()[name] = MultiClassSVC
    return MultiClassSVC
