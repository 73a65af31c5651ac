"""Tables of compared runs: each is built in this module or in `differences`, for the window and for reports.

`comparison_tables` builds all of them in the current language, in the background of the window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.compare.comparison import Comparison, Side
from mcsvm_gui.core.compare.differences import disagreements_of, run_headings, table_of_tests, text_on_tests
from mcsvm_gui.core.compare.measures import MEASURES, MeasureRow, measure_rows
from mcsvm_gui.core.compare.result_table import Header, ResultTable, Sign, TableCell, text_cell, translated
from mcsvm_gui.core.compare.tested_runs import ScoredRun, tests_of
from mcsvm_gui.core.machine.summary import badge

MOST_CLASSES = 12  # with more classes, the table of measures omits their support vectors


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix of one run."""

    label: str
    machine: str
    accuracy: str
    counts: ResultTable
    shares: ResultTable
    run: int | None = None


@dataclass(frozen=True)
class ClassMark:
    """The F1 of a class by one run; None if the class has no test rows."""

    name: str
    label: str  # label of the run
    machine: str
    f1: float | None


@dataclass(frozen=True)
class RunCost:
    """The costs of a run, for bar charts."""

    label: str
    machine: str
    seconds: float | None
    support: int | None
    bounded: int | None
    prediction: float | None  # seconds per row


@dataclass(frozen=True)
class ComparisonTables:
    """All tables of the page."""

    measures: ResultTable
    same: frozenset[str]  # keys of measures that are equal for all runs
    matrices: tuple[Matrix, ...]
    per_class: ResultTable
    margins: ResultTable
    disagreements: ResultTable
    disagreement_words: str
    tests: ResultTable
    test_words: str
    costs: tuple[RunCost, ...] = ()
    class_marks: tuple[ClassMark, ...] = ()


def comparison_tables(runs: Sequence[ScoredRun], names: Mapping[int, str]) -> ComparisonTables:
    """Build all tables. `names`: a unique name for each run."""
    runs = [replace(chosen, side=replace(chosen.side, label=names[chosen.run])) for chosen in runs]
    sides = [chosen.side for chosen in runs]
    measures, same = _measures(sides)
    disagreements, about = disagreements_of(runs)
    tests = tests_of(runs)
    return ComparisonTables(
        measures,
        same,
        tuple(replace(_in_text(confusion(one.side)), run=one.run) for one in runs if one.side.scores is not None),
        translated(class_table(sides)),
        translated(_margins(sides)),
        translated(disagreements),
        about,
        translated(table_of_tests(tests)),
        text_on_tests(tests),
        tuple(map(_cost, sides)),
        tuple(class_marks(sides)),
    )


def _cost(side: Side) -> RunCost:
    document = side.document
    seconds, support, bounded = (document.get(name) for name in ("seconds", "n_support", "n_bounded"))
    prediction = MEASURES["prediction"].value(side)
    return RunCost(side.label, str(document["machine"]), seconds, support, bounded, prediction)


# -- measures -------------------------------------------------------------------------------------


def _measures(sides: Sequence[Side]) -> tuple[ResultTable, frozenset[str]]:
    lines = measure_rows(Comparison("", (), None, tuple(sides)))
    rows = {line.measure.name: _line(line) for line in sorted(lines, key=_rank)}
    rows["certificate"] = rows["certificate"][0], *map(_certificate, sides)
    classes = list(dict.fromkeys(name for side in sides for name in side.document["classes"]))
    if len(classes) <= MOST_CLASSES:
        rows |= {f"n_support {name}": _support_row(sides, name) for name in classes}
    same = frozenset(key for key, row in rows.items() if len({cell.text for cell in row[1:]}) == 1)
    return ResultTable(
        (Header(tr("Measure"), number=False), *run_headings(sides)), tuple(rows.values()), tuple(rows)
    ), same


def _rank(line: MeasureRow) -> bool:
    """Sort results before settings; the machine is in the heading."""
    return line.measure.group == "setting"


