"""The report of a project, or of some of its runs: one by one, and side by side if they are on the same data."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.run.trace import COLUMNS, Trace
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.arrays import unpacked
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.i18n import as_sentence, tr, worded
from mcsvm_gui.core.base.opening import missing_file
from mcsvm_gui.core.compare.comparison import Comparison, Side, compare, side_of
from mcsvm_gui.core.compare.tested_runs import RunRows, ScoredRun, over_splits
from mcsvm_gui.core.data import inspection
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.splitting import split
from mcsvm_gui.core.evaluate.statistics import TestResult
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.command_line import command
from mcsvm_gui.core.machine.posing import pose_request
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.sources import data_of
from mcsvm_gui.core.machine.trained import Origin, TrainedModel
from mcsvm_gui.core.project.leaderboard import BASELINES, CHOSEN
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.core.report import numbers, shared, stored_searches
from mcsvm_gui.core.report.blocks import Block, Code, Heading, Paragraph, Report, Table, full_names
from mcsvm_gui.core.report.chapters import USUAL, in_order
from mcsvm_gui.core.report.summary_pages import Known, summary_of


@dataclass(frozen=True, eq=False)
class RunMaterial:
    """The known data of a run; `side` is set if its files still exist."""

    record: RunRecord
    trace: Mapping[str, np.ndarray] | None = None
    side: Side | None = None
    data: Dataset | None = None  # the whole file
    training: Dataset | None = None  # its rows
    rows: Dataset | None = None  # the rows of the side: test rows, or training rows
    classes: tuple[str, ...] = ()
    missing: str | None = None  # why there is no side
    origin: Origin | None = None


def read_project(path: str | os.PathLike[str], chosen: Sequence[int] | None = None) -> list[RunMaterial]:
    """Read the ended runs, the oldest first; raise FileError if this is no project, or a chosen run is missing."""
    if not os.path.exists(path):
        raise missing_file(path)
    store = ProjectStore(path)
    try:
        records = {record.id: record for record in store.records()}
        wanted = list(records) if chosen is None else list(chosen)
        for number in wanted:
            if number not in records:
                raise FileError(path, "there is no run {number} in the project", number=number)
        return list(_material(store, [records[number] for number in wanted]))
    finally:
        store.close()


def _material(store: ProjectStore, records: list[RunRecord]) -> Iterator[RunMaterial]:
    files: dict[tuple[object, ...], tuple[Dataset, Dataset | None] | InputError] = {}
    for record in records:
        trace, model = store.part(record.id, "trace"), store.part(record.id, "model")
        known = RunMaterial(record, None if trace is None else _trace(trace))
        if record.document is None or model is None:
            yield replace(known, missing=tr("no model was kept"))
            continue
        try:
            trained = model_file.unpacked(record.name, model)
            known = replace(known, origin=trained.origin)
            yield looked_at(known, trained, _files(record.request, files))
        except InputError as error:
            yield replace(known, missing=worded(error))
        except ValueError as error:
            yield replace(known, missing=str(error))


def _trace(content: bytes) -> dict[str, np.ndarray] | None:
    """Return the trace, or None if the content is something else."""
    try:
        packed = unpacked(content)
    except ValueError:
        return None
    return Trace.unpack(packed).table() if packed.shape[0] and packed.shape[1] == len(COLUMNS) else None


def _files(
    request: Request, files: dict[tuple[object, ...], tuple[Dataset, Dataset | None] | InputError]
) -> tuple[Dataset, Dataset | None]:
    """Read the files of a request once for all its runs; report an unreadable file for each run."""
    key = request.data, request.test, request.read, request.digest, request.test_digest
    if key not in files:
        try:
            files[key] = data_of(request)
        except InputError as error:
            files[key] = error
    found = files[key]
    if isinstance(found, InputError):
        raise found
    return found


def looked_at(known: RunMaterial, trained: TrainedModel, files: tuple[Dataset, Dataset | None]) -> RunMaterial:
    """Apply a model to the rows it was tested on, or trained on if there was no test."""
    record, (dataset, test) = known.record, files
    request = record.request
    train = pose_request(request, dataset, trained.preparation).train
    if request.holdout is not None:
        test = split(dataset, request.holdout, request.seed, request.split)[1]
    rows = train if test is None else test
    assert record.document is not None
    side = side_of(
        tr("{name} (run {id})", name=record.name, id=record.id), trained, record.document, rows, train, known.trace
    )
    if test is None:  # the scores of training rows are too optimistic
        side = replace(side, scores=None, ranked=None)
    return replace(known, side=side, data=dataset, training=train, rows=rows, classes=trained.class_names)


Compared = tuple[Sequence[RunMaterial], Comparison, Sequence[TestResult]]  # on the same rows


# -- the report -----------------------------------------------------------------------------------


def report_of(
    name: str,
    material: Sequence[RunMaterial],
    searches: Sequence[Mapping[str, Any]] = (),
    known: Known | None = None,
    chapters: Sequence[str] = USUAL,
) -> Report:
    """Begin with two pages of answers, then add chapters; the JSON document holds everything whatever was chosen.

    `searches`: documents of the searches in the project. `known`: its other results.
    """
    one = len(material) == 1 and not searches
    summary = summary_of(material, known or Known())
    compared = [_compared(group) for group in _groups(material)]
    names = [label for group, _, _ in compared for label in group[0].classes]
    splits = _over_splits(material)
    parts: dict[str, list[Block]] = {
        "data": [block for group in compared for block in _data(group[0])],
        "runs": [] if one or not material else _overview(material),
        "comparison": [
            *(block for group in compared for block in _together(*group)),
            *shared.tests_blocks(splits, tr("Tests over several splits")),
        ],
        "searches": stored_searches.blocks_of(searches),
        "details": [block for run in material for block in _run(run, alone=one)],
        "settings": [block for run in material for block in _settings(run)],
        "software": shared.surroundings(),
    }
    blocks = [*summary.blocks, *(block for chapter in in_order(chapters) for block in parts[chapter])]
    title = (
        tr("{name} (run {id})", name=material[0].record.name, id=material[0].record.id)
        if one
        else tr("Project {name}", name=name)
    )
    names += [known.record.name for known in material]
    blocks += full_names(names)
    document = {"project": name, "answer": dict(summary.document), **_document(material, compared)}
    document |= {"tests_over_splits": [result.document() for result in splits], "searches": list(searches)}
    return Report(title, shared.made(), tuple(blocks), document)


def _document(material: Sequence[RunMaterial], compared: Sequence[Compared]) -> dict[str, object]:
    """Return all content of the other formats; data sets are keyed by the digest that requests contain."""
    datasets = {known.data.digest: known.data for known in material if known.data is not None}
    return {
        "runs": [_run_document(known) for known in material],
        "datasets": {digest: inspection.document(dataset) for digest, dataset in datasets.items()},
        "comparisons": [
            {**numbers.comparison_document(comparison), "tests": [result.document() for result in tests]}
            for _, comparison, tests in compared
        ],
        "made_with": numbers.surroundings_document(),
    }


def _run_document(known: RunMaterial) -> dict[str, object]:
    record = known.record
    return {
        "run": record.id,
        "name": record.name,
        "note": record.note,
        "created": record.created,
        "state": record.state,
        "error": record.error,
        "request": dict(record.plain_request),
        "result": None if record.document is None else dict(record.document),
        "missing": known.missing,
        "trained_with": None if known.origin is None else _trained_with(known.origin),
        **({} if known.side or known.trace is None else {"trace": numbers.trace_document(known.trace)}),
    }


def _trained_with(origin: Origin) -> dict[str, object]:
    hardware = {"system": origin.system or None, "processor": origin.processor or None}
    return {"versions": dict(origin.versions), "hardware": hardware}


def _overview(material: Sequence[RunMaterial]) -> list[Block]:
    rows = tuple(_row(known.record) for known in material)
    columns = (
        tr("run"),
        tr("name"),
        tr("data"),
        tr("machine"),
        tr("solver"),
        tr("kernel"),
        "C",
        tr("gamma"),
        tr("test"),
        tr("training"),
        tr("gap"),
        tr("time"),
        tr("vectors"),
    )
    return [
        Heading(tr("All runs")),
        Table(columns, rows, tr("{count} runs.", count=figures.count(len(rows))), frozenset({0, *range(6, 13)})),
    ]


def _row(record: RunRecord) -> tuple[str, ...]:
    gap = record.relative_gap
    return (
        str(record.id),
        record.name,
        record.data_title,
        record.machine,
        record.solver,
        record.kernel,
        figures.parameter(record.C),
        figures.parameter(record.gamma),
        figures.accuracy(record.test_accuracy),
        figures.accuracy(record.train_accuracy),
        figures.gap(None if gap is None else max(gap, 0.0)) if record.document else record.state,
        figures.seconds(record.seconds),
        figures.count(None if record.n_support is None else int(record.n_support)),
    )


def _groups(material: Sequence[RunMaterial]) -> list[list[RunMaterial]]:
    """Group the runs that were applied to the same rows."""
    groups: dict[tuple[object, ...], list[RunMaterial]] = {}
    for known in material:
        if known.side is not None and known.rows is not None:
            groups.setdefault((known.rows.digest, known.classes), []).append(known)
    return list(groups.values())


def _compared(group: Sequence[RunMaterial]) -> Compared:
    rows = group[0].rows
    assert rows is not None
    found = compare([known.side for known in group if known.side is not None], group[0].classes, rows)
    tested = all(side.scores is not None for side in found.sides)
    return group, found, found.tests() if tested else ()


def _over_splits(material: Sequence[RunMaterial]) -> Sequence[TestResult]:
    """Return the corrected t-tests of runs with equal settings on several splits, as on the Compare page."""
    return over_splits([found for known in material if (found := _chosen(known)) is not None])


def _chosen(known: RunMaterial) -> ScoredRun | None:
    if known.side is None or known.data is None or known.training is None or known.rows is None:
        return None
    rows = RunRows(known.data, known.training, known.rows, "training" if known.side.scores is None else "test")
    return ScoredRun(known.record.id, known.record.request, known.side, rows)


def _together(group: Sequence[RunMaterial], comparison: Comparison, tests: Sequence[TestResult]) -> list[Block]:
    first = group[0]
    assert first.rows is not None
    heading = Heading(tr("Runs on {data}", data=first.record.data_name))
    tested = all(side.scores is not None for side in comparison.sides)
    what = tr("rows that were not trained on") if tested else tr("the rows trained on, so that there are no scores")
    where = Paragraph(tr("Computed on {count} rows: {what}.", count=figures.count(first.rows.rows), what=what))
    return [heading, where, *shared.comparison_blocks(comparison), *shared.tests_blocks(tests, tr("Tests"))]


def _data(group: Sequence[RunMaterial]) -> list[Block]:
    first = group[0]
    assert first.data is not None
    return shared.data_blocks(first.data, name=first.record.data_name)


def _settings(known: RunMaterial) -> list[Block]:
    """Return all settings of a run that have a value."""
    record = known.record
    if not record.readable:
        return []
    heading = Heading(tr("Settings of {name} (run {id})", name=record.name, id=record.id))
    return [heading, *shared.request_blocks(record.request)]


def _run(known: RunMaterial, *, alone: bool) -> list[Block]:
    record = known.record
    blocks: list[Block] = [Heading(tr("The run") if alone else tr("{name} (run {id})", name=record.name, id=record.id))]
    if record.note:
        blocks.append(Paragraph(record.note))
    blocks.append(
        Paragraph(
            tr(
                "Started {moment} on {data_name}; {state}.",
                moment=figures.moment(record.created),
                data_name=record.data_name,
                state=record.state,
            )
        )
    )
    if record.error:
        blocks.append(Paragraph(tr("Error: {error}", error=record.error)))
    if record.document is not None:
        blocks += shared.outcome_blocks(record.document)
    if known.origin is not None:
        blocks.append(shared.trained_with(known.origin))
    if known.missing:
        blocks.append(
            Paragraph(
                tr(
                    "Scores, confusion matrix and margins could not be looked at again: {missing}",
                    missing=known.missing,
                )
            )
        )
    try:
        request = record.request
        blocks.append(Paragraph(as_sentence(shared.preparation_text(request))))
        blocks += [Paragraph(tr("To train it again:")), Code(command(request))]
    except InputError as error:
        blocks.append(Paragraph(tr("Its request cannot be read: {error}", error=error)))
    return blocks


def read_known(path: str | os.PathLike[str]) -> Known:
    """Read the data that the first pages need in addition to the runs of a project."""
    store = ProjectStore(path)
    try:
        settings = store.settings()
    finally:
        store.close()

    def model(run: int) -> TrainedModel:
        again = ProjectStore(path)
        try:
            content = again.part(run, "model")
        finally:
            again.close()
        assert content is not None
        return model_file.unpacked(str(run), content)

    return Known(settings.get(CHOSEN), settings.get(BASELINES), model)
