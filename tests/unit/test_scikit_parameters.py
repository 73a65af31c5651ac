"""Parameters and attributes of MultiClassSVC as users of scikit-learn's SVC know them."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC
from small_data import blobs

from mcsvm import Ending, MultiClassSVC, ParameterError
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.run.ending import Ending as RunEnding
from mcsvm.solvers.scikit import progress
from mcsvm.solvers.scikit.constraints import ParameterError as ConstraintError

X, Y = blobs(n=60, classes=3, seed=4)


def test_only_machine_solver_and_kernel_are_positional() -> None:
    kinds = {name: one.kind for name, one in inspect.signature(MultiClassSVC).parameters.items()}
    assert [name for name, kind in kinds.items() if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD] == [
        *("machine", "solver", "kernel")
    ]
    with pytest.raises(TypeError):
        MultiClassSVC("ww", "auto", "rbf", 1.0)


@pytest.mark.parametrize(("n_jobs", "threads"), [(3, 3), (-1, 4), (-2, 3), (-9, 1), (None, None)])
def test_n_jobs_counts_as_joblib_does(monkeypatch: pytest.MonkeyPatch, n_jobs: int | None, threads: int | None) -> None:
    monkeypatch.setattr("mcsvm.solvers.scikit.resources.cores", lambda: 4)
    assert MultiClassSVC(n_jobs=n_jobs)._threads == threads


def test_scikit_learns_names_give_the_same_model() -> None:
    ours = MultiClassSVC("ovo", threads=1, cache_mb=20.0).fit(X, Y)
    theirs = clone(MultiClassSVC("ovo", n_jobs=-1, cache_size=20.0)).fit(X, Y)
    assert (theirs.get_params()["n_jobs"], theirs.get_params()["cache_size"]) == (-1, 20.0)
    assert (ours._cache_mb, theirs._cache_mb) == (20.0, 20.0)
    np.testing.assert_array_equal(ours.decision_function(X), theirs.decision_function(X))


@pytest.mark.parametrize(
    "parameters", [{"threads": 2, "n_jobs": 2}, {"cache_mb": 20, "cache_size": 20}, {"n_jobs": 0}, {"cache_size": 0}]
)
def test_contradicting_resources_are_refused(parameters: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match=r"n_jobs|cache_size"):
        MultiClassSVC(**parameters).fit(X, Y)


def test_all_parameters_that_svc_shares_have_its_names() -> None:
    """`probability` and `shrinking` are missing: calibration= replaces the former, `auto` decides on the latter."""
    shared = set(SVC().get_params()) - set(MultiClassSVC().get_params())
    assert shared == {"probability", "shrinking"}


def test_verbose_prints_progress_and_a_summary(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    model = MultiClassSVC(C=100.0, verbose=True).fit(X, Y)
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("[MultiClassSVC]") and "relative gap" in line for line in lines)
    assert last.startswith(f"[MultiClassSVC] converged after {model.seconds_:.2g} s, {model.n_iter_:,} iterations")
    assert f"relative gap {model.certificate_.relative_gap:.2g}" in last
    MultiClassSVC(C=100.0).fit(X, Y)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("machine", MACHINES)
def test_the_method_that_ended_the_training_has_a_name(machine: str) -> None:
    """With `auto` it is a phase or a chosen method. Bursts of ADMM steps return to blocks without a decision."""
    for kernel in ("rbf", "linear"):
        model = MultiClassSVC(machine, kernel=kernel).fit(X, Y)
        last = {decision.part: decision.phase for decision in model.decisions_}
        expected = {*last.values()} | ({"blocks"} if "splitting" in last.values() else set())
        assert set(model.solver_used_.split("+")) <= expected
        assert "auto" not in expected
    assert MultiClassSVC(machine, "ipm").fit(X, Y).solver_used_ == "ipm"


def test_partial_fit_is_hidden_if_it_would_refuse() -> None:
    assert hasattr(MultiClassSVC("ovo"), "partial_fit")
    assert not hasattr(MultiClassSVC("ovo", calibration="temperature"), "partial_fit")


def test_types_that_users_compare_with_are_public() -> None:
    assert (Ending, ParameterError) == (RunEnding, ConstraintError)
    model = MultiClassSVC().fit(X, Y)
    assert model.ending_ == "converged"
    assert model.ending_ is Ending.CONVERGED


def test_skops_files_open_again() -> None:
    io = pytest.importorskip("skops.io")
    model = MultiClassSVC("ovo").fit(X, Y)
    content = io.dumps(model)
    again = io.loads(content, trusted=io.get_untrusted_types(data=content))
    assert again.ending_ == "converged"
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
