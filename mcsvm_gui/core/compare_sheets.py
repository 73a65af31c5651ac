"""Chosen runs side by side as tables, in the language of the moment. Made behind the window, shown in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from mcsvm_gui.core import figures
from mcsvm_gui.core.account import badge
from mcsvm_gui.core.chosen import Chosen, comparison_of, groups_of, tests_of
from mcsvm_gui.core.comparison import Comparison, Side
from mcsvm_gui.core.measures import MEASURES, Line, lines_of
from mcsvm_gui.core.sheet import Cell, Heading, Sheet, Sign, words
from mcsvm_gui.core.statistics import TestResult
from mcsvm_gui.core.words import tr

MOST_CLASSES = 12  # whose support vectors stand in the table of measures too
MOST_ROWS = 20_000  # on which runs disagree, that are listed
LEVEL = 0.05


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix of one run."""

    label: str
    machine: str
    accuracy: str
    counts: Sheet
    shares: Sheet


@dataclass(frozen=True)
class Effort:
    """What a run cost, for bars."""

    label: str
    machine: str
    seconds: float | None
    support: int | None
    bounded: int | None
    prediction: float | None  # seconds a row


@dataclass(frozen=True)
class Picture:
    """All tables of the page."""

    measures: Sheet
    same: frozenset[str]  # keys of measures in which all runs are alike
    matrices: tuple[Matrix, ...]
    per_class: Sheet
    margins: Sheet
    disagreements: Sheet
    disagreement_words: str
    tests: Sheet
    test_words: str
    efforts: tuple[Effort, ...] = ()


def picture(runs: Sequence[Chosen], names: Mapping[int, str]) -> Picture:
    """`names`: what runs are called, each otherwise."""
    runs = [replace(chosen, side=replace(chosen.side, label=names[chosen.run])) for chosen in runs]
    sides = [chosen.side for chosen in runs]
    measures, same = _measures(sides)
    disagreements, about = _disagreements(runs)
    tests = tests_of(runs)
    return Picture(
        measures,
        same,
        tuple(_matrix(side) for side in sides if side.scores is not None),
        _per_class(sides),
        _margins(sides),
        disagreements,
        about,
        _tests(tests),
        _test_words(runs, tests),
        tuple(map(_effort, sides)),
    )


def _effort(side: Side) -> Effort:
    document = side.document
    seconds, support, bounded = (document.get(name) for name in ("seconds", "n_support", "n_bounded"))
    prediction = MEASURES["prediction"].value(side)
    return Effort(side.label, str(document["machine"]), seconds, support, bounded, prediction)


def _of_runs(sides: Sequence[Side]) -> tuple[Heading, ...]:
    return tuple(Heading(side.label, machine=str(side.document["machine"])) for side in sides)


# -- measures -------------------------------------------------------------------------------------


def _measures(sides: Sequence[Side]) -> tuple[Sheet, frozenset[str]]:
    lines = lines_of(Comparison("", (), None, tuple(sides)))
    rows = {line.measure.name: _line(line) for line in sorted(lines, key=_rank)}
    rows["certificate"] = rows["certificate"][0], *map(_certificate, sides)
    classes = list(dict.fromkeys(name for side in sides for name in side.document["classes"]))
    if len(classes) <= MOST_CLASSES:
        rows |= {f"n_support {name}": _support_row(sides, name) for name in classes}
    same = frozenset(key for key, row in rows.items() if len({cell.text for cell in row[1:]}) == 1)
    return Sheet((Heading(tr("Measure"), number=False), *_of_runs(sides)), tuple(rows.values()), tuple(rows)), same


def _rank(line: Line) -> bool:
    """What came of it before what was asked for; the machine is in the heading."""
    return line.measure.group == "setting"


def _line(line: Line) -> tuple[Cell, ...]:
    measure, best = line.measure, line.best
    quiet = measure.group == "setting"
    cells = [
        Cell(_sortable(value), text, "best" if place in best else "quiet" if quiet else "")
        for place, (value, text) in enumerate(zip(line.values, line.texts, strict=True))
    ]
    tip = tr(measure.tip) if measure.tip else ""
    return words(tr(measure.title), "quiet" if quiet else "", tip), *cells


def _certificate(side: Side) -> Cell:
    """In a word with its sign: the gap has a line of its own."""
    found = badge(side.document)
    texts = {"solved": tr("Solved"), "nearly": tr("Nearly solved"), "not solved": tr("Not solved")}
    signs: dict[str, Sign] = {"solved": "solved", "nearly": "nearly", "not solved": "not solved"}
    return Cell(texts[found.kind], texts[found.kind], signs[found.kind], tip=f"{found.text}. {found.tip}")


def _sortable(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, int | float | str) else str(value)


