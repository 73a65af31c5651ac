"""The table of all checks; checks of a plan or of results return findings, the worst first."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcsvm_gui.core.check import of_classes, of_columns, of_gaps, of_rows, of_shift, results
from mcsvm_gui.core.check.finding import Check, Finding, worst_first
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.check.results import CheckedResults

OF_DATA: tuple[type[Check[CheckedPlan]], ...] = (
    *(of_rows.RowsOnBothSides, of_rows.Contradictions, of_rows.Repetitions, of_rows.TornGroups),
    of_rows.LikelyGroups,
    *(of_columns.Leak, of_columns.Identifier, of_columns.RowNumber, of_columns.Constant, of_columns.Empty),
    *(of_columns.Twins, of_columns.ManyLevels, of_columns.Unscaled, of_columns.Stretched, of_columns.TimeOrder),
    *(of_gaps.Gaps, of_gaps.TellingGaps, of_gaps.MostlyGaps),
    *(of_classes.UnequalClasses, of_classes.SmallClasses, of_classes.UntestedClasses, of_classes.UnseenClasses),
    *(of_classes.MeasuredClasses, of_classes.SortedRows, of_classes.AbsentClasses),
    *(of_shift.ShiftedColumns, of_shift.BeyondRange, of_shift.ShiftedClasses),
    *(of_classes.SmallTest, of_classes.WideData, of_classes.CurvedText, of_columns.Unusable),
)
OF_RESULTS: tuple[type[Check[CheckedResults]], ...] = (
    *(results.BelowMajority, results.BelowNeighbours, results.BelowBoosting),
    *(results.EdgeCell, results.NotCertified, results.NotCalibrated, results.FarOutside),
)
CHECKS: tuple[type[Check[Any]], ...] = (*OF_DATA, *OF_RESULTS)


def check_data(plan: CheckedPlan) -> tuple[Finding, ...]:
    """Run all checks of data. They examine every cell, so do not call it in the window's thread."""
    with np.errstate(over="ignore", invalid="ignore"):  # cells may be as large as a double allows
        return worst_first([one for check in OF_DATA for one in check().find(plan)])


def check_results(subject: CheckedResults) -> tuple[Finding, ...]:
    return worst_first([one for check in OF_RESULTS for one in check().find(subject)])
