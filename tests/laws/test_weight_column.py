"""A weight is a number of rows through the whole application: reading, scaling, gamma, training, scores, searches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from command_line import mcsvm
from sklearn import metrics
from weighted_files import CLASSES, write

from mcsvm import MultiClassSVC
from mcsvm.solvers.selection.folds import Fold
from mcsvm_gui.core.compare.comparison import compare, side_of
from mcsvm_gui.core.compare.differences import text_on_tests
from mcsvm_gui.core.data import preparation
from mcsvm_gui.core.data.dataset import Dataset, NumberedColumns
from mcsvm_gui.core.data.options import SCALES, Rules
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.evaluate.applied import applied
from mcsvm_gui.core.evaluate.evaluation import evaluate_rows
from mcsvm_gui.core.evaluate.prediction import predict
from mcsvm_gui.core.evaluate.scores import evaluate
from mcsvm_gui.core.evaluate.verification import verify
from mcsvm_gui.core.evaluate.violations import violations_of
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.calibration import FoldPreparation
from mcsvm_gui.core.machine.names import MACHINES
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train
from mcsvm_gui.core.machine.summary import sentences
from mcsvm_gui.core.report import shared
from mcsvm_gui.core.tune.options import TuneRequest, range_of
from mcsvm_gui.core.tune.search import Tuning

READ = ReadOptions(weights="w")


def outcomes(folder: Path, request: Request) -> tuple[Outcome, Outcome, Dataset, Dataset]:
    """Trained on the weighted rows, and on the repeated ones; tested on such rows too."""
    found, data = [], []
    for path, test, read in zip(write(folder), write(folder, 45, 7, "_test"), (READ, ReadOptions()), strict=True):
        rows, tested = open_dataset(path, read), open_dataset(test, read)
        wanted = replace(request, read=read, data=str(path), digest=rows.digest)
        found.append(train(wanted, rows, tested))
        data.append(tested)
    return found[0], found[1], data[0], data[1]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("machine", MACHINES)
def test_a_weight_is_a_number_of_rows(machine: str, scale: str, tmp_path: Path) -> None:
    request = Request(machine=machine, C=2.0, gap_tol=1e-9, class_weight="balanced", rules=Rules(scale=scale))
    one, other, tested, copies = outcomes(tmp_path, request)
    first, second = one.document, other.document
    assert first["kernel"]["gamma"] == pytest.approx(second["kernel"]["gamma"], rel=1e-12)
    assert first["certificate"]["dual"] <= second["certificate"]["primal"] * (1 + 1e-9)
    assert second["certificate"]["dual"] <= first["certificate"]["primal"] * (1 + 1e-9)
    for name in ("train_accuracy", "test_accuracy"):
        assert first[name] == pytest.approx(second[name], abs=1e-12)
    mine, theirs = one.trained.predictions(copies).scores, other.trained.predictions(copies).scores
    np.testing.assert_allclose(mine, theirs, atol=1e-3)
    pairs = (one, tested), (other, copies)
    ours, repeated = (side_of("x", made.trained, made.document, rows).scores for made, rows in pairs)
    assert ours is not None
    assert repeated is not None
    np.testing.assert_allclose(ours.confusion, repeated.confusion, atol=1e-9)
    for name in ("accuracy", "balanced_accuracy", "macro_f1", "kappa"):
        assert getattr(ours, name) == pytest.approx(getattr(repeated, name), abs=1e-12)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_estimator_gives_the_same_functions(machine: str, tmp_path: Path) -> None:
    rows = open_dataset(write(tmp_path)[0], READ)
    outcome = train(Request(machine=machine, gap_tol=1e-9, read=READ), rows)
    features = outcome.trained.preparation.apply(rows).rows
    gamma = outcome.trained.model.kernel.gamma  # type: ignore[attr-defined]  # by weight; the estimator's by row, as SVC
    estimator = MultiClassSVC(machine=machine, gamma=gamma, gap_tol=1e-9)
    estimator.fit(features, rows.labels, sample_weight=rows.weights)
    assert outcome.document["certificate"]["primal"] == pytest.approx(estimator.certificate_.primal, rel=1e-12)
    assert outcome.document["train_accuracy"] == pytest.approx(
        estimator.score(features, rows.labels, sample_weight=rows.weights), abs=1e-12
    )


@pytest.mark.parametrize("missing", ["mean", "most-frequent", "drop"])
def test_missing_cells_are_filled_by_weight(missing: str, tmp_path: Path) -> None:
    paths = write(tmp_path)
    for path in paths:
        head, *lines = path.read_text("utf-8").splitlines()
        holed = [line[line.index(",") :] if line.startswith("-") else line for line in lines]
        path.write_text("\n".join([head, *holed]) + "\n", "utf-8")
    request = Request(rules=Rules(missing=missing, scale="standard"))
    pairs = (paths[0], READ), (paths[1], ReadOptions())
    one, other = (train(replace(request, read=read), open_dataset(path, read)) for path, read in pairs)
    ours, theirs = one.trained.preparation.features, other.trained.preparation.features
    assert [feature.source for feature in ours] == ["a", "b", "c"]
    for name in ("fill", "shift", "scale"):
        found = [np.array([getattr(feature, name) for feature in some], dtype=float) for some in (ours, theirs)]
        np.testing.assert_allclose(*found, rtol=1e-12, err_msg=name)


def test_scores_are_scikit_learns() -> None:
    rng = np.random.default_rng(3)
    names = ["a", "b", "c", "d"]
    true, said = (np.array(names, dtype=object)[rng.integers(0, 4, 200)] for _ in range(2))
    weights = rng.exponential(size=200)
    found = evaluate(true.tolist(), said.tolist(), names, weights)
    how = {"sample_weight": weights}
    assert found.accuracy == pytest.approx(metrics.accuracy_score(true, said, **how), abs=1e-12)
    assert found.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(true, said, **how), abs=1e-12)
    assert found.macro_f1 == pytest.approx(metrics.f1_score(true, said, average="macro", **how), abs=1e-12)
    assert found.kappa == pytest.approx(metrics.cohen_kappa_score(true, said, **how), abs=1e-12)
    np.testing.assert_allclose(found.confusion, metrics.confusion_matrix(true, said, **how), atol=1e-12)
    table = metrics.precision_recall_fscore_support(true, said, **how)
    ours = [[getattr(score, part) for score in found.per_class] for part in ("precision", "recall", "f1", "rows")]
    np.testing.assert_allclose(ours, table, atol=1e-12)


@pytest.mark.parametrize("machine", MACHINES)
def test_margin_violations_are_counted_by_weight(machine: str, tmp_path: Path) -> None:
    weighted, repeated = write(tmp_path)
    rows = open_dataset(weighted, READ)
    trained = train(Request(machine=machine, read=READ), rows).trained
    one, other = violations_of(trained, rows), violations_of(trained, open_dataset(repeated))
    np.testing.assert_allclose(one.sums, other.sums, rtol=1e-9, atol=1e-9)
    assert one.bound() is None


def test_folds_of_a_search_weigh_their_rows(tmp_path: Path) -> None:
    rows = open_dataset(write(tmp_path)[0], READ)
    assert rows.weights is not None
    codes = np.arange(rows.rows) % CLASSES
    fold = Fold(np.arange(0, rows.rows, 2), np.arange(1, rows.rows, 2))
    found = FoldPreparation(Rules(), rows, codes)(fold)
    assert sorted(found.weights) == sorted(rows.weights[fold.train])
    np.testing.assert_array_equal(found.test_weights, rows.weights[fold.test])


def test_a_model_keeps_the_column_and_is_verified_with_it(tmp_path: Path) -> None:
    weighted, _ = write(tmp_path)
    rows = open_dataset(weighted, READ)
    assert rows.weights is not None
    request = Request(read=READ, data=str(weighted), digest=rows.digest)
    model_file.save(tmp_path / "m.mcsvm", train(request, rows).trained)
    again = model_file.load(tmp_path / "m.mcsvm")
    assert again.weighing is not None
    assert (again.weighing.column, again.weighing.left_out) == ("w", rows.weightless)
    assert again.weighing.total == rows.weights.sum()
    assert verify(again, rows).holds
    scores = predict(again, rows).scores
    assert scores is not None
    assert scores.confusion.sum() == pytest.approx(rows.weights.sum())


@pytest.mark.parametrize("machine", MACHINES)
def test_an_evaluation_counts_weights(machine: str, tmp_path: Path) -> None:
    weighted, repeated = write(tmp_path)
    rows, copies = open_dataset(weighted, READ), open_dataset(repeated)
    trained = train(Request(machine=machine, read=READ, calibrate="temperature"), rows).trained
    one, other = (evaluate_rows(applied(trained, some).rows, resamples=0) for some in (rows, copies))
    for name, value in other.measures.items():
        assert one.measures[name] == pytest.approx(value, abs=1e-9), name
    for name, curve in other.roc.items():
        assert one.roc[name].area == pytest.approx(curve.area, abs=1e-9), name
    np.testing.assert_array_equal(one.confusion, other.confusion)


def test_probabilities_are_fitted_to_weighted_rows(tmp_path: Path) -> None:
    """All weights doubled change nothing, other weights do."""
    weighted, _ = write(tmp_path)
    rows = open_dataset(weighted, READ)
    assert rows.weights is not None
    request = Request(read=READ, calibrate="temperature", C=8.0)
    plain, doubled, others = (
        train(replace(request, C=cost), replace(rows, weights=weights)).document["calibration"]
        for cost, weights in ((8.0, rows.weights), (4.0, 2.0 * rows.weights), (8.0, rows.weights[::-1].copy()))
    )
    assert plain["temperature"] == pytest.approx(doubled["temperature"], rel=1e-3)
    assert abs(plain["temperature"] - others["temperature"]) > 1e-2 * plain["temperature"]


def test_reports_and_tests_say_what_is_counted(tmp_path: Path) -> None:
    weighted, _ = write(tmp_path)
    rows = open_dataset(weighted, READ)
    facts = str(shared.data_blocks(rows))
    assert "'weight column', 'w'" in facts
    assert f"'sum of weights', '{rows.weights.sum():g}'" in facts  # type: ignore[union-attr]
    sides = []
    for machine in ("ww", "ovo"):
        outcome = train(Request(machine=machine, read=READ), rows)
        assert any("Rows count by the column w" in said for said in sentences(outcome.document))
        sides.append(side_of(machine, outcome.trained, outcome.document, rows))
    found = compare(sides, rows.classes, rows).tests()
    assert {result.document()["weights_counted"] for result in found} == {False}
    assert "whatever its weight" in text_on_tests(found)
    assert "whatever its weight" in str(shared.tests_blocks(found, "Tests"))
    plain = compare(sides, rows.classes, replace(rows, weights=None)).tests()
    assert "whatever its weight" not in text_on_tests(plain)


@pytest.mark.parametrize("wrong", ["-1", "much", "", "nan"])
def test_nothing_is_written_of_wrong_weights(wrong: str, tmp_path: Path) -> None:
    weighted, _ = write(tmp_path)
    lines = weighted.read_text("utf-8").splitlines()
    cells = lines[5].split(",")
    cells[2] = wrong
    lines[5] = ",".join(cells)
    weighted.write_text("\n".join(lines) + "\n", "utf-8")
    target = tmp_path / "out.csv"
    for command in (("tune", "--C", "1:1", "--gamma", "1:1", "-o", target), ("compare", "--save", target)):
        complaint = mcsvm(command[0], weighted, "--weights", "w", *command[1:]).complaint
        assert complaint.startswith(f"error: {weighted}:6: ")
        assert not target.exists()


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("filled", [0.1, 0.9])
def test_sparse_columns_are_scaled_by_weight(scale: str, filled: float) -> None:
    """`filled`: below a quarter a matrix stays sparse."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < filled)
    counts, labels = rng.integers(1, 4, 40), np.array(["a", "b"], dtype=object)[np.arange(40) % 2]

    def made(times: np.ndarray, weights: np.ndarray | None) -> Dataset:
        matrix, said = sp.csr_array(np.repeat(values, times, axis=0)), np.repeat(labels, times)
        columns = NumberedColumns(1, 6)
        plain = Dataset("x", "arff", columns, None, matrix, "label", said, None, (), (), "0")
        return replace(plain, weight_name="w", weights=weights)

    rules = Rules(scale=scale)
    one = preparation.fit(rules, made(np.ones(40, dtype=int), counts.astype(float)))
    other = preparation.fit(rules, made(counts, None))
    for name in ("shift", "scale"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12)


def test_a_search_scores_folds_by_weight(tmp_path: Path) -> None:
    """As the same trainings, fold by fold, score their test rows."""
    rows = open_dataset(write(tmp_path)[0], READ)
    request = Request(read=READ, gap_tol=1e-9, class_weight="balanced", digest=rows.digest)
    wanted = TuneRequest(machines=("ww", "ovo"), C=range_of("2:2"), gamma=range_of("1:1"), folds=3, jobs=1)
    tuning = Tuning(request, wanted, rows)
    for cell, result in tuning.run().results.items():
        asked = replace(request, machine=cell.machine, C=2.0, gamma=1.0)
        by_hand = [
            train(asked, rows.take(part.train), rows.take(part.test)).document["test_accuracy"] for part in tuning.parts
        ]
        assert [found.accuracy for found in result.by_fold.values()] == pytest.approx(by_hand, abs=1e-12)
        sizes = [part.test.size for part in tuning.parts]
        assert any(abs(share * size - round(share * size)) > 1e-6 for share, size in zip(by_hand, sizes, strict=True))
