"""Runs made up in a moment: what a training would have given, without training."""

from __future__ import annotations

from typing import Any

from mcsvm.solvers.methods.auto.conductor import REASONS
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.project.records import RunRecord

MACHINES = "ww", "llw", "cs", "ova", "ovo", "dag"
ENDINGS = "converged", "step limit", "time limit", "stopped", "stalled"


def document(run: int = 1, **values: Any) -> dict[str, Any]:
    """As `mcsvm train --json` prints it; other runs, other numbers."""
    gap = 10.0 ** -(1 + run % 7)
    return {
        "machine": MACHINES[run % 6],
        "solver": "auto",
        "solver_used": "ipm" if run % 3 else "auto",
        "solver_reason": REASONS[1 + run % 3],
        "decisions": [{"step": 0, "phase": "blocks", "reason": REASONS[1 + run % 3], "numbers": {}, "part": 0}],
        "kernel": {"name": "rbf", "gamma": 2.0 ** -(run % 9)},
        "C": 2.0 ** (run % 12 - 2),
        "margin": 1.0,
        "bias": "none",
        "tol": 0.001,
        "seed": run % 4,
        "n_train": 1000,
        "n_features": 10,
        "n_classes": 3,
        "classes": ["a", "b", "c"],
        "class_counts": [400, 300, 300],
        "ending": ENDINGS[run % 5],
        "iterations": 37 * run,
        "kernel_evaluations": 9 * run,
        "seconds": 0.0137 * run,
        "certificate": {
            "primal": 10.0,
            "dual": 10.0 * (1 - gap),
            "gap": 10.0 * gap,
            "relative_gap": gap,
            "violation": gap / 3,
        },
        "n_support": 100 + run % 700,
        "n_bounded": run % 100,
        "n_support_per_class": [40, 30, 30],
        "train_accuracy": 0.9 + 0.1 / (1 + run),
        "test_accuracy": 0.9 if run % 2 else None,
        "n_test": 300 if run % 2 else None,
        "model": None,
        "warnings": [],
        **values,
    }


def record(run: int = 1, state: str = "done", **values: Any) -> RunRecord:
    request = Request(machine=MACHINES[run % 6], C=2.0 ** (run % 12 - 2), gamma=2.0 ** -(run % 9), seed=run % 4)
    given = {
        "id": run,
        "created": f"2026-01-{1 + run % 28:02d}T{run % 24:02d}:30:00.000+00:00",
        "name": f"{request.machine} {run}",
        "data_name": ("vowel", "letter", "satimage")[run % 3],
        "plain_request": request.document(),
        "state": state,
        "document": document(run) if state == "done" else None,
        "error": "There is not enough memory for this." if state == "failed" else None,
    }
    return RunRecord(**{**given, **values})
