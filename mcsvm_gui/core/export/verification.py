"""Check that an exported file and the model give the same predictions for rows that the user chooses.

The predictors are those that test an export before it is written. Exports to Python and C are programs: they run only
if their code is the code that this version writes for the model, so that they can differ only in numbers.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.kernels import KERNELS, Points
from mcsvm_gui.core.base.opening import opened
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.evaluate.verification.parts import Status
from mcsvm_gui.core.evaluate.verification.values import kernel_rounding
from mcsvm_gui.core.export import EXPORTERS
from mcsvm_gui.core.export.checked import PROBABILITY, FilePrediction, Predictor, ask
from mcsvm_gui.core.export.flat_model import FlatModel
from mcsvm_gui.core.export.probe import Probe, of_dataset, prepared
from mcsvm_gui.core.export.ties import on_border, probability_reach
from mcsvm_gui.core.machine.trained import TrainedModel

SCORE = 2.0**-34  # times the sum of all magnitudes: rounding of a sum in plain order and of decimals
LINEAR_MODEL = b"solver_type"  # the first word of a LIBLINEAR file; LIBSVM files have the same ending


@dataclass(frozen=True)
class ExportCheck:
    """The result for one exported file."""

    path: str
    format: str
    status: Status
    detail: Sentence

    def document(self) -> dict[str, Any]:
        return {"file": self.path, "format": self.format, "result": self.status.value, "detail": self.detail}


def verify_export(trained: TrainedModel, path: str, rows: Dataset) -> ExportCheck:
    """Compare the predictions of the file for the rows with those of the model.

    Raise InputError if the file is not of an export format, or cannot be read.
    """
    name = format_of(path)
    exporter = EXPORTERS[name]
    reason = exporter.refusal(trained)
    if reason is not None:
        return ExportCheck(
            path, name, Status.DIFFERS, Sentence("This format cannot hold the model: {reason}", reason=reason)
        )
    plain: FlatModel = exporter.code.layout(trained)
    probe = of_dataset(plain, trained, rows)
    if not len(probe):
        raise InputError("{name}: no row can be predicted, so there is nothing to compare", name=rows.name)
    status, detail = _status(trained, plain, Path(path), exporter.code, probe)
    return ExportCheck(path, name, status, detail)


def format_of(path: str) -> str:
    """Return the format by the file name; LIBSVM and LIBLINEAR share an ending and differ in their first word."""
    suffix = Path(path).suffix.lower()
    names = [name for name, exporter in EXPORTERS.items() if suffix in exporter.suffixes]
    if not names:
        endings = ", ".join(dict.fromkeys(exporter.suffix for exporter in EXPORTERS.values()))
        raise InputError(
            "{path}: no export has this ending; the endings of exports are {endings}", path=path, endings=endings
        )
    if len(names) == 1:
        return names[0]
    with opened(path) as stream:
        linear = stream.read(len(LINEAR_MODEL)) == LINEAR_MODEL
    return "liblinear" if linear else "libsvm"


def _content(path: Path) -> bytes:
    with opened(path) as stream:
        return stream.read()


def _status(trained: TrainedModel, plain: FlatModel, path: Path, code: Any, probe: Probe) -> tuple[Status, Sentence]:
    content = _content(path)
    if hasattr(code, "has_own_code"):
        try:
            own = code.has_own_code(content, plain)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            own = False
        if not own:
            return Status.DIFFERS, Sentence(
                "The file holds other code than this version writes for the model, so it was not run. Export it again."
            )
    beside = _companions(path, code, plain)
    if beside is not None:
        return Status.DIFFERS, beside
    with tempfile.TemporaryDirectory(prefix="mcsvm-verify-") as folder:
        trial = Path(folder) / "model"
        trial.write_bytes(content)
        for ending in _endings(code):
            if path.with_name(path.name + ending).exists():
                shutil.copyfile(path.with_name(path.name + ending), trial.with_name(trial.name + ending))
        outcomes = [_predict_with(predictor, trial, plain, probe) for predictor in code.PREDICTORS]
    return _combine_outcomes(outcomes, trained, plain, probe)


def _endings(code: Any) -> Sequence[str]:
    return getattr(code, "COMPANIONS", ())


def _companions(path: Path, code: Any, plain: FlatModel) -> Sentence | None:
    """Return a difference in the companion files, which describe the encoding of raw rows and classes."""
    if not _endings(code):
        return None
    expected = code.written(plain)
    for ending in _endings(code):
        place = path.with_name(path.name + ending)
        if place.exists() and _content(place) != expected[ending]:
            return Sentence("The accompanying file {name} does not belong to the model.", name=place.name)
    return None


def _predict_with(predictor: Predictor, path: Path, plain: FlatModel, probe: Probe) -> FilePrediction | Sentence:
    """Return the predictions of the file, or why they are missing; a damaged file can raise any error in a reader."""
    try:
        with np.errstate(all="ignore"):
            return ask(predictor, path, plain, probe)
    except InputError as error:
        return error.sentence
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        return Sentence("it cannot be read: {reason}", reason=reason)


def _combine_outcomes(
    outcomes: Sequence[FilePrediction | Sentence], trained: TrainedModel, plain: FlatModel, probe: Probe
) -> tuple[Status, Sentence]:
    """Combine the outcomes: all predictors that ran have to agree; if none ran, the file is not verifiable."""
    compared, absent = [], []
    for outcome in outcomes:
        if isinstance(outcome, Sentence):
            return Status.DIFFERS, Sentence("The file cannot be used: {reason}.", reason=outcome)
        if outcome.labels is None:
            absent.append(Sentence("Not asked: {reason}.", reason=outcome.by))
            continue
        difference = _difference(outcome, trained, plain)
        if difference is not None:
            return Status.DIFFERS, difference
        compared.append(_agreement(outcome, len(probe)))
    sentences = [*compared, *absent]
    detail = sentences[0]
    for sentence in sentences[1:]:
        detail = Sentence("{first} {then}", first=detail, then=sentence)
    return (Status.VERIFIED if compared else Status.NOT_VERIFIABLE), detail


def _difference(outcome: FilePrediction, trained: TrainedModel, plain: FlatModel) -> Sentence | None:
    """Describe the first difference; None if all differences are within rounding."""
    probe, labels = outcome.probe, outcome.labels
    assert labels is not None
    if labels.size != len(probe):
        return Sentence("{by} does not predict all rows.", by=outcome.by)
    wrong = np.flatnonzero(labels != probe.expected)
    if wrong.size:
        wrong = wrong[~on_border(trained, probe.take(wrong), labels[wrong])]
    if wrong.size:
        return _describe_difference(outcome, wrong, Sentence("class"))
    far = _far_scores(outcome, plain)
    if far.size:
        return _describe_difference(outcome, far, Sentence("score"))
    if probe.probabilities is None or outcome.probabilities is None:
        return None
    far = np.arange(len(probe))
    if outcome.probabilities.shape == probe.probabilities.shape:
        apart = np.nan_to_num(np.abs(outcome.probabilities - probe.probabilities), nan=np.inf).max(axis=1)
        far = np.flatnonzero(apart > PROBABILITY + outcome.inexact)
        if far.size:
            allowed = np.broadcast_to(PROBABILITY + outcome.inexact, apart.shape)
            far = far[apart[far] > allowed[far] + probability_reach(trained, probe.take(far))]
    return _describe_difference(outcome, far, Sentence("probability")) if far.size else None


def _describe_difference(outcome: FilePrediction, rows: np.ndarray, what: Sentence) -> Sentence:
    return Sentence(
        "{by} and the model give {row} a different {what} ({count} of {total} differ).",
        by=outcome.by,
        row=outcome.probe.named(int(outcome.probe.rows[rows[0]]) + 1),
        what=what,
        count=int(rows.size),
        total=len(outcome.probe),
    )


def _far_scores(outcome: FilePrediction, plain: FlatModel) -> np.ndarray:
    """Return the rows with a score that differs by more than rounding."""
    if outcome.scores is None:
        return np.empty(0, dtype=np.int64)
    rows, layout = prepared(plain, outcome.probe), outcome.layout or plain
    expected = layout.evaluate(rows)
    if outcome.scores.shape != expected.shape:
        return np.arange(len(outcome.probe))
    largest = max(Points(rows).largest_square, Points(layout.vectors).largest_square)
    error = (
        0.0 if plain.kernel == "precomputed" else kernel_rounding(KERNELS[plain.kernel](**plain.parameters), largest)
    )
    weights = np.asarray(abs(layout.expansion).sum(axis=0)).reshape(1, -1)
    reach = SCORE * layout.magnitudes(rows) + error * weights
    return np.flatnonzero(~(np.abs(outcome.scores - expected) <= reach).all(axis=1))


def _agreement(outcome: FilePrediction, rows: int) -> Sentence:
    tried, probe = len(outcome.probe), outcome.probe
    counted = Sentence("{tried} of {rows} rows", tried=tried, rows=rows) if tried < rows else probe.counted(rows)
    if outcome.scores is not None and probe.probabilities is not None and outcome.probabilities is not None:
        return Sentence(
            "{by}: {rows}, with the model's classes, scores and probabilities.", by=outcome.by, rows=counted
        )
    if outcome.scores is not None:
        return Sentence("{by}: {rows}, with the model's classes and scores.", by=outcome.by, rows=counted)
    if probe.probabilities is not None and outcome.probabilities is not None:
        return Sentence("{by}: {rows}, with the model's classes and probabilities.", by=outcome.by, rows=counted)
    return Sentence("{by}: {rows}, with the model's classes.", by=outcome.by, rows=counted)
