"""Our numbers next to those of the literature: one table for each measure, as the papers print them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.compare.measures import MEASURES
from mcsvm_gui.core.experiment import Results
from mcsvm_gui.core.experiment.results import beside_published
from mcsvm_gui.core.report.blocks import Block, Heading, Table


def count(value: float | None) -> str:
    return figures.NONE if value is None else figures.count(round(value))


def seconds(value: float) -> str:
    """Format seconds as papers do, all in one unit."""
    return count(value) if value >= 99.5 else f"{value:.2g}"


class Unit(NamedTuple):
    """The format in which papers print a number."""

    name: str
    printed: Callable[[float], str]
    ratios: bool  # whether ratios are more informative than differences


PERCENT = Unit("per cent", lambda value: figures.percent_number(value, 2), ratios=False)
SECONDS = Unit("seconds", seconds, ratios=True)
VECTORS = Unit("", lambda value: f"{value:.1f}".removesuffix(".0"), ratios=True)
EXPONENT = Unit("", "{:g}".format, ratios=False)
UNITS = {
    "accuracy": PERCENT,
    "validation": PERCENT,
    "iterations": Unit("", count, ratios=True),
    "seconds": SECONDS,
    "search_seconds": SECONDS,
    "n_support": VECTORS,
    "log2_C": EXPONENT,
    "log2_gamma": EXPONENT,
}
TITLES = {  # measures that no single run has
    "validation": "Accuracy of the best cell of the search",
    "search_seconds": "Time of the search",
    "log2_C": "log2 C",
    "log2_gamma": "log2 gamma",
}
Known = dict[tuple[str, str], tuple[float, float | None]]


def blocks(results: Results) -> list[Block]:
    found: dict[str, Known] = {}
    for data, label, measure, theirs, ours in beside_published(results):
        found.setdefault(measure, {})[data, label] = theirs, ours
    tables = [_table(results, measure, found[measure]) for measure in UNITS if measure in found]
    return [Heading("Beside the published numbers"), *tables] if tables else []


def _table(results: Results, measure: str, known: Known) -> Table:
    """Return the table with two columns for every run, ours and theirs; `gap` marks a row short of its tolerance."""
    unit, title = UNITS[measure], TITLES.get(measure) or MEASURES[measure].title
    labels = [label for label in results.labels if any(label == name for _, name in known)]
    names = [spec.name for spec in results.experiment.data if any(spec.name == data for data, _ in known)]
    columns = ("data", *(text for label in labels for text in (label, "paper")))
    rows = [(name, *_cells(results, name, labels, known, unit.printed)) for name in names]
    if unit is not EXPONENT:
        summary, solved = ("median ratio", _solved(results, known)) if unit.ratios else ("mean difference", known)
        rows.append((summary, *(text for label in labels for text in (_summary(label, solved, unit), ""))))
    heading = f"{title}, {unit.name}" if unit.name else title
    unsolved = "; * did not reach its tolerance" if any("*" in text for row in rows for text in row) else ""
    several = any(len(trial.tested) > 1 for trial in results.done)
    here = f"here ({results.way} of the parts)" if several else "here"
    caption = f"{heading}: {here}, then published{unsolved}."
    return Table(columns, tuple(rows), caption, frozenset(range(1, len(columns))))


def _cells(
    results: Results, data: str, labels: Sequence[str], known: Known, printed: Callable[[float], str]
) -> list[str]:
    cells = []
    for label in labels:
        theirs, ours = known.get((data, label), (None, None))
        trial = results.trial(data, label)
        star = "" if trial is None or trial.converged else "*"
        cells += [figures.NONE if ours is None else printed(ours) + star, "" if theirs is None else printed(theirs)]
    return cells


def _solved(results: Results, known: Known) -> Known:
    """Return the rows without those that ended before their tolerance, which have no number to compare."""
    return {
        place: numbers
        for place, numbers in known.items()
        if (trial := results.trial(*place)) is not None and trial.converged
    }


def _summary(label: str, known: Known, unit: Unit) -> str:
    pairs = [(theirs, ours) for (_, name), (theirs, ours) in known.items() if name == label and ours is not None]
    if unit.ratios:
        values = [ours / theirs for theirs, ours in pairs if theirs]
        return f"{float(np.median(values)):.2g}" if values else figures.NONE
    if not pairs:
        return figures.NONE
    return figures.points(float(np.mean([ours - theirs for theirs, ours in pairs])), signed=True, decimals=2)
