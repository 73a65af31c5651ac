"""Cells of a search are what each cell gives alone; sharing, threads and order change nothing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_data import blobs

from mcsvm import MultiClassSVC
from mcsvm.solvers.budget import TWO_CLASS
from mcsvm.solvers.dual.bias import best_bias
from mcsvm.solvers.dual.certificate import certify
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.jit.binary import two_class
from mcsvm.solvers.kernels import KERNELS, Points
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.posing import kernel_from, pose
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import Limits, Run
from mcsvm.solvers.selection import folds as folding
from mcsvm.solvers.selection.cell import Cell, Trial
from mcsvm.solvers.selection.executor import Folds, StoppedError, Threads, perform_one
from mcsvm.solvers.selection.folds import Fold, stratified
from mcsvm.solvers.selection.grid import Grid, Range, best
from mcsvm.solvers.selection.search import SEARCHES, on_all, only
from mcsvm.solvers.selection.settings import TrainingSettings
from mcsvm.solvers.selection.study import NestedStudy, Study
from mcsvm.solvers.selection.trials import binary, per_pair, whole
from mcsvm.solvers.selection.trials.per_pair import choose, compose
from mcsvm.solvers.selection.trials.shared import FoldRows, KernelFamily, Matrices
from mcsvm.solvers.selection.trials.task import Done, Task, matrices_of, perform, tasks_of
from mcsvm.solvers.work import workers

X, Y = blobs(n=66, classes=3, seed=4)
STRICT = Limits(tolerance=1e-6)
GRID = Grid(("ww",), Range(-1, 5, 3), Range(-2, 1, 3))


def prepare(fold: Fold) -> FoldRows:
    """Scaled by the training part alone."""
    low, high = X[fold.train].min(axis=0), X[fold.train].max(axis=0)
    scaled = 2.0 * (X - low) / (high - low) - 1.0
    return FoldRows.of(scaled[fold.train], Y[fold.train], scaled[fold.test], Y[fold.test])


def found(machines: tuple[str, ...], **settings) -> Study:
    parts = folding.stratified(Y, 3, 0)
    grid = Grid(machines, GRID.costs, None if settings.pop("linear", False) else GRID.gammas)
    study = Study(
        SEARCHES["grid"].steps(grid, 3, 30.0), Folds(parts, prepare), TrainingSettings(**{"limits": STRICT, **settings})
    )
    study.run()
    return study


def alone(trial: Trial, **parameters) -> float:
    """scikit-learn's way: a fresh estimator on the same rows."""
    cell, number, _ = trial
    fold = prepare(folding.stratified(Y, 3, 0)[number])
    gamma = {} if cell.gamma is None else {"gamma": cell.gamma}
    model = MultiClassSVC(machine=cell.machine, C=cell.C, tol=1e-6, **gamma, **parameters)
    return float(np.mean(model.fit(fold.train.rows, fold.labels).predict(fold.test.rows) == fold.test_labels))


