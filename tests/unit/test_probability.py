"""Probabilities from scores, beside scikit-learn's, SciPy's optimum of the coupling, and laws for every machine."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar
from scipy.special import log_softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC
from small_data import blobs

from mcsvm import InputError, MultiClassSVC
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.selection.folds import stratified
from mcsvm.solvers.uncertainty.probability import (
    CALIBRATION_METHODS,
    Calibration,
    best_temperature,
    calibrate,
    coupled,
    fitted_sigmoid,
)

X, Y = blobs(n=90, classes=3, seed=4)
NEW = blobs(n=200, classes=3, seed=5)[0]
OUTPUTS = {"joint": lambda k: k, "one-vs-rest": lambda k: k, "pairs": lambda k: k * (k - 1) // 2}


def made(machine: str, classes: int, n: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Decision values that say something of the classes, some rows tied."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % classes)
    own = np.eye(classes)[codes] + 0.7 * rng.normal(size=(n, classes))
    if MACHINES[machine].split == "pairs":
        own = np.stack([own[:, a] - own[:, b] for a, b in combinations(range(classes), 2)], axis=1)
    own[:5] = 0.0
    return own, codes


@pytest.mark.parametrize("method", CALIBRATION_METHODS)
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("machine", MACHINES)
def test_rows_sum_to_one_and_the_log_loss_is_scikit_learns(machine: str, classes: int, method: str) -> None:
    values, codes = made(machine, classes)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, codes.size)
    found = calibrate(method, MACHINES[machine], values, codes, classes, weights)
    shares = found.probabilities(MACHINES[machine], values, classes)
    assert shares.shape == (codes.size, classes)
    assert (shares >= 0.0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.exp(found.log_probabilities(MACHINES[machine], values, classes)), shares, atol=1e-12)
    assert found.after == pytest.approx(log_loss(codes, shares, sample_weight=weights), rel=1e-9)
    again = Calibration.from_document(found.document())
    np.testing.assert_array_equal(again.probabilities(MACHINES[machine], values, classes), shares)


@settings(max_examples=60, deadline=None)
@given(
    machine=st.sampled_from(sorted(MACHINES)),
    classes=st.integers(2, 6),
    temperature=st.sampled_from([1e-9, 0.3, 1.0, 1e9]),
    seed=st.integers(0, 1000),
)
def test_a_temperature_never_changes_the_winner(machine: str, classes: int, temperature: float, seed: int) -> None:
    kind = MACHINES[machine]
    values = np.random.default_rng(seed).integers(-2, 3, (40, OUTPUTS[kind.split](classes))) / 2.0  # ties abound
    values[::3] += 1e-14 * np.random.default_rng(seed + 1).normal(size=values[::3].shape)
    if kind.split == "joint" and classes == 2:
        values[:, 1] = -values[:, 0]
    from mcsvm.solvers.model import decide

    shares = Calibration("temperature", temperature, None, 0.0, 0.0).probabilities(kind, values, classes)
    np.testing.assert_array_equal(shares.argmax(axis=1), decide(kind, values, classes))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)


def test_the_temperature_is_that_of_an_optimizer() -> None:
    """SciPy's, on the same likelihood, over the whole range of noise."""
    rng = np.random.default_rng(0)
    for noise in (0.4, 1.0, 3.0, 30.0):
        codes, weights = rng.permutation(np.arange(60) % 3), rng.uniform(0.5, 2.0, 60)
        scores = np.eye(3)[codes] + noise * rng.normal(size=(60, 3))

        def loss(
            log_t: float, scores: np.ndarray = scores, codes: np.ndarray = codes, w: np.ndarray = weights
        ) -> float:
            return log_loss(codes, np.exp(log_softmax(scores / np.exp(log_t), axis=1)), sample_weight=w)

        best = minimize_scalar(loss, bounds=(-12.0, 14.0), method="bounded", options={"xatol": 1e-9})
        assert loss(np.log(best_temperature(scores, codes, weights))) <= best.fun + 1e-10


