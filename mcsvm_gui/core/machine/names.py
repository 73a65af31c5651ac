"""The only list of titles and looks of machines, solvers, kernels and biases, by their command-line names.

The module is light, for callers that must not load the solvers. A test compares it with their registries, whose other
entries follow as `more` in the window's lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mcsvm_gui.core.base.i18n import tr


class Appearance(NamedTuple):
    """The look in every plot, table and page; colour is never the only mark."""

    title: str
    colour: str  # of Okabe and Ito's palette
    dashes: tuple[int, ...]  # lengths of strokes and gaps in pen widths; empty for a solid line
    marker: str


MACHINES = {
    "ww": Appearance("Weston-Watkins", "#0072b2", (), "circle"),
    "llw": Appearance("Lee-Lin-Wahba", "#009e73", (8, 4), "square"),
    "cs": Appearance("Crammer-Singer", "#d55e00", (8, 3, 2, 3), "triangle"),
    "ova": Appearance("One-vs-all", "#cc79a7", (2, 3), "diamond"),
    "ovo": Appearance("One-vs-one", "#e69f00", (12, 4), "star"),
    "dag": Appearance("DAG", "#56b4e9", (8, 3, 2, 3, 2, 3), "pentagon"),
}
OTHER_MACHINE = Appearance("", "#8a8f98", (4, 4), "cross")
MORE_MACHINES = "adm", "atm", "ats", "mmr"  # further ones of the solvers' registry, listed in help
SOLVERS = {"auto": "Automatic", "smo": "SMO", "s2do": "S2DO", "fw": "Frank-Wolfe"}
MORE_SOLVERS = (
    *("ipm", "linear", "linear-newton", "smo-first-order", "whole-example", "bsvm", "fw-away", "fw-pairwise"),
    *("lasvm", "lasvm-gradient", "lasvm-active", "lasvm-first-order"),
)
KERNELS = {"rbf": "Gaussian (rbf)", "linear": "Linear", "polynomial": "Polynomial", "sigmoid": "Sigmoid"}
KERNEL_ALIASES = {"poly": "polynomial"}  # as in scikit-learn
NOT_FOR_FILES = {"precomputed": "Precomputed"}  # kernel values instead of features
PARAMETERS = {
    "rbf": ("gamma",),
    "linear": (),
    "polynomial": ("gamma", "degree", "coef0"),
    "sigmoid": ("gamma", "coef0"),
}
BIASES = {"none": "None", "regularized": "Regularized", "exact": "Exact"}
DEFAULT_BIAS = {"": "Default"}


def machine_titles() -> dict[str, str]:
    return translated({name: appearance.title for name, appearance in MACHINES.items()})


def solver_titles() -> dict[str, str]:
    return translated(SOLVERS)


def kernel_titles() -> dict[str, str]:
    """Return the titles without the kernels that data files cannot hold."""
    return translated(KERNELS)


def bias_titles() -> dict[str, str]:
    return translated({**DEFAULT_BIAS, **BIASES})


def translated(titles: Mapping[str, str]) -> dict[str, str]:
    """Return the titles in the current language."""
    return {name: tr(title) for name, title in titles.items()}


TITLES = {  # of options
    "machine": machine_titles,
    "solver": solver_titles,
    "kernel": kernel_titles,
    "bias": bias_titles,
}
