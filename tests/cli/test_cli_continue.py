"""`mcsvm train --continue`: a stopped training ends in the file of one that was never stopped, byte for byte."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cli.conftest import write_blobs
from command_line import Answer, mcsvm

from mcsvm.solvers.run.loop import Run
from mcsvm_gui.core.machine import checkpoint_file, model_file, session
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import SliceLength

HARD = "--C", "100", "--gamma", "1", "--tol", "1e-4"


@pytest.fixture
def ctrl_c_after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Press Ctrl-C in the slice of this number, once."""

    def press(number: int) -> None:
        advance, left = Run.advance, [number]

        def advance_and_press(run: Run, *steps: int) -> Any:
            sample = advance(run, *steps)
            left[0] -= 1
            if left[0] == 0:
                signal.raise_signal(signal.SIGINT)
            return sample

        monkeypatch.setattr(Run, "advance", advance_and_press)

    return press


def checkpoint_of(model: Path) -> Path:
    return Path(checkpoint_file.path_for(model))


@pytest.mark.parametrize("machine", ["ww", "cs", "ovo"])
def test_a_training_that_was_stopped_becomes_one_that_never_was(
    machine: str, blobs: Path, tmp_path: Path, ctrl_c_after: Callable[[int], None]
) -> None:
    whole, cut = tmp_path / "whole.mcsvm", tmp_path / "cut.mcsvm"
    words = "train", blobs, *HARD, "--machine", machine, "--solver", "smo"
    assert mcsvm(*words, "--model", whole).code == 0
    assert not checkpoint_of(whole).exists()
    ctrl_c_after(2)
    stopped = mcsvm(*words, "--model", cut)
    assert stopped.code == 130
    assert f"To continue the training: mcsvm train --continue {cut}" in stopped.out.splitlines()
    assert checkpoint_of(cut).exists()
    assert cut.read_bytes() != whole.read_bytes()
    assert mcsvm("train", "--continue", cut).code == 0
    assert cut.read_bytes() == whole.read_bytes()
    assert not checkpoint_of(cut).exists()


