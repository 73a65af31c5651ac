"""Write an export, run it, compare its predictions with the model's; only then do its files appear."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import numpy as np

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base.programs import TimeLimitError
from mcsvm_gui.core.base.writing import replacing
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.flat_model import FlatModel
from mcsvm_gui.core.export.probe import Probe, from_vectors, of_dataset
from mcsvm_gui.core.export.ties import on_border, probability_reach
from mcsvm_gui.core.export.training_rows import training_rows
from mcsvm_gui.core.machine.trained import TrainedModel


@dataclass(frozen=True, eq=False)
class FilePrediction:
    """The predictions of a written file: class numbers for the rows of `probe`, or None with the reason."""

    labels: np.ndarray | None
    by: str  # the program that predicted ("onnxruntime 1.20"), or why none did
    probe: Probe
    probabilities: np.ndarray | None = None  # (rows, classes), if the file has them
    inexact: np.ndarray | float = 0.0  # (rows,) bound on the error of probabilities if its program stops early
    scores: np.ndarray | None = None  # (rows, scores), if there are at most MOST_SCORES
    layout: FlatModel | None = None  # the layout of the scores; None: that of the model


class RefusedFileError(InputError):
    """A program rejects an export or finds it damaged; the message is a sentence for users."""


PROBABILITY = 1e-6  # largest difference between an exported probability and the model's
MOST_SCORES = 2_000_000  # largest number of scores that a program returns for a comparison
Files = dict[str, bytes]  # key: text appended to the path, "" for the file itself
Predictor = Callable[[Path, FlatModel, Probe], FilePrediction]


@dataclass(frozen=True)
class Receipt:
    """Which files were written and how they were checked."""

    files: tuple[Path, ...]
    checks: tuple[Sentence, ...]

    @property
    def sentence(self) -> Sentence:
        wrote = Sentence("Wrote {files}.", files=", ".join(map(str, self.files)))
        return reduce(lambda first, then: Sentence("{first} {then}", first=first, then=then), self.checks, wrote)


def write_checked(
    trained: TrainedModel,
    plain: FlatModel,
    path: Path | str,
    check: Dataset | None,
    files: Files,
    predictors: Sequence[Predictor],
    without: Sentence | None = None,
) -> Receipt:
    """Write the files if every predictor agrees with the model.

    If a predictor finds a label or a probability that differs from the model's, raise InputError and leave no files.
    `without` says why the format holds no probabilities.
    """
    path = Path(path)
    probe, why = _probe(trained, plain, check)
    try:
        with tempfile.TemporaryDirectory(prefix="mcsvm-export-") as folder:
            trial = Path(folder) / "model"
            _put(trial, files)
            outcomes = (ask(predictor, trial, plain, probe) for predictor in predictors)
            checks = [_compared(outcome, plain, trained, len(probe)) for outcome in outcomes]
    except RefusedFileError as error:
        raise InputError("The export was not written: {error}", error=error) from error
    except OSError as error:
        raise InputError(
            "The export was not written, as it could not be tried out first: {error}", error=error
        ) from error
    left_out = without if plain.calibration is not None else None
    return Receipt(_publish(path, files), (*checks, *(one for one in (left_out, why) if one is not None)))


def ask(predictor: Predictor, path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    """Return the predictions of the file; a program that takes too long does not prove the file wrong."""
    try:
        return predictor(path, plain, probe)
    except TimeLimitError as error:
        return FilePrediction(None, error.sentence, probe)


def _probe(trained: TrainedModel, plain: FlatModel, check: Dataset | None) -> tuple[Probe, Sentence | None]:
    """Return the rows to try, and a sentence if they are not the rows that the user would expect."""
    if check is not None:
        return of_dataset(plain, trained, check), None
    rows, reason = training_rows(trained)
    if rows is not None:
        return of_dataset(plain, trained, rows, "training row"), None
    return from_vectors(plain, trained), Sentence(
        "The support vectors are used in place of the training data: {reason}.", reason=reason
    )


def _compared(outcome: FilePrediction, plain: FlatModel, trained: TrainedModel, rows: int) -> Sentence:
    if outcome.labels is None:
        return Sentence("Not checked: {reason}.", reason=outcome.by)
    probe = outcome.probe
    if outcome.labels.size != len(probe):
        raise InputError(
            "The export was not written: {by} did not label all {rows}.", by=outcome.by, rows=probe.counted(len(probe))
        )
    wrong = np.flatnonzero(outcome.labels != probe.expected)
    border = on_border(trained, probe.take(wrong), outcome.labels[wrong])
    if not border.all():
        raise InputError(_difference(outcome, plain, int(wrong[~border][0]), int((~border).sum())))
    some = probe.counted(rows)
    tried = some if len(probe) == rows else Sentence("{tried} of {rows}", tried=len(probe), rows=some)
    labels = Sentence("Checked with {by}: {tried}, every label as the model's.", by=outcome.by, tried=tried)
    if wrong.size:
        labels = Sentence(
            "Checked with {by}: {tried}, every label as the model's"
            " but for {wrong} on the border of two classes, where rounding decides.",
            by=outcome.by,
            tried=tried,
            wrong=int(wrong.size),
        )
    if outcome.probabilities is None or probe.probabilities is None:
        return labels
    _check_probabilities(outcome, trained)
    allowed = f"{PROBABILITY + np.max(outcome.inexact, initial=0.0):.1g}"
    return Sentence("{labels} Every probability is the model's within {allowed}.", labels=labels, allowed=allowed)


def _check_probabilities(outcome: FilePrediction, trained: TrainedModel) -> None:
    probe, said = outcome.probe, outcome.probabilities
    assert said is not None
    assert probe.probabilities is not None
    apart = np.full(len(probe), np.inf)
    if said.shape == probe.probabilities.shape:
        apart = np.nan_to_num(np.abs(said - probe.probabilities), nan=np.inf).max(axis=1, initial=0.0)
    allowed = np.broadcast_to(PROBABILITY + outcome.inexact, apart.shape)
    far = np.flatnonzero(apart > allowed)
    far = far[apart[far] > allowed[far] + probability_reach(trained, probe.take(far))]
    if far.size:
        raise InputError(
            "The export was not written: {by} gives {row} another probability than the model, {apart:.2g} away"
            " ({count} of {total} differ).",
            by=outcome.by,
            row=probe.named(int(probe.rows[far[0]])),
            apart=float(apart[far[0]]),
            count=int(far.size),
            total=len(probe),
        )


def _difference(outcome: FilePrediction, plain: FlatModel, first: int, count: int) -> Sentence:
    probe, names = outcome.probe, plain.class_names
    assert outcome.labels is not None
    said, expected = int(outcome.labels[first]), int(probe.expected[first])
    return Sentence(
        "The export was not written: {by} gives {row} the label {said!r}, and the model {expected!r}"
        " ({count} of {total} differ).",
        by=outcome.by,
        row=probe.named(int(probe.rows[first])),
        said=names[said] if said >= 0 else "no class",
        expected=names[expected] if expected >= 0 else "no class",
        count=count,
        total=len(probe),
    )


def scored(plain: FlatModel, probe: Probe) -> bool:
    """Return whether these rows have few enough scores to be compared."""
    return len(probe) * plain.outputs <= MOST_SCORES


def _put(path: Path, files: Files) -> None:
    for ending, content in files.items():
        path.with_name(path.name + ending).write_bytes(content)


def _publish(path: Path, files: Files) -> tuple[Path, ...]:
    """Write all files under temporary names, then rename them; the file itself, entered first, is renamed last."""
    places = {path.with_name(path.name + ending): content for ending, content in files.items()}
    with ExitStack() as stack:
        streams = [stack.enter_context(replacing(place)) for place in places]
        for stream, content in zip(streams, places.values(), strict=True):
            stream.write(content)
    return tuple(places)
