"""What machines, solvers, kernels and biases are called, by the words of the command line."""

from __future__ import annotations

from mcsvm_gui.core.base.i18n import tr


def machine_words() -> dict[str, str]:
    """What the lists hold until the solvers are loaded; a test compares them with the registry."""
    return {
        "ww": tr("Weston-Watkins"),
        "llw": tr("Lee-Lin-Wahba"),
        "cs": tr("Crammer-Singer"),
        "ova": tr("One-vs-all"),
        "ovo": tr("One-vs-one"),
        "dag": tr("DAG"),
    }


def solver_words() -> dict[str, str]:
    return {"auto": tr("Automatic"), "smo": tr("SMO"), "s2do": tr("S2DO"), "fw": tr("Frank-Wolfe")}


def kernel_words() -> dict[str, str]:
    return {
        "rbf": tr("Gaussian (rbf)"),
        "linear": tr("Linear"),
        "polynomial": tr("Polynomial"),
        "sigmoid": tr("Sigmoid"),
        "precomputed": tr("Precomputed"),
    }


def bias_words() -> dict[str, str]:
    return {
        "": tr("The machine's own"),
        "none": tr("None"),
        "regularized": tr("Regularized"),
        "exact": tr("Exact"),
    }
