"""The rows on which runs disagree, and the tests of their differences, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.compare.comparison import Comparison, Side
from mcsvm_gui.core.compare.result_table import Header, ResultTable, TableCell, text_cell
from mcsvm_gui.core.compare.tested_runs import ScoredRun, comparison_of, groups_of
from mcsvm_gui.core.evaluate.statistics import SIGNIFICANT, TestResult

MOST_ROWS = 20_000  # largest number of rows in the list
EXACT, CORRECTED = "mcnemar exact", "mcnemar corrected"  # two ways to compute the p value of one test
TESTS = {
    EXACT: Sentence("McNemar, exact"),
    CORRECTED: Sentence("McNemar, corrected"),
    "corrected resampled t": Sentence("Corrected resampled t"),
}
CHI_SQUARED = Sentence("McNemar's test by the chi-squared distribution with continuity correction, not adjusted")
ADJUSTED = {"nemenyi": "Nemenyi", "holm": "Holm", "shaffer": "Shaffer", "bergmann-hommel": "Bergmann-Hommel"}


def run_headings(sides: Sequence[Side]) -> tuple[Header, ...]:
    return tuple(Header(side.label, machine=str(side.document["machine"]), term=Sentence("Run")) for side in sides)


# -- rows -----------------------------------------------------------------------------------------


def disagreements_of(runs: Sequence[ScoredRun]) -> tuple[ResultTable, str]:
    """Return the disagreements of the largest group of runs on the same rows, and sentences about them."""
    groups = groups_of(runs)
    if not groups or len(groups[0]) < 2:
        return ResultTable(), tr("Disagreements need at least two runs that were tested on the same rows.")
    comparison = comparison_of(groups[0])
    found = comparison.disagreements()
    return disagreement_table(comparison, found[:MOST_ROWS]), _about_rows(groups, comparison, int(found.size))


def disagreement_table(comparison: Comparison, rows: np.ndarray) -> ResultTable:
    headings = (
        Header(Sentence("Row"), tip=Sentence("The number of the data row in the file")),
        *(Header(name, number=False, term=Sentence("Row")) for name in comparison.names),
        Header(Sentence("True class"), number=False),
        *(replace(heading, number=False) for heading in run_headings(comparison.sides)),
    )
    return ResultTable(headings, tuple(_disagreements_of(comparison, rows)), tuple(map(str, rows.tolist())))


def _disagreements_of(comparison: Comparison, rows: np.ndarray) -> Iterator[tuple[TableCell, ...]]:
    """Yield the rows of the table. Equal labels share one cell object, because there may be hundreds of thousands."""
    labels: dict[str | None, tuple[TableCell, TableCell]] = {
        label: (TableCell(label, label), TableCell(label, label, "wrong")) for label in comparison.classes
    }
    labels[None] = (TableCell(None, figures.NONE), TableCell(None, figures.NONE))
    true = comparison.true
    decided = [side.decisions[rows].tolist() for side in comparison.sides]
    for place, row in enumerate(rows.tolist()):
        known = None if true is None else true[row]
        number = comparison.row_number(row)
        names = (text_cell(str(cells[row])) for cells in comparison.names.values())
        said = (labels[one[place]][known is not None and one[place] != known] for one in decided)
        yield TableCell(number, figures.count(number)), *names, labels[known][0], *said


def _about_rows(groups: Sequence[Sequence[ScoredRun]], comparison: Comparison, found: int) -> str:
    shared = comparison.shared()
    said = [
        tr(
            "Rows that these {runs} runs predict differently: {found} of {rows}.",
            runs=len(groups[0]),
            found=figures.count(found),
            rows=figures.count(int(shared.sum())),
        )
    ]
    if not shared.all():
        said.append(tr("Rows left out because not all runs predicted them: {count}.", count=_left(shared)))
    if comparison.true is not None:
        wrong = np.logical_and.reduce([~comparison.right(side) for side in comparison.sides]) & shared
        said.append(tr("Rows that all runs misclassify: {count}.", count=figures.count(int(wrong.sum()))))
    if groups[0][0].rows is not None and groups[0][0].rows.kind == "training":
        said.append(tr("No rows were held out: these are training rows."))
    if len(groups) > 1:
        said.append(tr("The other chosen runs were tested on other rows."))
    if found > MOST_ROWS:
        said.append(tr("The first {count} are listed.", count=figures.count(MOST_ROWS)))
    return " ".join(said)


def _left(shared: np.ndarray) -> str:
    return figures.count(int((~shared).sum()))


# -- tests ----------------------------------------------------------------------------------------


def table_of_tests(results: Sequence[TestResult]) -> ResultTable:
    """Return a row for each pair; tests over several data sets name the data, those of all machines name no pair.

    McNemar's test is exact. Its p by the chi-squared distribution with continuity correction is a column of its row.
    """
    results, chi_squared = _joined_variants(results)
    ways = list(dict.fromkeys(way for result in results for way in result.adjusted))
    tip = Sentence("Adjusted for all pairs compared")
    several = len({result.data for result in results} - {None}) > 1
    lead = Sentence(
        "Rows that only this run predicts correctly. In a test over several splits: how much"
        " higher its mean accuracy is."
    )
    headings = (
        *(Header(Sentence("First"), number=False), Header(Sentence("Second"), number=False)),
        Header(Sentence("Test"), number=False, term=Sentence("Statistic")),
        *([Header(Sentence("Data"), number=False)] if several else []),
        Header(Sentence("In words"), number=False),  # before the numbers: a narrow table cuts its last columns
        *(Header(Sentence("Only 1st right"), tip=lead), Header(Sentence("Only 2nd right"), tip=lead)),
        *(Header(Sentence("Statistic")), Header(Sentence("p"))),
        *(Header(Sentence("p ({way})", way=ADJUSTED.get(way, way)), tip=tip, term=Sentence("p")) for way in ways),
        *([Header(Sentence("p (chi-squared)"), tip=CHI_SQUARED, term=Sentence("p"))] if chi_squared else []),
    )
    rows = [_test(result, ways, several=several) for result in results]
    if chi_squared:
        rows = [(*row, _p(chi_squared.get(_pair_of(one)))) for row, one in zip(rows, results, strict=True)]
    return ResultTable(headings, tuple(rows))


def _joined_variants(results: Sequence[TestResult]) -> tuple[list[TestResult], dict[Any, float]]:
    """Return the results without corrected McNemar tests of pairs that have an exact one, and their p by pair."""
    exact = {_pair_of(result) for result in results if result.name == EXACT}
    joined = [result for result in results if result.name == CORRECTED and _pair_of(result) in exact]
    return [result for result in results if result not in joined], {_pair_of(one): one.p for one in joined}


def _pair_of(result: TestResult) -> tuple[Any, ...]:
    return result.between, result.data


def _test(result: TestResult, ways: Sequence[str], *, several: bool) -> tuple[TableCell, ...]:
    first, second = (text_cell(name) for name in result.between or (Sentence("all"), ""))
    differs = result.adjusted.get("holm", result.p) < SIGNIFICANT
    tied = Sentence("statistically tied") if result.between else Sentence("no difference shown")
    conclusion = _conclusion(result) if differs else tied
    return (
        *(first, second, text_cell(TESTS.get(result.name, result.name))),
        *([text_cell(result.data or Sentence("all"))] if several else []),
        text_cell(conclusion, "best" if differs else "quiet"),
        *_leads(result),
        TableCell(result.statistic, "∞" if result.statistic is None else figures.number(result.statistic, 4)),
        *(_p(p) for p in (result.p, *(result.adjusted.get(way) for way in ways))),
    )


def _conclusion(result: TestResult) -> Sentence:
    """Name the better of the two runs; the test has to show a difference."""
    details = result.details
    if not result.between:
        return Sentence("different (5%)")
    if "only_first_right" in details:
        lead = details["only_first_right"] - details["only_second_right"]
    else:
        lead = details.get("mean_difference", 0.0)
    if not lead:
        return Sentence("different (5%)")
    return Sentence("{name} is better", name=result.between[0] if lead > 0 else result.between[1])


def _leads(result: TestResult) -> tuple[TableCell, TableCell]:
    """Return cells of the rows that only one run predicts correctly, or of the lead in accuracy."""
    details = result.details
    if "only_first_right" in details:
        counts = details["only_first_right"], details["only_second_right"]
        return TableCell(counts[0], figures.count(counts[0])), TableCell(counts[1], figures.count(counts[1]))
    lead = float(details.get("mean_difference", 0.0))
    ahead, behind = (
        TableCell(abs(lead), figures.percent(abs(lead))) if lead else TableCell(None, ""),
        TableCell(None, ""),
    )
    return (ahead, behind) if lead >= 0.0 else (behind, ahead)


def _p(p: float | None) -> TableCell:
    if p is None:
        return TableCell(None, figures.NONE)
    return TableCell(p, figures.p_value(p), "best" if p < SIGNIFICANT else "")


def text_on_tests(tests: Sequence[TestResult]) -> str:
    if not tests:
        return tr("Tests need at least two runs that were tested on the same rows, or on the same several splits.")
    said = [tr("Holm-adjusted over all pairs. Conclusions use the 5% significance level.")]
    rows = [int(result.details["rows"]) for result in tests if "rows" in result.details]
    if rows:
        said.append(
            tr("McNemar's test uses the rows that both runs predicted, at least {rows}.", rows=figures.count(min(rows)))
        )
    if any(result.details.get("weights_counted") is False for result in tests):
        said.append(tr("McNemar's test counts each row once, whatever its weight."))
    if not any(result.name == "corrected resampled t" for result in tests):
        said.append(tr("Train the same machines with other seeds to compare them over several splits as well."))
    return " ".join(said)
