"""Tables of the Explain page: the rows to choose from, the nearest support vectors, machines next to each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mcsvm_gui.core.base.figures import count
from mcsvm_gui.core.base.figures import number as short_number
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.compare.result_table import Header, ResultTable, TableCell, text_cell
from mcsvm_gui.core.explain.looked_at import LookedAt, OneRow
from mcsvm_gui.ui.plots.class_marks import shortened

NAME = 40  # limit on the letters of a name
MOST_COLUMNS = 60  # limit on the columns of the nearest support vectors
MOST_LINES = 500  # limit on the columns of the file, machines next to each other


def row_table(runs: Sequence[LookedAt], places: np.ndarray) -> ResultTable:
    first = runs[0]
    names = first.dataset.row_columns
    headings = [Header(tr("Row"), tip=tr("The number of the data row in the file"))]
    headings += [Header(shortened(name, NAME), number=False, term=tr("Row")) for name in names]
    headings += [Header(tr("Predicted"), number=False)]
    headings += [Header(tr("True class"), number=False)] if first.true is not None else []
    headings += [Header(tr("Score margin"), tip=lead_tip(first))]
    wrong = first.wrong()
    rows = []
    for place in places.tolist():
        number = int(first.dataset.row_numbers[place])
        cells = [TableCell(number, count(number)), *(_name(column[place]) for column in names.values())]
        cells += [_name(first.decided[place], "wrong" if wrong[place] else "")]
        cells += [_name(first.true[place])] if first.true is not None else []
        rows.append((*cells, TableCell(float(first.margins[place]), short_number(first.margins[place]))))
    return ResultTable(tuple(headings), tuple(rows), tuple(str(place) for place in places.tolist()))


def lead_tip(of: LookedAt) -> str:
    if of.trained.model.machine.split == "pairs":
        return tr(
            "Decision value of the pair of the predicted class and the class with the next most votes. If it is"
            " negative, the votes of the other pairs decide."
        )
    return tr("Score of the predicted class minus the next largest score")


def _name(name: object, sign: str = "") -> TableCell:
    text = shortened("" if name is None else str(name), NAME)
    return TableCell(text, text, "wrong" if sign else "")


def neighbour_table(found: OneRow, names: Sequence[str], row_names: Sequence[str] = ()) -> ResultTable:
    """Build the table of the nearest rows. `names` are the feature columns, `row_names` identify a row."""
    shown = list(names[:MOST_COLUMNS])
    headings = (
        Header(tr("Training row"), tip=tr("The number of the data row in the training file")),
        *(Header(shortened(name, NAME), number=False, term=tr("Row")) for name in row_names),
        Header(tr("Class"), number=False),
        Header(tr("Kernel"), tip=tr("1 if it equals the row, near 0 if it is far away (rbf)")),
        Header(
            tr("Contribution"), tip=tr("Contribution to the score of the predicted class minus that of the runner-up")
        ),
        *(Header(shortened(name, NAME), number=False, tip=name, term=tr("Column")) for name in shown),
    )
    most = max((abs(one.share) for one in found.neighbours), default=0.0) or 1.0
    rows = tuple(
        (
            TableCell(one.row, count(one.row)),
            *(text_cell(shortened(name, NAME)) for name in one.names),
            _name(one.class_name),
            TableCell(one.kernel, short_number(one.kernel)),
            TableCell(one.share, short_number(one.share, signed=True), heat=one.share / most),
            *(text_cell(shortened(cell, NAME)) for cell in one.cells[: len(shown)]),
        )
        for one in found.neighbours
    )
    return ResultTable(headings, rows)


def machine_table(found: OneRow, against: tuple[int, int]) -> ResultTable:
    """Return each column's contribution for one class against the other, by run; the largest differences come first."""
    first = found.explained[0][1]
    values = np.array(
        [one.of_pair(0, *_codes_of(first.trained.class_names, one, against)) for _, one in found.explained]
    )
    order = np.argsort(-np.ptp(values, axis=0) - 1e-9 * np.abs(values[0]), kind="stable")[:MOST_LINES]
    most = np.abs(values).max() or 1.0
    headings = (
        Header(tr("Column"), number=False),
        *(
            Header(shortened(name, NAME), machine=one.trained.model.machine.name, term=tr("Run"))
            for name, one in found.explained
        ),
    )
    rows = tuple(
        (
            text_cell(shortened(first.columns.names[column], NAME)),
            *(
                TableCell(float(value), short_number(value, signed=True), heat=float(value / most))
                for value in values[:, column]
            ),
        )
        for column in order.tolist()
    )
    return ResultTable(headings, rows)


def _codes_of(names: Sequence[str], one: object, against: tuple[int, int]) -> tuple[int, int]:
    known = one.trained.class_names  # type: ignore[attr-defined]
    return known.index(names[against[0]]), known.index(names[against[1]])