def test_rows_that_are_all_right_leave_a_finite_temperature() -> None:
    codes = np.arange(30) % 3
    scores, weights = np.eye(3)[codes], np.ones(30)
    found = best_temperature(scores, codes, weights)
    gained = [2.0 * np.exp(-1.0 / t) / t for t in (found, 2.0 * found)]  # by a factor of e in T, to first order
    assert gained[0] <= 1e-10 < gained[1]


@pytest.mark.parametrize("machine", ["ovo", "dag"])
def test_probabilities_of_pairs_are_scikit_learns(machine: str) -> None:
    """The same folds, scores and kind of calibration, on data where no vote is tied."""
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    theirs = CalibratedClassifierCV(SVC(C=2.0, gamma=0.7, tol=1e-9), method="temperature", ensemble=False, cv=folds)
    ours = MultiClassSVC(machine, C=2.0, gamma=0.7, gap_tol=1e-9, calibration="temperature", random_state=3)
    given_rows = theirs.fit(X, Y).predict_proba(NEW)
    agree = np.abs(ours.fit(X, Y).predict_proba(NEW) - given_rows).max(axis=1) < 2e-3
    assert agree.mean() > 0.95


def test_a_sigmoid_is_platts() -> None:
    """Beside a brute-force minimum of the cross-entropy to Platt's targets."""
    rng = np.random.default_rng(5)
    values, weights = rng.normal(size=200), rng.uniform(0.2, 3.0, 200)
    positive = values + rng.normal(size=200) > 0.3
    more, less = weights[positive].sum(), weights[~positive].sum()
    target = np.where(positive, (more + 1) / (more + 2), 1 / (less + 2))

    def loss(ab: np.ndarray) -> float:
        p = 1 / (1 + np.exp(ab[0] * values + ab[1]))
        return float(-weights @ (target * np.log(p) + (1 - target) * np.log1p(-p)))

    best = minimize(loss, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000})
    np.testing.assert_allclose(fitted_sigmoid(values, positive, weights), best.x, atol=1e-6)


@pytest.mark.parametrize("k", [3, 4, 7])
def test_coupling_is_the_optimum_of_its_programme(k: int) -> None:
    rng = np.random.default_rng(k)
    pairs = rng.uniform(0.01, 0.99, (20, k * (k - 1) // 2))
    for row, found in zip(pairs, coupled(pairs, k), strict=True):
        r = np.zeros((k, k))
        for value, (a, b) in zip(row, combinations(range(k), 2), strict=True):
            r[a, b], r[b, a] = value, 1.0 - value

        def distance(p: np.ndarray, r: np.ndarray = r) -> float:
            return float(((r.T * p[:, None] - r * p[None, :]) ** 2).sum())

        start = np.full(k, 1.0 / k)
        sums = {"type": "eq", "fun": lambda p: p.sum() - 1.0}
        best = minimize(distance, start, bounds=[(0, 1)] * k, constraints=sums, method="SLSQP", tol=1e-14)
        np.testing.assert_allclose(found, best.x, atol=1e-4)
        assert distance(found) <= distance(best.x) + 1e-12


@pytest.mark.parametrize("method", CALIBRATION_METHODS)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_estimator_calibrates_on_rows_left_out(machine: str, method: str) -> None:
    """The same as trainings by hand on the same folds."""
    parameters: dict[str, Any] = {"machine": machine, "gamma": 0.7, "gap_tol": 1e-8, "decision_function_shape": "ovo"}
    model = MultiClassSVC(**parameters, calibration=method, calibration_folds=3, random_state=7).fit(X, Y)
    left_out = np.empty((Y.size, OUTPUTS[MACHINES[machine].split](3)))
    for part in stratified(Y, 3, 7):
        fold = MultiClassSVC(**parameters).fit(X[part.train], Y[part.train])
        left_out[part.test] = fold.decision_function(X[part.test])
    by_hand = calibrate(method, MACHINES[machine], left_out, Y, 3, np.ones(Y.size))
    values = MultiClassSVC(**parameters).fit(X, Y).decision_function(NEW)
    expected = by_hand.probabilities(MACHINES[machine], values, 3)
    np.testing.assert_allclose(model.predict_proba(NEW), expected, atol=2e-3)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(NEW)), model.predict_proba(NEW), atol=1e-12)
    if method == "temperature":
        assert model.temperature_ == pytest.approx(by_hand.temperature, rel=1e-3)
        np.testing.assert_array_equal(model.classes_[model.predict_proba(NEW).argmax(axis=1)], model.predict(NEW))


