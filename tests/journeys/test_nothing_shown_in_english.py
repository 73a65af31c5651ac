"""No English is left on any page in another language, before anything is done there and after."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from journeys.hand import Hand
from pseudo_language import PseudoLanguage, english
from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QSpinBox,
    QTabWidget,
    QWidget,
)

from mcsvm.solvers.budget import Phase
from mcsvm.solvers.decision import SMALL_PHASE
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.problem import BIASES
from mcsvm_gui.core.base import i18n, resources
from mcsvm_gui.core.base.i18n import translation
from mcsvm_gui.core.data import formats
from mcsvm_gui.pages import PAGES

pytestmark = pytest.mark.slow

DATA = resources.dataset("iris")
WORDS = re.compile("[A-Za-z]+")
# Data and the path of its file, what options are given, formats, units, keys: the same in every language.
NAMES = {*WORDS.findall(" ".join([*MACHINES, *METHODS, *KERNELS, *BIASES, str(DATA), DATA.read_text("utf-8")]))}
NAMES |= {phase.value for phase in Phase} | {SMALL_PHASE}  # methods of auto, as the column Solver names them
NAMES |= {"mcsvm", "Python", "Deutsch", "English", "scale", "holm", "Holm", "Ctrl", "Shift", "ms", "kB"}
NAMES |= {*WORDS.findall(f"{formats.titles()} SELECT FROM HTML JSON LaTeX Markdown PDF PNG SVG UTF ISO GB JIS Windows")}
AS_TYPED = "ommand"  # in the names of labels that show what can be typed into a terminal
NAMES |= {"CLASS", "size", "new"}  # of examples of what can be typed
NAMES |= {"PCA", "LDA", "UMAP"}  # of methods
OF_LIBRARIES = re.compile("qt_|Scroll(Left|Right)Button|$")  # names of buttons of Qt and of actions of pyqtgraph
ROLES = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole


@pytest.fixture(autouse=True)
def pseudo_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(translation, "translations", lambda language: PseudoLanguage())
    yield
    i18n.install()


def shown(window: QWidget) -> Iterator[tuple[str, str]]:
    """(where, text) of all that can be read."""
    for action in window.findChildren(QAction):
        yield action.objectName(), action.text().split("\t")[0]
        yield action.objectName(), re.sub(r"\(.*\)$", "", action.toolTip())
    for widget in window.findChildren(QWidget):
        name = widget.objectName() or type(widget).__name__
        yield from ((f"{name}, {type(widget).__name__}", text) for text in texts(widget))


def texts(widget: QWidget) -> Iterator[str]:
    yield from (widget.accessibleName(), widget.accessibleDescription(), unmarked(widget.toolTip()))
    for kind, read in TEXTS.items():
        if isinstance(widget, kind):
            yield from read(widget)


def unmarked(text: str) -> str:
    return re.sub("<.*?>", " ", text)


def of_label(label: QLabel) -> list[str]:
    return [label.text() if label.textFormat() == Qt.TextFormat.PlainText else unmarked(label.text())]


def cells(model: Any) -> Iterator[str]:
    if model is None:
        return
    rows, columns = (
        min(model.rowCount(), 40),
        1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex()),
    )
    for role in ROLES:
        yield from (str(model.headerData(c, Qt.Orientation.Horizontal, role) or "") for c in range(columns))
        yield from (str(model.index(r, c).data(role) or "") for r in range(rows) for c in range(columns))


TEXTS: dict[type[QWidget], Callable[[Any], Iterable[str]]] = {
    QLabel: of_label,
    QAbstractButton: lambda button: [button.text()],
    QGroupBox: lambda box: [box.title()],
    QComboBox: lambda combo: [combo.itemText(row) for row in range(combo.count())],
    QTabWidget: lambda tabs: [tabs.tabText(row) for row in range(tabs.count())],
    QLineEdit: lambda line: [line.placeholderText()],
    QSpinBox: lambda spin: [spin.prefix(), spin.suffix(), spin.specialValueText()],
    QAbstractItemView: lambda view: cells(view.model()),
}


def left(hand: Hand) -> list[tuple[str, str]]:
    """Where English is read, and what."""
    names = NAMES | {word for run in hand.runs.ids() for word in hand.runs.record(run).name.split()}
    return sorted(
        {
            (where, text)
            for where, text in shown(hand.window)
            if AS_TYPED not in where and not OF_LIBRARIES.match(where) and english(text, names)
        }
    )


def test_every_page_is_translated_before_and_after_its_work(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    for page in PAGES:
        hand.go(page.capitalize())
        assert (page, left(hand)) == (page, [])
    hand.work.open_data(str(DATA))
    hand.wait(lambda: hand.work.dataset is not None and not hand.work.tasks.busy)
    hand.go("Data")
    assert left(hand) == []
    hand.go("Train")
    hand.click("trainAllButton")
    hand.wait(lambda: len(hand.runs.ids()) == 6 and not hand.active)
    assert left(hand) == []
    hand.select_runs(*hand.runs.ids())
    hand.go("Compare")
    hand.wait(lambda: not hand.work.tasks.busy)
    assert left(hand) == []
    hand.go("Explain")
    hand.wait(lambda: not hand.work.tasks.busy)
    hand.click("flipButton")
    hand.find(QTabWidget, "explainTabs").setCurrentIndex(1)
    hand.wait(lambda: not hand.work.tasks.busy and not hand.text("explainProgress"))
    assert left(hand) == []
    hand.go("Tune")
    hand.find(QSpinBox, "foldsSpin").setValue(2)
    hand.type("gridStepEdit", "7")
    hand.click("tuneStartButton")
    hand.wait(lambda: not hand.active)
    assert left(hand) == []
    hand.select_runs(hand.runs.ids()[0])
    hand.go("Predict")
    hand.window.assembly.page("predict").open_data(str(DATA))
    hand.wait(lambda: not hand.work.tasks.busy)
    assert left(hand) == []
    hand.close()
