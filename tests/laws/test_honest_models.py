"""No honest model is refused: `verify` confirms what every machine, kernel, bias, method and way of preparing makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import mcsvm
from small_table import clouds

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.problem import BIASES
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import MISSING, SCALES, Rules
from mcsvm_gui.core.evaluate.verification import Verification, verify
from mcsvm_gui.core.evaluate.verification.parts import ModelPart, Status
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.request import CALIBRATIONS, Request
from mcsvm_gui.core.machine.session import Session, train

ROWS = clouds(45, 3)
FIRST = {"ww", "ovo"}  # machines in the fast part; the others are marked slow
MACHINE = pytest.mark.parametrize(
    "machine", [name if name in FIRST else pytest.param(name, marks=pytest.mark.slow) for name in MACHINES]
)


def checked(request: Request, rows: Dataset = ROWS, **more: Any) -> Verification:
    """Train, write, read again, verify."""
    outcome = train(request, rows)
    found = verify(model_file.unpacked("a.mcsvm", model_file.packed(outcome.trained)), rows, **more)
    assert found.holds, found.differing
    assert found.converged is outcome.trained.origin.ending.is_enough
    return found


@MACHINE
def test_of_every_kernel_and_bias(machine: str) -> None:
    tried = 0
    for kernel, bias in product(sorted(KERNELS.keys() - {"precomputed"}), BIASES):
        try:
            checked(Request(machine=machine, kernel=kernel, bias=bias, C=2.0, gamma=0.5, max_iter=2000))
        except InputError:  # machines and kernels that do not go together
            continue
        tried += 1
    assert tried >= 4


@MACHINE
def test_of_every_cost(machine: str) -> None:
    for exponent in (-12, -9, -3, 3, 6, 12):
        checked(Request(machine=machine, C=10.0**exponent, max_iter=3000))


@pytest.mark.slow
@pytest.mark.parametrize("solver", METHODS)
def test_of_every_method(solver: str) -> None:
    tried = 0
    for machine, kernel in product(("ww", "cs", "ova", "ovo"), ("rbf", "linear")):
        try:
            checked(Request(machine=machine, solver=solver, kernel=kernel, max_iter=100_000))
        except InputError:
            continue
        tried += 1
    assert tried


@pytest.mark.parametrize("calibrate", sorted(CALIBRATIONS.keys() - {"none"}))
@pytest.mark.parametrize("machine", ["ww", "ova", "dag"])
def test_with_probabilities(machine: str, calibrate: str) -> None:
    found = checked(Request(machine=machine, calibrate=calibrate, calibration_folds=3))
    status = {check.part: check.status for check in found.checks}
    assert status[ModelPart.PROBABILITIES] is status[ModelPart.SETS] is Status.VERIFIED


def test_probabilities_that_a_clock_may_have_ended_are_not_verifiable() -> None:
    found = checked(Request(calibrate="temperature", calibration_folds=3, time_limit=1000.0))
    status = {check.part: check.status for check in found.checks}
    assert status[ModelPart.PROBABILITIES] is status[ModelPart.SETS] is Status.NOT_VERIFIABLE


def test_probabilities_of_many_rows_are_fitted_again_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcsvm_gui.core.evaluate.verification.RECOMPUTED", 10)
    request = Request(calibrate="sigmoid", calibration_folds=3)
    for asked, expected in ((False, Status.NOT_VERIFIABLE), (True, Status.VERIFIED)):
        found = checked(request, recompute_calibration=asked)
        assert {check.part: check.status for check in found.checks}[ModelPart.PROBABILITIES] is expected


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: replace(rows, weights=np.linspace(0.5, 2.0, 45), weight_name="w"),
        lambda rows: replace(rows, groups=np.arange(45) % 15, group_name="g"),
    ],
    ids=["weights", "groups"],
)
@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_of_weights_groups_and_rows_held_out(machine: str, change: Callable[[Dataset], Dataset]) -> None:
    for more in ({}, {"holdout": 0.3, "seed": 4}, {"class_weight": "balanced"}):
        checked(Request(machine=machine, **more), change(ROWS))


@pytest.mark.parametrize("scale", SCALES)
def test_of_every_scaling(scale: str) -> None:
    checked(Request(rules=Rules(scale=scale), kernel="linear"))
    checked(Request(rules=Rules(scale=scale), machine="ova"))


@pytest.mark.parametrize("limits", [{"max_iter": 1}, {"gap_tol": 1e-4}, {"time_limit": 1e-9}, {"tol": 1e-6}])
@pytest.mark.parametrize("machine", ["ww", "cs", "dag"])
def test_of_every_limit(machine: str, limits: dict[str, Any]) -> None:
    checked(Request(machine=machine, C=30.0, solver="s2do", **limits))


@pytest.mark.parametrize("machine", ["ww", "ova", "ovo"])
def test_of_a_run_that_was_stopped(machine: str) -> None:
    session = Session(Request(machine=machine, C=1000.0, calibrate="temperature", calibration_folds=3), ROWS)
    session.stop()
    found = verify(session.finish().trained, ROWS)
    assert found.holds
    status = {check.part: check.status for check in found.checks}
    assert status[ModelPart.PROBABILITIES] is Status.NOT_VERIFIABLE


def _mixed(path: Path) -> Path:
    """Numbers far from zero and with missing cells, categories, dates and texts."""
    rng, lines = np.random.default_rng(0), []
    for n in range(40):
        code = n % 3
        width = "" if n % 7 == 2 else repr(1e6 + code + float(rng.normal()))
        day, colour = f"2024-{1 + n % 12:02d}-{1 + 3 * n % 28:02d}", ("red", "green", "")[(n + code) % 3]
        lines.append(f"{width},{n % 5},{colour},{day},tree {'pear' if code else 'apple'} {n % 4},{code}")
    path.write_text("width,step,colour,day,note,class\n" + "\n".join(lines) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("missing", [name for name in MISSING if name != "reject"])
def test_of_every_way_to_treat_missing_cells(missing: str, tmp_path: Path) -> None:
    data, model = _mixed(tmp_path / "mixed.csv"), tmp_path / "m.mcsvm"
    words = "--missing", missing, "--text", "note", "--dates", "day", "--scale", "standard", "--min-frequency", 3
    assert mcsvm("train", data, *words, "--model", model, "--quiet").code == 0
    answer = mcsvm("verify", model, data, "--json")
    assert answer.code == 0
    assert answer.document["verified"] is True


@pytest.mark.slow
def test_of_a_search(tmp_path: Path) -> None:
    data, model = _mixed(tmp_path / "mixed.csv"), tmp_path / "m.mcsvm"
    words = "--missing", "mean", "--drop", "note", "--folds", 3, "--C", "1:4", "--gamma", "2^-3:1"
    assert mcsvm("tune", data, "--machine", "ww,ovo", *words, "--model", model, "--quiet").code == 0
    assert mcsvm("verify", model, data).code == 0


def test_the_word_in_the_file_does_not_decide_whether_it_converged() -> None:
    outcome = train(Request(C=1000.0, max_iter=1, solver="smo"), ROWS)
    honest = outcome.trained
    assert not honest.origin.ending.is_enough
    claimed = replace(honest, origin=replace(honest.origin, ending=type(honest.origin.ending).CONVERGED))
    found = verify(claimed, ROWS)
    assert not found.converged
    ending = next(check for check in found.checks if check.part is ModelPart.ENDING)
    assert ending.detail.startswith("Not converged: the violation")
    assert "“converged”, which is not used" in ending.detail


def test_an_entry_that_nobody_knows_is_compared_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later version may add entries to the file: without a change to the verification they count."""
    from mcsvm_gui.core.machine import model_document

    describe, outcome = model_document.describe, train(Request(), ROWS)
    answers = iter([1.0, 2.0])
    monkeypatch.setattr(model_document, "describe", lambda model: {**describe(model), "novelty": next(answers)})
    found = verify(outcome.trained, ROWS)
    assert [check.part for check in found.differing] == [ModelPart.OTHER]
    assert "novelty is 1, recomputed 2" in found.differing[0].detail


@pytest.mark.parametrize(
    ("processor", "factor", "expected"),
    [
        (None, 1.0 + 1e-4, Status.DIFFERS),
        ("another", 1.0 + 1e-4, Status.NOT_VERIFIABLE),
        ("another", 2.0, Status.DIFFERS),
        ("another", 1.0, Status.VERIFIED),
    ],
)
def test_a_fit_of_another_system_may_differ_a_little(processor: str | None, factor: float, expected: Status) -> None:
    trained = train(Request(calibrate="temperature", calibration_folds=3), ROWS).trained
    calibrated = trained.calibrated
    assert calibrated is not None
    assert calibrated.found.temperature is not None
    fitted = replace(calibrated.found, temperature=factor * calibrated.found.temperature)
    origin = trained.origin if processor is None else replace(trained.origin, processor=processor)
    found = verify(replace(trained, calibrated=replace(calibrated, found=fitted), origin=origin), ROWS)
    assert {check.part: check.status for check in found.checks}[ModelPart.PROBABILITIES] is expected
