"""The report of a search for C and gamma, from the document of `mcsvm tune --json`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mcsvm_gui.core import figures
from mcsvm_gui.core.dataset import Dataset
from mcsvm_gui.core.report import parts, plots
from mcsvm_gui.core.report.blocks import Block, Figure, Heading, Paragraph, Report, Table, full_names

MOST_CELLS = 2000  # in a table


def report_of(document: Mapping[str, Any], dataset: Dataset | None, redo: str) -> Report:
    """`redo`: the command that searches again."""
    cells = list(document["cells"])
    found = (
        f"{figures.count(len(cells))} cells by {document['search']} search in {figures.seconds(document['seconds'])}"
    )
    blocks: list[Block] = [Paragraph(f"{found}; {_validation(document)}, seed {document['seed']}."), *_best(document)]
    known = [cell["mean"] for cell in cells if cell["mean"] is not None and math.isfinite(cell["mean"])]
    limits = (min(known), max(known)) if known else (0.0, 1.0)
    for machine in dict.fromkeys([*document["best"], *(cell["machine"] for cell in cells)]):
        mine = [cell for cell in cells if cell["machine"] == machine]
        blocks += [Heading(f"Cells of {machine}"), *_heat_map(mine, machine, limits), _table(mine)]
    if dataset is not None:
        blocks += parts.data_blocks(dataset)
    blocks += [Paragraph(f"Warning: {sentence}") for sentence in document.get("warnings", ())]
    blocks += [*parts.surroundings(), *parts.redo_blocks(redo, "Run this command:")]
    blocks += full_names([] if dataset is None else dataset.classes)
    return Report("Search for C and gamma", parts.made(), tuple(blocks), document)


def _validation(document: Mapping[str, Any]) -> str:
    share = document.get("holdout")
    return f"validated on {100 * share:g} % of the rows" if share else f"{document['folds']}-fold cross-validation"


def _best(document: Mapping[str, Any]) -> list[Block]:
    rows = tuple(
        (
            machine,
            figures.parameter(best["C"]),
            figures.parameter(best["gamma"]),
            figures.accuracy(best["mean"]),
            _nested(document, machine),
        )
        for machine, best in document["best"].items()
    )
    caption = (
        "The nested estimate is of the whole search, on rows it has not seen; the mean of the best cell is too kind."
    )
    table = Table(("machine", "C", "gamma", "mean accuracy", "nested"), rows, caption, frozenset(range(1, 5)))
    return [Heading("The best cell of every machine"), table]


def _nested(document: Mapping[str, Any], machine: str) -> str:
    found = (document.get("nested") or {}).get(machine)
    return figures.NONE if found is None else figures.accuracy(found["mean"])


def _heat_map(cells: Sequence[Mapping[str, Any]], machine: str, limits: tuple[float, float]) -> list[Block]:
    """On the colours that all machines share."""
    costs = sorted({cell["C"] for cell in cells})
    gammas = sorted({cell["gamma"] for cell in cells if cell["gamma"] is not None})
    if len(gammas) < 2 or len(costs) < 2:
        return []
    values = np.full((len(costs), len(gammas)), np.nan)
    for cell in cells:
        if cell["gamma"] is not None and cell["mean"] is not None:
            values[costs.index(cell["C"]), gammas.index(cell["gamma"])] = cell["mean"]
    place = np.unravel_index(int(np.nanargmax(values)), values.shape)
    best = int(place[0]), int(place[1])
    plot = plots.HeatMap(values, _powers(costs), _powers(gammas), "log2 C", "log2 gamma", limits, best)
    return [Figure(plot, f"Mean accuracy of {machine} over the cells; the ring marks the largest.")]


def _powers(values: Sequence[float]) -> list[str]:
    return [f"{math.log2(value):g}"[:6] for value in values]


def _table(cells: Sequence[Mapping[str, Any]]) -> Table:
    ordered = sorted(cells, key=lambda cell: -cell["mean"])[:MOST_CELLS]
    rows = tuple(
        (
            figures.parameter(cell["C"]),
            figures.parameter(cell["gamma"]),
            figures.accuracy(cell["mean"]),
            figures.accuracy(cell["std"]) if cell["std"] else figures.NONE,
            figures.seconds(cell["seconds"]),
            f"{cell['n_support']:.1f}".removesuffix(".0"),
        )
        for cell in ordered
    )
    columns = "C", "gamma", "mean accuracy", "deviation", "time", "support vectors"
    return Table(columns, rows, "The best first.", frozenset(range(6)))