@pytest.mark.parametrize("kernel", ["linear", "precomputed", "poly"])
def test_every_kernel_is_calibrated(kernel: str) -> None:
    rows, new = (X @ X.T, NEW @ X.T) if kernel == "precomputed" else (X, NEW)
    model = MultiClassSVC(kernel=kernel, calibration="temperature").fit(rows, Y)
    assert model.calibration_.after <= model.calibration_.before
    if kernel == "precomputed":
        direct = MultiClassSVC(kernel="linear", bias="none", calibration="temperature").fit(X, Y)
        np.testing.assert_allclose(model.predict_proba(new), direct.predict_proba(NEW), atol=5e-3)


def test_sparse_rows_are_rows() -> None:
    dense = MultiClassSVC(calibration="temperature").fit(X, Y).predict_proba(NEW)
    sparse = MultiClassSVC(calibration="temperature").fit(sp.csr_array(X), Y).predict_proba(sp.csr_array(NEW))
    np.testing.assert_allclose(sparse, dense, atol=1e-3)


def test_weights_count_in_folds_and_likelihood() -> None:
    """Beside weighted trainings by hand on the same folds."""
    weights = np.random.default_rng(2).integers(0, 4, Y.size).astype(float)
    kept = np.flatnonzero(weights)
    parameters: dict[str, Any] = {"gamma": 0.7, "gap_tol": 1e-8, "class_weight": "balanced"}
    model = MultiClassSVC(**parameters, calibration="temperature", random_state=1).fit(X, Y, weights)
    x, y, w = X[kept], Y[kept], weights[kept]
    left_out = np.empty((y.size, 3))
    shares = w.sum() / (3 * np.bincount(y, w))
    for part in stratified(y, 5, 1):
        fold = MultiClassSVC(gamma=0.7, gap_tol=1e-8, class_weight=dict(enumerate(shares)))
        left_out[part.test] = fold.fit(x[part.train], y[part.train], w[part.train]).decision_function(x[part.test])
    by_hand = calibrate("temperature", MACHINES["ww"], left_out, y, 3, w)
    assert model.temperature_ == pytest.approx(by_hand.temperature, rel=1e-3)


def test_probabilities_are_there_only_where_asked_for() -> None:
    assert not hasattr(MultiClassSVC(), "predict_proba")
    assert hasattr(MultiClassSVC(calibration="temperature"), "predict_log_proba")
    model = MultiClassSVC(machine="ovo").fit(X, Y)
    assert not hasattr(model, "temperature_")


def test_a_class_too_small_for_the_folds_is_named() -> None:
    labels = np.array(["ant", "bee"])[(np.arange(90) < 2).astype(int)]
    with pytest.raises(InputError, match="5 folds needs 5 rows of each class, but class 'bee' has 2"):
        MultiClassSVC(calibration="temperature").fit(X, labels)


def test_portions_have_no_rows_to_leave_out() -> None:
    """scikit-learn asks by `hasattr`, so the method is absent, and the cause of the error says why."""
    model = MultiClassSVC(machine="ovo", calibration="temperature")
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit") as raised:
        model.partial_fit(X, Y, classes=[0, 1, 2])
    assert "no rows to leave out" in str(raised.value.__cause__)


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"method": "isotonic", "temperature": 1.0},
        {"method": "temperature", "temperature": -1.0},
        {"method": "temperature", "temperature": None},
        {"method": "sigmoid", "sigmoids": [[1.0]]},
        {"method": "pairwise", "sigmoids": None},
    ],
)
def test_what_is_no_calibration_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no calibration"):
        Calibration.from_document(document)
