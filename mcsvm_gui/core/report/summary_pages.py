"""Write the first two pages of a report, for decision makers: the conclusion, its numbers, and how it was obtained."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import as_sentence, tr
from mcsvm_gui.core.compare.baselines import BaselineResult
from mcsvm_gui.core.compare.conclusion import Candidate, Conclusion, FinalModel, conclude
from mcsvm_gui.core.compare.quality import balanced_guess, guess
from mcsvm_gui.core.compare.refit import is_final_of
from mcsvm_gui.core.compare.standings import RunScores, scores_of, told_apart
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.roles.grouping import shared_likely_groups
from mcsvm_gui.core.explain.overview import permuted
from mcsvm_gui.core.machine.identity import preprocessing_text
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.summary import refit_sentence, title
from mcsvm_gui.core.machine.trained import TrainedModel
from mcsvm_gui.core.project.leaderboard import is_final, known_baselines, measure_in, peers
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.report import shared
from mcsvm_gui.core.report.blocks import Block, Heading, Paragraph, Table

if TYPE_CHECKING:
    from mcsvm_gui.core.report.of_project import RunMaterial

MOST_KERNEL_VALUES = 2e8  # limit for the importance of all columns: about 3 s
FEWEST_ROWS = 30  # test rows that the importance of a column needs
MOST_COLUMNS = 8  # columns that are listed
KINDS = {"good": "solved", "doubtful": "close", "useless": "not solved", "untested": ""}  # badge of each quality


@dataclass(frozen=True)
class Known:
    """The results that a project stores in addition to its runs; `model` reads the model of a run."""

    chosen: object = None  # the setting CHOSEN
    baselines: object = None  # the setting BASELINES
    model: Callable[[int], TrainedModel] | None = None


@dataclass(frozen=True, eq=False)
class Summary:
    blocks: tuple[Block, ...] = ()
    document: Mapping[str, Any] = field(default_factory=dict)


def summary_of(material: Sequence[RunMaterial], known: Known) -> Summary:
    """Summarize the runs that were tested on the same rows as the newest tested run; empty without a trained run."""
    every = {one.record.id: one for one in material if one.record.document is not None}
    candidates = [one for one in every.values() if not is_final(one.record)]
    if not candidates:
        return Summary()
    newest = max(candidates, key=lambda one: (one.side is not None and one.side.scores is not None, one.record.id))
    alike = [every[record.id] for record in peers(newest.record, [one.record for one in candidates])]
    scores = {one.record.id: scores_of_run for one in alike if (scores_of_run := _scores(one)) is not None}
    finals = [one.record for one in every.values() if is_final(one.record)]
    baselines = next(filter(None, (known_baselines(known.baselines, one.record.id) for one in reversed(alike))), ())
    answer = conclude(
        [_candidate(one, scores.get(one.record.id), known.chosen, finals) for one in alike],
        told_apart(scores.values()),
        baselines,
    )
    assert answer is not None
    best = every[answer.run]
    blocks = [
        *_answer_blocks(answer),
        *_number_blocks(best, scores.get(answer.run), baselines),
        *([] if best.side is None or best.side.scores is None else [shared.confusion_table(best.side)]),
        *_driver_blocks(best, known),
        *_making_blocks(best, answer, finals),
    ]
    return Summary(tuple(blocks), {"run": answer.run, "text": answer.text, **answer.document()})


def _scores(one: RunMaterial) -> RunScores | None:
    if one.side is None or one.rows is None or one.side.scores is None:
        return None
    scores = scores_of(one.record.id, one.classes, one.side.decisions, one.rows, one.record.request.seed)
    if scores is None or one.data is None or one.training is None:
        return scores
    return replace(scores, shared_groups=shared_likely_groups(one.data, one.training, one.rows))


def _candidate(one: RunMaterial, scores: RunScores | None, chosen: object, finals: Sequence[RunRecord]) -> Candidate:
    record = one.record
    assert record.document is not None
    read = record.plain_request.get("read")
    return Candidate(
        record.id,
        record.name,
        record.document,
        scores,
        held_out=record.plain_request.get("holdout") is not None,
        final=_final_of(record, finals),
        grouped=isinstance(read, Mapping) and bool(read.get("groups") or read.get("fold_column")),
        preprocessing=preprocessing_text(record.plain_request),
        **choice_of(chosen, record.id),
    )


def choice_of(chosen: object, run: int) -> dict[str, Any]:
    """Return the result of a search for a run, as arguments of a Candidate; `chosen` comes from a file."""
    entry = chosen.get(str(run)) if isinstance(chosen, dict) else None
    if not isinstance(entry, Mapping) or not isinstance(entry.get("mean"), float):
        return {}
    flags = {name: entry.get(name) is True for name in ("chosen", "seen")}
    share = entry.get("share")
    known = {"validation": entry["mean"], "measure": measure_in(entry)}
    return {**known, **flags, "share": share if isinstance(share, float) and 0.0 < share <= 1.0 else 1.0}


def _final_of(record: RunRecord, finals: Sequence[RunRecord]) -> FinalModel | None:
    matching = (one for one in finals if one.readable and record.readable and is_final_of(one.request, record.request))
    return next((FinalModel(one.name, int(one.n_train or 0)) for one in matching), None)


# -- blocks ---------------------------------------------------------------------------------------


def _answer_blocks(answer: Conclusion) -> list[Block]:
    """Return the verdict, then the answers to the three questions."""
    lines = [
        (tr("How accurate?"), answer.accurate),
        (tr("How certain is the ranking?"), answer.ranking),
        (tr("How close to the optimum?"), answer.optimum),
    ]
    said = [Paragraph(f"{question} {words}") for question, words in lines if words]
    return [Heading(tr("Result")), Paragraph(answer.verdict, KINDS[answer.quality]), *said]


def _number_blocks(best: RunMaterial, scores: RunScores | None, baselines: Sequence[BaselineResult]) -> list[Block]:
    if scores is None or best.record.document is None:
        return []
    chance = guess(best.record.document, scores)
    guesses = {"accuracy": chance.share, "balanced-accuracy": balanced_guess(scores)}
    titles = {
        "accuracy": tr("Accuracy"),
        "balanced-accuracy": tr("Balanced accuracy"),
        "macro-f1": tr("Macro F1"),
    }
    rows = [(titles[name], *_cells(scores, name, scores.rows), figures.accuracy(guesses.get(name))) for name in titles]
    caption = tr("{run} on {rows} test rows.", run=best.record.name, rows=figures.count(scores.rows))
    table = Table(
        (tr("measure"), tr("value"), tr("95% interval"), tr("guessing")),
        tuple(rows),
        caption,
        frozenset({1, 2, 3}),
    )
    return [table, *_baseline_table(best, scores, baselines)]


def _cells(scores: RunScores | BaselineResult, measure: str, rows: int) -> tuple[str, str]:
    value, interval = scores.score(measure)
    return figures.accuracy(value, rows), figures.interval(*interval, rows)


def _baseline_table(best: RunMaterial, scores: RunScores, baselines: Sequence[BaselineResult]) -> list[Block]:
    if not baselines:
        return []
    listed: list[tuple[str, RunScores | BaselineResult]] = [(best.record.name, scores)]
    listed += [(one.title, one) for one in baselines]
    rows = tuple(
        (name, *_cells(one, "accuracy", one.rows), *_cells(one, "balanced-accuracy", one.rows)) for name, one in listed
    )
    columns = tr("method"), tr("accuracy"), tr("95% interval"), tr("balanced accuracy"), tr("95% interval")
    return [Table(columns, rows, tr("Baselines on the same rows."), frozenset({1, 2, 3, 4}))]


def _driver_blocks(best: RunMaterial, known: Known) -> list[Block]:
    """Return the table of the columns whose shuffling costs most accuracy."""
    if known.model is None or best.rows is None or best.side is None or best.side.scores is None:
        return []
    trained = known.model(best.record.id)
    rows = _affordable(trained, best.rows)
    importance = None if rows is None else permuted(trained, rows)
    if importance is None or rows is None or not importance.columns:
        return []
    order = np.argsort(-importance.means, kind="stable")[:MOST_COLUMNS]
    listed = tuple(
        (
            importance.columns[place],
            figures.points(float(importance.means[place])),
            " – ".join(figures.points(float(bound)) for bound in importance.intervals[place]),  # noqa: RUF001
        )
        for place in order.tolist()
    )
    caption = tr(
        "Accuracy lost, in percentage points, when a column is shuffled among {rows} test rows;"
        " the middle 95% of {repeats} repetitions.",
        rows=figures.count(rows.rows),
        repeats=importance.falls.shape[1],
    )
    if len(importance.columns) > MOST_COLUMNS:
        more = len(importance.columns) - MOST_COLUMNS
        caption += " " + tr("{count} other column follows.", "{count} other columns follow.", count=more)
    table = Table((tr("column"), tr("points"), tr("middle 95%")), listed, caption, frozenset({1, 2}))
    return [Heading(tr("What drives the model")), table]


def _affordable(trained: TrainedModel, tested: Dataset) -> Dataset | None:
    """Return as many test rows as the cost limit of all shuffles allows; None if they are too few."""
    if tested.table is None:
        return None
    from mcsvm_gui.core.explain.overview import REPEATS

    shuffles = (1 + REPEATS) * max(1, len(trained.preparation.sources))
    most = int(MOST_KERNEL_VALUES / (shuffles * max(1, trained.model.support.size)))
    if tested.rows <= most:
        return tested
    if most < FEWEST_ROWS:
        return None
    chosen = np.random.default_rng(trained.request.seed).choice(tested.rows, most, replace=False)
    return tested.take(np.sort(chosen))


def _making_blocks(best: RunMaterial, answer: Conclusion, finals: Sequence[RunRecord]) -> list[Block]:
    record, document = best.record, best.record.document
    assert document is not None
    sentences = [_data_sentence(best), *_split_sentences(best)]
    if record.readable:
        sentences.append(as_sentence(shared.preparation_text(record.request)))
    parameters = ", ".join(
        f"{name} {figures.parameter(value)}" for name, value in document["kernel"].items() if name != "name"
    )
    sentences.append(
        tr(
            "The machine is {machine} with the kernel {kernel}{parameters} and C {C}.",
            machine=title(document),
            kernel=document["kernel"]["name"],
            parameters=f" ({parameters})" if parameters else "",
            C=figures.parameter(document["C"]),
        )
    )
    final = next((one for one in finals if one.readable and is_final_of(one.request, record.request)), None)
    if final is not None and final.document is not None:
        sentences.append(refit_sentence(final.document["refit"]))
    return [Heading(tr("How it was made")), Paragraph(" ".join(sentences))]


def _data_sentence(best: RunMaterial) -> str:
    document = best.record.document
    assert document is not None
    counts = [f"{name} {figures.count(count)}" for name, count in _class_counts(best)]
    shown = ", ".join(counts[:MOST_COLUMNS]) + (", …" if len(counts) > MOST_COLUMNS else "")
    rows = document["n_train"] if best.data is None else best.data.rows
    return tr(
        "The file {file} has {rows} rows, {features} features and {classes} classes ({counts}).",
        file=os.path.basename(best.record.data_name),
        rows=figures.count(rows),
        features=figures.count(document["n_features"]),
        classes=figures.count(document["n_classes"]),
        counts=shown,
    )


def _class_counts(best: RunMaterial) -> list[tuple[str, int]]:
    document = best.record.document
    assert document is not None
    if best.data is not None:
        return list(zip(best.data.classes, best.data.class_counts, strict=True))
    return list(zip(document["classes"], document["class_counts"], strict=True))


def _split_sentences(best: RunMaterial) -> list[str]:
    record, document = best.record, best.record.document
    assert document is not None
    request: Request | None = record.request if record.readable else None
    trained = figures.count(document["n_train"])
    if request is None or document["test_accuracy"] is None:
        return [tr("The model was trained on {rows} rows and was not tested on others.", rows=trained)]
    tested = figures.count(document["n_test"])
    if request.test is not None:
        file = os.path.basename(request.test)
        return [
            tr(
                "It was trained on {rows} rows and tested on {tested} rows of {file}.",
                rows=trained,
                tested=tested,
                file=file,
            )
        ]
    said = [
        tr(
            "{tested} rows ({share}) were held out for the test (seed {seed}). The model was trained on {rows} rows.",
            tested=tested,
            share=figures.exact_percent(request.holdout or 0.0),
            seed=request.seed,
            rows=trained,
        )
    ]
    if request.read.groups:
        said.append(tr("Rows of one group ({column}) stay together.", column=request.read.groups))
    return said