CASES = {
    "shared": {},
    "threads": {"jobs": 2},
    "blocks": {"cache_mb": 0.01},
    "another bias": {"bias": "regularized"},
    "a solver of the papers": {"solver": "s2do", "limits": Limits(tolerance=1e-5)},
    "weights": {"class_weight": "balanced"},
    "margin": {"margin": 2.0},
    "linear": {"linear": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova", "ovo", "dag"])
def test_cells_are_those_of_fitting_each_alone(machine: str, case: str) -> None:
    given = CASES[case]
    study = found((machine,), **given)
    passed = {name: value for name, value in given.items() if name in ("bias", "solver", "class_weight", "margin")}
    kernel = {"kernel": "linear"} if given.get("linear") else {}
    assert study.done
    for trial, result in study.done.items():
        assert result.ending is Ending.CONVERGED
        assert result.accuracy == pytest.approx(alone(trial, **passed, **kernel), abs=1e-12), trial


@pytest.mark.slow
def test_numbers_are_the_same_on_any_number_of_threads() -> None:
    one, three = (found(tuple(MACHINES), jobs=jobs).results() for jobs in (1, 3))
    assert list(one) == list(three)
    for cell, result in one.items():
        for a, b in zip(result.by_fold.values(), three[cell].by_fold.values(), strict=True):
            assert (a.accuracy, a.n_support, a.steps, a.certificate) == (
                b.accuracy,
                b.n_support,
                b.steps,
                b.certificate,
            )


@pytest.mark.parametrize("cache_mb", [0.01, 0.03, 0.5])
def test_no_matrix_is_larger_than_the_cache(cache_mb: float, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    for name in ("filled", "of_kernel"):
        plain = getattr(Matrices, name)

        def noting(*facts, plain=plain, **named) -> Matrices:
            made = plain(*facts, **named)
            sizes.append(made.train.nbytes + made.test.nbytes)
            return made

        monkeypatch.setattr(Matrices, name, noting)
    found(("ww", "ova", "ovo"), cache_mb=cache_mb)
    assert max(sizes, default=0) <= cache_mb * 2**20
    with pytest.raises(InputError, match="the largest needs a cache of 1 MB") if cache_mb == 0.01 else nullcontext():
        found(("ovo",), cache_mb=cache_mb, by_pair=True)


@pytest.mark.parametrize("cache_mb", [0.03, 500.0])
@pytest.mark.parametrize("machine", ["ww", "ova", "ovo", "dag"])
def test_a_kernel_that_training_refuses_is_refused(
    machine: str, cache_mb: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binary.CostPath, "along", lambda path, machines, count: None)  # which would never end
    kernel = KernelFamily("polynomial", (("degree", 40), ("coef0", 1.0)))
    with pytest.raises(InputError, match=r"The kernel reaches .*, too large to compute with"):
        found((machine,), kernel=kernel, cache_mb=cache_mb)


def test_dag_is_ovo_decided_otherwise() -> None:
    study = found(("ovo", "dag"))
    for (cell, fold, _), result in study.done.items():
        other = study.done[Trial(cell._replace(machine="ovo"), fold)]
        assert (result.certificate, result.steps) == (other.certificate, other.steps)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial"])
@given(data=st.data())
@settings(max_examples=25)
def test_a_binary_machine_is_certified_as_any_other(kernel: str, data) -> None:
    """Along a path of costs: its numbers are those that the certificate recomputes from alpha."""
    n, seed = data.draw(st.integers(6, 40)), data.draw(st.integers(0, 1000))
    first, factors = data.draw(st.integers(2, n - 2)), data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    X, _ = blobs(n, 2, seed=seed)
    measure = kernel_from(kernel, KERNELS, gamma=0.7, degree=2, coef0=1.0)
    problem = pose(X, np.repeat([0, 1], [first, n - first]), machine="ovo", kernel=measure)
    part = problem.part(0)
    K = measure.block(problem.points, problem.points, np.empty((n, n)))
    sign, spans = np.where(problem.labels == 0, 1.0, -1.0), np.array([0, first, first, n])
    beta, functions, cost = np.zeros(n), np.zeros(n), 0.5
    for factor in factors:
        two_class.grow(sign, 1.0, np.full(n, cost * factor), float(factor), beta, functions)
        cost *= factor
        upper = np.full(n, cost)
        status, _ = two_class.advance(
            K, spans, sign, 1.0, upper, beta, functions, 1e-6, 10**6, np.zeros(n, dtype=np.bool_), TWO_CLASS
        )
        offset, primal, dual, violation = two_class.conclude(sign, 1.0, upper, beta, functions)
        vars(part)["upper"] = upper
        proof = certify(part, (sign * beta)[:, None])
        assert status == two_class.CONVERGED
        assert violation <= 1e-6
        assert proof.certificate.violation <= 1e-6 * (1 + 1e-6) + 1e-12 * cost * n
        assert proof.certificate.infeasibility <= 1e-9 * cost
        scale = 1.0 + abs(primal)
        assert primal == pytest.approx(proof.certificate.primal, abs=1e-9 * scale)
        assert dual == pytest.approx(proof.certificate.dual, abs=1e-9 * scale)
        assert primal - dual >= -1e-9 * scale
        assert proof.bias[0] == pytest.approx(offset, abs=1e-6)


@given(st.integers(0, 10_000), st.integers(2, 30))
@settings(max_examples=50)
def test_the_offset_is_the_one_of_least_primal(seed: int, n: int) -> None:
    """Beside the weighted median over all kinks, for any beta within its bounds that sums to zero."""
    rng = np.random.default_rng(seed)
    sign = np.where(np.arange(n) < max(1, n // 3), 1.0, -1.0)
    upper = rng.choice([1.0, 2.0], n)
    z = rng.choice([-1.0, 0.0, 0.5, 1.0], n) if seed % 2 else rng.normal(size=n)
    problem = pose(np.eye(n), (sign < 0).astype(np.int64), machine="ovo", kernel=KERNELS["linear"]())
    part = problem.part(0)
    vars(part)["upper"] = upper
    expected = best_bias(part, np.zeros((n, 1)), (sign - z)[:, None], None)[0]
    assert two_class.best_offset(sign, upper, z, z.min(), z.max()) == pytest.approx(expected, abs=1e-12)


def test_a_class_that_a_training_part_lacks_is_never_predicted() -> None:
    rows = FoldRows.of(X[:6], np.array([5, 5, 5, 7, 7, 7]), X[6:9], np.array([5, 6, 7]))
    assert rows.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert rows.test_labels.tolist() == [0, -1, 1]


def test_a_stop_keeps_whole_trials_and_a_later_plan_does_only_the_rest() -> None:
    whole = found(("ww", "ovo")).done
    count = 0

    def stopped() -> bool:
        nonlocal count
        count += 1
        return count > 30

    trials = on_all(Grid(("ww", "ovo"), GRID.costs, GRID.gammas).cells("ww"), 3)
    trials += on_all(GRID.cells("ovo"), 3)
    folds = Folds(folding.stratified(Y, 3, 0), prepare)
    study = Study(only(trials), folds, TrainingSettings(limits=STRICT), stopped=stopped)
    study.run()
    assert 0 < len(study.done) < len(trials)
    resumed = Study(only(trials), folds, TrainingSettings(limits=STRICT), done=dict(study.done))
    again: list[Trial] = []
    resumed.report = lambda done: again.append(done[0])
    resumed.run()
    assert set(again) == set(trials) - set(study.done)
    assert {trial: result.accuracy for trial, result in resumed.done.items()} == {
        trial: result.accuracy for trial, result in whole.items()
    }


def test_after_a_stop_no_other_fold_is_prepared() -> None:
    prepared: list[Fold] = []
    came: list[Done] = []

    def watched(fold: Fold) -> FoldRows:
        prepared.append(fold)
        return prepare(fold)

    folds = Folds(folding.stratified(Y, 10, 0), watched)
    steps, stopped = SEARCHES["grid"].steps(GRID, len(folds), 30.0), lambda: len(came) >= 3
    Study(steps, folds, TrainingSettings(limits=STRICT), stopped=stopped, report=came.append).run()
    assert (len(came), len(prepared)) == (3, 1)


def test_a_cell_out_of_time_says_how_far_it_is() -> None:
    for machine in ("ww", "ovo"):
        study = found((machine,), limits=Limits(tolerance=1e-12, seconds=1e-9))
        for result in study.done.values():
            assert result.certificate.gap >= -1e-9
            assert result.ending in (Ending.TIME_LIMIT, Ending.CONVERGED, Ending.STALLED)


def test_each_pair_takes_its_own_best_cell() -> None:
    study = found(("ovo", "ww"), by_pair=True)
    results = study.results()
    choices = choose(results, "ovo")
    assert [choice.pair for choice in choices] == list(combinations(range(3), 2))
    for choice in choices:
        means = {}
        for cell, result in results.items():
            if cell.machine == "ovo":
                total, right = np.sum([fold.pairs[choice.pair] for fold in result.by_fold.values()], axis=0)
                means[cell] = right / total
        assert choice.mean == max(means.values())
    composite = compose("ovo", choices, study.folds, study.settings)
    assert composite is not None
    assert composite.converged
    assert len(composite.fold_accuracy) == 3


def test_pairs_of_one_common_cell_are_that_cell() -> None:
    study = found(("ovo",), by_pair=True)
    cell = best(study.results(), "ovo")
    assert cell is not None
    choices = tuple(choice.__class__(choice.pair, cell.C, cell.gamma, 1.0) for choice in choose(study.results(), "ovo"))
    composite = compose("ovo", choices, study.folds, study.settings)
    assert composite is not None
    assert composite.fold_accuracy == study.results()[cell].fold_accuracy


def test_composing_keeps_to_the_cache_and_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    study = found(("ovo",), by_pair=True)
    rows: list[FoldRows] = []
    seen: list[tuple[int, set[int]]] = []

    def watched(*given) -> Matrices | None:
        made = matrices_of(*given)
        seen.append((holding(), {workers()}))
        return made

    def holding() -> int:
        return sum("distances" in vars(fold) for fold in rows)

    monkeypatch.setattr(per_pair, "matrices_of", watched)
    folds = Folds(folding.stratified(Y, 3, 0), lambda fold: rows.append(prepare(fold)) or rows[-1])
    assert compose("ovo", choose(study.results(), "ovo"), folds, replace(study.settings, threads=2)) is not None
    assert len(rows) == 3
    assert {count for count, _ in seen} == {1}
    assert all(threads == {2} for _, threads in seen)
    assert holding() == 0


def test_nested_choices_know_nothing_of_the_rows_they_are_tested_on() -> None:
    seen: list[Fold] = []

    def watched(fold: Fold) -> FoldRows:
        seen.append(fold)
        return prepare(fold)

    outer = folding.stratified(Y, 3, 0)
    inner = [folding.within(fold, folding.stratified(Y[fold.train], 2, 0)) for fold in outer]
    grid = Grid(("ova",), GRID.costs, GRID.gammas)
    study = NestedStudy(Folds(outer, prepare), inner, watched, SEARCHES["grid"], grid, TrainingSettings(limits=STRICT))
    (found,) = study.run()
    assert len(found.chosen) == len(found.results) == 3
    for number, fold in enumerate(outer):
        for part in seen[2 * number : 2 * number + 2]:
            assert not set(fold.test) & (set(part.train) | set(part.test))
        assert found.fold_accuracy[number] == pytest.approx(alone(Trial(found.chosen[number], number)))


def test_a_stop_takes_no_outer_fold_that_was_done() -> None:
    outer = folding.stratified(Y, 3, 0)
    inner = [folding.within(fold, folding.stratified(Y[fold.train], 2, 0)) for fold in outer]
    grid, count = Grid(("ova",), GRID.costs, GRID.gammas), [0]
    study = NestedStudy(
        Folds(outer, prepare), inner, prepare, SEARCHES["grid"], grid, TrainingSettings(limits=STRICT),
        stopped=lambda: count[0] > 2 * grid.size * len(grid.machines),
        report=lambda done: count.__setitem__(0, count[0] + 1),
    )  # fmt: skip
    (found,) = study.run()
    assert len(found.chosen) == len(found.results) == 1


def test_kernels_without_gamma_are_linear() -> None:
    assert KernelFamily("rbf").at(None).name == "linear"


# -- shares of the training rows ------------------------------------------------------------------


@given(seed=st.integers(0, 99), shares=st.lists(st.floats(0.01, 1.0), min_size=2, max_size=3))
def test_shares_of_rows_are_nested_and_share_out_every_class(seed: int, shares: list[float]) -> None:
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(3), rng.integers(0, 3, 40)])
    X = np.arange(labels.size, dtype=float)[:, None]
    whole = FoldRows.of(X, labels, X[:5], labels[:5], weights=rng.uniform(0.5, 2.0, labels.size))
    assert whole.nested(1.0) is whole
    before: set[float] = set()
    for share in sorted(shares):
        rows = whole.nested(share)
        here = np.asarray(rows.train.rows).ravel()
        assert before <= set(here)
        assert np.array_equal(rows.labels, labels[here.astype(int)])
        assert np.array_equal(np.sort(here[rows.labels == 1]), here[rows.labels == 1])
        sizes = np.bincount(labels)
        assert np.array_equal(np.diff(rows.starts), np.ceil(share * sizes))
        assert len(rows.test) == 5
        before = set(here)


def test_trials_on_a_share_are_those_of_the_rows_alone_and_distances_go_with_the_fold() -> None:
    folds = Folds(
        stratified(Y, 3, 0), lambda part: FoldRows.of(X[part.train], Y[part.train], X[part.test], Y[part.test])
    )
    trials = [Trial(Cell(machine, cost, 0.5), 1, 1 / 3) for machine in ("ovo", "ww") for cost in (1.0, 4.0)]
    found = dict(Threads().perform(tasks_of(trials), folds, TrainingSettings(), lambda: False))
    assert list(found) == trials
    whole = folds.prepare(folds.parts[1])
    rows = whole.nested(1 / 3)
    alone = dict(perform(Task(1, 0.5, {"ovo": (1.0, 4.0), "ww": (1.0, 4.0)}), rows, TrainingSettings(), lambda: False))
    assert [result.accuracy for result in found.values()] == [result.accuracy for result in alone.values()]
    with folds.used(1) as kept:
        assert "distances" not in vars(kept.nested(1 / 3))


class Sampling:
    """Prepares any share of the rows, and counts how often."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, float]] = []

    def __call__(self, fold: Fold) -> FoldRows:
        raise AssertionError("all rows were prepared")

    def sample(self, fold: Fold, share: float, tested: float, stopped: Callable[[], bool]) -> FoldRows:
        self.asked.append((share, tested))
        return prepare(fold).nested(share, tested)


def test_only_the_rows_of_a_task_are_prepared_and_those_of_long_ago_are_forgotten() -> None:
    sampling = Sampling()
    folds = Folds(stratified(Y, 3, 0), sampling, most_bytes=1.0)
    with folds.used(0, 1 / 3, 0.5) as rows, folds.used(0, 1 / 3, 0.5) as same:
        assert rows is same
        with folds.used(1, 1.0, 1.0):
            assert len(folds._rows) == 2  # both are in use
    with folds.used(1, 1 / 3, 0.5), folds.used(0, 1 / 3, 0.5) as again:
        assert again is not rows
        np.testing.assert_array_equal(again.train.rows, rows.train.rows)
    assert sampling.asked == [(1 / 3, 0.5), (1.0, 1.0), (1 / 3, 0.5), (1 / 3, 0.5)]


def test_rows_are_kept_while_there_is_room() -> None:
    sampling = Sampling()
    folds = Folds(stratified(Y, 3, 0), sampling, most_bytes=1e9)
    for fold in (0, 1, 2, 0, 1, 2):
        with folds.used(fold):
            pass
    assert len(sampling.asked) == 3


def test_a_stop_while_another_task_prepares_its_rows_is_heard() -> None:
    folds = Folds(stratified(Y, 3, 0), Sampling())
    with pytest.raises(StoppedError), folds.used(0, stopped=lambda: True):
        raise AssertionError
    task = Task(0, 1.0, {"ww": (1.0,)}, 1.0)
    asked = iter([False, True])
    assert list(perform_one(task, folds, TrainingSettings(), lambda: next(asked))) == []


@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_decision_values_are_computed_in_chunks_that_a_stop_ends(machine: str, monkeypatch: Any) -> None:
    problem = pose(X, Y, machine=machine, kernel=KERNELS["rbf"](gamma=1.0))
    run = Run(problem)
    while run.running:
        run.advance()
    model = run.model()
    monkeypatch.setattr(whole, "CHUNK_VALUES", 1)
    points = Points(np.tile(X, (3, 1)))
    np.testing.assert_allclose(whole.predict_scores(model, points, lambda: False), model.decision(points), atol=1e-12)
    asked = iter([False, False, True])
    assert whole.predict_scores(model, points, lambda: next(asked)) is None
