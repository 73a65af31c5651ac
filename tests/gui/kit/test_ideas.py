"""Ideas where they are met: a picture for each in either shade, a stop of a tour that exists, and room or nothing."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from mcsvm_gui.core.base.resources import folder
from mcsvm_gui.core.machine.choices import FIRST_MACHINES
from mcsvm_gui.core.machine.names import machine_titles
from mcsvm_gui.core.playground.tours import tours
from mcsvm_gui.ui.kit.ideas.card import DENSITY, WIDTH, IdeaCard, IdeaRow
from mcsvm_gui.ui.kit.ideas.table import ideas, machine_ideas
from mcsvm_gui.ui.kit.page import form_side
from mcsvm_gui.ui.train.page import TrainPage
from mcsvm_gui.ui.tune.page import TunePage

EVERY = ideas() | {name: one for name, one in machine_ideas(machine_titles()).items() if name in FIRST_MACHINES}


@pytest.mark.parametrize("name", EVERY)
def test_an_idea_has_its_picture_and_a_stop_to_go_to(name: str) -> None:
    for shade in ("light", "dark"):
        picture = QImage(str(folder() / "pictures" / "ideas" / f"{name}-{shade}.png"))
        assert not picture.isNull()
        assert picture.width() <= DENSITY * WIDTH
    if EVERY[name].tour:
        tour, stop = EVERY[name].tour.split()
        assert int(stop) < len(tours()[tour].stops)


@pytest.mark.parametrize(("width", "height", "seen"), [(1000, 600, 3), (600, 600, 2), (300, 600, 1), (1000, 100, 0)])
def test_as_many_cards_as_there_is_room_for(qtbot: QtBot, width: int, height: int, seen: int) -> None:
    row = IdeaRow([IdeaCard(name, idea) for name, idea in list(ideas().items())[:3]])
    qtbot.addWidget(row)
    row.resize(width, height)
    row.show()
    assert [card.isVisible() for card in row.cards] == [place < seen for place in range(3)]
    assert all(card.geometry().bottom() < height for card in row.cards[:seen])


def test_a_card_gives_up_its_button_before_it_goes(qtbot: QtBot) -> None:
    row = IdeaRow([IdeaCard("six", ideas()["six"])])
    qtbot.addWidget(row)
    row.resize(600, 600)
    row.show()
    (card,) = row.cards
    whole = card.wanted_height()
    assert card._more.isVisible()
    row.resize(600, whole - 1)
    assert card.isVisible()
    assert not card._more.isVisible()
    compact = card.wanted_height()
    row.resize(600, compact - 1)
    assert not card.isVisible()
    row.resize(600, whole)
    assert card.isVisible()
    assert card._more.isVisible()


def test_a_form_that_grows_takes_the_place_of_its_card(qtbot: QtBot) -> None:
    form, inside = QWidget(), QLabel()
    QVBoxLayout(form).addWidget(inside)
    card = IdeaCard("margin", ideas()["margin"])
    side = form_side("area", form, QLabel("below"), card=card)
    qtbot.addWidget(side)
    side.resize(WIDTH, 700)
    side.show()
    qtbot.waitUntil(card.isVisible)
    inside.setMinimumHeight(500)
    qtbot.waitUntil(lambda: not card.isVisible())
    inside.setMinimumHeight(0)
    qtbot.waitUntil(card.isVisible)
    side.resize(WIDTH, 300)
    qtbot.waitUntil(lambda: not card.isVisible())


@pytest.mark.parametrize("kind", [TrainPage, TunePage])
def test_a_card_asks_for_its_stop(qtbot: QtBot, kind: type[TrainPage | TunePage]) -> None:
    page = kind()
    qtbot.addWidget(page)
    for card in page.findChildren(IdeaCard):
        if card._idea.tour:
            with qtbot.waitSignal(page.tour_asked) as asked:
                card._more.click()
            assert asked.args == [card._idea.tour]