def _support_row(sides: Sequence[Side], name: str) -> tuple[Cell, ...]:
    counts = [_support_of(side, name) for side in sides]
    return words(tr("Support vectors of {name}", name=name)), *(Cell(count, figures.count(count)) for count in counts)


def _support_of(side: Side, name: str) -> int | None:
    classes, counts = list(side.document["classes"]), side.document.get("n_support_per_class")
    return int(counts[classes.index(name)]) if counts and name in classes else None


# -- classes --------------------------------------------------------------------------------------


def _matrix(side: Side) -> Matrix:
    assert side.scores is not None
    names, table = [score.name for score in side.scores.per_class], side.scores.confusion
    totals = table.sum(axis=1, keepdims=True)
    shares = np.divide(table, totals, out=np.zeros(table.shape), where=totals > 0)
    headings = (Heading(tr("true ↓, decided →"), number=False), *(Heading(name) for name in names))
    heat = np.where(np.eye(len(names), dtype=bool), shares, -shares)

    def sheet(values: np.ndarray, printed: Any) -> Sheet:
        rows = [
            (words(names[i]), *(_heated(values[i, j].item(), printed, heat[i, j]) for j in range(len(names))))
            for i in range(len(names))
        ]
        return Sheet(headings, tuple(rows))

    tested = int(table.sum())
    return Matrix(
        side.label,
        str(side.document["machine"]),
        tr(
            "{accuracy} of {rows} rows",
            accuracy=figures.accuracy(side.scores.accuracy, tested),
            rows=figures.count(tested),
        ),
        sheet(table, figures.count),
        sheet(shares, figures.accuracy),
    )


def _heated(value: Any, printed: Any, heat: float) -> Cell:
    return Cell(value, printed(value), "" if value else "quiet", float(heat))


def _per_class(sides: Sequence[Side]) -> Sheet:
    headings = (
        *(Heading(tr("Class"), number=False), Heading(tr("Run"), number=False)),
        *(Heading(tr("Precision")), Heading(tr("Recall")), Heading(tr("F1")), Heading(tr("Rows"))),
        *(Heading(tr("Support vectors")), Heading(tr("Margin violations"), tip=_margin_tip())),
    )
    names = list(dict.fromkeys(name for side in sides for name in _class_names(side)))
    rows = [_class_row(side, name) for name in names for side in sides]
    return Sheet(headings, tuple(row for row in rows if row is not None))


def _margin_tip() -> str:
    return tr("How far training rows of the class fall short of the target margins, summed up")


def _class_names(side: Side) -> list[str]:
    return [score.name for score in side.scores.per_class] if side.scores else list(side.document["classes"])


def _class_row(side: Side, name: str) -> tuple[Cell, ...] | None:
    if name not in _class_names(side):
        return None
    score = None if side.scores is None else next(s for s in side.scores.per_class if s.name == name)
    shares = [None if score is None else getattr(score, part) for part in ("precision", "recall", "f1")]
    rows, support = None if score is None else score.rows, _support_of(side, name)
    classes, short = list(side.document["classes"]), None
    if side.violations is not None and name in classes:
        short = float(side.violations.sums[classes.index(name)].sum())
    return (
        *(words(name), words(side.label)),
        *(Cell(share, figures.NONE if share is None else f"{share:.3f}") for share in shares),
        *(Cell(rows, figures.count(rows)), Cell(support, figures.count(support)), _violation(short)),
    )


def _violation(value: float | None) -> Cell:
    return Cell(value, figures.NONE if value is None else f"{value:.5g}")


def _margins(sides: Sequence[Side]) -> Sheet:
    """Of every pair of classes both directions together; the bound stands below, called loose."""
    classes = list(dict.fromkeys(name for side in sides for name in side.document["classes"]))
    pairs = list(combinations(classes, 2))
    rows = [
        (words(a), words(b), *(_violation(_of_pair(side, a, b)) for side in sides))
        for a, b in pairs
        if any(side.violations is not None for side in sides)
    ]
    headings = (Heading(tr("Class"), number=False), Heading(tr("and class"), number=False), *_of_runs(sides))
    return Sheet(headings, tuple(rows))


def _of_pair(side: Side, a: str, b: str) -> float | None:
    classes = list(side.document["classes"])
    if side.violations is None or a not in classes or b not in classes:
        return None
    one, other = classes.index(a), classes.index(b)
    return float(side.violations.sums[one, other] + side.violations.sums[other, one])


# -- rows -----------------------------------------------------------------------------------------


