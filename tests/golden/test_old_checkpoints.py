"""Checkpoints of every schema there was still open, and the run goes on from what was reached to the optimum."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_data import blobs, finished, problem_of

from mcsvm import InputError
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run import checkpoint
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Run

FOLDER = Path(__file__).parent
# As they were made: 40 rows, rbf gamma 0.7, tolerance 1e-6, stopped on the way.
MADE = {
    "auto": ("ww", None, 30.0, 82),
    "ipm": ("cs", None, 30.0, 5),
    "smo": ("ovo", None, 3.0, 30),
    "fw-away": ("ww", "exact", 3.0, 64),
    "lasvm": ("ova", None, 3.0, 50),
}


def problem(method: str) -> Problem:
    machine, bias, cost, _ = MADE[method]
    return problem_of(*blobs(n=40, classes=3, features=2, seed=11), machine, cost=cost, bias=bias)


@pytest.mark.parametrize("method", MADE)
def test_a_run_of_schema_1_goes_on_from_its_alpha(method: str) -> None:
    place = FOLDER / f"checkpoint_schema_1_{method}.zip"
    run = Run.load(problem(method), place)
    stored = checkpoint.read(place)
    assert stored.schema == 1
    assert run.iterations == MADE[method][3]
    assert len(run.trace) == len(stored.arrays["trace"]) - 1
    before = run.certificate()
    assert before.dual > 0.0 or method == "fw-away"  # which starts over where a given start is out of balance
    while run.running:
        run.advance()
    assert run.ending is Ending.CONVERGED
    optimum = finished(problem(method), "auto", 1e-8).certificate()
    assert run.certificate().dual == pytest.approx(optimum.dual, rel=1e-6)
    assert run.certificate().dual >= before.dual


def test_what_does_not_belong_to_schema_1_is_refused(tmp_path: Path) -> None:
    stored = checkpoint.read(FOLDER / "checkpoint_schema_1_smo.zip")
    stored.arrays["state.own.alpha"] = np.zeros((3, 3))
    checkpoint.write(tmp_path / "run", checkpoint.Saved(stored.header, stored.arrays, 1))
    with pytest.raises(InputError, match="damaged"):
        Run.load(problem("smo"), tmp_path / "run")
