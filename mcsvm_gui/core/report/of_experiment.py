"""The report of a comparison or a replayed experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import as_sentence
from mcsvm_gui.core.compare.comparison import Comparison
from mcsvm_gui.core.data import inspection
from mcsvm_gui.core.experiment import Results, TrialResult
from mcsvm_gui.core.experiment.files import experiment_text
from mcsvm_gui.core.report import numbers, plots, published_numbers, shared
from mcsvm_gui.core.report.blocks import Block, Figure, Heading, Paragraph, Report, Table, full_names
from mcsvm_gui.core.report.conclusions import sentences

HOW = "Save this as experiment.toml, correct the paths of the data, and run: mcsvm run experiment.toml"


def report_of(results: Results) -> Report:
    blocks: list[Block] = _paragraphs(results.experiment.note)
    blocks += [Paragraph(f"{results.experiment.plan.text[0].upper()}{results.experiment.plan.text[1:]}.")]
    if results.interrupted:
        blocks.append(Paragraph("Interrupted: only what was finished until then is counted."))
    said = sentences(results)
    blocks += [
        *_conclusions(said),
        *published_numbers.blocks(results),
        *_ranks(results),
        *_searches(results),
        *_overview(results),
    ]
    comparisons = {spec.name: results.comparison(spec.name) for spec in results.experiment.data}
    for name, comparison in comparisons.items():
        blocks += [] if comparison is None else _on_one(results, name, comparison)
    blocks += shared.tests_blocks(results.tests, "Tests")
    blocks += [Paragraph(f"Warning: {sentence}") for sentence in results.warnings]
    blocks += [*shared.surroundings(), *shared.redo_blocks(experiment_text(results.experiment), HOW)]
    names = [label for dataset in results.datasets.values() for label in dataset.classes]
    names += [
        column.name for dataset in results.datasets.values() if dataset.table is not None for column in dataset.columns
    ]
    blocks += full_names(names)
    document = {**_document(results, comparisons), "conclusions": said}
    return Report(results.experiment.title, shared.made(), tuple(blocks), document)


def _document(results: Results, comparisons: Mapping[str, Comparison | None]) -> dict[str, Any]:
    """Return all content of the other formats."""
    known = [comparison for comparison in comparisons.values() if comparison is not None]
    return {
        **results.document(),
        "experiment": results.experiment.document(),
        "datasets": {name: inspection.document(dataset) for name, dataset in results.datasets.items()},
        "comparisons": [numbers.comparison_document(comparison) for comparison in known],
        "scores_of_parts": [_scores_of_parts(trial) for trial in results.done if trial.parts],
        "made_with": numbers.surroundings_document(),
    }


def _scores_of_parts(trial: TrialResult) -> dict[str, Any]:
    """Return the scores of every part separately: a row tested in several parts has several predictions."""
    scores = [None if part.side.scores is None else numbers.scores_document(part.side.scores) for part in trial.parts]
    return {"data": trial.spec.data, "label": trial.spec.label, "parts": scores}


def _paragraphs(note: str) -> list[Block]:
    """Split a note into paragraphs at blank lines; other line breaks of the TOML file have no meaning."""
    return [Paragraph(" ".join(part.split())) for part in note.split("\n\n") if part.strip()]


def _conclusions(sentences: list[str]) -> list[Block]:
    return [Heading("In short"), Paragraph(" ".join(sentences))] if sentences else []


# -- tables ---------------------------------------------------------------------------------------


def _overview(results: Results) -> list[Block]:
    rows = [_row(results, trial) for trial in results.done]
    columns = (
        "data",
        "run",
        "C",
        "gamma",
        "accuracy",
        "lowest",
        "highest",
        "time",
        "iterations",
        "support vectors",
        "worst gap",
        "ending",
    )
    blocks: list[Block] = [Heading("All runs")]
    blocks.append(
        Table(
            columns,
            tuple(rows),
            f"Accuracy, time, iterations and support vectors: {results.way} of the parts.",
            frozenset(range(2, 11)),
        )
    )
    refused = [trial for trial in results.trials if trial.refused]
    return blocks + [
        Paragraph(f"Not possible: {trial.spec.data} {trial.spec.label}: {trial.refused}") for trial in refused
    ]


def _row(results: Results, trial: TrialResult) -> tuple[str, ...]:
    way, accuracies = results.way, trial.accuracies
    endings = dict.fromkeys(str(part.document["ending"]) for part in trial.finished)
    return (
        trial.spec.data,
        trial.spec.label,
        *_parameters(trial),
        figures.accuracy(trial.summary("accuracy", way)),
        figures.accuracy(min(accuracies, default=None)),
        figures.accuracy(max(accuracies, default=None)),
        figures.seconds(trial.summary("seconds", way)),
        published_numbers.count(trial.summary("iterations", way)),
        published_numbers.count(trial.summary("n_support", way)),
        figures.gap(max(trial.worst_gap or 0.0, 0.0)),
        ", ".join(endings),
    )


def _parameters(trial: TrialResult) -> tuple[str, str]:
    """Return C and gamma, as ranges if a search chose different values in different parts."""
    costs = sorted({float(part.document["C"]) for part in trial.finished})
    gammas = sorted({float(part.document["kernel"].get("gamma", np.nan)) for part in trial.finished})
    return _spanned(costs), figures.NONE if np.isnan(gammas[0]) else _spanned(gammas)


def _spanned(values: list[float]) -> str:
    ends = list(dict.fromkeys([values[0], values[-1]]))
    return " to ".join(figures.parameter(value) if value in POWERS else f"{value:.4g}" for value in ends)


POWERS = {2.0**power for power in range(-40, 41)}


def _searches(results: Results) -> list[Block]:
    """Return the search of every run's first part; the other parts may have different best cells."""
    firsts = [(trial, trial.finished[0].document) for trial in results.done]
    rows = [_search_row(trial, document) for trial, document in firsts if "search" in document]
    if not rows:
        return []
    columns = ("data", "run", "search", "cells", "C", "gamma", "accuracy", "as good", "edges", "unsolved", "time")
    caption = (
        "The best cell of each search and its accuracy on the rows validated on. As good: other cells of the same"
        " accuracy; the smallest C, then gamma, is taken. Unsolved: cells that did not reach their tolerance."
    )
    return [
        Heading("Searches for C and gamma"),
        Table(columns, tuple(rows), caption, frozenset((3, 4, 5, 6, 7, 9, 10))),
    ]


