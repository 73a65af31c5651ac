"""scikit-learn's own checks of an estimator, on weights too, for the machines that the fast part leaves out."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

from mcsvm import MultiClassSVC
from mcsvm.solvers.machines import MACHINES

pytestmark = pytest.mark.large
LEFT_OUT = [name for name in MACHINES if name not in ("ww", "ovo")]  # those are in tests/unit/test_estimator.py
EQUIVALENCE = check_sample_weight_equivalence_on_dense_data, check_sample_weight_equivalence_on_sparse_data
EXPECTED = dict.fromkeys((check.__name__ for check in EQUIVALENCE), "needs a small tol and a number for gamma")


@parametrize_with_checks([MultiClassSVC(machine=name) for name in LEFT_OUT], expected_failed_checks=lambda _: EXPECTED)
def test_scikit_learns_checks(estimator: MultiClassSVC, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("machine", LEFT_OUT)
@pytest.mark.parametrize("check", EQUIVALENCE)
def test_scikit_learns_checks_that_weights_count_rows(machine: str, check: Any) -> None:
    check("MultiClassSVC", MultiClassSVC(machine=machine, tol=1e-10, gamma=0.1))