def _line(line: MeasureRow) -> tuple[TableCell, ...]:
    measure, best = line.measure, line.best
    quiet = measure.group == "setting"
    cells = [
        TableCell(_sortable(value), text, "best" if place in best else "quiet" if quiet else "")
        for place, (value, text) in enumerate(zip(line.values, line.texts, strict=True))
    ]
    tip = tr(measure.tip) if measure.tip else ""
    return text_cell(tr(measure.title), "quiet" if quiet else "", tip), *cells


def _certificate(side: Side) -> TableCell:
    """Return the certificate as one word with its sign; the gap has its own row."""
    found = badge(side.document)
    texts = {"solved": tr("Solved"), "close": tr("Close to solved"), "not solved": tr("Not solved")}
    signs: dict[str, Sign] = {"solved": "solved", "close": "close", "not solved": "not solved"}
    return TableCell(texts[found.kind], texts[found.kind], signs[found.kind], tip=f"{found.text}. {found.tip}")


def _sortable(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, int | float | str) else str(value)


def _support_row(sides: Sequence[Side], name: str) -> tuple[TableCell, ...]:
    counts = [_support_of(side, name) for side in sides]
    return text_cell(tr("Support vectors of {name}", name=name)), *(
        TableCell(count, figures.count(count)) for count in counts
    )


def _support_of(side: Side, name: str) -> int | None:
    classes, counts = list(side.document["classes"]), side.document.get("n_support_per_class")
    return int(counts[classes.index(name)]) if counts and name in classes else None


# -- classes --------------------------------------------------------------------------------------


def _in_text(matrix: Matrix) -> Matrix:
    accuracy, counts, shares = worded(matrix.accuracy), translated(matrix.counts), translated(matrix.shares)
    return replace(matrix, accuracy=accuracy, counts=counts, shares=shares)


def confusion(side: Side) -> Matrix:
    """Return the confusion matrix of a side that has scores."""
    assert side.scores is not None
    names, table = [score.name for score in side.scores.per_class], side.scores.confusion
    counts, shares = matrix_tables(names, table)
    tested = table.sum().item()
    return Matrix(
        side.label,
        str(side.document["machine"]),
        Sentence(
            "{accuracy} of {rows} rows" if isinstance(tested, int) else "{accuracy} of the rows, which weigh {rows}",
            accuracy=figures.accuracy(side.scores.accuracy, max(int(tested), 1)),
            rows=figures.amount(tested),
        ),
        counts,
        shares,
    )


def matrix_tables(names: Sequence[str], table: np.ndarray) -> tuple[ResultTable, ResultTable]:
    """Return the counts, and the shares of each true class; the keys of both are the classes."""
    totals = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, totals, out=np.zeros(table.shape), where=totals > 0)
    nothing = np.broadcast_to(totals == 0, shares.shape)
    headings = (
        Header(Sentence("true \\ predicted"), number=False),
        *(Header(name, term=Sentence("true \\ predicted")) for name in names),
    )
    heat = np.where(np.eye(len(names), dtype=bool), shares, -shares)

    def build_table(values: np.ndarray, printed: Any, absent: np.ndarray) -> ResultTable:
        rows = [
            (
                text_cell(names[i]),
                *(
                    TableCell(None, figures.NONE, "quiet")
                    if absent[i, j]
                    else _heated(values[i, j].item(), printed, heat[i, j])
                    for j in range(len(names))
                ),
            )
            for i in range(len(names))
        ]
        return ResultTable(headings, tuple(rows), tuple(names))

    return build_table(table, figures.amount, np.zeros_like(nothing)), build_table(shares, figures.accuracy, nothing)


def _heated(value: Any, printed: Any, heat: float) -> TableCell:
    return TableCell(value, printed(value), "" if value else "quiet", float(heat))


def class_table(sides: Sequence[Side]) -> ResultTable:
    """Return a table with every class of every run."""
    tip = Sentence("How far training rows of the class fall short of the target margins, summed up")
    headings = (
        *(
            Header(Sentence("Class"), number=False),
            *([Header(Sentence("Run"), number=False)] * (len(sides) > 1)),
        ),
        *(Header(Sentence("Precision")), Header(Sentence("Recall")), Header(Sentence("F1"))),
        *(Header(Sentence("Rows")), Header(Sentence("Support vectors"))),
        Header(Sentence("Margin violations"), tip=tip),
    )
    names = dict.fromkeys(name for side in sides for name in _class_names(side))
    rows = [_class_row(side, name) for name in names for side in sides if name in _class_names(side)]
    rows += [_mean_row(side) for side in sides if side.scores is not None]
    return ResultTable(headings, tuple(rows if len(sides) > 1 else ((row[0], *row[2:]) for row in rows)))


