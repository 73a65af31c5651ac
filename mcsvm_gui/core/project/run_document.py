"""Check the documents of runs in a project file, before the window and reports rely on them.

A file may be damaged or forged. The document is the output of `mcsvm train --json`; `REQUIRED` has the entries that
every training writes, `OPTIONAL` the entries of some trainings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]


def is_machine(name: Any) -> bool:
    """Return whether the solvers have this machine; they are loaded only for a project that contains runs."""
    from mcsvm.solvers.machines import MACHINES

    return name in MACHINES


def is_ending(value: Any) -> bool:
    from mcsvm.solvers.run.ending import Ending  # pages that show no run need no solver

    return is_text(value) and value in {ending.value for ending in Ending}


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**1023


def is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**53


def is_positive_count(value: Any) -> bool:
    return is_count(value) and value > 0


def is_share(value: Any) -> bool:
    return is_number(value) and 0.0 <= value <= 1.0


def or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def mapping_of(required: Mapping[str, Check], others: Check | None = None) -> Check:
    """Return a check for a mapping with these entries; `others`: the check of any further entry."""

    def check(value: Any) -> bool:
        if not isinstance(value, dict) or not required.keys() <= value.keys():
            return False
        return all(required[name](value[name]) for name in required) and (
            others is None or all(others(entry) for name, entry in value.items() if name not in required)
        )

    return check


def is_loss(value: Any) -> bool:
    return value is None or (is_number(value) and not math.isnan(value))


CERTIFICATE = mapping_of(dict.fromkeys(("primal", "dual", "gap", "relative_gap", "violation"), is_number))
DECISION = mapping_of(
    {"step": is_count, "phase": is_text, "reason": is_text, "numbers": mapping_of({}, is_number), "part": is_count},
    lambda value: False,
)
CALIBRATION = mapping_of(
    {
        "method": is_text,
        "temperature": or_none(is_number),
        "folds": is_count,
        "log_loss": mapping_of({"before": is_loss, "after": is_loss}),
    }
)
TESTED = mapping_of(
    {
        "n_train": is_count,
        "n_test": is_positive_count,
        "test_accuracy": is_share,
        "interval": lambda value: list_of(is_share)(value) and len(value) == 2,
    }
)
REQUIRED: dict[str, Check] = {
    "machine": lambda value: is_text(value) and is_machine(value),
    "solver": is_text,
    "solver_used": is_text,
    "kernel": mapping_of({"name": is_text}, is_number),
    "C": is_number,
    "margin": is_number,
    "bias": is_text,
    "n_train": is_positive_count,
    "n_features": is_count,
    "n_classes": is_positive_count,
    "classes": list_of(is_text),
    "class_counts": list_of(is_count),
    "ending": is_ending,
    "iterations": is_count,
    "kernel_evaluations": is_count,
    "seconds": is_number,
    "certificate": CERTIFICATE,
    "n_support": is_count,
    "n_bounded": is_count,
    "n_support_per_class": list_of(is_count),
    "train_accuracy": is_share,
    "test_accuracy": or_none(is_share),
    "n_test": or_none(is_positive_count),
}
OPTIONAL: dict[str, Check] = {
    "tol": is_number,
    "machine_C": is_number,
    "gap_tol": or_none(is_number),
    "seed": is_number,
    "solver_reason": is_text,
    "decisions": list_of(DECISION),
    "certified": lambda value: isinstance(value, bool),
    "calibration": or_none(CALIBRATION),
    "weights": or_none(mapping_of({"column": is_text, "total": is_number, "left_out": is_count})),
    "rule": or_none(mapping_of({})),
    "refit": mapping_of({"tested": TESTED, "delivered": mapping_of({"n_train": is_count})}),
    "warnings": list_of(lambda value: isinstance(value, str | dict | list)),
}


def check_document(document: Mapping[str, Any]) -> None:
    """Raise ValueError, with the name of the entry, if this is not the document of a training."""
    for name, check in REQUIRED.items():
        if name not in document:
            raise ValueError(f"it has no {name}")
        if not check(document[name]):
            raise ValueError(f"its {name} is none of a training")
    for name in OPTIONAL.keys() & document.keys():
        if not OPTIONAL[name](document[name]):
            raise ValueError(f"its {name} is none of a training")
    classes = document["n_classes"]
    if any(len(document[name]) != classes for name in ("classes", "class_counts", "n_support_per_class")):
        raise ValueError("its classes are not as many as it says")
    if len(set(document["classes"])) != classes or (document["test_accuracy"] is None) != (document["n_test"] is None):
        raise ValueError("its entries contradict each other")
