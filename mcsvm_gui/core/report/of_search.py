"""The report of a search for C and gamma, from the document of `mcsvm tune --json`."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.data import inspection
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.report import numbers, plots, shared
from mcsvm_gui.core.report.blocks import Block, Figure, Heading, Paragraph, Report, Table, full_names
from mcsvm_gui.core.report.chapters import OF_SEARCH
from mcsvm_gui.core.tune.options import SCORES

MOST_CELLS = 2000  # in a table
NESTED = Sentence(
    "The nested estimate is for the whole search, on rows that it has not seen. The mean of the best cell is"
    " optimistic."
)


def report_of(
    document: Mapping[str, Any], dataset: Dataset | None, redo: str, chapters: Collection[str] = OF_SEARCH
) -> Report:
    """Build the report; `redo` is the command that searches again, empty if no command can."""
    blocks = search_blocks(document, chapters=chapters)
    if dataset is not None and "data" in chapters:
        blocks += shared.data_blocks(dataset)
    blocks += [Paragraph(tr("Warning: {sentence}", sentence=sentence)) for sentence in document.get("warnings", ())]
    blocks += [
        *(shared.surroundings() if "software" in chapters else []),
        *(shared.redo_blocks(redo, tr("Run this command:")) if redo else []),
    ]
    blocks += full_names([] if dataset is None else dataset.classes)
    datasets = {} if dataset is None else {dataset.digest: inspection.document(dataset)}
    more = {"datasets": datasets, "made_with": numbers.surroundings_document(), "redo": redo or None}
    return Report(tr("Search for C and gamma"), shared.made(), tuple(blocks), {**document, **more})


def search_blocks(
    document: Mapping[str, Any], level: int = 2, most: int = MOST_CELLS, chapters: Collection[str] = OF_SEARCH
) -> list[Block]:
    """Return the blocks; `most` is the number of listed cells per machine, the best ones."""
    cells = list(document["cells"])
    blocks: list[Block] = [*_summary(document), *_best(document, level), *_per_pair(document, level)]
    known, measure = [cell["mean"] for cell in cells if _known(cell)], _measure(document)
    limits = (min(known), max(known)) if known else (0.0, 1.0)
    machines = dict.fromkeys([*document["best"], *(cell["machine"] for cell in cells)])
    for machine in machines if "cells" in chapters else ():
        mine = [cell for cell in cells if cell["machine"] == machine]
        map_ = _heat_map(mine, machine, limits, document["best"].get(machine), measure)
        blocks += [
            Heading(tr("Cells of {machine}", machine=machine), level),
            *map_,
            _table(mine, _parts(document), most, measure),
        ]
    return [*blocks, *(_asked(document, level) if "settings" in chapters else [])]


def _measure(document: Mapping[str, Any]) -> str:
    """Return the measure by which cells were compared."""
    return str(document.get("score") or "accuracy")


def _titled(measure: str) -> str:
    return tr("mean accuracy") if measure == "accuracy" else tr(SCORES[measure])


# -- in words -------------------------------------------------------------------------------------


def _summary(document: Mapping[str, Any]) -> list[Block]:
    words = tr("{count} cell", "{count} cells", count=len(document["cells"]))
    words += tr(" by {search} search", search=document["search"]) if document.get("search") else ""
    words += tr(", chosen by {score}", score=_titled(_measure(document))) if _measure(document) != "accuracy" else ""
    words += (
        tr(" in {seconds}", seconds=figures.seconds(document["seconds"])) if document.get("seconds") is not None else ""
    )
    said = [
        tr("{words}; {validation}, seed {seed}.", words=words, validation=_validation(document), seed=document["seed"])
        if "seed" in document
        else f"{words}."
    ]
    if document.get("running"):
        said.append(tr("Still running when this report was written; it shows the results up to then."))
    if document.get("stopped"):
        said.append(tr("Stopped before it was finished; the results up to then are shown."))
    if document.get("ended_by_budget"):
        said.append(
            tr("The time budget of {seconds} ended it; the best result so far is shown.", seconds=_budget(document))
        )
    if document.get("trouble"):
        said.append(tr("It ended early: {trouble}", trouble=document["trouble"]))
    return [Paragraph(sentence) for sentence in [*said, *_unfinished(document)]]


def _budget(document: Mapping[str, Any]) -> str:
    return figures.seconds(document["budget"])


def _unfinished(document: Mapping[str, Any]) -> list[str]:
    """Describe cells whose mean rests on less data than requested."""
    cells, whole = document["cells"], _parts(document)
    few = sum(cell.get("share", 1.0) < 1.0 for cell in cells)
    if few:
        counts = {"few": figures.count(few), "count": figures.count(len(cells))}
        return [
            tr(
                "{few} of {count} cells were trained on part of the rows only; the search abandoned them early.",
                **counts,
            )
        ]
    short = sum(_done(cell) < whole for cell in cells if "fold_accuracy" in cell)
    if not short:
        return []
    return [
        tr(
            "{short} of {count} cells were tested on fewer than {whole} folds.",
            short=figures.count(short),
            count=figures.count(len(cells)),
            whole=whole,
        )
    ]


def _validation(document: Mapping[str, Any]) -> str:
    share, repeats = document.get("holdout"), document.get("repeats", 1)
    again = tr(", repeated {repeats} times", repeats=repeats) if repeats > 1 else ""
    if share:
        return tr("validated on {share} of the rows", share=figures.exact_percent(share))
    return tr("{folds}-fold cross-validation{again}", folds=document["folds"], again=again)


def _parts(document: Mapping[str, Any]) -> int:
    """Return the number of parts on which each cell is tried."""
    return int(document.get("folds", 0)) * int(document.get("repeats", 1))


def _done(cell: Mapping[str, Any]) -> int:
    return len(cell.get("fold_accuracy", ()))


def _asked(document: Mapping[str, Any], level: int) -> list[Block]:
    if "request" not in document:
        return []
    words = shared.preparation_text(Request.from_document(document["request"]))
    ranges = {name: _range(found) for name, found in document.get("ranges", {}).items() if found is not None}
    costs = {"costs": document["costs"]} if document.get("costs") else {}
    asked = {tr("machines"): ", ".join(document.get(tr("machines"), ())), **ranges, **document["request"], **costs}
    blocks = shared.asked_blocks({name: value for name, value in asked.items() if value != ""}, level)
    return [*blocks, Paragraph(tr("{ranges}; chosen anew in every fold.", ranges=words.capitalize()))]


def _range(found: Mapping[str, float]) -> str:
    return tr(
        "2^{low:g} to 2^{high:g}, step 2^{step:g}",
        low=math.log2(found["from"]),
        high=math.log2(found["to"]),
        step=found["step"],
    )


# -- the best -------------------------------------------------------------------------------------


def _best(document: Mapping[str, Any], level: int) -> list[Block]:
    best, nested, measure = document["best"], document.get("nested") or {}, _measure(document)
    edged = any(found.get("edges") for found in best.values())
    columns = [tr("machine"), "C", tr("gamma"), _titled(measure), tr("parts"), *(["nested"] if nested else [])]
    columns += [tr("on the edge")] if edged else []
    rows = []
    for machine, found in best.items():
        cells = [machine, figures.parameter(found["C"]), figures.parameter(found["gamma"])]
        cells += [
            figures.score(measure, found["mean"]),
            _of_all(found.get("folds", _parts(document)), _parts(document)),
        ]
        cells += [_mean(nested.get(machine), measure)] if nested else []
        cells += [", ".join(map(_edge, found.get("edges", ())))] if edged else []
        rows.append(tuple(cells))
    caption = (
        worded(NESTED) if nested else tr("The mean of the best cell is optimistic, because it is the best of many.")
    )
    table = Table(tuple(columns), tuple(rows), caption, frozenset(range(1, 5 + bool(nested))))
    return [Heading(tr("The best cell of every machine"), level), table]


def _edge(name: str) -> str:
    """Translate the name of an edge of the grid."""
    return {
        "C low": tr("C low"),
        "C high": tr("C high"),
        "gamma low": tr("gamma low"),
        "gamma high": tr("gamma high"),
    }.get(name, name)


def _of_all(done: int, whole: int) -> str:
    return str(done) if done == whole else tr("{done} of {whole}", done=done, whole=whole)


def _mean(found: Mapping[str, Any] | None, measure: str) -> str:
    return figures.NONE if found is None else figures.score(measure, found["mean"])


def _per_pair(document: Mapping[str, Any], level: int) -> list[Block]:
    """Show the result of a search for each pair of classes."""
    blocks: list[Block] = []
    for machine, best in document["best"].items():
        found = best.get("per_pair")
        if not found:
            continue
        rows = tuple(
            (*pair["classes"], figures.parameter(pair["C"]), *_gamma_and_mean(pair)) for pair in found["pairs"]
        )
        columns = tr("class"), tr("against"), "C", tr("gamma"), tr("mean accuracy")
        caption = tr("Mean accuracy on the rows of the two classes, over all folds.")
        table = Table(columns, rows[: shared.MOST_ROWS], caption, frozenset({2, 3, 4}))
        blocks += [
            Heading(tr("C and gamma for each pair of classes: {machine}", machine=machine), level),
            *_together(found, best),
            table,
        ]
        if len(rows) > shared.MOST_ROWS:
            blocks.append(
                Paragraph(
                    tr(
                        "The first {most_rows} of {rows} pairs; the JSON report has all.",
                        most_rows=shared.MOST_ROWS,
                        rows=len(rows),
                    )
                )
            )
    return blocks


def _gamma_and_mean(pair: Mapping[str, Any]) -> tuple[str, str]:
    return figures.parameter(pair["gamma"]), figures.accuracy(pair["mean"])


def _together(found: Mapping[str, Any], best: Mapping[str, Any]) -> list[Block]:
    if found.get("mean") is None:
        return []
    ours, alike = figures.accuracy(found["mean"]), figures.accuracy(best["mean"])
    return [
        Paragraph(
            tr(
                "With C and gamma of its own for each pair: {ours}; with the same for all pairs: {alike}.",
                ours=ours,
                alike=alike,
            )
        )
    ]


# -- cells ----------------------------------------------------------------------------------------


def _known(cell: Mapping[str, Any]) -> bool:
    return cell["mean"] is not None and math.isfinite(cell["mean"])


def _heat_map(
    cells: Sequence[Mapping[str, Any]],
    machine: str,
    limits: tuple[float, float],
    best: Mapping[str, Any] | None,
    measure: str,
) -> list[Block]:
    """Draw a heat map with the colour limits that all machines share."""
    costs = sorted({cell["C"] for cell in cells})
    gammas = sorted({cell["gamma"] for cell in cells if cell["gamma"] is not None})
    if len(gammas) < 2 or len(costs) < 2:
        return []
    values = np.full((len(costs), len(gammas)), np.nan)
    for cell in cells:
        if cell["gamma"] is not None and _known(cell):
            values[costs.index(cell["C"]), gammas.index(cell["gamma"])] = cell["mean"]
    ringed = None
    if best is not None and best["C"] in costs and best["gamma"] in gammas:
        ringed = costs.index(best["C"]), gammas.index(best["gamma"])
    falls, named = measure in figures.LOSSES, _titled(measure)
    plot = plots.HeatFigure(values, _powers(costs), _powers(gammas), "log2 C", "log2 gamma", limits, ringed, falls)
    said = tr("{measure} of {machine} over the cells; the ring marks the best.", measure=named, machine=machine)
    return [Figure(plot, said[:1].upper() + said[1:])]


def _powers(values: Sequence[float]) -> list[str]:
    return [figures.localised(f"{math.log2(value):g}"[:6]) for value in values]


def _table(cells: Sequence[Mapping[str, Any]], whole: int, most: int, measure: str) -> Table:
    """Return the table of cells, with all stored measures of a cell."""
    sign = 1.0 if measure in figures.LOSSES else -1.0
    ordered = sorted(cells, key=lambda cell: sign * cell["mean"] if _known(cell) else math.inf)[:most]
    known = {name for cell in cells for name, mean in cell.get("scores", {}).items() if mean is not None}
    others = [name for name in SCORES if name in known and name != measure]
    rows = tuple(
        (
            figures.parameter(cell["C"]),
            figures.parameter(cell["gamma"]),
            figures.score(measure, cell["mean"]),
            figures.score(measure, cell["std"]) if cell["std"] else figures.NONE,
            *(figures.score(name, cell.get("scores", {}).get(name)) for name in others),
            _of_all(_done(cell), whole),
            figures.seconds(cell["seconds"]),
            figures.localised(f"{cell['n_support']:.1f}".removesuffix(".0")),
        )
        for cell in ordered
    )
    named = "C", tr("gamma"), _titled(measure), tr("deviation"), *(tr(SCORES[name]) for name in others)
    columns = *named, tr("parts"), tr("time"), tr("support vectors")
    listed = (
        tr("The {most} of the best mean, of {cells}.", most=most, cells=len(cells))
        if len(cells) > most
        else tr("The best mean first.")
    )
    return Table(columns, rows, listed, frozenset(range(len(columns))))
