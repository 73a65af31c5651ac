"""A table of results that is replaced by one as large: only what is another is painted anew."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.compare.result_table import Header, ResultTable, TableCell
from mcsvm_gui.ui.tables.result_view import ResultTableView


def table(*changed: tuple[int, int]) -> ResultTable:
    rows = [[TableCell(10 * row + column, str(10 * row + column)) for column in range(4)] for row in range(3)]
    for row, column in changed:
        rows[row][column] = TableCell(99, "99")
    return ResultTable(tuple(Header(f"h{column}") for column in range(4)), tuple(map(tuple, rows)))


def test_only_changed_cells_are_told(qtbot: QtBot) -> None:
    view = ResultTableView("aTable", "A table")
    qtbot.addWidget(view)
    view.show_table(table())
    told: list[tuple[int, ...]] = []
    resets: list[bool] = []
    view.entries.dataChanged.connect(
        lambda first, last: told.append((first.row(), first.column(), last.row(), last.column()))
    )
    view.entries.modelReset.connect(lambda: resets.append(True))
    view.show_table(table((0, 1), (2, 0), (2, 3)))
    assert (told, resets) == ([(0, 1, 0, 1), (2, 0, 2, 3)], [])
    assert view.entries.index(2, 3).data() == "99"
    view.show_table(table((0, 1), (2, 0), (2, 3)))
    assert len(told) == 2
    view.show_table(replace(table(), headings=(Header("other"), *table().headings[1:])))
    assert resets == [True]


def test_a_sorted_table_is_sorted_anew(qtbot: QtBot) -> None:
    view = ResultTableView("aTable", "A table")
    qtbot.addWidget(view)
    view.show_table(table())
    view.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    view.show_table(table((1, 1)))
    assert [view.entries.index(row, 1).data() for row in range(3)] == ["99", "21", "1"]


def test_a_long_text_that_may_be_cut_stands_in_its_tooltip(qtbot: QtBot) -> None:
    view = ResultTableView("aTable", "A table")
    qtbot.addWidget(view)
    long = "support vectors of <building_windows>"
    cells = TableCell(long, long), TableCell(1, "1"), TableCell(long, long, tip="why")
    view.show_table(ResultTable(tuple(Header(f"h{column}") for column in range(3)), (cells,)))
    tips = [view.entries.index(0, column).data(Qt.ItemDataRole.ToolTipRole) for column in range(3)]
    assert tips == ["<p>support vectors of &lt;building_windows&gt;</p>", None, "why"]


def test_columns_share_the_width_before_the_table_scrolls(qtbot: QtBot) -> None:
    view = ResultTableView("aTable", "A table")
    qtbot.addWidget(view)
    view.resize(2000, 200)
    view.show()
    titles = "Predicted class", "True class", "Score margin"
    cells = TableCell("one", "one"), TableCell("two", "two"), TableCell(0.25, "0.25")
    view.show_table(ResultTable(tuple(map(Header, titles)), (cells,)))
    header, letters = view.horizontalHeader(), view.fontMetrics()
    whole = [letters.horizontalAdvance(title) for title in titles]
    wide = header.length()
    view.resize(wide - 10, 200)
    assert not view.horizontalScrollBar().isVisible(), "the room of the arrows goes first"
    assert all(header.sectionSize(place) >= width for place, width in enumerate(whole)), "no title is cut"
    view.resize(sum(whole) // 2, 200)
    assert sum(whole) <= header.length() < wide - 10, "where it must scroll, more of the columns are seen"
    assert all(header.sectionSize(place) >= width for place, width in enumerate(whole)), "no title is cut"
    view.setColumnWidth(0, 300)
    view.resize(wide - 10, 200)
    assert header.sectionSize(0) == 300, "a width that the user chose stays"
