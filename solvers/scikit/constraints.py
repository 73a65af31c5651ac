"""Arguments of MultiClassSVC as scikit-learn requires them: constraints on each, and a seed from random_state."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, Options, StrOptions

from mcsvm.solvers.errors import InputError, closest_name
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.problem import BIASES
from mcsvm.solvers.uncertainty.probability import CALIBRATION_METHODS

ALIASES = {"poly": "polynomial"}  # scikit-learn's names
DEFAULT_CACHE_MB = 500
_POSITIVE = Interval(Real, 0.0, None, closed="neither")
_COUNT = Interval(Integral, 1, None, closed="left")


class RegisteredNames(StrOptions):
    """One of the names of a registry, listed in its order, as the command line and the window list them."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)
        super().__init__(set(self.names))

    def __str__(self) -> str:
        return f"one of {', '.join(self.names)}"


CONSTRAINTS: dict[str, list[Any]] = {
    "machine": [RegisteredNames(MACHINES)],
    "solver": [RegisteredNames(METHODS)],
    "kernel": [RegisteredNames((*KERNELS, *ALIASES)), callable],
    "C": [_POSITIVE],
    "gamma": [StrOptions({"scale", "auto"}), _POSITIVE],
    "degree": [_COUNT],
    "coef0": [Interval(Real, None, None, closed="neither")],
    "margin": [_POSITIVE, None],
    "bias": [RegisteredNames(BIASES), None],
    "class_weight": [StrOptions({"balanced"}), HasMethods(["get", "keys"]), None],
    "tol": [_POSITIVE],
    "gap_tol": [_POSITIVE, None],
    "max_iter": [_COUNT, Options(Integral, {-1}), None],
    "time_limit": [_POSITIVE, None],
    "cache_mb": [_POSITIVE],
    "cache_size": [_POSITIVE, None],
    "threads": [_COUNT, None],
    "n_jobs": [_COUNT, Interval(Integral, None, -1, closed="right"), None],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "random_state": ["random_state"],
    "callback": [callable, None],
    "decision_function_shape": [StrOptions({"ovo", "ovr"})],
    "break_ties": ["boolean"],
    "calibration": [StrOptions(set(CALIBRATION_METHODS)), None],
    "calibration_folds": [Interval(Integral, 2, None, closed="left")],
}


_PLAIN = frozenset({str, int, float, bool, type(None)})
MOST_CHECKED = 10_000  # sets of parameters in CHECKED; a grid of cells has thousands
CHECKED: set[Hashable] = set()  # parameters of estimators that were found valid


def checkable(estimator: Any, names: Iterable[str]) -> Hashable:
    """Return the parameters with their types, since 1 == True; None if one is not a plain value, as it may change."""
    values = tuple([getattr(estimator, name, None) for name in names])  # constraints may name more
    kinds = tuple(map(type, values))
    return (type(estimator), values, kinds) if _PLAIN.issuperset(kinds) else None


class ParameterError(InputError, InvalidParameterError):
    """An argument that breaks its constraint: an InputError that is also scikit-learn's InvalidParameterError."""


def suggestion(parameters: Mapping[str, Any]) -> str:
    """Return the question after the name that was probably meant; empty if all names are known, or none is close."""
    for parameter, (first, *_) in CONSTRAINTS.items():
        value = parameters.get(parameter)
        if isinstance(first, RegisteredNames) and isinstance(value, str) and value not in first.names:
            near = closest_name(value, first.names)
            return "" if near is None else f" Did you mean {near!r}?"
    return ""


def seed_of(random_state: Any) -> int:
    """Return the seed of a method's random choices; None gives 0, so that the same call gives the same bits."""
    if random_state is None or isinstance(random_state, Integral):
        return int(random_state or 0)
    return int(check_random_state(random_state).randint(2**31))
