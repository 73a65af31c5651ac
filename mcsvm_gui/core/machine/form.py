"""From the texts of a form to the machine's part of a request, with a sentence for every entry that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

NAMES = "machine", "solver", "kernel", "bias"
OF_KERNEL = "gamma", "degree", "coef0"  # asked only where the chosen kernel declares them
NUMBERS = (
    *("C", *OF_KERNEL, "tol"),
    *("margin", "class_weight", "gap_tol", "max_iter", "time_limit", "cache_mb", "threads"),
)
# What is not named here is empty: nothing said, and the request's own default holds.
DEFAULTS = {
    "machine": "ww",
    "solver": "auto",
    "kernel": "rbf",
    "C": "1",
    "gamma": "scale",
    "degree": "3",
    "coef0": "0",
    "tol": "1e-3",
}


def read_form(texts: Mapping[str, str], parameters: Collection[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """(values that differ from nothing said, what is wrong by field); `parameters` are those of the kernel."""
    from solvers.errors import InputError

    values: dict[str, Any] = {name: texts[name] for name in NAMES if texts.get(name)}
    errors: dict[str, str] = {}
    readers = _readers()
    for name in NUMBERS:
        text = texts.get(name, "").strip()
        if not text or (name in OF_KERNEL and name not in parameters):
            continue
        try:
            values[name] = readers[name](text)
        except InputError as error:
            errors[name] = str(error)
    return values, errors


def _readers() -> dict[str, Callable[[str], Any]]:
    from mcsvm_gui.core.machine import request
    from solvers.posing import positive, whole

    def above_zero(name: str) -> Callable[[str], float]:
        return lambda text: positive(name, request.number(text))

    def counting(name: str) -> Callable[[str], int]:
        return lambda text: whole(name, request.whole_number(text))

    return {
        **{name: above_zero(name) for name in ("C", "tol", "margin", "gap_tol", "time_limit", "cache_mb")},
        **{name: counting(name) for name in ("degree", "max_iter", "threads")},
        "gamma": lambda text: text if text == "scale" else positive("gamma", request.number(text)),
        "coef0": request.number,
        "class_weight": request.class_weight,
    }
