"""An audit of every control in every page and state: name, role, reach by keyboard, contrast of its words.

WCAG 2.1, 1.4.3 (contrast 4.5 : 1), 2.1.1 (keyboard) and 4.1.2 (name and role). What is disabled is exempt, there too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from journeys.hand import DIALOGS, Hand
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QColor, QImage, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QScrollArea,
    QTabWidget,
    QWidget,
)

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.pages import PAGES
from mcsvm_gui.ui.kit import theme

pytestmark = pytest.mark.slow

CONTROLS = QAbstractButton, QComboBox, QLineEdit, QAbstractSpinBox, QAbstractItemView
CONTRAST, HIGH, SHAPES = 4.5, 7.0, 3.0  # 1.4.11: what has no words but an icon
SLACK = 0.2  # thin strokes are drawn paler than their colour
ROLES = {
    QAbstractButton: {"Button", "CheckBox", "RadioButton", "ButtonMenu", "ButtonDropDown", "PushButton"},
    QComboBox: {"ComboBox"},
    QLineEdit: {"EditableText"},
    QAbstractSpinBox: {"SpinBox"},
    QAbstractItemView: {"Table", "List", "Tree"},
}


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> Iterator[None]:
    yield
    theme.use("light")


def luminance(colour: QColor) -> float:
    """Relative, of WCAG."""
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.getRgbF()[:3]]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: QColor, other: QColor) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def drawn_contrast(image: QImage) -> float:
    """Between the most frequent colour and the one that stands out most from it."""
    pixels = Counter(image.pixel(x, y) for x in range(image.width()) for y in range(image.height()))
    ground = QColor.fromRgb(pixels.most_common(1)[0][0])
    return max(contrast(ground, QColor.fromRgb(pixel)) for pixel in pixels)


def picture(widget: QWidget) -> QImage:
    """What is transparent stands on the window's colour."""
    drawn = widget.grab().toImage()
    image = QImage(drawn.size(), QImage.Format.Format_RGB32)
    image.fill(QColor(theme.current().window))
    painter = QPainter(image)
    painter.drawImage(0, 0, drawn)
    painter.end()
    return image


def seen(window: QWidget, kind: type[QWidget] | tuple[type[QWidget], ...]) -> Iterator[QWidget]:
    """Those of our own: parts of a spin box or of a table's header are Qt's."""
    for widget in window.findChildren(QWidget):
        inside = isinstance(widget.parent(), QComboBox | QAbstractSpinBox | QAbstractItemView | QLineEdit)
        if isinstance(widget, kind) and widget.isVisible() and not inside and not widget.visibleRegion().isEmpty():
            yield widget


def called(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName() or '?'} in {widget.parent().objectName()!r}"


def without_name_or_role(window: QWidget) -> list[str]:
    wrong = []
    for widget in seen(window, CONTROLS):
        interface = QAccessible.queryAccessibleInterface(widget)
        assert interface is not None, called(widget)
        name = interface.text(QAccessible.Text.Name)
        if not name.strip() or len(name.split()) > 20:
            wrong.append(f"{called(widget)}: called {name!r}")
        kind = next(kind for kind in CONTROLS if isinstance(widget, kind))
        if interface.role().name not in ROLES[kind]:
            wrong.append(f"{called(widget)}: role {interface.role().name}")
    return wrong


def beyond_the_keyboard(window: QWidget) -> list[str]:
    """Controls that Tab does not reach."""
    reached: set[int] = set()
    first = widget = window.nextInFocusChain()
    while True:
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            reached.add(id(widget))
            proxy = widget.focusProxy()
            reached.add(id(proxy if proxy is not None else widget))
        widget = widget.nextInFocusChain()
        if widget is first:
            break
    controls = [widget for widget in seen(window, CONTROLS) if widget.isEnabled()]
    return [called(widget) for widget in controls if id(widget) not in reached and not grouped(widget)]


def grouped(widget: QWidget) -> bool:
    """Arrow keys reach what belongs to a group of which one is reached, and buttons of tab bars and menus."""
    return isinstance(widget, QAbstractButton) and (
        widget.group() is not None or type(widget.parent()).__name__ == "QTabBar"
    )


def hard_to_read(window: QWidget) -> list[str]:
    wrong = []
    for widget in seen(window, (QLabel, QAbstractButton)):
        words = widget.text() if isinstance(widget, QLabel | QAbstractButton) else ""
        drawn = isinstance(widget, QAbstractButton) and not widget.icon().isNull()
        if not (words.strip() or drawn) or not widget.isEnabled():
            continue
        found = drawn_contrast(picture(widget))
        if found < (CONTRAST if words.strip() else SHAPES) - SLACK:
            wrong.append(f"{called(widget)}: {words[:30]!r} {found:.2f} : 1")
    return wrong


def audited(hand: Hand, state: str) -> list[str]:
    hand.wait(lambda: not hand.work.tasks.busy)
    found = without_name_or_role(hand.window) + beyond_the_keyboard(hand.window) + hard_to_read(hand.window)
    return [f"{state}: {line}" for line in found]


