"""A report that explains one row: contributions, the smallest change, and the importance over all rows."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.explain.columns import shown
from mcsvm_gui.core.explain.explanation import Explanation, document
from mcsvm_gui.core.explain.flips import FileFlip
from mcsvm_gui.core.explain.looked_at import LookedAt, OneRow
from mcsvm_gui.core.explain.overview import PermutationImportance, mean_absolute
from mcsvm_gui.core.report import shared
from mcsvm_gui.core.report.blocks import Block, Heading, Paragraph, Report, Table, full_names, shortened
from mcsvm_gui.core.report.chapters import OF_EXPLANATION

MOST = 30  # columns of a table


def report_of(
    of: LookedAt,
    found: OneRow,
    flip: FileFlip | None,
    every: Explanation | None,
    permuted: PermutationImportance | None,
    chapters: Collection[str] = OF_EXPLANATION,
) -> Report:
    """Build the report; `found` has at least one explanation."""
    explained, software = found.explained[0][1], "software" in chapters
    blocks = [
        *(_row(of, found, explained) if "row" in chapters else []),
        *(_change(flip) if flip is not None and "change" in chapters else []),
        *(_all(every, permuted) if every is not None and "overview" in chapters else []),
        *([shared.trained_with(of.trained.origin)] if software else []),
        *(shared.request_blocks(of.trained.request, 2) if "settings" in chapters else []),
        *(shared.surroundings() if software else []),
        *full_names([*of.trained.class_names, *explained.columns.names]),
    ]
    title = tr("Row {row} of {data}, explained", row=of.row_words(found.place), data=of.dataset.name)
    told = {**document(explained), "flip": None if flip is None else flip.document()}
    return Report(title, shared.made(), tuple(blocks), told)


def _row(of: LookedAt, found: OneRow, explained: Explanation) -> list[Block]:
    names = of.trained.class_names
    first, second = (shortened(names[code]) for code in (found.winner, found.runner_up))
    mean, value = explained.pair_ends(0, found.winner, found.runner_up)
    values = explained.of_pair(0, found.winner, found.runner_up)
    order = np.argsort(-np.abs(values), kind="stable").tolist()
    rows = [
        (explained.columns.names[column], found.cells[column], figures.number(values[column], 4, signed=True))
        for column in order[:MOST]
    ]
    if order[MOST:]:
        rows.append(
            (
                tr("{count} other column", "{count} other columns", count=len(order[MOST:])),
                "",
                figures.number(values[order[MOST:]].sum(), 4, signed=True),
            )
        )
    error = float(explained.found.sum_errors.max(initial=0.0))
    said = tr(
        "{first} against {second}: {value}, on average {mean}. What the columns add (Shapley values) sums up to the"
        " difference, to within {error}.",
        first=first,
        second=second,
        value=figures.number(value, 4),
        mean=figures.number(mean, 4),
        error=figures.number(error, 1),
    )
    sampled = explained.errors_of_pair(0, found.winner, found.runner_up)
    exact = (
        tr("They are exact.")
        if sampled is None
        else tr("They are sampled; standard errors: up to {error}.", error=figures.number(sampled.max(initial=0.0), 1))
    )
    heads = tr("Column"), tr("In the row"), tr("Adds")
    return [Heading(tr("Why this class")), Paragraph(f"{said} {exact}"), Table(heads, tuple(rows), "", frozenset({2}))]


def _change(flip: FileFlip) -> list[Block]:
    blocks: list[Block] = [Heading(tr("Smallest change that changes the prediction"))]
    if flip.why is not None:
        return [*blocks, Paragraph(tr("No change was found: {why}", why=worded(flip.why)))]
    said = tr(
        "The model predicts {after} instead of {before}.", after=shortened(flip.after), before=shortened(flip.before)
    )
    rows = tuple((one.column, shown(one.before), shown(one.after)) for one in flip.changes)
    return [*blocks, Paragraph(said), Table((tr("Column"), tr("Now"), tr("Changed")), rows)]


def _all(every: Explanation, permuted: PermutationImportance | None) -> list[Block]:
    sizes, names = mean_absolute(every.of_winners()), every.columns.names
    lost = (
        {}
        if permuted is None
        else dict(zip(permuted.columns, zip(permuted.means, permuted.intervals, strict=True), strict=True))
    )
    rows = []
    for column in np.argsort(-sizes, kind="stable")[:MOST].tolist():
        name = names[column]
        fall = ("", "") if name not in lost else (figures.percent(float(lost[name][0])), _interval(lost[name][1]))
        rows.append((name, figures.number(sizes[column], 4), *fall))
    caption = tr("Mean absolute contribution of each column over {rows} rows.", rows=figures.count(every.places.size))
    heads = tr("Column"), tr("Mean size"), tr("Accuracy lost when it is shuffled"), tr("Interval")
    return [Heading(tr("Contributions over all rows")), Table(heads, tuple(rows), caption, frozenset({1, 2, 3}))]


def _interval(ends: np.ndarray) -> str:
    low, high = (figures.percent(float(end)) for end in ends)
    return tr("{low} to {high}", low=low, high=high)