def _search_row(trial: TrialResult, document: Mapping[str, Any]) -> tuple[str, ...]:
    found = document["search"]
    unsolved = figures.count(found["unsolved"])
    return (
        trial.spec.data,
        trial.spec.label,
        "" if trial.spec.search is None else trial.spec.search.text,
        figures.count(found["cells"]),
        figures.parameter(document["C"]),
        figures.parameter(document["kernel"].get("gamma")),
        figures.accuracy(found["mean"]),
        figures.count(found["equal"] - 1),
        ", ".join(found["edges"]),
        f"{unsolved} (up to {figures.gap(found['worst_gap'])})" if found["unsolved"] else unsolved,
        figures.seconds(found["seconds"]),
    )


def _ranks(results: Results) -> list[Block]:
    ranks = results.ranks
    if ranks is None:
        return []
    accuracy = results.table("accuracy")
    labels = results.labels
    rows = [
        (spec.name, *(figures.NONE if np.isnan(value) else figures.accuracy(float(value)) for value in accuracy[row]))
        for row, spec in enumerate(results.experiment.data)
    ]
    best = {
        (row, column + 1)
        for row, values in enumerate(accuracy)
        if np.isfinite(values).any()
        for column in np.flatnonzero(values == np.nanmax(values)).tolist()
    }
    mean = dict(zip(ranks.names, ranks.ranks.tolist(), strict=True))
    rows.append(("average rank", *(f"{mean[label]:.3f}" if label in mean else figures.NONE for label in labels)))
    table = Table(("data", *labels), tuple(rows), "Accuracy.", frozenset(range(1, len(labels) + 1)), frozenset(best))
    diagram = plots.CriticalDifference(ranks.names, ranks.ranks.tolist(), ranks.critical_difference, ranks.cliques())
    caption = "Average ranks. Machines under one bar are not told apart by Nemenyi's test (5%)."
    return [Heading("Over the data sets"), table, Figure(diagram, caption)]


# -- one data set ---------------------------------------------------------------------------------


def _on_one(results: Results, name: str, comparison: Comparison) -> list[Block]:
    trials = results.on(name)
    blocks: list[Block] = [*shared.data_blocks(results.datasets[name], name=name, test=results.tests_of[name])]
    blocks.append(Paragraph(as_sentence(shared.preparation_text(trials[0].spec.request))))
    spread = [trial for trial in trials if len(trial.accuracies) > 1]
    if spread and len(spread) <= shared.MOST_FIGURES:
        blocks.append(Figure(_spread(results, spread), "Accuracy in every part; the line marks what counts."))
    return [*blocks, *shared.comparison_blocks(comparison)]


def _spread(results: Results, trials: list[TrialResult]) -> plots.Spread:
    return plots.Spread(
        [trial.spec.label for trial in trials],
        [trial.spec.request.machine for trial in trials],
        [trial.accuracies for trial in trials],
        [trial.summary("accuracy", results.way) or 0.0 for trial in trials],
        "accuracy",
    )
