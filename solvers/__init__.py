"""Multi-class support vector machines, solved and certified."""

from solvers.errors import InputError
from solvers.estimator import MultiClassSVC

__all__ = ["InputError", "MultiClassSVC"]
