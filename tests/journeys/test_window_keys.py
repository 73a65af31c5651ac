"""Without a mouse and without eyes: every control is reached by keys and has a name that can be read out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from journeys.hand import Hand
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from mcsvm_gui.core.base import resources

pytestmark = pytest.mark.slow

PAGES = "Data", "Train", "Predict"
MOST = 200  # presses of a key
Role = QAccessible.Role
NAMED = (
    *(Role.Button, Role.ButtonMenu, Role.ButtonDropDown, Role.CheckBox, Role.RadioButton, Role.ComboBox),
    *(Role.EditableText, Role.SpinBox, Role.Table, Role.List, Role.Tree),
)


def page_of(hand: Hand, name: str) -> QWidget:
    hand.go(name)
    return hand.find(QWidget, f"{name.lower()}Page")


def in_use(hand: Hand) -> None:
    """Data, a run with a model, predictions."""
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    hand.click("startButton")
    hand.wait(lambda: bool(hand.runs.ids()) and not hand.active)
    hand.go("Predict")
    hand.click("modelOfRunButton")
    hand.click("predictOpenDataButton")
    hand.wait(lambda: not hand.work.tasks.busy)


def by_arrows(widget: QWidget) -> bool:
    """One of several of which one is chosen: Tab comes to that one, arrows to the others."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return group is not None and group.exclusive() and not widget.isChecked()


def reached(start: QWidget) -> set[QWidget]:
    """Every widget that has the focus while Tab is pressed, once round the window."""
    start.setFocus()
    seen: dict[QWidget, None] = {}
    for _ in range(MOST):
        QTest.keyClick(QApplication.focusWidget() or start, Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        assert focus is not None
        if focus in seen and focus is next(iter(seen)):
            return set(seen)
        assert focus not in seen, f"{focus.objectName()} keeps the Tab key to itself"
        seen[focus] = None
    pytest.fail("no way round")


def within(interface: QAccessibleInterface | None) -> Iterator[QAccessibleInterface]:
    if interface is None or not interface.isValid() or interface.state().invisible:
        return
    yield interface
    if interface.role() not in (Role.Table, Role.List, Role.Tree):
        for place in range(interface.childCount()):
            yield from within(interface.child(place))


@pytest.mark.parametrize("used", [False, True], ids=["empty", "in use"])
def test_tab_reaches_every_control_and_each_has_a_name(open_window: Callable[[], Hand], used: bool) -> None:
    hand = open_window()
    if used:
        in_use(hand)
    for name in PAGES:
        page = page_of(hand, name)
        wanted = [
            child
            for child in page.findChildren(QWidget)
            if child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus
            if not by_arrows(child)
        ]
        found = reached(hand.find(QAbstractButton, f"nav{name}"))
        missed = [child.objectName() for child in wanted if child not in found and child.focusProxy() is None]
        assert missed == [], name
        unnamed = [
            (part.role().name, part.object().objectName())
            for part in within(QAccessible.queryAccessibleInterface(page))
            if part.role() in NAMED and not part.text(QAccessible.Text.Name)
        ]
        assert unnamed == [], name
    hand.close()


def test_a_training_by_keys_alone(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    press = lambda key, how=Qt.KeyboardModifier.ControlModifier: QTest.keyClick(hand.window, key, how)  # noqa: E731
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)
    press(Qt.Key.Key_2)
    hand.wait(lambda: hand.window.page == "train" and hand.find(QAbstractButton, "startButton").isEnabled())
    hand.choose("machineCombo", "llw")
    hand.choose("solverCombo", "smo")
    hand.type("costEdit", "2^14")
    hand.type("toleranceEdit", "1e-9")
    press(Qt.Key.Key_T)
    (run,) = hand.runs.ids()
    hand.wait(lambda: hand.runs.live(run) is not None)
    queue = hand.window.assembly.queue
    press(Qt.Key.Key_P)
    hand.wait(lambda: queue.state(run).value == "paused")
    press(Qt.Key.Key_P)
    hand.wait(lambda: queue.state(run).value == "running")
    press(Qt.Key.Key_Period)
    hand.wait(lambda: hand.runs.record(run).state == "done")
    assert hand.runs.record(run).ending == "stopped"
    press(Qt.Key.Key_T)
    second = hand.runs.ids()[-1]
    hand.wait(lambda: hand.runs.live(second) is not None)
    press(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    hand.wait(lambda: hand.runs.record(second).state == "discarded")
    press(Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert len(hand.runs.ids()) == 2 + 6
    hand.close()