def class_marks(sides: Sequence[Side]) -> list[ClassMark]:
    """Return the F1 of every class by every run that was tested."""
    return [
        ClassMark(score.name, side.label, str(side.document["machine"]), score.f1 if score.rows > 0 else None)
        for side in sides
        if side.scores is not None
        for score in side.scores.per_class
    ]


def _class_names(side: Side) -> list[str]:
    return [score.name for score in side.scores.per_class] if side.scores else list(side.document["classes"])


def _class_row(side: Side, name: str) -> tuple[TableCell, ...]:
    score = None if side.scores is None else next(s for s in side.scores.per_class if s.name == name)
    shares = [None if score is None else getattr(score, part) for part in ("precision", "recall", "f1")]
    rows, support = None if score is None else score.rows, _support_of(side, name)
    classes, short = list(side.document["classes"]), None
    if side.violations is not None and name in classes:
        short = float(side.violations.sums[classes.index(name)].sum())
    return (
        *(text_cell(name), text_cell(side.label)),
        *(TableCell(share, figures.rating(share, 3)) for share in shares),
        *(TableCell(rows, figures.amount(rows)), TableCell(support, figures.count(support)), _violation(short)),
    )


def _mean_row(side: Side) -> tuple[TableCell, ...]:
    """Return the row of means over the classes that have rows (macro averages)."""
    scores = side.scores
    assert scores is not None
    tested = [score for score in scores.per_class if score.rows > 0]
    precision = sum(score.precision or 0.0 for score in tested) / max(len(tested), 1)
    classes = Sentence("Mean of {count} class", "Mean of {count} classes", count=len(tested))
    if len(tested) < len(scores.per_class):
        classes = Sentence("Mean of {count} of {all} classes", count=len(tested), all=len(scores.per_class))
    total = scores.confusion.sum().item()
    f1 = (
        TableCell(scores.macro_f1, figures.rating(scores.macro_f1, 3), "quiet")
        if scores.averaged == len(tested)
        else TableCell(
            scores.macro_f1,
            figures.rating(scores.macro_f1, 3),
            "quiet",
            tip=tr("{count} classes count: also those that were only predicted", count=scores.averaged),
        )
    )
    return (
        *(text_cell(classes, "quiet"), text_cell(side.label, "quiet")),
        TableCell(precision, figures.rating(precision, 3), "quiet"),
        TableCell(scores.balanced_accuracy, figures.rating(scores.balanced_accuracy, 3), "quiet"),
        f1,
        TableCell(total, figures.amount(total), "quiet"),
        *(TableCell(None, ""), TableCell(None, "")),
    )


def _violation(value: float | None) -> TableCell:
    return TableCell(value, figures.number(value))


def _margins(sides: Sequence[Side]) -> ResultTable:
    """Return the margin violations of every pair of classes, summed over both directions."""
    classes = list(dict.fromkeys(name for side in sides for name in side.document["classes"]))
    pairs = list(combinations(classes, 2))
    rows = [
        (text_cell(a), text_cell(b), *(_violation(_of_pair(side, a, b)) for side in sides))
        for a, b in pairs
        if any(side.violations is not None for side in sides)
    ]
    headings = (
        Header(Sentence("Class"), number=False),
        Header(Sentence("and class"), number=False),
        *run_headings(sides),
    )
    return ResultTable(headings, tuple(rows))


def _of_pair(side: Side, a: str, b: str) -> float | None:
    classes = list(side.document["classes"])
    if side.violations is None or a not in classes or b not in classes:
        return None
    one, other = classes.index(a), classes.index(b)
    return float(side.violations.sums[one, other] + side.violations.sums[other, one])
