"""What users of scikit-learn's SVC expect of MultiClassSVC, each beside SVC's own answer where it has one."""

from __future__ import annotations

import doctest
import inspect
import pickle
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.svm import SVC
from sklearn.utils._param_validation import InvalidParameterError, StrOptions
from small_data import blobs

from mcsvm import InputError, MultiClassSVC
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.scikit.portions import PartialFitMixin
from mcsvm.solvers.scikit.prediction import PredictionMixin

X, Y = blobs(n=60, classes=3, seed=4)
TWO_X, TWO_Y = blobs(n=40, classes=2, seed=8)
NEW = blobs(n=80, classes=3, seed=5)[0]


def test_every_parameter_has_a_constraint_and_a_paragraph() -> None:
    names = set(inspect.signature(MultiClassSVC).parameters)
    assert set(MultiClassSVC._parameter_constraints) == names
    described = inspect.getdoc(MultiClassSVC) or ""
    assert [name for name in names if f"\n{name} : " not in described] == []


def test_the_examples_of_the_docstrings_are_true() -> None:
    finder, runner = doctest.DocTestFinder(recurse=True), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    found = [example for kind in (MultiClassSVC, PredictionMixin, PartialFitMixin) for example in finder.find(kind)]
    examples = [example for example in found if example.examples]
    for example in examples:
        runner.run(example)
    assert {example.name.rpartition(".")[2] for example in examples} >= {
        *("MultiClassSVC", "fit", "partial_fit", "predict", "predict_proba", "decision_function")
    }
    assert runner.failures == 0


def test_a_wrong_parameter_is_both_kinds_of_error() -> None:
    with pytest.raises(InputError, match="'C' parameter") as error:
        MultiClassSVC(C=-1.0).fit(X, Y)
    assert isinstance(error.value, InvalidParameterError)
    assert isinstance(pickle.loads(pickle.dumps(error.value)), InputError)


# -- attributes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_two_classes_have_one_function_positive_for_the_second(machine: str, kernel: str) -> None:
    model = MultiClassSVC(machine=machine, kernel=kernel, gamma=0.5).fit(TWO_X, TWO_Y)
    assert model.dual_coef_.shape == (1, model.support_.size)
    assert model.intercept_.shape == (1,)
    kernels = {"rbf": np.exp(-0.5 * ((TWO_X[:, None] - model.support_vectors_) ** 2).sum(axis=2))}
    kernels["linear"] = TWO_X @ model.support_vectors_.T
    kernels["poly"] = (0.5 * kernels["linear"]) ** 3
    by_hand = kernels[kernel] @ model.dual_coef_[0] + model.intercept_[0]
    values = model.decision_function(TWO_X)
    np.testing.assert_allclose(values, by_hand, atol=1e-9)
    clear = np.abs(values) > 1e-9
    np.testing.assert_array_equal(model.predict(TWO_X)[clear], model.classes_[(values > 0).astype(int)][clear])


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_weights_of_the_linear_kernel(machine: str, form: Any) -> None:
    model = MultiClassSVC(machine=machine, kernel="linear", decision_function_shape="ovo").fit(form(X), Y)
    np.testing.assert_allclose(X @ model.coef_.T + model.intercept_, model.decision_function(form(X)), atol=1e-9)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 0.0
    with pytest.raises(AttributeError):
        model.coef_ = 0.0


def test_weights_are_the_second_over_the_first_as_of_svc() -> None:
    ours = MultiClassSVC(machine="ovo", kernel="linear", gap_tol=1e-8).fit(TWO_X, TWO_Y)
    theirs = SVC(kernel="linear", tol=1e-8).fit(TWO_X, TWO_Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)


def test_other_kernels_have_no_weights() -> None:
    assert not hasattr(MultiClassSVC().fit(X, Y), "coef_")


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_support_vectors_are_the_rows_named(form: Any) -> None:
    model = MultiClassSVC().fit(form(X), Y)
    vectors = model.support_vectors_
    assert sp.issparse(vectors) == sp.issparse(form(X))
    np.testing.assert_array_equal(vectors.toarray() if sp.issparse(vectors) else vectors, X[model.support_])


