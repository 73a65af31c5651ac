"""One row: contributions to a class against another, the smallest change, nearest support vectors, other machines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QSplitter, QTabWidget, QVBoxLayout, QWidget

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import as_sentence, worded
from mcsvm_gui.core.explain.columns import ExplainedColumns, shown
from mcsvm_gui.core.explain.explanation import Explanation
from mcsvm_gui.core.explain.flips import HELD, FileFlip, held_columns
from mcsvm_gui.core.explain.looked_at import LookedAt, OneRow
from mcsvm_gui.ui.explain import tables
from mcsvm_gui.ui.explain.column_bars import MOST, ColumnBar, ColumnBars
from mcsvm_gui.ui.explain.flip_table import FlipTable
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.combos import narrow_combo
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.page import Tabs
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.plots.class_marks import class_colour, isolated, shortened
from mcsvm_gui.ui.tables.result_view import ResultTableView

NAME = 30  # limit on the letters of a class in a sentence
MOST_HELD = 3  # limit on the columns that a sentence names
TWO_SIDED = 1.96  # standard errors on each side of a sampled value; the interval covers 95% of true values
ANY = ""  # any other class


class RowPanel(QWidget):
    flip_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("explainRowPanel")
        self._found: OneRow | None = None
        self._of: LookedAt | None = None
        self._make_parts()
        above = _Tall()
        column = QVBoxLayout(above)
        column.setContentsMargins(0, UNIT, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.sentence)
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        for widget in (self.first, self._against, self.second, self.log_odds):
            row.addWidget(widget)
        row.addStretch()
        nest(column, row)
        column.addWidget(self.plot, 1)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setObjectName("explainRowSplitter")
        splitter.setHandleWidth(UNIT)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(above)
        splitter.addWidget(self._tabs())
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        splitter.setSizes([30 * UNIT, 26 * UNIT])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(splitter)

    def _make_parts(self) -> None:
        self.sentence = _words("explainSentence")
        self.first = narrow_combo("explainForCombo", tr("Class that is explained"))
        self.second = narrow_combo("explainAgainstCombo", tr("Class it is compared with"))
        self._against = QLabel(tr("against"))
        self.log_odds = QCheckBox(tr("As log-odds"))
        self.log_odds.setObjectName("explainLogOddsCheck")
        self.log_odds.setAccessibleName(tr("As log-odds"))
        self.log_odds.setToolTip(tr("Logarithm of the ratio of the two class probabilities"))
        self.plot = ColumnBars("shapleyPlot", tr("What each column adds"))
        self.flips = FlipTable()
        self.flip_button = push_button("flipButton", tr("Find the smallest change"), "search")
        self.target_list = narrow_combo("flipClassCombo", tr("Target class"), 18)
        self.flip_words = _words("flipWords")
        self.near = ResultTableView("neighbourTable", tr("Support vectors nearest to the row"))
        self.machines = ResultTableView("explainMachineTable", tr("Machines beside each other"))
        for combo in (self.first, self.second):
            combo.currentIndexChanged.connect(lambda _: self._draw())
        self.log_odds.toggled.connect(lambda _: self._draw())
        self.flip_button.clicked.connect(self.flip_asked)
        self.flips.fixed_changed.connect(lambda: self.show_flip(None))

    def _tabs(self) -> QTabWidget:
        self.tabs = Tabs()
        self.tabs.setObjectName("explainRowTabs")
        self.tabs.setAccessibleName(tr("More about the row"))
        self.tabs.setDocumentMode(True)
        changes = QWidget()
        column = QVBoxLayout(changes)
        column.setContentsMargins(0, UNIT, 0, 0)
        column.setSpacing(UNIT)
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.flip_button)
        row.addWidget(self.target_list)
        row.addWidget(self.flip_words, 1)
        nest(column, row)
        column.addWidget(self.flips, 1)
        self.tabs.addTab(changes, tr("Smallest change"))
        self.tabs.addTab(self.near, tr("Nearest training rows"))
        self.tabs.addTab(self.machines, tr("Machines"))
        return self.tabs

    # -- contents ---------------------------------------------------------------------------------

    def clear(self) -> None:
        """Clear the panel, because the run and its rows were closed."""
        self._of = self._found = None

    def show_row(self, of: LookedAt, found: OneRow) -> None:
        self._of, self._found = of, found
        names = of.trained.class_names
        for combo, code in ((self.first, found.winner), (self.second, found.runner_up)):
            _fill(combo, names, code)
        with QSignalBlocker(self.target_list):
            self.target_list.clear()
            self.target_list.addItem(tr("to any other class"), ANY)
            for name in names:
                self.target_list.addItem(tr("to {name}", name=shortened(name, NAME)), name)
        self.log_odds.setVisible(found.explained[0][1].temperature is not None)
        columns = ExplainedColumns.of(of.trained.preparation)
        self.flips.entries.show_row(columns.names, found.cells, held_columns(columns), as_sentence(worded(HELD)))
        self.show_flip(None)
        row_names = () if of.training is None else tuple(of.training.row_columns)
        self.near.show_table(tables.neighbour_table(found, columns.names, row_names))
        self._draw()

    @property
    def pair(self) -> tuple[int, int]:
        return int(self.first.currentIndex()), int(self.second.currentIndex())

    def _draw(self) -> None:
        found, of = self._found, self._of
        if found is None or of is None:
            return
        first, second = self.pair
        self.machines.show_table(
            tables.machine_table(found, (first, second)) if first != second else tables.ResultTable()
        )
        explained = found.explained[0][1]
        if first == second:
            self.plot.show_bars(tr("A class is not compared with itself"), ())
            return
        scale = _scale(explained, self.log_odds.isChecked())
        mean, value = (scale * end for end in explained.pair_ends(0, first, second))
        names = [shortened(explained.trained.class_names[code], NAME) for code in (first, second)]
        self.sentence.setText(_sentence(of, found, names, value, mean))
        errors = explained.errors_of_pair(0, first, second)
        values = scale * explained.of_pair(0, first, second)
        bars = contribution_bars(explained, found.cells, values, None if errors is None else scale * errors)
        heading = tr("← for {second} · for {first} →", first=names[0], second=names[1])
        self.plot.show_bars(heading, bars, (_colour(first), _colour(second)))

    def show_flip(self, flip: FileFlip | None) -> None:
        """Show the smallest change; None removes the last one, because other columns are fixed now."""
        self.flips.entries.show_changes({} if flip is None else {one.column: shown(one.after) for one in flip.changes})
        self.flip_words.setText("" if flip is None else flip_sentence(flip))

    def say_flip(self, words: str) -> None:
        self.flip_words.setText(words)

    @property
    def fixed(self) -> frozenset[str]:
        return frozenset(self.flips.entries.fixed)

    @property
    def target(self) -> str | None:
        return self.target_list.currentData() or None


class _Tall(QWidget):
    """Is as high as its wrapped text needs at its width; otherwise a splitter would cut off the content below."""

    def minimumSizeHint(self) -> QSize:
        hint, layout = super().minimumSizeHint(), self.layout()
        if layout is None or not layout.hasHeightForWidth():
            return hint
        return QSize(hint.width(), max(hint.height(), layout.minimumHeightForWidth(self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


def _scale(explained: Explanation, as_log_odds: bool) -> float:
    return 1.0 / explained.temperature if as_log_odds and explained.temperature else 1.0


def contribution_bars(
    explained: Explanation, cells: Sequence[str], values: np.ndarray, errors: np.ndarray | None = None
) -> list[ColumnBar]:
    """Return bars, the largest first; one more bar sums up the others. Sampled values have intervals."""
    order = np.argsort(-np.abs(values), kind="stable").tolist()
    names = explained.columns.names
    bars = [
        ColumnBar(
            f"{isolated(names[column])} = {isolated(cells[column])}",
            float(values[column]),
            figures.number(values[column], signed=True),
            None if errors is None else _interval(float(values[column]), float(errors[column])),
        )
        for column in order[:MOST]
    ]
    rest = order[MOST:]
    if rest:
        total = float(values[rest].sum())
        label = tr("{count} other column", "{count} other columns", count=len(rest))
        interval = None if errors is None else _interval(total, float(errors[rest].sum()))
        bars.append(ColumnBar(label, total, figures.number(total, signed=True), interval))
    return bars


def _interval(value: float, error: float) -> tuple[float, float]:
    return value - TWO_SIDED * error, value + TWO_SIDED * error


def _sentence(of: LookedAt, found: OneRow, names: Sequence[str], value: float, mean: float) -> str:
    said = tr(
        "Row {row}: the score of {first} minus that of {second} is {value}; {mean} on average.",
        row=of.row_words(found.place),
        first=names[0],
        second=names[1],
        value=figures.number(value),
        mean=figures.number(mean),
    )
    explained = found.explained[0][1]
    if explained.by_pairs and of.trained.model.classes > 2:
        said += " " + tr("This is the decision value of the pair; the class with the most pairs is predicted.")
    error = float(explained.found.sum_errors.max(initial=0.0))
    said += " " + tr("The bars add up to the difference; rounding: {error}.", error=figures.number(error, 1))
    sampled = found.explained[0][1].errors_of_pair(0, found.winner, found.runner_up)
    if sampled is not None:
        said += " " + tr(
            "They are sampled; standard errors: up to {error}.", error=figures.number(sampled.max(initial=0.0), 1)
        )
    true = None if of.true is None else of.true[found.place]
    winner = of.trained.class_names[found.winner]
    if true is not None and true != winner:
        said += " " + tr("The true class is {name}.", name=shortened(str(true), NAME))
    return said


def flip_sentence(flip: FileFlip) -> str:
    if flip.why is not None:
        said = as_sentence(tr("No change was found: {why}", why=flip.why))
    else:
        said = tr(
            "With {count} column changed, the model predicts {name}.",
            "With {count} columns changed, the model predicts {name}.",
            count=len(flip.changes),
            name=shortened(flip.after or "", NAME),
        )
    names = ", ".join(shortened(name, NAME) for name in flip.held[:MOST_HELD]) + ("…" if flip.held[MOST_HELD:] else "")
    return f"{said} {tr('Left as they are: {names}.', names=names)}" if flip.held else said


def _colour(code: int) -> str:
    colour = class_colour(code)
    return theme.ON_DARK.get(colour, colour) if theme.current().dark else colour


def _fill(combo: QComboBox, names: Sequence[str], code: int) -> None:
    with QSignalBlocker(combo):
        combo.clear()
        for name in names:
            combo.addItem(shortened(name, NAME), name)
        combo.setCurrentIndex(code)


def _words(name: str) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setProperty("role", "muted")
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
