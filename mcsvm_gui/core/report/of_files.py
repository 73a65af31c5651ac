"""The report of files that commands write: models, results of a comparison or an experiment, documents of a search."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.base.opening import opened
from mcsvm_gui.core.base.writing import Named
from mcsvm_gui.core.experiment.files import experiment_in
from mcsvm_gui.core.experiment.journal import Journal, is_journal
from mcsvm_gui.core.experiment.running import recall
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.posing import training_part
from mcsvm_gui.core.machine.session import document, score
from mcsvm_gui.core.machine.sources import data_of
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.report import of_experiment, of_search
from mcsvm_gui.core.report.blocks import Report
from mcsvm_gui.core.report.chapters import USUAL
from mcsvm_gui.core.report.of_project import RunMaterial, looked_at, report_of
from mcsvm_gui.core.report.summary_pages import Known

FileKind = Literal["project", "model", "results", "search", ""]
SEARCHED = {"cells", "best", "folds"}  # entries of the document of a search
LARGEST = 1 << 30  # bytes of a document
NOT_SCORED = {"train_accuracy": None, "test_accuracy": None, "n_test": None}


def kind_of(path: Named) -> FileKind:
    """Return the kind of a file by its content; an empty text if no report can be made of it."""
    with opened(path) as stream:
        start = stream.read(16)
        if start.startswith(b"SQLite format 3"):
            return "project"
        if start.startswith(b"PK"):
            return "model"
        if not start.lstrip().startswith(b"{"):
            return ""
        stream.seek(0)
        if is_journal(stream.readline(LARGEST)):
            return "results"
    return "search" if set(_document_in(path)) >= SEARCHED else ""


def _document_in(path: Named) -> dict[str, Any]:
    with opened(path, LARGEST) as stream:
        try:
            found = json.load(stream)
        except (ValueError, RecursionError):
            return {}
    return found if isinstance(found, dict) else {}


def report_of_search(path: Named) -> Report:
    """Return the report of a document that `mcsvm tune --json` printed."""
    try:
        return of_search.report_of(_document_in(path), None, "")
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise FileError(path, "this is no document of a search, or a damaged one ({reason})", reason=reason) from error


def report_of_results(path: Named) -> Report:
    """Return the report of a file that `--results` wrote, without training anything."""
    journal = Journal(path)
    results = recall(experiment_in(journal), journal)
    if not results.kept:
        raise FileError(path, "no training of its experiment has ended yet")
    return of_experiment.report_of(results)


def report_of_models(paths: Sequence[Named], chapters: Sequence[str] = USUAL) -> Report:
    """Return the report of model files, side by side if they were tested on the same rows."""
    material = [_model_material(path, number) for number, path in enumerate(paths, 1)]
    trained = [model_file.load(path) for path in paths]
    report = report_of("", material, known=Known(model=lambda run: trained[run - 1]), chapters=chapters)
    title = material[0].record.name if len(paths) == 1 else tr("Comparison of {runs} runs", runs=len(paths))
    return replace(report, title=title)


def _model_material(path: Named, number: int) -> RunMaterial:
    """Read the model and, if its files are still there, the rows it was trained and tested on."""
    trained = model_file.load(path)
    request = trained.request
    record = RunRecord(
        number,
        datetime.fromtimestamp(os.stat(path).st_mtime, UTC).isoformat(timespec="seconds"),
        Path(path).stem,
        Path(request.data or "").name,
        request.document(),
        state=JobState.DONE,
        document=document(trained, NOT_SCORED, ()),
    )
    known = RunMaterial(record, origin=trained.origin)
    try:
        dataset, test = data_of(request)
    except InputError as error:
        return replace(known, missing=worded(error))
    training, held_out, _ = training_part(request, dataset)
    tested = held_out if test is None else test
    scores: dict[str, Any] = {**NOT_SCORED, "train_accuracy": score(trained, training)[0]}
    if tested is not None:
        scores["test_accuracy"], scores["n_test"], _ = score(trained, tested)
    known = replace(known, record=replace(record, document=document(trained, scores, ())))
    return looked_at(known, trained, (dataset, test))
