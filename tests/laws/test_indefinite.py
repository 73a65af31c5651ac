"""A kernel that is not positive semidefinite poses a problem that is not convex: no run may claim to have solved it."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from small_data import blobs

from mcsvm import MultiClassSVC
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.run.ending import Ending

X, Y = blobs(n=60, classes=3, seed=2)


@pytest.mark.parametrize("machine", MACHINES)
def test_an_indefinite_kernel_ends_stalled_with_its_certificate(machine: str) -> None:
    products = X @ X.T
    assert np.linalg.eigvalsh(np.tanh(products - 1.0)).min() < -1e-3
    model = MultiClassSVC(machine=machine, kernel="sigmoid", gamma=1.0, coef0=-1.0, max_iter=100_000)
    with pytest.warns(ConvergenceWarning, match="stalled .* relative gap"):
        model.fit(X, Y)
    assert model.ending_ is Ending.STALLED
    assert np.isfinite([model.certificate_.primal, model.certificate_.dual, model.certificate_.violation]).all()


@pytest.mark.parametrize("machine", MACHINES)
def test_a_semidefinite_matrix_is_solved_whatever_its_name(machine: str) -> None:
    matrix = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    assert MultiClassSVC(machine=machine, kernel="precomputed").fit(matrix, Y).ending_ is Ending.CONVERGED
    single = MultiClassSVC(machine=machine, kernel="precomputed").fit(matrix.astype(np.float32), Y)
    assert single.ending_ is Ending.CONVERGED


def test_a_matrix_with_a_negative_eigenvalue_is_told() -> None:
    matrix = X @ X.T
    matrix -= 0.2 * np.linalg.eigvalsh(matrix).max() * np.eye(len(matrix))
    model = MultiClassSVC(kernel="precomputed", max_iter=100_000)
    with pytest.warns(ConvergenceWarning, match="positive semidefinite"):
        assert model.fit(matrix, Y).ending_ is Ending.STALLED
