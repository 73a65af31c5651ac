"""Checks of missing cells: their number, and whether they depend on the class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.figures import percent
from mcsvm_gui.core.check.finding import Check, Finding, Severity, columns
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.data.remedies import Remedy

FEWEST = 5  # missing cells, and also present cells
CHANCE = 1e-3  # p value over all columns together
TIED = 0.15  # Cramer's V: below, the association is weak, whatever its p value is
DONE = {
    "drop": Sentence("nothing: their rows are left out"),
    "mean": Sentence("nothing: they are filled with the mean of their column, text with its most frequent value"),
    "median": Sentence("nothing: they are filled with the median of their column, text with its most frequent value"),
    "category": Sentence("nothing: text has a category for them, numbers are filled with the median of their column"),
    "knn": Sentence("nothing: they are filled from the nearest rows, text with its most frequent value"),
    "most-frequent": Sentence("nothing: they are filled with the most frequent value of their column"),
}

FILLED = Sentence("nothing: the preparation fills them")


class Gaps(Check[CheckedPlan]):
    """An error if training refuses missing cells."""

    code, severity, title = "MC020", Severity.ERROR, Sentence("Missing cells")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        table = plan.dataset.table
        if table is None or not plan.dataset.missing:
            return
        gaps = table.isna().to_numpy().sum(axis=0)
        found = [plan.dataset.columns[number].name for number in np.flatnonzero(gaps).tolist()]
        what = Sentence("{count} cell is missing", "{count} cells are missing", count=plan.dataset.missing)
        if plan.rules.missing != "reject":
            yield self.found(columns(found), what, DONE.get(plan.rules.missing, FILLED), slight=True)
            return
        drop, fill = Remedy("missing", "drop"), Remedy("missing", "mean")
        yield self.found(columns(found), what, Sentence("{fill}, or {drop}", fill=fill, drop=drop))


class TellingGaps(Check[CheckedPlan]):
    code, title = "MC021", Sentence("Missing cells that depend on the class")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        if plan.dataset.labels is None or not plan.dataset.missing:
            return
        for held in plan.columns:
            gone = pd.isna(held.cells)
            if FEWEST <= gone.sum() <= gone.size - FEWEST and _tied(gone, plan.codes, len(plan.columns)):
                what = Sentence(
                    "in the column {name} cells are missing more often in some classes than in others: filled or"
                    " dropped, this is lost or distorts the classes",
                    name=held.name,
                )
                do = Sentence("find out why they are missing, and add a column that says whether they are")
                yield self.found(columns([held.name]), what, do)


def _tied(gone: np.ndarray, codes: np.ndarray, tests: int) -> bool:
    """Test missing cells and classes for independence with Pearson's test, Bonferroni-adjusted over columns."""
    counts = np.zeros((2, int(codes.max()) + 1))
    np.add.at(counts, (gone.astype(np.int64), codes), 1.0)
    counts = counts[:, counts.any(axis=0)]
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / gone.size
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return bool(statistic > gone.size * TIED**2 and tests * chdtrc(counts.shape[1] - 1, statistic) < CHANCE)


class MostlyGaps(Check[CheckedPlan]):
    code, title = "MC022", Sentence("Columns that are mostly empty")

    def find(self, plan: CheckedPlan) -> Iterator[Finding]:
        if not plan.dataset.missing:
            return
        shares = {held.name: float(pd.isna(held.cells).mean()) for held in plan.columns}
        found = {name: part for name, part in shares.items() if 0.5 < part < 1.0}
        if found:
            what = Sentence("up to {share} of their cells are missing", share=percent(max(found.values())))
            do = Sentence("leave them out: most of what is filled in is made up, and dropping rows loses most rows")
            yield self.found(columns(found), what, do)
