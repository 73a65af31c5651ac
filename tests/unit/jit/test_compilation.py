"""Compiled functions: one version each, and the same answers without compilation."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from combinations import accepted
from compiled_versions import ASKED
from small_data import blobs, home, trained

from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
SEVERAL = {  # functions with more than one version, and how many
    "mcsvm.solvers.jit.linalg.copy_transposed": 4,  # float32 and float64, whole matrices and parts of them
    "mcsvm.solvers.jit.close.find_below": 4,  # the same
    "mcsvm.solvers.jit.rounds.rounds": 3,  # feasible sets
}
SOON = {"C": 1, "tol": 1e-2, "gap_tol": 0.1, "max_iter": 2000}
# What the run without compilation selects: small problems, every machine, every rule.
SOME = ["tests/laws/test_certificate.py"]
EVERY = [
    *SOME,
    "tests/laws/test_machines.py::test_the_table_is_the_one_of_the_mathematics",
    "tests/laws/test_machines.py::test_two_classes_of_a_joint_machine_are_a_binary_machine",
    "tests/unit/dual/test_bias.py",
    "tests/unit/dual/test_balance.py",
    "tests/unit/test_problem.py",
    "tests/unit/test_model.py",
]


@pytest.mark.filterwarnings("ignore:The training (ended|stalled)")
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_every_compiled_function_was_compiled_once() -> None:
    """An int in place of a float silently compiles another version: slow, and perhaps different."""
    x, y = blobs(n=40, classes=3)
    for machine, method in accepted(MACHINES, METHODS):
        for features in (x, x.astype(np.float32), np.asfortranarray(x), (4 * x).astype(int)):
            trained(features, y, machine=machine, solver=method, kernel=home(method), **SOON)
    assert len(ASKED) > 10
    twice = {name: kinds for name, kinds in ASKED.items() if len(kinds) > SEVERAL.get(name, 1)}
    assert not twice, "\n".join(f"{name}: {kind}" for name, kinds in twice.items() for kind in sorted(kinds))


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="this is that run")
@pytest.mark.parametrize("tests", [SOME, pytest.param(EVERY, marks=pytest.mark.large)], ids=["some", "every"])
def test_laws_hold_without_compilation(tests: list[str]) -> None:
    """The Python that is compiled is Python: indices in range, no division by zero, no undefined name."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