SOLVERS = {  # options of a training that takes several slices
    "auto": ("--machine", "ww"),
    "auto, pairs": ("--machine", "ovo"),
    "auto, linear": ("--machine", "ova", "--kernel", "linear"),
    "s2do": ("--machine", "llw", "--solver", "s2do"),
    "bsvm": ("--machine", "ww", "--solver", "bsvm"),
    "whole-example": ("--machine", "cs", "--solver", "whole-example"),
    "fw-pairwise": ("--machine", "ovo", "--solver", "fw-pairwise", "--bias", "regularized"),
    "ipm": ("--machine", "ww", "--solver", "ipm"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_continues_with_the_same_bits(
    name: str, blobs: Path, tmp_path: Path, ctrl_c_after: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a stop between two slices. A step limit may cut a round, after which some solvers take other steps."""
    whole, cut = tmp_path / "whole.mcsvm", tmp_path / "cut.mcsvm"
    words = "train", blobs, *HARD, *SOLVERS[name]
    assert mcsvm(*words, "--model", whole).code == 0
    monkeypatch.setattr(SliceLength, "learn", lambda pace, seconds: None)
    monkeypatch.setattr(session, "SLICE_STEPS", 1)
    ctrl_c_after(2)
    assert mcsvm(*words, "--model", cut).code == 130
    assert cut.read_bytes() != whole.read_bytes()
    assert mcsvm("train", "--continue", cut).code == 0
    assert cut.read_bytes() == whole.read_bytes()


def test_a_killed_training_continues_from_its_last_checkpoint(
    blobs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No model was saved: the request is that of the checkpoint."""
    whole, killed = tmp_path / "whole.mcsvm", tmp_path / "killed.mcsvm"
    words = "train", blobs, *HARD, "--machine", "ww", "--solver", "smo"
    assert mcsvm(*words, "--model", whole).code == 0
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED_AFTER_ITS_CHECKPOINT, *map(str, (*words, "--model", killed))], cwd=tmp_path
    )
    assert process.wait(120) == -signal.SIGKILL
    assert not killed.exists()
    saved = checkpoint_file.load(killed)
    assert saved is not None
    assert (saved.ending, saved.iterations > 0) == (None, True)
    assert mcsvm("train", "--continue", killed).code == 0
    assert killed.read_bytes() == whole.read_bytes()
    assert not checkpoint_of(killed).exists()


KILLED_AFTER_ITS_CHECKPOINT = """
import os, signal, sys
from mcsvm_gui.cli import main
from mcsvm_gui.core.machine import checkpoint_file

save = checkpoint_file.save

def save_and_die(model, checkpoint):
    save(model, checkpoint)
    if checkpoint.iterations:
        os.kill(os.getpid(), signal.SIGKILL)

checkpoint_file.SECONDS, checkpoint_file.SHARE, checkpoint_file.save = 0.0, 1e9, save_and_die
main(sys.argv[1:])
"""


def test_checkpoints_take_at_most_a_hundredth_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, taken = [0.0], []
    clock = SimpleNamespace(tick=lambda: now[0])

    def take() -> checkpoint_file.Checkpoint:
        taken.append(now[0])
        now[0] += 3.0  # a slow disk
        return checkpoint_file.Checkpoint(Request(), 1, None, b"")

    checkpoints = checkpoint_file.PeriodicCheckpoints(tmp_path / "m.mcsvm", clock.tick)
    while now[0] < 1000.0:
        checkpoints.save_if_due(take)
        now[0] += 1.0
    assert taken == [60.0, 363.0, 666.0, 969.0]


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_training(
    blobs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint_file, "SECONDS", 0.0)
    model = tmp_path / "m.mcsvm"
    checkpoint_of(model).mkdir()
    answer = mcsvm("train", blobs, *HARD, "--solver", "smo", "--model", model)
    assert answer.code == 0
    assert "warning: no checkpoint was written while the training ran: " in answer.err
    assert model.exists()


@pytest.mark.parametrize("limit", [("--max-iter", "40"), ("--time-limit", "1e-9")], ids=lambda words: words[0])
def test_the_limit_that_ended_a_training_is_lifted(limit: tuple[str, str], blobs: Path, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.mcsvm", tmp_path / "cut.mcsvm"
    words = "train", blobs, *HARD, "--solver", "smo", "--holdout", "0.3"
    assert mcsvm(*words, "--model", whole).code == 0
    limited = mcsvm(*words, *limit, "--model", cut, "--json")
    assert (limited.code, limited.document["checkpoint"]) == (3, str(checkpoint_of(cut)))
    again = mcsvm("train", "--continue", cut, "--json")
    assert (again.code, "checkpoint" in again.document, again.err) == (0, False, "")
    assert cut.read_bytes() == whole.read_bytes()
    assert again.document["test_accuracy"] == mcsvm(*words, "--json").document["test_accuracy"]


def test_limits_count_from_the_beginning_and_other_files_can_be_named(blobs: Path, tmp_path: Path) -> None:
    models = [tmp_path / f"{name}.mcsvm" for name in ("cut", "longer", "direct")]
    cut, longer, direct = models
    words = "train", blobs, *HARD, "--solver", "smo"
    assert mcsvm(*words, "--max-iter", 40, "--model", cut).code == 3
    refused = mcsvm("train", "--continue", cut, "--max-iter", 40).complaint
    assert "counts from the beginning of the training, which has made 40 steps" in refused
    trace = tmp_path / "t.csv"
    found = mcsvm("train", "--continue", cut, "--max-iter", 90, "--model", longer, "--trace", trace, "--json")
    assert (found.code, found.document["iterations"]) == (3, 90)
    assert trace.read_text().splitlines()[1].startswith("40,")  # of the continued part
    assert model_file.load(cut).origin.iterations == 40
    assert checkpoint_of(cut).exists()
    assert checkpoint_of(longer).exists()
    assert mcsvm(*words, "--max-iter", 90, "--model", direct).code == 3
    assert direct.read_bytes() == longer.read_bytes()


def test_what_has_converged_continues_to_a_smaller_tolerance(blobs: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.mcsvm"
    assert mcsvm("train", blobs, "--C", 100, "--gamma", 1, "--tol", 0.1, "--model", model).code == 0
    refused = mcsvm("train", "--continue", model).complaint
    assert refused.endswith(
        "m.mcsvm: this training has converged; give a smaller --tol or --gap-tol to train it further"
    )
    assert "has converged" in mcsvm("train", "--continue", model, "--tol", 0.2).complaint
    found = mcsvm("train", "--continue", model, "--tol", "1e-5", "--json").document
    assert (found["ending"], found["tol"]) == ("converged", 1e-5)
    assert found["certificate"]["violation"] <= 1e-5
    direct = mcsvm("train", blobs, "--C", 100, "--gamma", 1, "--tol", "1e-5", "--json").document
    assert found["certificate"]["dual"] == pytest.approx(direct["certificate"]["dual"], rel=1e-4)


def test_without_its_checkpoint_a_training_starts_from_the_model_and_says_so(blobs: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.mcsvm"
    words = "train", blobs, *HARD, "--solver", "smo"
    assert mcsvm(*words, "--max-iter", 40, "--model", model).code == 3
    before = model_file.load(model).certificate.dual
    checkpoint_of(model).unlink()
    again = mcsvm("train", "--continue", model)
    assert again.code == 0
    assert "warning: there is no checkpoint of this model: training starts from its dual variables" in again.err
    whole = mcsvm(*words, "--json").document["certificate"]
    assert before < model_file.load(model).certificate.dual == pytest.approx(whole["dual"], rel=1e-3)


def test_a_checkpoint_of_another_training_is_removed_or_refused(blobs: Path, tmp_path: Path) -> None:
    model, other = tmp_path / "m.mcsvm", tmp_path / "other.mcsvm"
    early = "--solver", "smo", "--max-iter", 40
    assert mcsvm("train", blobs, *HARD, *early, "--model", model).code == 3
    content = checkpoint_of(model).read_bytes()
    assert mcsvm("train", blobs, *HARD, "--machine", "ova", *early, "--model", other).code == 3
    checkpoint_of(other).write_bytes(content)
    refused = mcsvm("train", "--continue", other).complaint
    assert refused.endswith(
        "other.mcsvm.checkpoint: this checkpoint belongs to another training than the model; remove the wrong one"
    )
    assert mcsvm("train", blobs, "--model", model).code == 0
    assert not checkpoint_of(model).exists()
    checkpoint_of(model).write_bytes(b"PK damaged")
    assert "checkpoint" in mcsvm("train", "--continue", model).complaint
    search = "--machine", "ova", "--kernel", "linear", "--C", "1", "--folds", 2
    assert mcsvm("tune", blobs, *search, "--model", model).code == 0
    assert not checkpoint_of(model).exists()


def test_a_calibration_that_was_interrupted_is_done_again(
    blobs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcsvm_gui.core.machine.calibration import OutOfFold

    whole, cut = tmp_path / "whole.mcsvm", tmp_path / "cut.mcsvm"
    words = "train", blobs, "--calibrate", "temperature"
    assert mcsvm(*words, "--model", whole).code == 0
    fit = OutOfFold.fit
    monkeypatch.setattr(OutOfFold, "fit", lambda self, report, stopped: signal.raise_signal(signal.SIGINT))
    assert mcsvm(*words, "--model", cut).code == 130
    assert model_file.load(cut).calibrated is None
    monkeypatch.setattr(OutOfFold, "fit", fit)
    assert mcsvm("train", "--continue", cut).code == 0
    assert cut.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("option", [("--machine", "ovo"), ("--C", "2"), ("--label", "x"), ("--holdout", "0.3")])
def test_other_settings_are_those_of_the_model(option: tuple[str, str], blobs: Path, model: Path) -> None:
    complaint = mcsvm("train", "--continue", model, *option).complaint
    assert complaint.startswith(f"error: {option[0]}: --continue takes all settings but limits and tolerances")


def test_the_training_file_may_have_moved_but_not_changed(tmp_path: Path) -> None:
    data, moved, model = (tmp_path / name for name in ("a.csv", "b.csv", "m.mcsvm"))
    write_blobs(data)
    assert mcsvm("train", data, *HARD, "--solver", "smo", "--max-iter", 40, "--model", model).code == 3
    data.rename(moved)
    assert mcsvm("train", "--continue", model).complaint.endswith("a.csv: there is no such file; check its name")
    other = write_blobs(tmp_path / "c.csv", seed=1)
    assert "the file has changed since it was trained on" in mcsvm("train", other, "--continue", model).complaint
    assert mcsvm("train", moved, "--continue", model).code == 0
    assert model_file.load(model).request.data == str(moved)


def test_data_or_a_model_is_needed() -> None:
    assert "DATA is missing" in mcsvm("train").complaint
    gone = mcsvm("train", "--continue", "gone.mcsvm")
    assert isinstance(gone, Answer)
    assert gone.complaint == "error: gone.mcsvm: there is no such file; check its name"