def test_whether_it_converged() -> None:
    assert MultiClassSVC().fit(X, Y).fit_status_ == 0
    with pytest.warns(ConvergenceWarning, match="relative gap"):
        assert MultiClassSVC(max_iter=2).fit(X, Y).fit_status_ == 1


def test_a_violation_within_tol_that_proves_nothing_warns() -> None:
    """Raw measurements from 0.1 to 1,700 at C = 1e6: hinges of 1e-4 cost a hundred times the optimum."""
    features, labels = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match=r"converged within tol, but the gap is large.*relative gap is 0\.9"):
        model = MultiClassSVC("cs", kernel="linear", C=1e6).fit(features, labels)
    assert model.ending_ == "converged"
    assert model.fit_status_ == 1
    assert model.certificate_.violation <= 1e-3
    assert model.certificate_.relative_gap > 0.9
    loose = MultiClassSVC("cs", kernel="linear", C=1e6, gap_tol=0.999).fit(features, labels)  # a gap that was asked for
    assert loose.fit_status_ == 0


def test_names_of_features() -> None:
    table = pd.DataFrame(X, columns=["width", "length"])
    model = MultiClassSVC().fit(table, Y)
    assert model.feature_names_in_.tolist() == ["width", "length"]
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["length", "width"]])


# -- kernels ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES)
def test_a_callable_is_the_precomputed_matrix(machine: str) -> None:
    by_function = MultiClassSVC(machine=machine, kernel=laplacian_kernel).fit(X, Y)
    by_matrix = MultiClassSVC(machine=machine, kernel="precomputed").fit(laplacian_kernel(X), Y)
    np.testing.assert_array_equal(
        by_function.decision_function(NEW), by_matrix.decision_function(laplacian_kernel(NEW, X))
    )
    np.testing.assert_array_equal(by_function.support_vectors_, X[by_function.support_])


def test_a_callable_in_a_search_and_a_pickle() -> None:
    search = GridSearchCV(MultiClassSVC(kernel=laplacian_kernel), {"C": [0.1, 1.0]}, cv=3).fit(X, Y)
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict(NEW), search.predict(NEW))


def test_a_callable_that_returns_no_matrix_is_told_what_is_wanted() -> None:
    with pytest.raises(InputError, match=r"shape \(60, 60\), one value for each pair of rows, not \(60,\)"):
        MultiClassSVC(kernel=lambda a, b: a[:, 0]).fit(X, Y)


def test_words_of_scikit_learn_for_kernels() -> None:
    words = {"kernel": "poly", "gamma": "auto", "degree": 2, "coef0": 1.0, "decision_function_shape": "ovo"}
    ours = MultiClassSVC(machine="ovo", gap_tol=1e-8, **words).fit(X, Y)
    theirs = SVC(tol=1e-6, **words).fit(X, Y)
    np.testing.assert_allclose(ours.decision_function(NEW), theirs.decision_function(NEW), atol=1e-3)


def test_a_sparse_precomputed_kernel_is_refused_as_svc_does() -> None:
    with pytest.raises(TypeError, match="Sparse precomputed"):
        MultiClassSVC(kernel="precomputed").fit(sp.csr_array(X @ X.T), Y)


@pytest.mark.parametrize("form", [sp.csr_array, sp.lil_matrix, sp.lil_array, sp.coo_array])
def test_sparse_rows_for_a_model_of_dense_rows_are_refused_as_svc_does(form: Any) -> None:
    model = MultiClassSVC().fit(X, Y)
    with pytest.raises(ValueError, match="sparse input"):
        model.predict(form(X))


def test_features_beyond_arithmetic_are_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        MultiClassSVC(gamma=1.0).fit(np.full((4, 2), 1e300) * [[1], [0.5], [0.2], [0.9]], [0, 1, 0, 1])


# -- deciding ---------------------------------------------------------------------------------------


