"""Products K W in tiles, and the certificate from them, against long double and against float64 without tiles."""

import numpy as np
import pytest
from oracles import JOINT
from small_data import blobs, finished

from mcsvm.solvers.dual.certificate import certify, sweep_of
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.kernels import KERNELS, Points
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Part
from mcsvm.solvers.products import kernel_products, symmetric_products

RBF = KERNELS["rbf"]


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcsvm.solvers.products.LEAST_SWEEP", 0)
    monkeypatch.setattr("mcsvm.solvers.products.TILE", 16)
    monkeypatch.setattr("mcsvm.solvers.products.TILES", 3)
    monkeypatch.setattr("mcsvm.solvers.products.SUMMED", 8)
    monkeypatch.setattr("mcsvm.solvers.gram.EXACT_ROWS", 0)


def clouds(features: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return blobs(n=150, classes=3, features=features, seed=seed)


def outliers(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X[::17] *= 12.0
    return X


HOSTILE = {  # rows -> rows, and a gamma for them
    "plain": (lambda X: X, 0.7),
    "far away": (lambda X: X + 1e6, 0.7),
    "huge norms": (lambda X: 1e150 * X, 0.7e-300),
    "tiny norms": (lambda X: 1e-150 * X, 0.7e300),
    "tiny gamma": (lambda X: X, 1e-12),
    "outliers": (outliers, 0.1),
    "one column long": (lambda X: X * [1e4, 1.0, 1.0], 3e-8),
    "equal rows": (lambda X: np.round(X), 2.0),
    "beyond single precision": (lambda X: 1e3 * X, 5.0),
}


def exact_kernel(X: np.ndarray, gamma: float, scale: float) -> np.ndarray:
    X = X.astype(np.longdouble) * np.longdouble(scale)
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    return np.exp(-np.longdouble(gamma) / np.longdouble(scale) ** 2 * distances)


def scale_of(X: np.ndarray) -> float:
    """A power of two near 1 / max |x|: long double has the exponents of float64 on some systems."""
    return float(2.0 ** -np.round(np.log2(np.abs(X).max())))


def posed(hostile: str, machine: str, cost: float, **more: object) -> tuple[Part, np.ndarray]:
    change, gamma = HOSTILE[hostile]
    X, y = clouds()
    X = change(X)
    problem = pose(X, y, machine=machine, kernel=RBF(gamma), cost=cost, **more)
    return problem.part(0), exact_kernel(problem.part(0).gram.points.rows, gamma, scale_of(X))


@pytest.mark.parametrize("held", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("cost", [1e-300, 1.0, 1e12])
@pytest.mark.parametrize("machine", [*JOINT, "ovo", "ova"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_the_error_is_within_its_bound(hostile: str, machine: str, cost: float, held: float) -> None:
    """`held`: the share of the kernel rows that are read from the store."""
    part, K = posed(hostile, machine, cost)
    random = np.random.default_rng(1)
    alpha = part.upper[:, None] * random.random((len(part), part.form.slots)) * part.form.real[part.labels]
    alpha[random.random(len(part)) < 0.6] = 0.0
    weights = weights_of(part, alpha)
    part.gram.fetch(np.flatnonzero(random.random(len(part)) < held))
    sweep = sweep_of(part, alpha, weights)
    if sweep is None:
        assert hostile == "beyond single precision"
        return
    size = np.abs(weights).max()
    wrong = np.abs(sweep.products / size - K @ (weights / size)).astype(float)
    index, value = (table[part.labels] for table in part.form.reading)
    errors = np.take_along_axis(wrong[:, None, :].repeat(part.form.slots, 1), index, axis=2) * np.abs(value)
    single = sweep.error > 0.0
    assert (single == ~weights.any(axis=1)).all()
    assert (errors.sum(axis=2)[single].max(axis=1) <= sweep.error[single] / size).all()
    moved = part.gram.points.rows - part.gram.points.rows.mean(axis=0)
    rounding = 1e-14 * part.gram.kernel.gamma * float((moved**2).sum(axis=1).max())  # of exponents in float64
    assert wrong[~single].max() <= (1e-12 + rounding) * np.abs(weights / size).sum()
    assert np.median(sweep.error[single] / size) <= 1e-2 * np.abs(K @ np.abs(weights / size)).max()


def certificates(part: Part, alpha: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> tuple[object, object]:
    tiled = certify(part, alpha)
    assert np.any(tiled.products != part.gram.products(tiled.weights))  # some of it is float32
    with monkeypatch.context() as patch:
        patch.setattr("mcsvm.solvers.products.LEAST_SWEEP", np.inf)
        return tiled, certify(part, alpha)


@pytest.mark.parametrize("bias", ["none", "regularized", "exact"])
@pytest.mark.parametrize("machine", [*JOINT, "ovo", "ova"])
def test_the_certificate_is_that_of_float64(machine: str, bias: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = clouds(seed=1)
    X[y == 0] += 3.0
    run = finished(pose(X, y, machine=machine, kernel=RBF(0.3), cost=10.0, bias=bias), tolerance=1e-3)
    part, alpha = run.problem.part(0), run.alphas()[0]
    for values in (alpha, 0.9 * alpha):
        tiled, plain = certificates(part, values, monkeypatch)
        for name in ("primal", "dual", "violation", "infeasibility"):
            one, other = getattr(tiled.certificate, name), getattr(plain.certificate, name)
            assert one == pytest.approx(other, rel=1e-9, abs=1e-9), name
        np.testing.assert_allclose(tiled.bias, plain.bias, rtol=1e-6, atol=1e-6)


def test_a_row_that_nothing_proves_is_computed_in_double_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """With alpha far from an optimum, rows without weights violate."""
    X, y = clouds(seed=2)
    part = pose(X, y, machine="ww", kernel=RBF(0.3)).part(0)
    alpha = np.zeros((150, 3))
    alpha[np.arange(20), (y[:20] + 1) % 3] = 1e-3
    tiled, plain = certify(part, alpha), None
    with monkeypatch.context() as patch:
        patch.setattr("mcsvm.solvers.products.LEAST_SWEEP", np.inf)
        plain = certify(part, alpha)
    np.testing.assert_allclose(tiled.products, plain.products, rtol=1e-12, atol=1e-15)
    assert tiled.certificate.primal == pytest.approx(plain.certificate.primal, rel=1e-12)


def test_a_symmetric_product_is_the_product() -> None:
    X, random = clouds()[0], np.random.default_rng(0)
    weights, points = random.normal(size=(150, 4)), Points(X)
    whole = kernel_products(RBF(0.5), points, points, weights)
    np.testing.assert_allclose(symmetric_products(RBF(0.5), Points(X), weights), whole, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("machine", ["ww", "ova"])
def test_rows_that_the_store_holds_are_not_computed_again(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = clouds(seed=1)
    part = pose(X, y, machine=machine, kernel=RBF(0.3)).part(0)
    alpha = np.where(part.form.real[part.labels], part.upper[:, None], 0.0)
    alpha[60:] = 0.0
    computed = sweep_of(part, alpha, weights_of(part, alpha))
    part.gram.fetch(np.arange(60))
    monkeypatch.setattr("mcsvm.solvers.products.tile_products", None)
    known = sweep_of(part, alpha, weights_of(part, alpha))
    assert computed is not None
    assert known is not None
    apart = np.abs(known.products - computed.products).max(axis=1)
    assert (apart[:60] == 0.0).all()
    assert (apart <= known.error + computed.error).all()


def test_stored_rows_that_are_wrong_are_not_believed() -> None:
    X, y = clouds(seed=1)
    part = pose(X, y, machine="ww", kernel=RBF(0.3)).part(0)
    alpha = np.where(part.form.real[part.labels], part.upper[:, None], 0.0)
    alpha[60:] = 0.0
    weights = weights_of(part, alpha)
    exact = kernel_products(part.gram.kernel, part.gram.points, part.gram.points, weights)
    part.gram.fetch(np.arange(60))
    part.gram.store[:60] = np.roll(part.gram.store[:60], 1, axis=0)
    sweep = sweep_of(part, alpha, weights)
    assert sweep is not None
    assert (np.abs(sweep.products - exact).max(axis=1) <= np.maximum(sweep.error, 1e-12 * np.abs(exact).max())).all()


def test_memory_that_no_row_was_written_to_is_not_read() -> None:
    """A signalling NaN there was warned of as it was converted."""
    X, y = clouds(seed=1)
    part = pose(X, y, machine="ww", kernel=RBF(0.3)).part(0)
    alpha = np.where(part.form.real[part.labels], part.upper[:, None], 0.0)
    alpha[60:] = 0.0
    weights = weights_of(part, alpha)
    plain = sweep_of(part, alpha, weights)
    part.gram.fetch(np.arange(30))
    part.gram.store[-1].view(np.uint32)[:] = 0x7F800001
    sweep = sweep_of(part, alpha, weights)
    assert sweep is not None
    assert plain is not None
    assert (np.abs(sweep.products - plain.products).max(axis=1) <= sweep.error + plain.error).all()
