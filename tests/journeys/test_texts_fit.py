"""In the smallest window and in every language each text is read to its end, or ends in … and has a tooltip.

No page scrolls sideways, and German numbers have a comma.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from cut_texts import cut_texts, decimal_points, sideways
from journeys.hand import DIALOGS, Hand
from PySide6.QtWidgets import QDialog, QScrollArea, QTabWidget, QWidget

from mcsvm_gui.core.base import i18n, resources
from mcsvm_gui.core.base.i18n import translation
from mcsvm_gui.pages import PAGES

pytestmark = pytest.mark.slow

SIZE = 1024, 700


@pytest.fixture(params=sorted(translation.languages()))
def hand(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Hand]]:
    """How a window is opened in this language."""
    open_window = request.getfixturevalue("open_window")
    monkeypatch.setattr(translation, "chosen", lambda setting: request.param)
    yield open_window
    i18n.install()


def opened(open_window: Callable[[], Hand]) -> Hand:
    hand = open_window()
    hand.window.resize(*SIZE)
    return hand


def cut(hand: Hand, state: str, widget: QWidget | None = None) -> list[str]:
    """Return what is wrong once it is laid out: texts that are cut, sideways scrolling, points in German numbers."""
    hand.wait(lambda: not hand.work.tasks.busy)
    for _ in range(20):
        hand.bot.wait(20)
        found = cut_texts(widget or hand.window) + sideways(widget or hand.window)
        if widget is None and i18n.language() == "de":
            found += decimal_points(hand.window)
        if not found:
            break
    return [f"{state}: {line}" for line in found]


def tabs(hand: Hand, page: str, name: str) -> list[str]:
    """Each tab of a page."""
    found, part = [], hand.find(QTabWidget, name)
    for place in range(part.count()):
        part.setCurrentIndex(place)
        found += cut(hand, f"{page}, {part.tabText(place)}")
    return found


def test_before_anything_is_done_and_in_dialogs(hand: Callable[[], Hand]) -> None:
    here = opened(hand)
    wrong = []
    for page in PAGES:
        here.window.show_page(page)
        wrong += cut(here, page)
    for action, name in DIALOGS.items():
        here.window.action(action).trigger()
        here.wait(lambda name=name: here.window.findChild(QDialog, name) is not None)
        dialog = here.find(QDialog, name)
        here.wait(dialog.isVisible)
        wrong += cut(here, name, dialog)
        dialog.close()
    assert not wrong, "\n".join(wrong)
    here.close()


def test_forms_are_no_wider_than_can_be_seen_of_them(hand: Callable[[], Hand]) -> None:
    """They scroll up and down alone."""
    here = opened(hand)
    wrong = []
    for page, name in ("train", "machineFormArea"), ("tune", "tuneFormArea"):
        here.window.show_page(page)
        here.wait(lambda: not here.work.tasks.busy)
        area = here.find(QScrollArea, name)
        for more in (False, True):
            area.widget().more.setChecked(more)
            here.wait(lambda area=area, more=more: area.verticalScrollBar().isVisible() or not more)
            wanted, there = area.widget().minimumSizeHint().width(), area.viewport().width()
            wrong += [f"{page}, more {more}: {wanted} of {there}"] if wanted > there else []
    assert not wrong, "\n".join(wrong)
    here.close()


def test_once_six_machines_are_trained(hand: Callable[[], Hand]) -> None:
    here = opened(hand)
    here.work.open_data(str(resources.dataset("glass")))
    here.wait(lambda: here.work.dataset is not None)
    here.window.show_page("data")
    wrong = cut(here, "data")
    here.window.show_page("train")
    here.click("trainAllButton")
    here.wait(lambda: not here.active and bool(here.text("conclusionLabel")))
    wrong += cut(here, "train")
    here.select_runs(*here.runs.ids()[:1])
    wrong += cut(here, "train, one run")
    here.select_runs(*here.runs.ids())
    here.window.show_page("compare")
    here.wait(lambda: not here.work.tasks.busy)
    wrong += tabs(here, "compare", "compareTabs")
    here.window.show_page("explain")
    wrong += cut(here, "explain")
    wrong += tabs(here, "explain", "explainTabs")
    here.select_runs(here.runs.ids()[0])
    here.window.show_page("predict")
    here.window.assembly.page("predict").open_data(str(resources.dataset("glass")))
    wrong += cut(here, "predict")
    assert not wrong, "\n".join(wrong)
    here.close()