def tied() -> tuple[MultiClassSVC, np.ndarray]:
    """A narrow kernel: between the rows each pair function is its bias alone, so that many points tie."""
    x, y = blobs(n=20, classes=3, seed=1)
    grid = np.stack(np.meshgrid(np.linspace(-4, 4, 40), np.linspace(-4, 4, 40)), axis=-1).reshape(-1, 2)
    return MultiClassSVC(machine="ovo", gamma=1e6).fit(x, y), grid


@pytest.mark.parametrize("break_ties", [False, True])
def test_the_largest_score_is_the_answer(break_ties: bool) -> None:
    model, grid = tied()
    model.set_params(break_ties=break_ties)
    scores = model.decision_function(grid)
    np.testing.assert_array_equal(model.predict(grid), scores.argmax(axis=1))


def test_broken_ties_are_those_of_svc() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    ours = MultiClassSVC(machine="ovo", gap_tol=1e-9, break_ties=True).fit(x, y)
    theirs = SVC(break_ties=True, tol=1e-9).fit(x, y)
    grid = rng.normal(size=(3000, 2))
    np.testing.assert_allclose(ours.decision_function(grid), theirs.decision_function(grid), atol=1e-4)
    assert np.mean(ours.predict(grid) == theirs.predict(grid)) > 0.999


def test_ties_need_scores_per_class() -> None:
    with pytest.raises(ValueError, match="break_ties must be False"):
        MultiClassSVC(machine="ovo", decision_function_shape="ovo", break_ties=True).fit(X, Y).predict(X)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_machine_takes_break_ties_at_its_default_shape(machine: str) -> None:
    model = MultiClassSVC(machine=machine, break_ties=True).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.decision_function(X).argmax(axis=1)])


# -- weights of rows -----------------------------------------------------------------------------------


def test_gamma_scale_does_not_depend_on_weights() -> None:
    """As documented: 1 / (n_features * X.var()), rows of weight zero included."""
    weights = np.random.default_rng(0).integers(0, 4, TWO_Y.size).astype(float)
    ours = MultiClassSVC(machine="ovo", gap_tol=1e-10).fit(TWO_X, TWO_Y, sample_weight=weights)
    theirs = SVC(tol=1e-10).fit(TWO_X, TWO_Y, sample_weight=weights)
    np.testing.assert_allclose(ours.decision_function(TWO_X), theirs.decision_function(TWO_X), atol=1e-5)


@pytest.mark.parametrize("calibration", [None, "temperature"])
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("left_out", [0, 2])
def test_a_class_without_weight_is_listed_and_never_predicted(
    machine: str, left_out: int, calibration: str | None
) -> None:
    x, y = blobs(n=80, classes=4, seed=3)
    kept = y != left_out
    given = {"machine": machine, "gamma": 0.5, "calibration": calibration, "class_weight": {left_out: 3.0, 1: 2.0}}
    model = MultiClassSVC(**given).fit(x, y, sample_weight=kept.astype(float))
    alone = MultiClassSVC(**{**given, "class_weight": {1: 2.0}}).fit(x[kept], y[kept])
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.n_support_.tolist() == np.insert(alone.n_support_, left_out, 0).tolist()
    np.testing.assert_array_equal(model.predict(x), alone.predict(x))
    scores = model.decision_function(x)
    assert scores.shape == (80, 4)
    assert (np.delete(scores, left_out, axis=1) > scores[:, [left_out]]).all()
    np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(x))
    if calibration is not None:
        expected = np.insert(alone.predict_proba(x), left_out, 0.0, axis=1)
        np.testing.assert_array_equal(model.predict_proba(x), expected)


def test_two_of_three_classes_with_weight() -> None:
    x, y = blobs(n=60, classes=3, seed=3)
    for machine in MACHINES:
        model = MultiClassSVC(machine=machine).fit(x, y, sample_weight=(y != 1).astype(float))
        assert model.decision_function(x).shape == (60, 3)
        assert set(model.predict(x)) == {0, 2}
        np.testing.assert_array_equal(model.decision_function(x).argmax(axis=1), model.predict(x))
    pairs = MultiClassSVC(machine="ovo", decision_function_shape="ovo").fit(x, y, sample_weight=(y != 1).astype(float))
    values = pairs.decision_function(x)
    assert values.shape == (60, 3)
    assert (values[:, 0] == 1.0).all()
    assert (values[:, 2] == -1.0).all()
    with pytest.raises(ValueError, match="weight 0"):
        pairs.partial_fit(x, y)