def test_colours_of_every_theme_are_readable_on_what_they_stand_on() -> None:
    for now in theme.THEMES.values():
        for ground in (now.window, now.surface, now.raised):
            for ink in (now.text, now.muted, now.good, now.warning, now.bad, now.accent):
                least = HIGH if "contrast" in now.name else CONTRAST
                assert contrast(QColor(ink), QColor(ground)) >= least, (now.name, ink, ground)
        assert contrast(QColor(now.accent_text), QColor(now.accent)) >= CONTRAST, now.name


@pytest.mark.parametrize("name", ["light", "dark", "dark-contrast"])
def test_every_control_has_a_name_and_a_role_is_reached_and_can_be_read(
    open_window: Callable[[], Hand], name: str
) -> None:
    hand = open_window()
    hand.window.set_theme(name)
    wrong = []
    for page in PAGES:
        hand.window.show_page(page)
        wrong += audited(hand, f"{page}, empty, {name}")
    hand.work.open_data(str(resources.dataset("glass")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.window.show_page("train")
    hand.click("trainAllButton")
    hand.wait(lambda: not hand.active and bool(hand.text("conclusionLabel")))
    for page in PAGES:
        hand.window.show_page(page)
        wrong += audited(hand, f"{page}, done, {name}")
    assert not wrong, "\n".join(wrong)
    hand.close()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_dialogs_too(open_window: Callable[[], Hand], name: str) -> None:
    hand = open_window()
    hand.window.set_theme(name)
    wrong = []
    for action, dialog in DIALOGS.items():
        hand.window.action(action).trigger()
        hand.wait(lambda dialog=dialog: hand.window.findChild(QDialog, dialog) is not None)
        hand.wait(lambda: not hand.work.tasks.busy)
        opened = hand.find(QDialog, dialog)
        hand.wait(opened.isVisible)
        found = without_name_or_role(opened) + beyond_the_keyboard(opened) + hard_to_read(opened)
        wrong += [f"{dialog}: {line}" for line in found]
        opened.close()
    assert not wrong, "\n".join(wrong)
    hand.close()


def audited_tabs(hand: Hand, state: str, name: str) -> list[str]:
    """Every tab of a page, in sight one after the other."""
    tabs, wrong = hand.find(QTabWidget, name), []
    for place in range(tabs.count()):
        tabs.setCurrentIndex(place)
        wrong += audited(hand, f"{state}, {tabs.tabText(place)}")
    return wrong


def probable(hand: Hand, *machines: str) -> list[int]:
    """Runs with probabilities, trained and chosen."""
    asked = [hand.work.base_request(machine=name, C=4.0, gamma=1.0, calibrate="temperature") for name in machines]
    runs: list[int] = hand.work.train(asked)
    hand.wait(lambda: not hand.active)
    hand.select_runs(*runs)
    return runs


THEMES = pytest.mark.parametrize("name", ["light", "dark"])


@THEMES
def test_while_trainings_run_rest_stop_and_fail(open_window: Callable[[], Hand], name: str) -> None:
    hand = open_window()
    hand.window.set_theme(name)
    hand.work.open_data(str(resources.dataset("glass")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    queue, request = hand.work.queue, hand.work.base_request(machine="llw", solver="smo", C=1024.0, tol=1e-9)
    runs = hand.work.train([request, replace(request, C=512.0), replace(request, C=256.0), replace(request, C=128.0)])
    hand.select_runs(runs[0])
    hand.wait(lambda: hand.runs.trace(runs[0]).table()["seconds"].size > 0)
    wrong = audited(hand, f"running, {name}")
    queue.pause(runs[0])
    hand.wait(lambda: queue.state(runs[0]) is JobState.PAUSED)
    wrong += audited(hand, f"paused, {name}")
    for run in runs:
        queue.stop(run)
    hand.wait(lambda: not hand.active)
    wrong += audited(hand, f"stopped, {name}")
    (failed,) = hand.work.train([replace(request, class_weight=(("nobody", 2.0),))])
    hand.wait(lambda: not hand.active)
    hand.select_runs(failed)
    hand.wait(lambda: hand.find(QLabel, "plotsInstead").isVisible())
    wrong += audited(hand, f"failed, {name}")
    wrong += audited_tabs(hand, f"failed, {name}", "runTabs")
    assert not wrong, "\n".join(wrong)
    hand.close()


@THEMES
def test_while_a_search_runs_and_after_it(open_window: Callable[[], Hand], name: str) -> None:
    hand = open_window()
    hand.window.set_theme(name)
    hand.work.open_data(str(resources.dataset("glass")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.window.show_page("tune")
    page, tune = hand.window.pages["tune"].page, hand.window.assembly.page("tune")
    page.fields.more.setChecked(True)
    page.set_texts({**page.texts(), "machines": "ww,ovo", "step": "2"})
    page.form_changed.emit()
    hand.click("tuneStartButton")
    hand.wait(lambda: bool(page.tabs.plots) or not hand.work.searches.active)
    wrong = audited(hand, f"searching, {name}")
    tune.stop()
    hand.wait(lambda: not hand.work.queue.active())
    wrong += audited(hand, f"search stopped, {name}")
    page.set_texts({**page.texts(), "machines": "ww,ovo", "step": "7"})
    page.form_changed.emit()
    hand.click("tuneStartButton")
    hand.wait(lambda: not hand.work.queue.active() and bool(hand.text("bestLabel")))
    wrong += audited_tabs(hand, f"searched, {name}", "heatmapTabs")
    assert not wrong, "\n".join(wrong)
    hand.close()


@THEMES
def test_every_tab_of_compared_and_explained_runs(open_window: Callable[[], Hand], name: str) -> None:
    hand = open_window()
    hand.window.set_theme(name)
    hand.work.open_data(str(resources.dataset("wine")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    probable(hand, "ww", "ovo")
    hand.window.show_page("compare")
    hand.wait(lambda: not hand.work.tasks.busy)
    wrong = audited_tabs(hand, f"compare, {name}", "compareTabs")
    hand.window.show_page("explain")
    explain = hand.window.assembly.page("explain")
    hand.wait(lambda: explain._found is not None and not hand.work.tasks.busy)
    explain.find_flip()
    wrong += audited_tabs(hand, f"explain, {name}", "explainTabs")
    explain._view.tabs.setCurrentIndex(0)
    wrong += audited_tabs(hand, f"explain a row, {name}", explain._view.row.tabs.objectName())
    assert not wrong, "\n".join(wrong)
    hand.close()


@THEMES
def test_predictions_data_that_cannot_be_read_and_the_playground(
    open_window: Callable[[], Hand], name: str, tmp_path: Path
) -> None:
    hand = open_window()
    hand.window.set_theme(name)
    hand.work.open_data(str(resources.dataset("wine")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    probable(hand, "ww")
    hand.window.show_page("predict")
    predict = hand.window.assembly.page("predict")
    predict.use_selected_run()
    predict.open_data(str(resources.dataset("wine")))
    hand.wait(lambda: hand.find(QWidget, "predictTable").isVisible())
    predict.view.choose_sets(0.05)
    wrong = audited(hand, f"predicted, {name}")
    predict.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: not hand.work.tasks.busy and not hand.find(QWidget, "predictTable").isVisible())
    wrong += audited(hand, f"not predicted, {name}")
    broken = tmp_path / "broken.csv"
    broken.write_text("a,b,label\n1,2,x\n3,4,5,y\n", "utf-8")
    hand.window.show_page("data")
    hand.work.open_data(str(broken))
    hand.wait(lambda: hand.find(QWidget, "dataError").isVisible())
    wrong += audited(hand, f"not read, {name}")
    hand.window.show_page("playground")
    playground = hand.window.assembly.page("playground")
    playground.view.tour_asked.emit("margins")
    hand.wait(lambda: not playground.busy and bool(playground.view.canvas.pictures))
    wrong += audited(hand, f"a tour, {name}")
    assert not wrong, "\n".join(wrong)
    hand.close()


def focus_order(area: QWidget) -> list[QWidget]:
    """The controls in it that Tab reaches, in its order."""
    widget, found = area.window().nextInFocusChain(), []
    first = widget
    while True:
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and area.isAncestorOf(widget):
            found.append(widget)
        widget = widget.nextInFocusChain()
        if widget is first:
            return found


@pytest.mark.parametrize(("page", "name"), [("train", "machineFormArea"), ("tune", "tuneFormArea")])
def test_tab_goes_through_a_form_from_top_to_bottom(open_window: Callable[[], Hand], page: str, name: str) -> None:
    hand = open_window()
    hand.window.show_page(page)
    area = hand.find(QScrollArea, name)
    form = area.widget()
    form.more.setChecked(True)  # type: ignore[attr-defined]
    hand.wait(lambda: not hand.work.tasks.busy)
    hand.wait(lambda: form.height() >= form.minimumSizeHint().height())  # laid out
    tops = [widget.mapTo(form, widget.rect().topLeft()).y() for widget in focus_order(area)]
    assert len(tops) > 10
    assert all(later > earlier - 8 for earlier, later in pairwise(tops)), tops
    hand.close()


def test_from_right_to_left_everything_stays_in_the_window(open_window: Callable[[], Hand], qapp: QApplication) -> None:
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        hand = open_window()
        hand.work.open_data(str(resources.dataset("glass")))
        hand.wait(lambda: hand.work.dataset is not None)
        hand.window.show_page("train")
        hand.click("trainAllButton")
        hand.wait(lambda: not hand.active and bool(hand.text("conclusionLabel")))
        assert hand.find(QWidget, "navigation").x() > hand.window.width() // 2
        for page in PAGES:
            hand.window.show_page(page)
            hand.wait(lambda: not hand.work.tasks.busy)
            for widget in seen(hand.window, CONTROLS):
                corner = widget.mapTo(hand.window, widget.rect().topLeft())
                assert corner.x() >= 0, (page, called(widget))
                assert corner.x() + widget.width() <= hand.window.width(), (page, called(widget))
        hand.close()
    finally:
        qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
