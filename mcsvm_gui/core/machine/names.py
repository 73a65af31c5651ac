"""What everyone looks for, by the words of the command line: the one list of machines, solvers, kernels and biases.

Light, for all who cannot wait for the solvers; a test compares it with their registries, whose other entries follow
as more in the window's lists.
"""

from __future__ import annotations

from collections.abc import Mapping

from mcsvm_gui.core.base.i18n import tr

MACHINES = {
    "ww": "Weston-Watkins",
    "llw": "Lee-Lin-Wahba",
    "cs": "Crammer-Singer",
    "ova": "One-vs-all",
    "ovo": "One-vs-one",
    "dag": "DAG",
}
SOLVERS = {"auto": "Automatic", "smo": "SMO", "s2do": "S2DO", "fw": "Frank-Wolfe"}
KERNELS = {"rbf": "Gaussian (rbf)", "linear": "Linear", "polynomial": "Polynomial", "sigmoid": "Sigmoid"}
NOT_FOR_FILES = {"precomputed": "Precomputed"}  # kernel values instead of features
PARAMETERS = {
    "rbf": ("gamma",),
    "linear": (),
    "polynomial": ("gamma", "degree", "coef0"),
    "sigmoid": ("gamma", "coef0"),
}
BIASES = {"none": "None", "regularized": "Regularized", "exact": "Exact"}
OWN_BIAS = {"": "The machine's own"}


def machine_words() -> dict[str, str]:
    return words(MACHINES)


def solver_words() -> dict[str, str]:
    return words(SOLVERS)


def kernel_words() -> dict[str, str]:
    """Without those that data files cannot hold."""
    return words(KERNELS)


def bias_words() -> dict[str, str]:
    return words({**OWN_BIAS, **BIASES})


def words(titles: Mapping[str, str]) -> dict[str, str]:
    """In the language of the moment."""
    return {name: tr(title) for name, title in titles.items()}


WORDS = {"machine": machine_words, "solver": solver_words, "kernel": kernel_words, "bias": bias_words}  # of options
