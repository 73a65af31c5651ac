"""The machines' tables, their reductions and scalings, and how they decide: notes/mathematics.md."""

import numpy as np
import pytest
from oracles import JOINT, direction, vote_by_hand, walk_by_hand
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from small_data import blobs, finished, problem_of, trained

from mcsvm import MultiClassSVC
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import decide
from mcsvm.solvers.problem import default_bias

X, Y = blobs(n=60, classes=4, seed=5)
CENTRED = [name for name in JOINT if name in MACHINES]


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("machine", JOINT)
def test_the_table_is_the_one_of_the_mathematics(machine: str, classes: int) -> None:
    form = MACHINES[machine].form(classes, 0.75)
    for own in range(classes):
        for c in range(classes):
            expected = direction(machine, own, c, classes)
            assert form.real[own, c] == (expected is not None)
            if expected is not None:
                np.testing.assert_allclose(form.direction[own, c], expected, atol=1e-15)
                assert form.margin[own, c] == 0.75


@pytest.mark.parametrize("machine", MACHINES)
def test_reading_is_the_direction_where_class_functions_sum_to_zero(machine: str) -> None:
    form = MACHINES[machine].form(5, 1.0)
    f = np.random.default_rng(0).normal(size=form.outputs)
    f -= f.mean() if form.outputs > 1 else 0.0
    index, value = form.reading
    np.testing.assert_allclose(np.einsum("ypt,ypt->yp", value, f[index]), form.direction @ f, atol=1e-12)


@pytest.mark.parametrize("machine", CENTRED)
def test_directions_sum_to_zero(machine: str) -> None:
    form = MACHINES[machine].form(4, 1.0)
    assert form.centred
    np.testing.assert_allclose(form.direction.sum(axis=2), 0.0, atol=1e-15)


@pytest.mark.parametrize("machine", MACHINES)
def test_length_is_the_coupling_of_a_variable_with_itself(machine: str) -> None:
    form = MACHINES[machine].form(4, 1.0)
    np.testing.assert_allclose(form.length, (form.direction**2).sum(axis=2), atol=1e-15)


@pytest.mark.parametrize("bias", ["none", "regularized"])
def test_weston_watkins_with_margin_two(bias: str) -> None:
    one = finished(problem_of(X, Y, "ww", cost=0.5, margin=1.0, bias=bias)).certificate()
    two = finished(problem_of(X, Y, "ww", cost=1.0, margin=2.0, bias=bias)).certificate()
    assert two.dual == pytest.approx(4.0 * one.dual, rel=1e-6)


def test_lee_lin_wahba_with_margin_one() -> None:
    k = 4
    own = finished(problem_of(X, Y, "llw", cost=2.0 / (k - 1))).certificate()
    one = finished(problem_of(X, Y, "llw", cost=2.0, margin=1.0)).certificate()
    assert one.dual == pytest.approx((k - 1) ** 2 * own.dual, rel=1e-6)


def test_the_default_margins() -> None:
    for name, machine in MACHINES.items():
        assert machine.margin(5) == (0.25 if name == "llw" else 1.0)


def test_the_default_biases() -> None:
    for name, machine in MACHINES.items():
        for kernel, kind in KERNELS.items():
            joint = "none" if kernel in ("rbf", "precomputed") else "regularized"
            assert default_bias(machine, kind) == ("exact" if name in ("ova", "ovo", "dag") else joint)


def test_the_default_bias_of_llw_does_not_depend_on_the_zero_of_the_rows() -> None:
    """Without a bias a shift by one standard deviation costs a sixth of the rows (problem.default_bias)."""
    features, labels = load_iris(return_X_y=True)
    centred = StandardScaler().fit_transform(features)

    def lost(bias: str | None) -> float:
        model = MultiClassSVC("llw", kernel="linear", bias=bias)
        return model.fit(centred, labels).score(centred, labels) - model.fit(centred + 1.0, labels).score(
            centred + 1.0, labels
        )

    assert lost("none") > 0.1
    assert lost(None) < 0.03


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("machine", MACHINES)
def test_two_classes_are_svc_at_the_same_cost(machine: str, kernel: str, weighted: bool) -> None:
    x, y = blobs(n=40, classes=2, seed=1)
    given = {"C": 1.5, "gamma": 0.7, "kernel": kernel, "class_weight": {0: 2.0, 1: 0.5} if weighted else None}
    reference = SVC(**given, tol=1e-9).fit(x, y)
    model = MultiClassSVC(machine=machine, bias="exact", gap_tol=1e-8, **given).fit(x, y)
    np.testing.assert_allclose(model.decision_function(x), reference.decision_function(x), atol=2e-4)
    np.testing.assert_allclose(model.intercept_, reference.intercept_, atol=2e-4)
    if kernel == "linear":
        np.testing.assert_allclose(model.coef_, reference.coef_, atol=2e-4)


