"""Without a mouse and without eyes: every control is reached by keys and has a name that can be read out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import pytest
from journeys.hand import Hand
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QDialog, QMainWindow, QWidget

from mcsvm_gui.core.base import resources

pytestmark = pytest.mark.slow

PAGES = "Data", "Train", "Tune", "Compare", "Explain", "Playground", "Predict"
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
    """Data, runs with models that are compared and explained, predictions."""
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    hand.click("trainAllButton")
    hand.wait(lambda: len(hand.runs.ids()) == 6 and not hand.active and bool(hand.text("conclusionLabel")))
    hand.runs.select(hand.runs.ids())
    for page in ("Compare", "Explain"):
        hand.go(page)
        hand.wait(lambda: not hand.work.tasks.busy)
    hand.runs.select(hand.runs.ids()[:1])
    hand.go("Predict")
    hand.click("modelOfRunButton")
    hand.click("predictOpenDataButton")
    hand.wait(lambda: not hand.work.tasks.busy)


def by_arrows(widget: QWidget) -> bool:
    """One of several of which one is chosen: Tab comes to that one, arrows to the others."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return group is not None and group.exclusive() and not widget.isChecked()


def reached(start: QWidget) -> list[QWidget]:
    """Every widget that has the focus while Tab is pressed, once round the window, in this order."""
    start.setFocus()
    seen: dict[QWidget, None] = {}
    for _ in range(MOST):
        QTest.keyClick(QApplication.focusWidget() or start, Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        assert focus is not None
        if focus in seen and focus is next(iter(seen)):
            return list(seen)
        assert focus not in seen, f"{focus.objectName()} keeps the Tab key to itself"
        seen[focus] = None
    pytest.fail("no way round")


def places(page: QWidget, one: QWidget, other: QWidget) -> tuple[QRect, QRect]:
    """On the page; of what is in a scrolled part of it, that part, unless both are in it."""
    parts = [[widget for widget in above(end, page) if isinstance(widget, QAbstractScrollArea)] for end in (one, other)]
    ends = [
        next((part for part in reversed(mine) if part not in others), end)
        for end, mine, others in ((one, *parts), (other, *reversed(parts)))
    ]
    return tuple(QRect(end.mapTo(page, QPoint()), end.size()) for end in ends)  # type: ignore[return-value]


def above(widget: QWidget, page: QWidget) -> Iterator[QWidget]:
    while (widget := widget.parentWidget()) is not page:
        yield widget


def out_of_order(page: QWidget, found: Sequence[QWidget]) -> list[str]:
    """Steps of the Tab key back to the line above, or to the left in a line: down and to the right is how one reads.

    Up and to the right is another column.
    """
    inside = [widget for widget in found if page.isAncestorOf(widget) and widget.isVisible()]
    wrong = []
    for one, other in pairwise(inside):
        here, there = places(page, one, other)
        up = there.bottom() <= here.top() and there.left() < here.right()
        left = there.right() <= here.left() and there.top() < here.bottom() and there.bottom() > here.top()
        if up or left:
            wrong.append(f"{one.objectName()} {here.getRect()} -> {other.objectName()} {there.getRect()}")
    return wrong


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
        assert out_of_order(page, found) == [], name
        unnamed = [
            (part.role().name, part.object().objectName())
            for part in within(QAccessible.queryAccessibleInterface(page))
            if part.role() in NAMED and not part.text(QAccessible.Text.Name)
        ]
        assert unnamed == [], name
    hand.close()


class Watch(QObject):
    """What is shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            meant = isinstance(watched, QMainWindow | QDialog) or watched.windowType() != Qt.WindowType.Window
            self.shown += [] if meant else [f"{type(watched).__name__} {watched.objectName()}"]
        return False


def test_no_part_of_a_page_is_a_window_for_a_moment(open_window: Callable[[], Hand], qapp: QApplication) -> None:
    """It would flicker, and take the keyboard from the window."""
    watch = Watch()
    qapp.installEventFilter(watch)
    try:
        hand = open_window()
        in_use(hand)
        assert watch.shown == []
        assert QApplication.activeWindow() is hand.window
    finally:
        qapp.removeEventFilter(watch)
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
    hand.wait(lambda: second not in hand.runs)  # a discarded run leaves the table
    press(Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert len(hand.runs.ids()) == 1 + 6
    hand.close()
