"""scikit-learn's own checks of an estimator, on weights too, for the machines that the fast part leaves out."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mcsvm import MultiClassSVC

pytestmark = pytest.mark.large
LEFT_OUT = "llw", "cs", "ova", "dag"  # tests/unit/test_estimator.py has ww and ovo
CHECKED = [MultiClassSVC(machine=name, tol=1e-10) for name in LEFT_OUT]


@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator: MultiClassSVC, check: Any) -> None:
    check(estimator)
