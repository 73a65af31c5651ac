"""Probabilities of a training: fitted out of fold, stopped, kept in the file, predicted, and refused in words."""

from __future__ import annotations

import json
import pickle
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_table import clouds

from mcsvm import InputError, MultiClassSVC
from mcsvm.solvers.selection.executor import StoppedError
from mcsvm.solvers.selection.folds import stratified
from mcsvm.solvers.uncertainty.probability import CALIBRATION_METHODS
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.costs import CostTable
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.evaluate.prediction import predict, refuse_uncalibrated
from mcsvm_gui.core.evaluate.verification import verify
from mcsvm_gui.core.evaluate.verification.parts import ModelPart
from mcsvm_gui.core.experiment.definition import DataSpec, Experiment, RunSpec
from mcsvm_gui.core.experiment.plan import Plan
from mcsvm_gui.core.experiment.running import perform
from mcsvm_gui.core.machine import calibration, model_file
from mcsvm_gui.core.machine.calibration import FoldPreparation
from mcsvm_gui.core.machine.request import CALIBRATIONS, Request
from mcsvm_gui.core.machine.session import Session, train
from mcsvm_gui.core.machine.summary import sentences

MACHINES = "ww", "llw", "cs", "ova", "ovo", "dag"
DATA = clouds()


def asked(**values: object) -> Request:
    return Request(**{"C": 2.0, "gamma": 0.5, "calibrate": "temperature", **values})  # type: ignore[arg-type]


def test_the_methods_are_those_of_the_solvers() -> None:
    assert set(CALIBRATIONS) == {"none", *CALIBRATION_METHODS}


@pytest.mark.parametrize("method", CALIBRATION_METHODS)
@pytest.mark.parametrize("machine", MACHINES)
def test_they_are_those_of_the_estimator_where_nothing_is_scaled(machine: str, method: str) -> None:
    request = asked(machine=machine, calibrate=method, rules=replace(Request().rules, scale="none"))
    outcome = train(request, DATA)
    X, y = DATA.table.to_numpy(), DATA.labels
    model = MultiClassSVC(machine=machine, C=2.0, gamma=0.5, calibration=method, random_state=0).fit(X, y)
    found = predict(outcome.trained, DATA, probabilities=True).decisions
    np.testing.assert_allclose(found.probabilities, model.predict_proba(X), atol=1e-3)
    said = outcome.document["calibration"]
    assert said["method"] == method
    assert said["folds"] == 5
    assert said["log_loss"]["after"] == pytest.approx(model.calibration_.after, abs=1e-3)
    assert said["log_loss"]["after"] < said["log_loss"]["before"]
    if method == "temperature":
        np.testing.assert_array_equal(outcome.trained.names[found.probabilities.argmax(axis=1)], found.labels)


def test_scaling_is_fitted_on_the_training_part_of_each_fold() -> None:
    """A row far out, tested in one fold, must not set the scale of that fold's machine."""
    far = DATA.table.copy()
    far.iloc[0, 0] = 1e3
    data = replace(DATA, table=far)
    session = Session(asked(), data)
    while session.running:
        session.advance()
    seen: list[float] = []
    prepare = session._out_of_fold.prepare
    for fold in session._out_of_fold.parts:
        rows = prepare(fold)
        seen.append(float(np.abs(rows.train.rows).max()))
        assert (np.abs(rows.test.rows).max() > 100.0) == (0 in fold.test)
    assert seen == pytest.approx([1.0] * 5)


def test_a_file_keeps_them_and_is_refused_without(tmp_path: Path) -> None:
    for method in CALIBRATION_METHODS:
        trained = train(asked(calibrate=method), DATA).trained
        path = tmp_path / f"{method}.mcsvm"
        model_file.save(path, trained)
        again = model_file.load(path)
        assert again.calibrated.document() == trained.calibrated.document()
        shares = [predict(model, DATA, probabilities=True).decisions.probabilities for model in (trained, again)]
        np.testing.assert_array_equal(*shares)
    with pytest.raises(FileError, match="prediction sets without probabilities"):
        changed(path, tmp_path, lambda document: document.update(calibration=None))


def changed(path: Path, folder: Path, change: object) -> object:
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(folder / "changed.mcsvm", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "model.json":
                document = json.loads(content)
                change(document)
                content = json.dumps(document).encode()
            new.writestr(name, content)
    return model_file.load(folder / "changed.mcsvm")


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "magic"},
        {"method": "temperature", "temperature": -1.0},
        {"sigmoids": [[1.0, 2.0]]},
        {"sigmoids": [[1.0, None]] * 3},
        {"folds": -3},
    ],
)
def test_a_damaged_file_is_one_sentence(tmp_path: Path, wrong: dict[str, object]) -> None:
    model_file.save(tmp_path / "a.mcsvm", train(asked(calibrate="pairwise"), DATA).trained)
    with pytest.raises(FileError, match="damaged"):
        changed(tmp_path / "a.mcsvm", tmp_path, lambda document: document["calibration"].update(wrong))


def test_a_model_is_verified_with_probabilities_as_without() -> None:
    with_, without = (train(asked(calibrate=how), DATA) for how in ("sigmoid", "none"))
    found, expected = (verify(one.trained, DATA) for one in (with_, without))
    assert (found.recomputed, found.converged) == (expected.recomputed, expected.converged)
    assert found.holds
    assert expected.holds
    uncertain = {ModelPart.PROBABILITIES, ModelPart.SETS}
    assert {check.part for check in found.checks} - {check.part for check in expected.checks} == uncertain
    np.testing.assert_array_equal(with_.trained.model.expansion, without.trained.model.expansion)
    assert without.document["calibration"] is None
    assert not any("robabilit" in sentence for sentence in sentences(without.document))
    assert any("log loss" in sentence for sentence in sentences(with_.document))