def _disagreements(runs: Sequence[Chosen]) -> tuple[Sheet, str]:
    """Of the largest group of runs on the same rows."""
    groups = groups_of(runs)
    if not groups or len(groups[0]) < 2:
        return Sheet(), tr("Runs can disagree where at least two of them were tested on the same rows.")
    comparison = comparison_of(groups[0])
    found = comparison.disagreements()
    headings = (
        *(Heading(tr("Row"), tip=tr("Among the rows compared")), Heading(tr("Line in the file"))),
        Heading(tr("True class"), number=False),
        *(replace(heading, number=False) for heading in _of_runs(comparison.sides)),
    )
    rows = tuple(_disagreement(comparison, int(row)) for row in found[:MOST_ROWS])
    return Sheet(headings, rows), _about_rows(groups, comparison, int(found.size))


def _disagreement(comparison: Comparison, row: int) -> tuple[Cell, ...]:
    true = None if comparison.true is None else str(comparison.true[row])
    line = None if comparison.lines is None else int(comparison.lines[row])
    decided = [side.decisions[row] for side in comparison.sides]
    return (
        *(Cell(row + 1, figures.count(row + 1)), Cell(line, figures.count(line))),
        Cell(true, figures.NONE if true is None else true),
        *(
            Cell(label, figures.NONE if label is None else label, "wrong" if label != true and true else "")
            for label in decided
        ),
    )


def _about_rows(groups: Sequence[Sequence[Chosen]], comparison: Comparison, found: int) -> str:
    rows = comparison.sides[0].decisions.size
    said = [
        tr(
            "Rows that these {runs} runs decide differently: {found} of {rows}.",
            runs=len(groups[0]),
            found=figures.count(found),
            rows=figures.count(rows),
        )
    ]
    if comparison.true is not None:
        wrong = np.logical_and.reduce([~comparison.right(side) for side in comparison.sides])
        said.append(tr("Rows that all of them get wrong: {count}.", count=figures.count(int(wrong.sum()))))
    if groups[0][0].rows is not None and groups[0][0].rows.kind == "training":
        said.append(tr("Nothing was held out: these are training rows."))
    if len(groups) > 1:
        said.append(tr("The other chosen runs were tested on other rows."))
    if found > MOST_ROWS:
        said.append(tr("The first {count} are listed.", count=figures.count(MOST_ROWS)))
    return " ".join(said)


# -- tests ----------------------------------------------------------------------------------------


def _tests(results: Sequence[TestResult]) -> Sheet:
    headings = (
        *(Heading(title, number=False) for title in (tr("First"), tr("Second"), tr("Test"))),
        *(Heading(tr("First ahead by")), Heading(tr("Second ahead by")), Heading(tr("Statistic")), Heading(tr("p"))),
        Heading(tr("p, adjusted"), tip=tr("By Holm's method, for all pairs compared at once")),
        Heading(tr("In words"), number=False),
    )
    return Sheet(headings, tuple(_test(result) for result in results))


def _test(result: TestResult) -> tuple[Cell, ...]:
    names = {
        "mcnemar exact": tr("McNemar, exact"),
        "mcnemar corrected": tr("McNemar, corrected"),
        "corrected resampled t": tr("Corrected resampled t"),
    }
    adjusted = result.adjusted.get("holm", result.p)
    differs = adjusted < LEVEL
    return (
        *(words(result.between[0]), words(result.between[1]), words(names.get(result.name, result.name))),
        *_leads(result),
        Cell(result.statistic, "∞" if result.statistic is None else f"{result.statistic:.4g}"),
        *(Cell(p, _p(p)) for p in (result.p, adjusted)),
        words(tr("different (5 %)") if differs else tr("no difference shown"), "best" if differs else "quiet"),
    )


def _leads(result: TestResult) -> tuple[Cell, Cell]:
    """Rows that only one of them has right; or by how much its accuracy is higher."""
    details = result.details
    if "only_first_right" in details:
        counts = details["only_first_right"], details["only_second_right"]
        return tuple(Cell(count, figures.unit(figures.count(count), tr("rows"))) for count in counts)  # type: ignore[return-value]
    lead = float(details["mean_difference"])
    ahead, behind = Cell(abs(lead), figures.per_cent(abs(lead))), Cell(None, "")
    return (ahead, behind) if lead >= 0.0 else (behind, ahead)


def _p(p: float) -> str:
    return "<0.0001" if p < 1e-4 else f"{p:.4f}"


def _test_words(runs: Sequence[Chosen], tests: Sequence[TestResult]) -> str:
    if not tests:
        return tr("Tests need at least two runs that were tested on the same rows, or on the same several splits.")
    said = [tr("Adjusted for all pairs by Holm's method; at 5 % in words.")]
    if not any(result.name == "corrected resampled t" for result in tests):
        said.append(tr("Train the same machines with other seeds to compare them over several splits as well."))
    return " ".join(said)