# -- metadata and callbacks ----------------------------------------------------------------------------


def test_weights_are_routed() -> None:
    seen: list[int] = []

    class Watching(MultiClassSVC):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultiClassSVC:
            seen.append(0 if sample_weight is None else len(sample_weight))
            return super().fit(X, y, sample_weight)

    with config_context(enable_metadata_routing=True):
        model = Watching().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        cross_validate(model, X, Y, cv=3, params={"sample_weight": np.ones(Y.size)})
    assert seen == [40, 40, 40]


class Recorder:
    """A callback of SLEP 23; stops after some slices."""

    def __init__(self, most: int) -> None:
        self.most, self.slices, self.scores = most, 0, []

    def setup(self, estimator: Any, context: Any) -> None:
        self.ended = False

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        pass

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any) -> bool:
        if context.task_name != "slice":
            return False
        self.slices += 1
        self.scores.append(fitted_estimator.score(X, Y))
        return self.slices >= self.most

    def teardown(self, estimator: Any, context: Any) -> None:
        self.ended = True


needs_callbacks = pytest.mark.skipif(not hasattr(MultiClassSVC, "set_callbacks"), reason="scikit-learn has none yet")


@needs_callbacks
@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_callbacks_of_scikit_learn_see_every_slice_and_may_stop(machine: str) -> None:
    recorder = Recorder(most=2)
    model = MultiClassSVC(machine=machine, solver="smo", C=1e4, tol=1e-9).set_callbacks(recorder)
    with pytest.warns(ConvergenceWarning, match="callback stopped"):
        model.fit(X, Y)
    assert recorder.ended
    assert recorder.slices == len(recorder.scores) == 2
    assert model.ending_.value == "stopped"
    assert 0.0 <= recorder.scores[-1] <= 1.0


@needs_callbacks
def test_callbacks_change_no_bit() -> None:
    watched = MultiClassSVC().set_callbacks(Recorder(most=10**9)).fit(X, Y)
    np.testing.assert_array_equal(watched.dual_coef_, MultiClassSVC().fit(X, Y).dual_coef_)
    assert clone(watched).fit(X, Y).fit_status_ == 0


def test_nothing_of_scikit_learn_is_hidden() -> None:
    """Every public attribute that SVC has after `fit` and that is not LIBSVM's own."""
    of_libsvm = {"probA_", "probB_", "shape_fit_", "unused_param", "class_weight_"}
    theirs = {name for name in vars(SVC().fit(X, Y)) if name.endswith("_") and not name.startswith("_")}
    ours = MultiClassSVC(machine="ovo").fit(X, Y)
    assert [name for name in theirs - of_libsvm if not hasattr(ours, name)] == []


def test_parameters_found_valid_once_hide_no_others() -> None:
    """Of equal values another type may be wrong, and a mapping may have changed since."""
    X, y = [[0.0], [1.0]], [0, 1]
    model = MultiClassSVC(kernel="polynomial", degree=3, class_weight={0: 2.0, 1: 1.0}).fit(X, y)
    model.fit(X, y)
    for name, wrong in (("degree", 3.0), ("C", -1.0), ("kernel", "nothing"), ("class_weight", {0: -2.0, 1: 1.0})):
        with pytest.raises(InputError, match=name):
            clone(model).set_params(**{name: wrong}).fit(X, y)
    plain = MultiClassSVC(degree=1).fit(X, y)
    with pytest.raises(InputError, match="degree"):
        plain.set_params(degree=1.0).fit(X, y)

    class Stricter(MultiClassSVC):
        _parameter_constraints: ClassVar = {**MultiClassSVC._parameter_constraints, "degree": [StrOptions({"three"})]}

    with pytest.raises(InputError, match="degree"):
        Stricter(degree=1).fit(X, y)