def test_a_stop_on_the_way_keeps_the_model_and_says_so() -> None:
    told: list[tuple[int, int]] = []
    outcome = train(asked(), DATA, calibrating=lambda *done: told.append(done), stopped=lambda: len(told) > 2)
    assert told == [(0, 5), (1, 5), (2, 5)]
    assert outcome.trained.calibrated is None
    assert outcome.document["ending"] == "converged"
    assert outcome.document["calibration"] is None
    assert any("probabilities" in warning for warning in outcome.document["warnings"])
    plain = train(asked(calibrate="none"), DATA)
    np.testing.assert_array_equal(outcome.trained.model.expansion, plain.trained.model.expansion)
    with pytest.raises(InputError, match="--calibrate"):
        refuse_uncalibrated(outcome.trained)


def test_a_training_that_was_stopped_is_not_calibrated() -> None:
    told: list[tuple[int, int]] = []
    outcome = train(asked(tol=1e-12), DATA, calibrating=lambda *done: told.append(done), stopped=lambda: True)
    assert not told
    assert outcome.document["ending"] == "stopped"
    assert any("probabilities" in warning for warning in outcome.document["warnings"])


def test_a_class_with_fewer_rows_than_folds_is_refused_before_the_training() -> None:
    labels = DATA.labels.copy()
    labels[labels == "c2"] = "c1"
    labels[:2] = "rare"
    with pytest.raises(FileError, match="needs 5 rows of each class, but class 'rare' has 2"):
        Session(asked(), replace(DATA, labels=labels))
    assert train(asked(calibration_folds=2), replace(DATA, labels=labels)).trained.calibrated.folds == 2


def test_an_experiment_gives_the_same_numbers(tmp_path: Path) -> None:
    path = tmp_path / "clouds.csv"
    DATA.table.assign(label=DATA.labels).to_csv(path, index=False)
    run = RunSpec("clouds", "ww", asked(calibrate="pairwise", calibration_folds=4))
    experiment = Experiment("x", Plan(), (DataSpec("clouds", str(path)),), (run,))
    again = Experiment.from_document(experiment.document())
    assert again == experiment
    found = perform(again).trials[0].whole.document["calibration"]
    expected = train(run.request, DATA).document["calibration"]
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}


def test_a_file_keeps_the_rule_and_one_without_opens(tmp_path: Path) -> None:
    table = CostTable(DATA.classes, tuple(map(tuple, (np.arange(9.0).reshape(3, 3)).tolist())))
    trained = train(asked(costs=table), DATA).trained
    path = tmp_path / "a.mcsvm"
    model_file.save(path, trained)
    again = model_file.load(path)
    assert again.rule == trained.rule == table.rule(DATA.classes)
    np.testing.assert_array_equal(again.predictions(DATA).labels, trained.predictions(DATA).labels)
    assert changed(path, tmp_path, lambda document: document.update(rule=None)).rule is None
    assert Request.from_document(json.loads(json.dumps(trained.request.document()))) == trained.request


@pytest.mark.parametrize(
    "wrong",
    [
        {"rule": {"costs": [[0, 1], [1, 0]]}},
        {"rule": {"costs": [[0, 1, 1], [1, 0, -1], [1, 1, 0]]}},
        {"rule": {"costs": [[0, 1, 1], [1, 0, "x"], [1, 1, 0]]}},
        {"rule": {"costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]], "reject": 2}},
        {"rule": {"costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]], "reject": "often"}},
        {"rule": {"reject": 0.5}},
        {"rule": [1, 2]},
        {"rule": {"costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}, "calibration": None},
    ],
)
def test_a_damaged_rule_is_one_sentence(tmp_path: Path, wrong: dict[str, object]) -> None:
    model_file.save(tmp_path / "a.mcsvm", train(asked(), DATA).trained)
    with pytest.raises(FileError):
        changed(tmp_path / "a.mcsvm", tmp_path, lambda document: document.update(wrong))


@pytest.mark.parametrize(("share", "tested"), [(1.0, 1.0), (1 / 3, 2 / 3), (0.1, 0.3)])
def test_a_sample_is_prepared_as_if_all_rows_were(share: float, tested: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what all rows of the training part are fitted to; rows come in chunks."""
    monkeypatch.setattr(calibration, "CHUNK_ROWS", 7)
    data = clouds(90, 4)
    codes = np.unique(data.labels.astype(str), return_inverse=True)[1]
    fold = stratified(codes, 3, 0)[1]
    prepare = FoldPreparation(Rules(), data, codes)
    expected, found = prepare(fold).nested(share, tested), prepare.sample(fold, share, tested)
    np.testing.assert_array_equal(found.train.rows, expected.train.rows)
    np.testing.assert_array_equal(found.test.rows, expected.test.rows)
    for name in ("labels", "test_labels", "names", "weights", "test_weights", "given_labels"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    with pytest.raises(StoppedError):
        prepare.sample(fold, share, tested, lambda: True)
    again = pickle.loads(pickle.dumps(prepare))
    assert "_known" not in vars(again)