@pytest.mark.parametrize("method", ["auto", "smo", "s2do", "fw-away", "ipm", "lasvm"])
def test_one_vs_all_solves_two_classes_once(method: str) -> None:
    x, y = blobs(n=40, classes=2, seed=1)
    both, one = (finished(problem_of(x, y, machine, cost=1.5), method, 1e-6) for machine in ("ova", "ovo"))
    assert both.certificate().primal == pytest.approx(2.0 * one.certificate().primal, rel=1e-6)
    np.testing.assert_array_equal(both.alphas()[0], both.alphas()[1])
    values = both.model().decision(x)
    np.testing.assert_array_equal(values[:, 0], -values[:, 1])
    if method != "auto":  # which solves small pairs of ovo in its own way
        assert both.iterations == one.iterations


# With two classes f_0 = -f_1 = g and R = 2 (1/2 |w|^2). ww, cs: [1 - 2 s g] = 2 [1/2 - s g]; llw, adm, mmr: one
# hinge [1 - s g]; atm: the larger of two equal ones; ats: both. So twice a binary machine with this margin and C share.
AS_BINARY = {
    "ww": (0.5, 1.0),
    "cs": (0.5, 1.0),
    "llw": (1.0, 0.5),
    "adm": (1.0, 0.5),
    "mmr": (1.0, 0.5),
    "atm": (1.0, 0.5),
    "ats": (1.0, 1.0),
}


@pytest.mark.parametrize("machine", JOINT)
def test_two_classes_of_a_joint_machine_are_a_binary_machine(machine: str) -> None:
    x, y = blobs(n=30, classes=2, seed=1)
    margin, share = AS_BINARY[machine]
    joint = finished(problem_of(x, y, machine, cost=1.5)).certificate()
    binary = finished(problem_of(x, y, "ovo", cost=1.5 * share, margin=margin, bias="none")).certificate()
    assert joint.dual == pytest.approx(2.0 * binary.dual, rel=1e-6)


@pytest.mark.filterwarnings("ignore:The training converged within tol:sklearn.exceptions.ConvergenceWarning")  # 0.01
@pytest.mark.parametrize("machine", MACHINES)
def test_a_hundred_classes(machine: str) -> None:
    x, y = blobs(n=200, classes=100, features=5, seed=2)
    model = trained(x, y, machine=machine, C=10.0, tol=1e-2)
    assert model.ending_.value == "converged"
    assert model.certificate_.gap >= -1e-12 * model.certificate_.primal
    assert set(model.predict(x)) <= set(range(100))
    assert model.score(x, y) > (0.01 if machine in ("mmr", "llw", "adm", "atm", "ats") else 0.5)


@pytest.mark.parametrize("machine", [name for name in MACHINES if name != "dag"])
def test_class_weights_are_repeated_examples(machine: str) -> None:
    x, y = blobs(n=24, classes=3, seed=7)
    weighted = finished(problem_of(x, y, machine, class_weight=[1.0, 2.0, 3.0]))
    often = np.repeat(np.arange(y.size), np.array([1, 2, 3])[y])
    repeated = finished(problem_of(x[often], y[often], machine))
    assert weighted.certificate().dual == pytest.approx(repeated.certificate().dual, rel=1e-6)
    np.testing.assert_allclose(weighted.model().decision(x), repeated.model().decision(x), atol=1e-3)


def test_one_against_one_is_scikit_learns() -> None:
    reference = SVC(C=2.0, gamma=0.7, tol=1e-7, decision_function_shape="ovo").fit(X, Y)
    model = trained(X, Y, machine="ovo", C=2.0)
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(X), atol=1e-3)
    np.testing.assert_array_equal(model.predict(X), reference.predict(X))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_one_against_all_is_a_machine_per_class(kernel: str) -> None:
    values = trained(X, Y, machine="ova", kernel=kernel, C=2.0).decision_function(X)
    for label in range(4):
        reference = SVC(C=2.0, kernel=kernel, gamma=0.7, tol=1e-5).fit(X, np.equal(Y, label))
        np.testing.assert_allclose(values[:, label], reference.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("classes", [2, 3, 4, 6])
def test_votes_and_walks(classes: int) -> None:
    rng = np.random.default_rng(classes)
    values = rng.choice([-1.0, 0.0, 1.0], size=(300, classes * (classes - 1) // 2))
    np.testing.assert_array_equal(decide(MACHINES["ovo"], values, classes), vote_by_hand(values, classes))
    np.testing.assert_array_equal(decide(MACHINES["dag"], values, classes), walk_by_hand(values, classes))


@pytest.mark.parametrize("machine", [*JOINT, "ova"])
def test_equal_class_functions_go_to_the_smaller_class(machine: str) -> None:
    values = np.array([[0.0, 0.0, 0.0], [-1.0, 2.0, 2.0], [3.0, 1.0, 3.0]])
    np.testing.assert_array_equal(decide(MACHINES[machine], values, 3), [0, 1, 0])


def test_dag_is_trained_as_ovo() -> None:
    np.testing.assert_array_equal(
        trained(X, Y, machine="dag").decision_function(X), trained(X, Y, machine="ovo").decision_function(X)
    )
